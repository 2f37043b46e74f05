//! Lock files of cargo and npm. If a manifest changes, cargo writes a lock file that is out of date anew and says nothing,
//! but `cargo build --locked` in a fresh clone fails.

use std::collections::BTreeMap;
use std::fs;

use super::outcome::Outcome;
use super::section;
use crate::repository::Repository;
use crate::run;

/// Patterns of the lock files for `git ls-files`.
const PATTERNS: [&str; 2] = ["*Cargo.lock", "*package-lock.json"];

/// Contents of the lock files that git tracks, by their paths.
pub(super) struct LockFiles(BTreeMap<String, Vec<u8>>);

impl LockFiles {
    /// Reads the lock files. Returns `None` if git is not installed, or if the sources are not in a git repository.
    pub(super) fn read(repository: &Repository) -> anyhow::Result<Option<Self>> {
        let mut git = run::command(repository, "git")?;
        git.args(["ls-files", "-z", "--"]).args(PATTERNS);
        let Ok(output) = git.output() else { return Ok(None) };
        if !output.status.success() {
            return Ok(None);
        }
        let paths = String::from_utf8_lossy(&output.stdout);
        let files = paths
            .split_terminator('\0')
            .filter_map(|path| Some((path.to_owned(), fs::read(repository.path(path)).ok()?)))
            .collect();
        Ok(Some(Self(files)))
    }

    /// Returns one passed test, or one failed test that names the lock files that differ from these.
    pub(super) fn compare(&self, now: &Self) -> Outcome {
        let changed: Vec<_> = self
            .0
            .iter()
            .filter(|(path, content)| now.0.get(*path) != Some(content))
            .map(|(path, _)| {
                format!("{path} was out of date, and cargo or npm changed it; commit the change")
            })
            .collect();
        let report = match changed.len() {
            0 => String::new(),
            _ => section("lock files", &changed.join("\n")),
        };
        Outcome {
            passed: usize::from(changed.is_empty()),
            failed: usize::from(!changed.is_empty()),
            report,
            ..Outcome::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LockFiles;

    #[test]
    fn fails_and_names_a_lock_file_that_the_run_changed() {
        let files = |text: &str| LockFiles([("examples/a/Cargo.lock".to_owned(), text.into())].into());
        let same = files("1").compare(&files("1"));
        assert_eq!((same.passed, same.failed, same.report.as_str()), (1, 0, ""));
        let changed = files("1").compare(&files("2"));
        assert_eq!((changed.passed, changed.failed), (0, 1));
        assert!(
            changed.report.contains("examples/a/Cargo.lock"),
            "{}",
            changed.report
        );
    }
}
