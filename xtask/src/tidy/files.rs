//! Rules that concern a single file.

use super::{TextFile, Tree};

/// Maximum number of lines in a file. A longer file must have a comment `tidy: long because …` near its top.
const MAX_LINES: usize = 500;
/// The only directory in which files may contain `unsafe` code.
const UNSAFE_DIRECTORY: &str = "crates/kit-node-server/src/";

/// Reports crates that do not begin with a doc comment of at least three lines.
pub(super) fn crates_begin_with_documentation(tree: &Tree) -> Vec<String> {
    tree.matching("crates/", "/src/lib.rs")
        .filter(|file| !file.path.contains("/goldens/"))
        .chain(tree.matching("xtask/src/main.rs", ""))
        .filter(|file| {
            file.text
                .lines()
                .take_while(|line| line.starts_with("//!"))
                .count()
                < 3
        })
        .map(|file| {
            format!(
                "{}: begin the file with `//!` comments: the purpose of the crate, its place among the crates, and its invariants",
                file.path
            )
        })
        .collect()
}

/// Reports files that are too long and give no reason for it.
pub(super) fn files_are_short(tree: &Tree) -> Vec<String> {
    source_files(tree)
        .filter(|file| !file.path.contains("/goldens/") && !file.path.contains("/fixtures/"))
        .filter_map(|file| {
            let lines = file.text.lines().count();
            let has_reason = file
                .text
                .lines()
                .take(30)
                .any(|line| line.contains("tidy: long because "));
            (lines > MAX_LINES && !has_reason).then(|| {
                format!(
                    "{}: {lines} lines; split it by subject, or say near its top `tidy: long because …`",
                    file.path
                )
            })
        })
        .collect()
}

/// Reports test files that no test program contains: the files of a directory `tests/suite` are modules of its `main.rs`.
pub(super) fn test_files_are_modules(tree: &Tree) -> Vec<String> {
    tree.matching("crates/", ".rs")
        .filter_map(|file| {
            let (directory, name) = file.path.rsplit_once('/')?;
            let name = name.strip_suffix(".rs")?;
            let is_module = !directory.ends_with("/tests/suite") || name == "main" || {
                let main = tree.text(&format!("{directory}/main.rs"))?;
                main.lines().any(|line| line == format!("mod {name};"))
            };
            (!is_module).then(|| format!("{}: add `mod {name};` to {directory}/main.rs", file.path))
        })
        .collect()
}

/// Reports `unsafe` code outside of its directory or in more than one module, and `unsafe` blocks without a `SAFETY:`
/// comment.
pub(super) fn unsafe_code_is_in_one_module(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    let mut files: Vec<&str> = Vec::new();
    for file in tree
        .matching("", ".rs")
        .filter(|file| !file.path.starts_with("xtask/src/tidy/"))
    {
        let lines: Vec<&str> = file.text.lines().collect();
        for (index, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or("");
            if !(code.contains("unsafe {") || code.contains("unsafe fn ") || code.contains("unsafe impl ")) {
                continue;
            }
            if !file.path.starts_with(UNSAFE_DIRECTORY) {
                problems.push(format!(
                    "{}:{}: `unsafe` belongs into {UNSAFE_DIRECTORY} alone",
                    file.path,
                    index + 1
                ));
            } else if !files.contains(&file.path.as_str()) {
                files.push(&file.path);
            }
            let has_reason = lines[index.saturating_sub(6)..=index]
                .iter()
                .any(|line| line.contains("SAFETY:") || line.contains("# Safety"));
            if !has_reason {
                problems.push(format!(
                    "{}:{}: an `unsafe` block without its `SAFETY:` line above",
                    file.path,
                    index + 1
                ));
            }
        }
    }
    // A module is either a file or a directory.
    let module = |path: &str| {
        path.trim_start_matches(UNSAFE_DIRECTORY)
            .split(['/', '.'])
            .next()
            .unwrap_or("")
            .to_owned()
    };
    let mut modules: Vec<String> = files.iter().map(|path| module(path)).collect();
    modules.dedup();
    if modules.len() > 1 {
        problems.push(format!(
            "{UNSAFE_DIRECTORY}: `unsafe` in the modules {}; one is enough",
            modules.join(", ")
        ));
    }
    problems
}

/// Reports code that is marked as unfinished, and tests that are disabled.
pub(super) fn no_code_is_unfinished(tree: &Tree) -> Vec<String> {
    // The search terms are split, so that this file does not contain them.
    let markers = [
        concat!("todo", "!("),
        concat!("unimplemented", "!("),
        concat!("#[ign", "ore"),
        concat!("test.on", "ly("),
        concat!("it.on", "ly("),
        concat!("describe.on", "ly("),
        concat!("@ts-ig", "nore"),
        concat!("TO", "DO:"),
    ];
    source_files(tree)
        .flat_map(|file| {
            file.text.lines().enumerate().filter_map(move |(index, line)| {
                let marker = markers.iter().find(|marker| line.contains(**marker))?;
                Some(format!(
                    "{}:{}: `{marker}` in committed code",
                    file.path,
                    index + 1
                ))
            })
        })
        .collect()
}

/// Reports files with the host of a package registry. The clients of registries have their own configuration.
pub(super) fn no_registry_host_is_named(tree: &Tree) -> Vec<String> {
    let hosts = [
        concat!("registry.", "npmjs.org"),
        concat!("static.", "crates.io"),
        concat!("index.", "crates.io"),
        concat!("files.", "pythonhosted.org"),
    ];
    tree.matching("", "")
        .flat_map(|file| {
            file.text.lines().enumerate().filter_map(move |(index, line)| {
                let host = hosts.iter().find(|host| line.contains(**host))?;
                Some(format!("{}:{}: names the registry {host}", file.path, index + 1))
            })
        })
        .collect()
}

fn source_files(tree: &Tree) -> impl Iterator<Item = &TextFile> {
    tree.matching("", ".rs")
        .chain(tree.matching("", ".ts"))
        .chain(tree.matching("", ".tsx"))
        .chain(tree.matching("", ".js"))
}

#[cfg(test)]
mod tests {
    use super::{
        files_are_short, no_code_is_unfinished, test_files_are_modules, unsafe_code_is_in_one_module,
    };
    use crate::tidy::Tree;

    #[test]
    fn reports_long_files_without_a_reason() {
        let long = "x\n".repeat(501);
        let excused = format!("// tidy: long because one table\n{long}");
        let tree = Tree::of(&[("crates/a/src/a.rs", &long), ("crates/a/src/b.rs", &excused)]);
        assert_eq!(files_are_short(&tree).len(), 1);
    }

    #[test]
    fn reports_test_files_that_no_program_contains() {
        let tree = Tree::of(&[
            ("crates/a/tests/suite/main.rs", "mod b;\n"),
            ("crates/a/tests/suite/b.rs", ""),
            ("crates/a/tests/suite/c.rs", ""),
            ("crates/a/tests/own.rs", ""),
        ]);
        let problems = test_files_are_modules(&tree);
        assert_eq!(
            problems,
            ["crates/a/tests/suite/c.rs: add `mod c;` to crates/a/tests/suite/main.rs"]
        );
    }

    #[test]
    fn reports_unsafe_code_outside_of_its_directory_or_without_a_safety_comment() {
        let tree = Tree::of(&[
            ("crates/kit-ir/src/lib.rs", "// SAFETY: no\nunsafe { a() }"),
            ("crates/kit-node-server/src/node.rs", "unsafe { a() }"),
        ]);
        assert_eq!(unsafe_code_is_in_one_module(&tree).len(), 2);
    }

    #[test]
    fn reports_disabled_tests() {
        let tree = Tree::of(&[("crates/a/src/a.rs", concat!("#[ign", "ore]\nfn a() {}"))]);
        assert_eq!(no_code_is_unfinished(&tree).len(), 1);
    }
}
