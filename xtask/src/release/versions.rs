//! The version of kit in all manifests. All packages and crates have one version.

use std::path::Path;

use anyhow::{Context, bail};
use serde_json::Value;

use crate::repository::Repository;
use crate::run;

/// Manifest of the workspace, which has the version of all crates.
const CARGO: &str = "Cargo.toml";

/// Fails if a text is no version of the form `1.2.3` or `1.2.3-beta.1`.
pub(super) fn check_format(version: &str) -> anyhow::Result<()> {
    let (numbers, suffix) = version.split_once('-').unwrap_or((version, "1"));
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let is_version = numbers.split('.').count() == 3 && numbers.split('.').all(is_number);
    let is_suffix = suffix
        .split('.')
        .all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    if is_version && is_suffix {
        return Ok(());
    }
    bail!("`{version}` is no version; write three numbers, such as `0.2.0` or `0.2.0-beta.1`")
}

/// Fails if a manifest has another version.
pub(super) fn check(repository: &Repository, version: &str) -> anyhow::Result<()> {
    let mut different = Vec::new();
    if current(repository)? != version {
        different.push(CARGO.to_owned());
    }
    for path in tracked(repository)? {
        // Manifests of tests and examples have versions of their own.
        if !path.ends_with("package.json") || !is_own(&path) {
            continue;
        }
        let text = read(repository, &path)?;
        let manifest: Value =
            serde_json::from_str(&text).with_context(|| format!("{path} is not valid JSON"))?;
        if manifest["version"] != version {
            different.push(path);
        }
    }
    if different.is_empty() {
        return Ok(());
    }
    bail!(
        "{} manifests do not have the version {version}, such as {}; run `cargo xtask release --version {version} --prepare`",
        different.len(),
        different[0]
    )
}

/// Writes a version into all manifests, lock files and pages. Returns the changed paths.
pub(super) fn write(repository: &Repository, version: &str) -> anyhow::Result<Vec<String>> {
    let old = current(repository)?;
    let mut changed = Vec::new();
    let mut replace = |path: &str, change: &dyn Fn(&str) -> String| -> anyhow::Result<()> {
        let text = read(repository, path)?;
        let new = change(&text);
        if new != text {
            std::fs::write(repository.path(path), new).with_context(|| format!("cannot write {path}"))?;
            changed.push(path.to_owned());
        }
        Ok(())
    };
    replace(CARGO, &|text| {
        text.replacen(
            &format!("\nversion = \"{old}\"\n"),
            &format!("\nversion = \"{version}\"\n"),
            1,
        )
        // Published crates need the versions of those that they depend on.
        .replace(
            &format!("\", version = \"{old}\" }}"),
            &format!("\", version = \"{version}\" }}"),
        )
    })?;
    for path in tracked(repository)? {
        if path.ends_with("package.json") || is_page(&path) {
            replace(&path, &|text| in_manifest(text, &old, version, is_own(&path)))?;
        }
    }
    replace("package-lock.json", &|text| in_lock(text, &old, version))?;
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["update", "--workspace", "--offline"]);
    run::step("writing the version into Cargo.lock", cargo)?;
    Ok(changed)
}

/// Returns the version of the crates.
fn current(repository: &Repository) -> anyhow::Result<String> {
    let text = read(repository, CARGO)?;
    let line = text.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = line.and_then(|line| line.strip_suffix('"'));
    Ok(version.context("Cargo.toml has no version")?.to_owned())
}

/// Returns true for manifests whose own version is that of kit.
fn is_own(path: &str) -> bool {
    path == "package.json" || path.starts_with("packages/")
}

/// Returns true for pages that may show manifests. The changelog keeps the versions of the past.
fn is_page(path: &str) -> bool {
    Path::new(path)
        .extension()
        .is_some_and(|extension| extension == "md")
        && path != "CHANGELOG.md"
}

/// Returns the paths of all files in git.
fn tracked(repository: &Repository) -> anyhow::Result<Vec<String>> {
    let mut git = run::command(repository, "git")?;
    git.args(["ls-files"]);
    let listed = run::stdout_of("listing the files", git)?;
    Ok(listed.lines().map(str::to_owned).collect())
}

fn read(repository: &Repository, path: &str) -> anyhow::Result<String> {
    std::fs::read_to_string(repository.path(path)).with_context(|| format!("cannot read {path}"))
}

/// Replaces the version of dependencies on kit's packages in a manifest or in a page with manifests, and the own version
/// of the first package in it if `own` is true.
fn in_manifest(text: &str, old: &str, new: &str, own: bool) -> String {
    let mut is_open = own;
    let lines = text.split_inclusive('\n').map(|line| {
        let of_kit = line.contains("\"@kit/");
        let of_itself = is_open && line.trim_start().starts_with("\"version\":");
        if of_itself {
            is_open = false;
        }
        if of_kit || of_itself {
            line.replace(&format!(": \"{old}\""), &format!(": \"{new}\""))
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

/// Replaces the version of kit's packages in `package-lock.json`.
fn in_lock(text: &str, old: &str, new: &str) -> String {
    let mut is_own = false;
    let lines = text.split_inclusive('\n').map(|line| {
        if line.starts_with("    \"") && line.trim_end().ends_with('{') {
            // The key of the repository itself is empty.
            let key = line.trim_start().strip_prefix('"').unwrap_or_default();
            is_own = key.starts_with('"') || key.starts_with("packages/");
        }
        let of_kit = line.contains("\"@kit/");
        if of_kit || is_own && line.starts_with("      \"version\":") || line.starts_with("  \"version\":") {
            line.replace(&format!(": \"{old}\""), &format!(": \"{new}\""))
        } else {
            line.to_owned()
        }
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::{check_format, in_lock, in_manifest};

    #[test]
    fn accepts_versions_of_three_numbers_with_a_suffix() {
        for version in ["0.1.0", "12.0.3", "1.0.0-beta.1"] {
            check_format(version).unwrap();
        }
        for version in ["1", "1.2", "v1.2.3", "1.2.x", "1.2.3-", "1.2.3-a b", ""] {
            assert!(check_format(version).is_err(), "{version}");
        }
    }

    #[test]
    fn writes_the_version_of_a_package_and_of_its_dependencies_on_kit() {
        let text = "{\n  \"name\": \"@kit/a\",\n  \"version\": \"0.1.0\",\n  \"dependencies\": {\n    \"@kit/b\": \"0.1.0\",\n    \"other\": \"0.1.0\"\n  }\n}\n";
        assert_eq!(
            in_manifest(text, "0.1.0", "0.2.0", true),
            "{\n  \"name\": \"@kit/a\",\n  \"version\": \"0.2.0\",\n  \"dependencies\": {\n    \"@kit/b\": \"0.2.0\",\n    \"other\": \"0.1.0\"\n  }\n}\n"
        );
        // An example has a version of its own.
        let kept = in_manifest(text, "0.1.0", "0.2.0", false);
        assert!(kept.contains("\"version\": \"0.1.0\"") && kept.contains("\"@kit/b\": \"0.2.0\""));
    }

    #[test]
    fn writes_the_version_of_kits_packages_into_the_lock_file() {
        let text = "{\n  \"version\": \"0.1.0\",\n  \"packages\": {\n    \"\": {\n      \"version\": \"0.1.0\"\n    },\n    \"node_modules/other\": {\n      \"version\": \"0.1.0\"\n    },\n    \"packages/a\": {\n      \"version\": \"0.1.0\",\n      \"dependencies\": {\n        \"@kit/b\": \"0.1.0\"\n      }\n    }\n  }\n}\n";
        let written = in_lock(text, "0.1.0", "0.2.0");
        assert_eq!(written.matches("0.2.0").count(), 4, "{written}");
        assert!(
            written.contains("\"node_modules/other\": {\n      \"version\": \"0.1.0\""),
            "{written}"
        );
    }
}
