//! Checks that each public function of a package and of some crates has an example. Public functions of a package are the
//! exports of `src/index.ts`.

use std::collections::BTreeSet;

use super::{TextFile, Tree};

/// Reports exported functions of packages whose doc comment has no `@example`.
pub(super) fn public_functions_have_examples(tree: &Tree) -> Vec<String> {
    let faces = tree
        .matching("packages/", "/src/index.ts")
        .filter(|file| file.path.matches('/').count() == 3);
    faces
        .flat_map(|face| {
            let names = exported_names(&face.text);
            let folder = face.path.trim_end_matches("index.ts");
            tree.matching(folder, ".ts")
                .flat_map(move |file| functions_without_example(file, &names))
        })
        .collect()
}

/// Returns the names in `export { … } from` of a package's entry. Types are left out.
fn exported_names(text: &str) -> BTreeSet<String> {
    text.split("export {")
        .skip(1)
        .filter_map(|rest| rest.split('}').next())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.split_whitespace().next())
        .filter(|name| *name != "type")
        .map(str::to_owned)
        .collect()
}

fn functions_without_example(file: &TextFile, names: &BTreeSet<String>) -> Vec<String> {
    let mut problems = Vec::new();
    let mut comment = String::new();
    for (index, line) in file.text.lines().enumerate() {
        if line.starts_with("/**") {
            comment.clear();
        }
        if line.starts_with("/**") || line.starts_with(" *") {
            comment.push_str(line);
            continue;
        }
        let declared = line
            .strip_prefix("export function ")
            .or_else(|| line.strip_prefix("export async function "));
        if let Some(name) = declared.and_then(|rest| rest.split(['(', '<']).next())
            && names.contains(name)
            && !comment.contains("@example")
        {
            problems.push(format!(
                "{}:{}: the public function {name} has no `@example` in its doc comment; show one call",
                file.path,
                index + 1
            ));
        }
        comment.clear();
    }
    problems
}

/// Crates whose public functions need an example. Tests compile and run the examples.
const CRATES: [&str; 7] = [
    "kit-guard",
    "kit-http2",
    "kit-router",
    "kit-runtime",
    "kit-static",
    "kit-tls",
    "kit-websocket",
];

/// Reports public functions of [`CRATES`] that no example calls. An example is a code block in a doc comment of the
/// function's file. Functions with `#[doc(hidden)]` need no example, but a comment with the reason on the same line.
pub(super) fn public_functions_of_crates_have_examples(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for name in CRATES {
        let folder = format!("crates/{name}/src/");
        let root = tree.text(&format!("{folder}lib.rs")).unwrap_or_default();
        let hidden = hidden_modules(root);
        for file in tree.matching(&folder, ".rs") {
            let module = file.path[folder.len()..]
                .split(['/', '.'])
                .next()
                .unwrap_or_default();
            if !hidden.contains(module) {
                problems.extend(functions_that_no_example_calls(file));
            }
        }
    }
    problems
}

/// Returns the names of modules that are hidden, and from which the crate re-exports nothing.
fn hidden_modules(root: &str) -> BTreeSet<&str> {
    let lines: Vec<&str> = root.lines().collect();
    lines
        .windows(2)
        .filter(|pair| pair[0].starts_with("#[doc(hidden)]"))
        .filter_map(|pair| pair[1].strip_prefix("pub mod ")?.strip_suffix(';'))
        .filter(|name| !root.contains(&format!("pub use {name}::")))
        .collect()
}

fn functions_that_no_example_calls(file: &TextFile) -> Vec<String> {
    let code = file
        .text
        .split("#[cfg(test)]\nmod tests {")
        .next()
        .unwrap_or_default();
    let examples = examples(code);
    let mut problems = Vec::new();
    let mut is_hidden = false;
    for (index, line) in code.lines().map(str::trim_start).enumerate() {
        if let Some(reason) = line.strip_prefix("#[doc(hidden)]") {
            is_hidden = true;
            if !reason.trim_start().starts_with("//") {
                problems.push(format!(
                    "{}:{}: `#[doc(hidden)]` without a reason; write a comment on the same line that says who calls the \
                     function",
                    file.path,
                    index + 1
                ));
            }
        }
        if line.starts_with("#[") || line.starts_with("//") {
            continue;
        }
        if let Some(name) = public_function(line)
            && !is_hidden
            && !calls(&examples, name)
        {
            problems.push(format!(
                "{}:{}: no example calls the public function {name}; add a code block with one call to its doc comment, or \
                 to that of its type",
                file.path,
                index + 1
            ));
        }
        is_hidden = false;
    }
    problems
}

/// Returns the name of the public function that a line declares.
fn public_function(line: &str) -> Option<&str> {
    let mut rest = line.strip_prefix("pub ")?;
    for keyword in ["const ", "async "] {
        rest = rest.strip_prefix(keyword).unwrap_or(rest);
    }
    rest.strip_prefix("fn ")?.split(['(', '<']).next()
}

/// Returns the lines of the code blocks in doc comments.
fn examples(code: &str) -> String {
    let mut is_example = false;
    let mut lines = String::new();
    for line in code.lines() {
        let line = line.trim_start();
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            is_example = false;
            continue;
        };
        if text.trim_start().starts_with("```") {
            is_example = !is_example;
        } else if is_example {
            lines.push_str(text);
            lines.push('\n');
        }
    }
    lines
}

/// Returns true if code calls a function of this name.
fn calls(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(start, _)| {
        let before = &code[..start];
        let after = &code[start + name.len()..];
        before.ends_with(['.', ':', ' ', '(', '!'])
            && !before.ends_with("fn ")
            && (after.starts_with('(') || after.starts_with("::<"))
    })
}

#[cfg(test)]
mod tests {
    use super::{public_functions_have_examples, public_functions_of_crates_have_examples};
    use crate::tidy::Tree;

    #[test]
    fn reports_a_public_function_without_an_example() {
        let tree = Tree::of(&[
            (
                "packages/a/src/index.ts",
                "export { one, type Two, three } from \"./x.ts\";\n",
            ),
            (
                "packages/a/src/x.ts",
                "/** Returns 1. */\nexport function one(): 1 {}\n/**\n * @example\n */\nexport async function three<T>() {}\nexport function inner() {}\n",
            ),
        ]);
        let problems = public_functions_have_examples(&tree);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].starts_with("packages/a/src/x.ts:2: the public function one has no"));
    }

    #[test]
    fn reports_a_public_function_of_a_crate_that_no_example_calls() {
        let root = "#[doc(hidden)] // For tests.\npub mod inner;\npub mod outer;\n";
        let outer = "/// A type.\n///\n/// ```\n/// A::new().size(1);\n/// ```\npub struct A;\nimpl A {\n\
                     pub fn new() {}\npub const fn size() {}\npub async fn siz<T>() {}\n\
                     #[doc(hidden)] // Called by generated code.\npub fn part() {}\n\
                     #[doc(hidden)]\npub fn other() {}\n}\n#[cfg(test)]\nmod tests {\npub fn helper() {}\n}\n";
        let tree = Tree::of(&[
            ("crates/kit-router/src/lib.rs", root),
            ("crates/kit-router/src/inner.rs", "pub fn hidden() {}\n"),
            ("crates/kit-router/src/outer.rs", outer),
        ]);
        let problems = public_functions_of_crates_have_examples(&tree);
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(
            problems[0]
                .starts_with("crates/kit-router/src/outer.rs:10: no example calls the public function siz;")
        );
        assert!(
            problems[1].starts_with("crates/kit-router/src/outer.rs:13: `#[doc(hidden)]` without a reason;")
        );
    }
}
