//! Rules for `Cargo.toml` and `package.json`.

use super::Tree;

/// Reports dependencies whose version is in the manifest of a crate. Versions are in the manifest of the workspace,
/// next to the reason for each dependency.
pub(super) fn crates_take_versions_from_the_workspace(tree: &Tree) -> Vec<String> {
    tree.matching("", "/Cargo.toml")
        .filter(|manifest| manifest.path.starts_with("crates/") || manifest.path.starts_with("xtask/"))
        .filter(|manifest| !manifest.path.contains("/fixtures/") && !manifest.path.contains("/goldens/"))
        .flat_map(|manifest| {
            let mut inside = false;
            manifest.text.lines().enumerate().filter_map(move |(index, line)| {
                let line = line.trim();
                if line.starts_with('[') {
                    inside = line.ends_with("dependencies]");
                    return None;
                }
                let own_version = inside && line.contains('=') && !line.starts_with('#') && !line.contains("workspace = true");
                own_version.then(|| format!("{}:{}: `{line}` has a version of its own; put it into the workspace manifest with the reason", manifest.path, index + 1))
            })
        })
        .collect()
}

/// Reports npm packages without a licence, and dependencies without an exact version.
pub(super) fn packages_pin_their_dependencies(tree: &Tree) -> Vec<String> {
    let manifests = tree
        .matching("", "package.json")
        .filter(|manifest| !manifest.path.contains("/fixtures/") && !manifest.path.contains("/goldens/"));
    let mut problems = Vec::new();
    for manifest in manifests {
        let Ok(json) = serde_json::from_str::<serde_json::Value>(&manifest.text) else {
            problems.push(format!("{}: not valid JSON", manifest.path));
            continue;
        };
        if json.get("license").is_none() && json.get("private").is_none() {
            problems.push(format!(
                "{}: a package that is published names its licence",
                manifest.path
            ));
        }
        for section in ["dependencies", "devDependencies", "optionalDependencies"] {
            for (name, version) in json
                .get(section)
                .and_then(|section| section.as_object())
                .into_iter()
                .flatten()
            {
                let pinned = version
                    .as_str()
                    .map(|version| {
                        // The version of an alias is behind the last `@`: `npm:@scope/name@1.2.3`.
                        let alias = version.strip_prefix("npm:").and_then(|of| of.rsplit_once('@'));
                        alias.map_or(version, |(_, version)| version)
                    })
                    .is_some_and(|version| version.starts_with(|c: char| c.is_ascii_digit()));
                if !pinned {
                    problems.push(format!(
                        "{}: {name} is {version}; pin one exact version",
                        manifest.path
                    ));
                }
            }
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::{crates_take_versions_from_the_workspace, packages_pin_their_dependencies};
    use crate::tidy::Tree;

    #[test]
    fn reports_versions_in_the_manifest_of_a_crate() {
        let tree = Tree::of(&[(
            "crates/a/Cargo.toml",
            "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\nbytes.workspace = true\n",
        )]);
        assert_eq!(crates_take_versions_from_the_workspace(&tree).len(), 1);
    }

    #[test]
    fn reports_version_ranges_in_package_json() {
        let tree = Tree::of(&[(
            "packages/a/package.json",
            r#"{"license":"MIT","dependencies":{"x":"^1.0.0","y":"1.0.0"}}"#,
        )]);
        assert_eq!(packages_pin_their_dependencies(&tree).len(), 1);
    }
}
