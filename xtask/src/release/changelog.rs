//! Sections of `CHANGELOG.md`, in the format of Keep a Changelog.

use anyhow::{Context, bail};

use crate::repository::Repository;

const FILE: &str = "CHANGELOG.md";
const UNRELEASED: &str = "## [Unreleased]\n";

/// Gives the changes that are not released a section with a version and a date. Returns the changed path, or `None` if the
/// version has a section.
pub(super) fn prepare(repository: &Repository, version: &str, date: &str) -> anyhow::Result<Option<String>> {
    let text = read(repository)?;
    let Some(new) = prepared(&text, version, date)? else {
        return Ok(None);
    };
    std::fs::write(repository.path(FILE), new).with_context(|| format!("cannot write {FILE}"))?;
    Ok(Some(FILE.to_owned()))
}

/// Returns the section of a version, without its heading.
pub(super) fn section(repository: &Repository, version: &str) -> anyhow::Result<String> {
    of_version(&read(repository)?, version).with_context(|| {
        format!(
            "{FILE} has no section for {version}; run `cargo xtask release --version {version} --prepare`"
        )
    })
}

fn read(repository: &Repository) -> anyhow::Result<String> {
    std::fs::read_to_string(repository.path(FILE)).with_context(|| format!("cannot read {FILE}"))
}

fn prepared(text: &str, version: &str, date: &str) -> anyhow::Result<Option<String>> {
    if of_version(text, version).is_some() {
        return Ok(None);
    }
    let Some((before, after)) = text.split_once(UNRELEASED) else {
        bail!("{FILE} has no heading `{}`", UNRELEASED.trim());
    };
    let changes = after.split("\n## [").next().unwrap_or_default();
    if changes.trim().is_empty() {
        bail!("{FILE} names no changes since the last release");
    }
    Ok(Some(format!(
        "{before}{UNRELEASED}\n## [{version}] - {date}\n{after}"
    )))
}

fn of_version(text: &str, version: &str) -> Option<String> {
    let (_, after) = text.split_once(&format!("\n## [{version}]"))?;
    let (_, body) = after.split_once('\n')?;
    let body = body.split("\n## [").next()?;
    Some(format!("{}\n", body.trim()))
}

#[cfg(test)]
mod tests {
    use super::{of_version, prepared};

    const TEXT: &str =
        "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- One.\n\n## [0.1.0] - 2026-01-01\n\n- First.\n";

    #[test]
    fn changes_get_a_section_with_version_and_date() {
        let new = prepared(TEXT, "0.2.0", "2026-11-28").unwrap().unwrap();
        assert!(
            new.contains("## [Unreleased]\n\n## [0.2.0] - 2026-11-28\n\n### Added\n\n- One.\n\n## [0.1.0]"),
            "{new}"
        );
        assert_eq!(of_version(&new, "0.2.0").unwrap(), "### Added\n\n- One.\n");
        assert_eq!(of_version(&new, "0.1.0").unwrap(), "- First.\n");
        assert_eq!(prepared(&new, "0.2.0", "2026-11-29").unwrap(), None);
    }

    #[test]
    fn a_release_without_changes_is_refused() {
        let text = "# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-01-01\n\n- First.\n";
        let error = prepared(text, "0.2.0", "2026-11-28").unwrap_err().to_string();
        assert!(error.contains("names no changes"), "{error}");
        assert_eq!(of_version(text, "0.3.0"), None);
    }
}
