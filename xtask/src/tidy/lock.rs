//! Rules for `package-lock.json`: checksums and licences.

use serde_json::{Map, Value};

use super::Tree;

const LOCK: &str = "package-lock.json";

/// Allowed licences of npm packages that are installed together with a package of kit. `A OR B` is allowed if A or B
/// is.
const LICENCES: [&str; 8] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BlueOak-1.0.0",
    "ISC",
    "MIT",
    "PostgreSQL",
];

/// Reports packages without a checksum, and entries with the address of a registry.
pub(super) fn entries_can_be_checked(tree: &Tree) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, entry) in fetched(tree) {
        if entry.get("resolved").is_some() {
            problems.push(format!(
                "{LOCK}: {name} names the address that it came from; keep `omit-lockfile-registry-resolved=true` in .npmrc and write the lock file anew"
            ));
        }
        if entry.get("integrity").is_none() {
            problems.push(format!(
                "{LOCK}: {name} has no integrity; write the lock file anew with `npm install --package-lock-only` in a copy without node_modules"
            ));
        }
    }
    problems
}

/// Reports packages that are installed together with a package of kit and whose licence is not allowed.
pub(super) fn licences_are_allowed(tree: &Tree) -> Vec<String> {
    fetched(tree)
        .into_iter()
        .filter(|(_, entry)| !is(entry, "dev") && !is(entry, "devOptional"))
        .filter_map(|(name, entry)| {
            let licence = entry.get("license").and_then(Value::as_str).unwrap_or("none");
            let is_allowed = licence
                .trim_matches(['(', ')'])
                .split(" OR ")
                .any(|one| LICENCES.contains(&one));
            (!is_allowed).then(|| {
                format!("{LOCK}: {name} has the licence {licence}; take another package, or add the licence to xtask/src/tidy/lock.rs with a reason")
            })
        })
        .collect()
}

/// Returns the name and the entry of each package that comes from a registry. Packages of this repository are not
/// included.
fn fetched(tree: &Tree) -> Vec<(String, Map<String, Value>)> {
    let lock: Value = tree
        .text(LOCK)
        .and_then(|text| serde_json::from_str(text).ok())
        .unwrap_or_default();
    let packages = lock.get("packages").and_then(Value::as_object);
    packages
        .into_iter()
        .flatten()
        .filter(|(name, _)| name.contains("node_modules/"))
        .filter_map(|(name, entry)| Some((name.clone(), entry.as_object()?.clone())))
        .filter(|(_, entry)| !is(entry, "link"))
        .collect()
}

fn is(entry: &Map<String, Value>, flag: &str) -> bool {
    entry.get(flag).and_then(Value::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::super::Tree;
    use super::{entries_can_be_checked, licences_are_allowed};

    fn problems(entry: &str) -> (usize, usize) {
        let text = format!(r#"{{ "packages": {{ "": {{}}, "packages/core": {{}}, {entry} }} }}"#);
        let tree = Tree::of(&[("package-lock.json", &text)]);
        (
            entries_can_be_checked(&tree).len(),
            licences_are_allowed(&tree).len(),
        )
    }

    #[test]
    fn reports_entries_without_a_checksum_or_with_the_address_of_a_registry() {
        for (entry, expected) in [
            (
                r#""node_modules/a": { "integrity": "sha512-x", "license": "MIT" }"#,
                (0, 0),
            ),
            (r#""node_modules/a": { "license": "MIT" }"#, (1, 0)),
            (
                r#""node_modules/a": { "integrity": "sha512-x", "license": "MIT", "resolved": "https://a" }"#,
                (1, 0),
            ),
            (
                r#""node_modules/@oxlint/binding-x": { "dev": true, "optional": true }"#,
                (1, 0),
            ),
            (
                r#""node_modules/a": { "resolved": "packages/a", "link": true }"#,
                (0, 0),
            ),
            (r#""x/node_modules/a": { "license": "MIT" }"#, (1, 0)),
        ] {
            assert_eq!(problems(entry), expected, "{entry}");
        }
    }

    #[test]
    fn reports_licences_that_are_not_allowed_for_packages_that_users_install() {
        for (licence, expected) in [
            (r#""license": "GPL-3.0-only""#, 1),
            (r#""license": "(GPL-3.0-only OR MIT)""#, 0),
            (r#""license": "GPL-3.0-only", "dev": true"#, 0),
            (r#""version": "1.0.0""#, 1),
        ] {
            let entry = format!(r#""node_modules/a": {{ "integrity": "sha512-x", {licence} }}"#);
            assert_eq!(problems(&entry), (0, expected), "{entry}");
        }
    }
}
