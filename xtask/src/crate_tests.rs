//! Runs the tests of the crates. Tests of different crates run side by side, because many wait for databases and processes.
//! Tests of one crate run one binary after another, because they may share a directory below `target/`.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::progress::Step;
use crate::repository::Repository;
use crate::run;
use crate::test::{Outcome, conclude, section};

const TITLE: &str = "tests of the crates";

/// Maximum number of test binaries in which a failure may be caused by the load of the machine. More failures are caused by the code.
const MAX_UNSTEADY: usize = 4;

/// Tests that one command runs.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Tests {
    Binary {
        /// Directory of the crate, in which cargo runs its tests.
        directory: PathBuf,
        path: PathBuf,
    },
    /// Examples in the doc comments of all crates.
    DocTests,
}

/// Result of one command.
struct Ran {
    tests: Tests,
    finished: run::Finished,
}

/// Builds the tests of all crates, runs them and counts the results. A binary that fails is run once more, alone: the tests share the
/// machine with each other. If the second run passes, the binary is not a failure; the binary is listed at the end.
pub(crate) fn run(repository: &Repository) -> anyhow::Result<Outcome> {
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["test", "--workspace", "--locked", "--no-run"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let built = run::stdout_of("building the tests of the crates", cargo)?;
    let groups = Mutex::new(VecDeque::from(groups(&built)));
    let step = Step::start(TITLE);
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let results: Vec<anyhow::Result<Vec<Ran>>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| scope.spawn(|| work(repository, &groups, &step)))
            .collect();
        handles
            .into_iter()
            .map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|_| Err(anyhow::anyhow!("a thread of the runner panicked")))
            })
            .collect()
    });
    let mut ran = Vec::new();
    for result in results {
        ran.extend(result?);
    }
    let unsteady = repeat_failures(repository, &mut ran, &step)?;
    let mut outcome = Outcome::default();
    let mut failed = run::Finished {
        success: true,
        output: String::new(),
        stdout: String::new(),
    };
    for Ran { finished, .. } in &ran {
        outcome.add(count_cargo(&finished.output));
        if !finished.success {
            failed.success = false;
            failed.output.push_str(&finished.output);
        }
    }
    conclude(step, TITLE, &mut outcome, &failed);
    for Ran { tests, finished } in unsteady {
        let name = tests.name();
        let title = format!("{name}: failed once, passed when run again");
        outcome.report.push_str(&section(&title, &finished.output));
        outcome.unsteady.push(name);
    }
    Ok(outcome)
}

/// Runs failed tests again, one command after another. Replaces the results of those that pass now, and returns their first results.
fn repeat_failures(repository: &Repository, ran: &mut [Ran], step: &Step) -> anyhow::Result<Vec<Ran>> {
    let failed: Vec<&mut Ran> = ran.iter_mut().filter(|ran| !ran.finished.success).collect();
    let mut unsteady = Vec::new();
    if failed.len() > MAX_UNSTEADY {
        return Ok(unsteady);
    }
    for first in failed {
        let second = first.tests.run(repository, step)?;
        if second.finished.success {
            unsteady.push(std::mem::replace(first, second));
        }
    }
    Ok(unsteady)
}

/// Reads the test binaries from the JSON messages of cargo, in groups that run side by side: one for each crate. Crates with many
/// binaries come first.
fn groups(messages: &str) -> Vec<Vec<Tests>> {
    let mut crates: BTreeMap<PathBuf, Vec<Tests>> = BTreeMap::new();
    for message in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(message) else {
            continue;
        };
        let (Some(manifest), Some(binary)) =
            (message["manifest_path"].as_str(), message["executable"].as_str())
        else {
            continue;
        };
        // Examples and programs are executables too.
        if message["profile"]["test"] == true {
            let directory = PathBuf::from(manifest).with_file_name("");
            let path = binary.into();
            let tests = crates.entry(directory.clone()).or_default();
            tests.push(Tests::Binary { directory, path });
        }
    }
    let mut groups: Vec<_> = crates.into_values().collect();
    groups.sort_by_key(|tests| std::cmp::Reverse(tests.len()));
    groups.push(vec![Tests::DocTests]);
    groups
}

/// Runs the tests of groups until no group is left.
fn work(
    repository: &Repository,
    groups: &Mutex<VecDeque<Vec<Tests>>>,
    step: &Step,
) -> anyhow::Result<Vec<Ran>> {
    let mut ran = Vec::new();
    loop {
        let group = groups.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(group) = group else { return Ok(ran) };
        for tests in group {
            ran.push(tests.run(repository, step)?);
        }
    }
}

impl Tests {
    fn run(&self, repository: &Repository, step: &Step) -> anyhow::Result<Ran> {
        let mut finished = run::finish(self.command(repository)?, step)?;
        if let Self::Binary { path, .. } = self {
            // The line that cargo prints before it runs a binary.
            finished.output = format!("     Running test ({})\n{}", path.display(), finished.output);
        }
        Ok(Ran {
            tests: self.clone(),
            finished,
        })
    }

    fn command(&self, repository: &Repository) -> anyhow::Result<Command> {
        match self {
            Self::DocTests => {
                let mut cargo = run::command(repository, "cargo")?;
                cargo.args(["test", "--workspace", "--locked", "--no-fail-fast", "--doc"]);
                Ok(cargo)
            }
            Self::Binary { directory, path } => {
                let mut command = run::command(repository, path)?;
                command
                    .current_dir(directory)
                    .env("CARGO_MANIFEST_DIR", directory)
                    .arg("--show-output");
                Ok(command)
            }
        }
    }

    fn name(&self) -> String {
        match self {
            Self::DocTests => "doc tests".to_owned(),
            Self::Binary { path, .. } => path.file_name().map_or_else(
                || path.display().to_string(),
                |name| format!("cargo test {}", name.to_string_lossy()),
            ),
        }
    }
}

/// Adds up the `test result:` lines of libtest. A test that cannot run on this machine prints `SKIPPED name: reason`.
fn count_cargo(output: &str) -> Outcome {
    let mut outcome = Outcome::default();
    let mut binary = "";
    for line in output.lines().map(str::trim) {
        if let Some(running) = line
            .strip_prefix("Running ")
            .or_else(|| line.strip_prefix("Doc-tests "))
        {
            binary = running;
        } else if let Some(counts) = line.strip_prefix("test result: ") {
            let seconds = counts
                .rsplit_once("finished in ")
                .and_then(|(_, time)| time.trim_end_matches('s').parse().ok());
            if let Some(seconds) = seconds {
                outcome
                    .files
                    .push((binary_name(binary), Duration::from_secs_f64(seconds)));
            }
            outcome.passed += number_before(counts, " passed");
            outcome.failed += number_before(counts, " failed");
        } else if let Some(skipped) = line.strip_prefix("SKIPPED ") {
            outcome.skipped.push(skipped.to_owned());
        }
    }
    outcome.passed = outcome.passed.saturating_sub(outcome.skipped.len());
    outcome
}

/// Returns the name of a test binary from cargo's output `tests/goldens.rs (target/debug/deps/goldens-0f3c)`. Keeps the
/// hash, because binaries of several crates have the same name.
fn binary_name(running: &str) -> String {
    match running.split_once(" (") {
        Some((_, path)) => {
            let file = path
                .trim_end_matches(')')
                .rsplit(['/', '\\'])
                .next()
                .unwrap_or(path);
            format!("cargo test {file}")
        }
        None => format!("doc tests of {running}"),
    }
}

/// Returns the number directly before a word.
fn number_before(text: &str, word: &str) -> usize {
    text.find(word)
        .and_then(|end| text[..end].rsplit(|c: char| !c.is_ascii_digit()).next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Tests, count_cargo, groups};

    #[test]
    fn finds_the_test_binaries_of_each_crate_and_starts_with_the_largest() {
        let messages = r#"{"manifest_path":"/a/Cargo.toml","executable":"/t/a-1","profile":{"test":true}}
not json
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-1","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-2","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/program","profile":{"test":false}}
{"manifest_path":"/b/Cargo.toml","executable":null,"profile":{"test":true}}"#;
        let of = |directory: &str, path: &str| Tests::Binary {
            directory: directory.into(),
            path: path.into(),
        };
        let expected = [
            vec![of("/b/", "/t/b-1"), of("/b/", "/t/b-2")],
            vec![of("/a/", "/t/a-1")],
            vec![Tests::DocTests],
        ];
        assert_eq!(groups(messages), expected);
    }

    #[test]
    fn adds_up_libtest_counts_and_does_not_count_skips_as_passes() {
        let outcome = count_cargo(
            "running 3 tests\nSKIPPED apply: no PostgreSQL\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\
             test result: FAILED. 10 passed; 2 failed; 0 ignored",
        );
        assert_eq!((outcome.passed, outcome.failed), (12, 2));
        assert_eq!(outcome.skipped, ["apply: no PostgreSQL"]);
    }

    #[test]
    fn durations_of_test_binaries_come_with_their_names() {
        let outcome = count_cargo(
            "     Running unittests src/lib.rs (target/debug/deps/kit_ir-0f3c)\ntest result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.25s\n\
             Doc-tests kit_router\ntest result: ok. 1 passed; 0 failed; finished in 0.50s",
        );
        let expected = [("cargo test kit_ir-0f3c", 1250), ("doc tests of kit_router", 500)]
            .map(|(name, millis)| (name.to_owned(), Duration::from_millis(millis)));
        assert_eq!(outcome.files, expected);
    }
}
