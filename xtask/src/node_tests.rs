//! Runs tests with node:test and counts the results of their TAP reports.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::progress::Step;
use crate::repository::Repository;
use crate::run;
use crate::test::{Outcome, conclude, section};

/// Maximum number of failing files for which the machine may be the reason. If there are more, the code is the reason.
const MOST_UNSTEADY: usize = 4;

/// Runs the tests of a glob. Runs failing files once more, without other tests: sockets, databases and browsers share
/// the machine with other tests, so a test may fail because of the load. A file that passes then is not a failure, but
/// is listed at the end.
pub(crate) fn run(
    repository: &Repository,
    title: &str,
    glob: &str,
    server: Option<&str>,
) -> anyhow::Result<Outcome> {
    // Files wait for databases, sockets and timers for about a third of their time, so one file more than processors runs.
    let processors = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) + 1;
    let step = Step::start(title);
    let first = Run::of(repository, &step, server, processors, &[glob.into()])?;
    let mut outcome = first.outcome();
    outcome.files = first.durations(repository, server);
    let again = &first.failed;
    if outcome.failed > 0 && !again.is_empty() && again.len() <= MOST_UNSTEADY {
        let second = Run::of(repository, &step, server, 1, again)?;
        if second.finished.success && second.outcome().passed > 0 {
            outcome.passed += outcome.failed;
            outcome.failed = 0;
            outcome.unsteady = again.iter().map(|file| name(repository, file)).collect();
            outcome.report = section(
                &format!("{title}: failed once, passed when run again"),
                &first.finished.output,
            );
            step.done(&format!("{}, {} unsteady", outcome.counts(), again.len()));
            return Ok(outcome);
        }
    }
    conclude(step, title, &mut outcome, &first.finished);
    Ok(outcome)
}

/// One run of node:test.
struct Run {
    finished: run::Finished,
    tap: String,
    /// Duration of each file.
    files: Vec<(PathBuf, Duration)>,
    /// Files with a failed test.
    failed: Vec<PathBuf>,
}

impl Run {
    fn of(
        repository: &Repository,
        step: &Step,
        server: Option<&str>,
        processors: usize,
        files: &[PathBuf],
    ) -> anyhow::Result<Self> {
        // One run writes three reports: one for people, which is shown for failures, one for the counts, and the results
        // of each file.
        let tap = repository.target().join("test-report.tap");
        let results = repository.target().join("test-report.files");
        if let Some(directory) = tap.parent() {
            std::fs::create_dir_all(directory)?;
        }
        let mut node = run::command(repository, "node")?;
        node.arg("--test")
            .arg(format!("--test-concurrency={processors}"))
            .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
            .arg("--test-reporter=tap")
            .arg(format!("--test-reporter-destination={}", tap.display()))
            .arg("--test-reporter=./xtask/src/file-results.mjs")
            .arg(format!("--test-reporter-destination={}", results.display()))
            .args(files);
        if let Some(server) = server {
            node.env("KIT_E2E_SERVER", server);
        }
        let finished = run::finish(node, step)?;
        let lines = std::fs::read_to_string(&results).unwrap_or_default();
        let results: Vec<FileResult> = lines.lines().filter_map(FileResult::parse).collect();
        Ok(Self {
            finished,
            tap: std::fs::read_to_string(&tap).unwrap_or_default(),
            failed: results
                .iter()
                .filter(|result| !result.passed)
                .map(|result| result.path.clone())
                .collect(),
            files: results
                .into_iter()
                .map(|result| (result.path, result.duration))
                .collect(),
        })
    }

    fn outcome(&self) -> Outcome {
        count(&self.tap)
    }

    /// Returns the durations of the files, with the server that they ran on.
    fn durations(&self, repository: &Repository, server: Option<&str>) -> Vec<(String, Duration)> {
        let on = server.map(|server| format!(" on {server}")).unwrap_or_default();
        self.files
            .iter()
            .map(|(path, duration)| (format!("{}{on}", name(repository, path)), *duration))
            .collect()
    }
}

/// Result of one file, from a line of `file-results.mjs`.
struct FileResult {
    passed: bool,
    duration: Duration,
    path: PathBuf,
}

impl FileResult {
    fn parse(line: &str) -> Option<Self> {
        let mut fields = line.splitn(3, '\t');
        let passed = fields.next()? == "passed";
        let duration = Duration::from_secs_f64(fields.next()?.parse::<f64>().ok()? / 1000.0);
        let path = PathBuf::from(fields.next()?);
        Some(Self {
            passed,
            duration,
            path,
        })
    }
}

fn name(repository: &Repository, file: &Path) -> String {
    let root = repository.path("");
    file.strip_prefix(&root).unwrap_or(file).display().to_string()
}

/// Parses the final counts of a TAP report, and its skipped tests with their reasons.
fn count(report: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for line in report.lines() {
        let line = line.trim();
        let count = |prefix: &str| {
            line.strip_prefix(prefix)
                .and_then(|count| count.trim().parse::<usize>().ok())
        };
        if let Some(passed) = count("# pass ") {
            outcome.passed = passed;
        } else if let Some(failed) = count("# fail ").or_else(|| count("# cancelled ")) {
            outcome.failed += failed;
        } else if let Some((name, reason)) = line
            .strip_prefix("ok ")
            .and_then(|rest| rest.split_once(" # SKIP"))
        {
            let name = name
                .trim_start_matches(|c: char| c.is_ascii_digit())
                .trim_start_matches(" - ");
            outcome.skipped.push(format!("{name}: {}", reason.trim()));
        }
    }
    outcome
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use super::{FileResult, count};

    #[test]
    fn parses_the_result_the_duration_and_the_path_of_a_file() {
        let result = FileResult::parse("failed\t1500.5\t/a b/c.test.ts").unwrap();
        assert!(!result.passed);
        assert_eq!(result.duration, Duration::from_micros(1_500_500));
        assert_eq!(result.path, Path::new("/a b/c.test.ts"));
    }

    #[test]
    fn reads_the_counts_at_the_end_of_a_tap_report() {
        let outcome = count(
            "ok 1 - a\nok 2 - bun runs # SKIP no bun here\n# tests 4\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n",
        );
        assert_eq!((outcome.passed, outcome.failed), (2, 1));
        assert_eq!(outcome.skipped, ["bun runs: no bun here"]);
    }
}
