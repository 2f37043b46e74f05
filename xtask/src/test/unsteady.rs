//! List of unsteady tests on this machine: jobs that failed, and passed when they ran again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::Outcome;
use crate::repository::Repository;

/// Returns the path of the list. The list has one name on each line.
pub(crate) fn record(repository: &Repository) -> PathBuf {
    repository.target().join("unsteady-tests.txt")
}

/// Adds the unsteady jobs of a run to the list. A job that is already in the list counts as failed.
pub(crate) fn fail_repeated(record: &Path, outcome: &mut Outcome) -> anyhow::Result<()> {
    if outcome.unsteady.is_empty() {
        return Ok(());
    }
    let text = std::fs::read_to_string(record).unwrap_or_default();
    let mut known: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    for name in &outcome.unsteady {
        if !known.insert(name.clone()) {
            outcome.failed += 1;
            outcome.report.push_str(&super::section(
                &format!("{name}: unsteady in two runs"),
                &format!(
                    "The file failed and passed when it ran again, as in an earlier run. Find the race, then delete its line in {}.",
                    record.display()
                ),
            ));
        }
    }
    let lines: Vec<String> = known.into_iter().collect();
    std::fs::write(record, lines.join("\n")).with_context(|| format!("cannot write {}", record.display()))
}

#[cfg(test)]
mod tests {
    use super::fail_repeated;
    use crate::test::Outcome;

    fn unsteady(name: &str) -> Outcome {
        Outcome {
            passed: 1,
            unsteady: vec![name.to_owned()],
            ..Outcome::default()
        }
    }

    #[test]
    fn counts_a_job_as_failed_if_it_is_unsteady_in_two_runs() {
        let directory = std::env::temp_dir().join(format!("kit-unsteady-{}", std::process::id()));
        std::fs::create_dir_all(&directory).unwrap();
        let record = directory.join("unsteady-tests.txt");
        let mut first = unsteady("tests/b.test.ts");
        fail_repeated(&record, &mut first).unwrap();
        let mut other = unsteady("tests/a.test.ts");
        fail_repeated(&record, &mut other).unwrap();
        let mut second = unsteady("tests/b.test.ts");
        fail_repeated(&record, &mut second).unwrap();
        std::fs::remove_dir_all(&directory).unwrap();
        assert_eq!((first.failed, other.failed, second.failed), (0, 0, 1));
        assert!(
            second.report.contains("unsteady in two runs"),
            "{}",
            second.report
        );
    }
}
