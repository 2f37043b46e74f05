//! Checks that each public function of a package has an example. Public functions are the exports of
//! `src/index.ts`.

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

#[cfg(test)]
mod tests {
    use super::public_functions_have_examples;
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
}
