//! Checks ARCHITECTURE.md: its tables of allowed dependencies, and the paths that it mentions.

use std::collections::BTreeMap;

use super::{TextFile, Tree};

const PAGE: &str = "ARCHITECTURE.md";

/// Reports crates that are missing in the table of ARCHITECTURE.md, crates of the table that do not exist, and
/// dependencies between crates that the table does not allow.
pub(super) fn crates_follow_the_table(tree: &Tree) -> Vec<String> {
    let allowed = table(tree, "| crate | job | may use |");
    let mut problems = Vec::new();
    let mut present = Vec::new();
    let manifests = tree.matching("crates/", "/Cargo.toml");
    for manifest in manifests.filter(|manifest| !manifest.path.contains("/goldens/")) {
        let name = manifest
            .path
            .trim_start_matches("crates/")
            .trim_end_matches("/Cargo.toml");
        present.push(name.to_owned());
        let Some(may_use) = allowed.get(name) else {
            problems.push(format!(
                "{}: the crate is not in the table of {PAGE}; add a row that says its job",
                manifest.path
            ));
            continue;
        };
        for used in dependencies(&manifest.text) {
            if !may_use.contains(&used) {
                problems.push(format!(
                    "{}: {name} uses {used}, which the table of {PAGE} does not allow; reverse the dependency, or change the table there and give the reason",
                    manifest.path
                ));
            }
        }
    }
    for name in allowed.keys().filter(|name| !present.contains(name)) {
        problems.push(format!(
            "{PAGE}: the table names the crate {name}, which does not exist"
        ));
    }
    problems
}

/// Reports the same problems for npm packages.
pub(super) fn packages_follow_the_table(tree: &Tree) -> Vec<String> {
    let allowed = table(tree, "| package | job | may use |");
    let mut problems = Vec::new();
    let mut present = Vec::new();
    for manifest in tree.matching("packages/", "/package.json") {
        let name = manifest
            .path
            .trim_start_matches("packages/")
            .trim_end_matches("/package.json");
        if name.contains('/') {
            continue;
        }
        present.push(name.to_owned());
        let Some(may_use) = allowed.get(name) else {
            problems.push(format!(
                "{}: the package is not in the table of {PAGE}; add a row that says its job",
                manifest.path
            ));
            continue;
        };
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&manifest.text) else {
            problems.push(format!("{}: not valid JSON", manifest.path));
            continue;
        };
        // `devDependencies` are only for tests, so the table need not allow them.
        for section in ["dependencies", "optionalDependencies", "peerDependencies"] {
            let names = json
                .get(section)
                .and_then(|section| section.as_object())
                .into_iter()
                .flatten();
            for used in names.filter_map(|(used, _)| used.strip_prefix("@kit/")) {
                if !may_use.iter().any(|allowed| allowed == used) {
                    problems.push(format!(
                        "{}: {name} uses @kit/{used}, which the table of {PAGE} does not allow",
                        manifest.path
                    ));
                }
            }
        }
    }
    for name in allowed.keys().filter(|name| !present.contains(name)) {
        problems.push(format!(
            "{PAGE}: the table names the package {name}, which does not exist"
        ));
    }
    problems
}

/// Reports paths that do not exist. A path is text in backticks that begins with a directory of the repository.
pub(super) fn named_paths_exist(tree: &Tree) -> Vec<String> {
    let directories = [
        "crates/",
        "packages/",
        "xtask/",
        "conformance/",
        "examples/",
        "tests/",
        "docs/",
        "bench/",
    ];
    let decisions = tree.matching("docs/decisions/", ".md");
    tree.files
        .iter()
        .filter(|file| {
            [
                "ARCHITECTURE.md",
                "README.md",
                "CONTRIBUTING.md",
                "docs/artifacts.md",
            ]
            .contains(&file.path.as_str())
        })
        .chain(decisions)
        .flat_map(|TextFile { path: page, text }| {
            text.split('`').skip(1).step_by(2).filter_map(move |quoted| {
                let path = quoted.split([' ', ':']).next().unwrap_or(quoted);
                let is_path = directories.iter().any(|directory| path.starts_with(directory))
                    && !path.contains(['*', '<', '{', '…']);
                (is_path && !tree.exists(path)).then(|| format!("{page}: `{path}` does not exist"))
            })
        })
        .collect()
}

/// Returns the table with this header: the name in the first column, and the names in the third column. There, `-`
/// stands for no names.
fn table(tree: &Tree, header: &str) -> BTreeMap<String, Vec<String>> {
    let page = tree.text(PAGE).unwrap_or_default();
    page.lines()
        .skip_while(|line| *line != header)
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .filter_map(|row| {
            let mut cells = row.trim_matches('|').split('|').map(str::trim);
            let name = cells.next()?.to_owned();
            let uses = cells.nth(1)?;
            let uses = uses
                .split(',')
                .map(|cell| cell.split_whitespace().next().unwrap_or("-"))
                .filter(|cell| *cell != "-");
            Some((name, uses.map(str::to_owned).collect()))
        })
        .collect()
}

/// Returns the crates of kit that a manifest lists in `[dependencies]`. Dependencies of tests are not included.
fn dependencies(manifest: &str) -> Vec<String> {
    let mut inside = false;
    let mut found = Vec::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside =
                line == "[dependencies]" || line.starts_with("[target.") && line.ends_with(".dependencies]");
        } else if inside && line.starts_with("kit-") {
            found.extend(line.split(['.', ' ', '=']).next().map(str::to_owned));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{crates_follow_the_table, named_paths_exist};
    use crate::tidy::Tree;

    const TABLE: &str =
        "| crate | job | may use |\n|---|---|---|\n| kit-ir | words | - |\n| kit-emit | text | kit-ir |\n";

    #[test]
    fn reports_a_dependency_that_the_table_does_not_allow() {
        let tree = Tree::of(&[
            ("ARCHITECTURE.md", TABLE),
            (
                "crates/kit-ir/Cargo.toml",
                "[dependencies]\nkit-emit.workspace = true\n[dev-dependencies]\nkit-emit.workspace = true\n",
            ),
            (
                "crates/kit-emit/Cargo.toml",
                "[dependencies]\nkit-ir.workspace = true\n",
            ),
        ]);
        let problems = crates_follow_the_table(&tree);
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert!(problems[0].contains("kit-ir uses kit-emit"));
    }

    #[test]
    fn reports_a_crate_that_does_not_exist() {
        let tree = Tree::of(&[("ARCHITECTURE.md", TABLE), ("crates/kit-ir/Cargo.toml", "")]);
        assert!(crates_follow_the_table(&tree)[0].contains("kit-emit, which does not exist"));
    }

    #[test]
    fn reports_a_path_that_does_not_exist() {
        let tree = Tree::of(&[("README.md", "see `docs/guide.md` and `crates/*/src`")]);
        assert_eq!(
            named_paths_exist(&tree),
            ["README.md: `docs/guide.md` does not exist"]
        );
    }
}
