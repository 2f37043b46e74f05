//! Runs the tests of the crates. Tests of different crates run side by side, because many wait for databases and processes.
//! Tests of one crate run one binary after another, because they may share a directory below `target/`.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::Context;
use serde_json::Value;

use crate::progress::Step;
use crate::repository::Repository;
use crate::run;
use crate::test::{Outcome, conclude};

const TITLE: &str = "tests of the crates";

/// Test binaries of one crate, or the examples in doc comments of all crates.
#[derive(Debug, PartialEq, Eq)]
enum Job {
    Crate {
        /// Directory of the crate, in which cargo runs its tests.
        directory: PathBuf,
        binaries: Vec<PathBuf>,
    },
    DocTests,
}

/// Builds the tests of all crates, runs them and counts the results.
pub(crate) fn run(repository: &Repository) -> anyhow::Result<Outcome> {
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["test", "--workspace", "--locked", "--no-run"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let built = run::stdout_of("building the tests of the crates", cargo)?;
    let jobs = Mutex::new(VecDeque::from(jobs(&built)));
    let step = Step::start(TITLE);
    let workers = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let results: Vec<anyhow::Result<run::Finished>> = thread::scope(|scope| {
        let handles: Vec<_> = (0..workers)
            .map(|_| scope.spawn(|| work(repository, &jobs, &step)))
            .collect();
        handles
            .into_iter()
            .flat_map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|_| vec![Err(anyhow::anyhow!("a worker panicked"))])
            })
            .collect()
    });
    let mut outcome = Outcome::default();
    let mut all = run::Finished {
        success: true,
        output: String::new(),
        stdout: String::new(),
    };
    for result in results {
        let finished = result?;
        outcome.add(count_cargo(&finished.output));
        if !finished.success {
            all.success = false;
            all.output.push_str(&finished.output);
        }
    }
    conclude(step, TITLE, &mut outcome, &all);
    Ok(outcome)
}

/// Reads the test binaries from the JSON messages of cargo. Crates with many binaries come first.
fn jobs(messages: &str) -> Vec<Job> {
    let mut crates: BTreeMap<PathBuf, Vec<PathBuf>> = BTreeMap::new();
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
            crates.entry(directory).or_default().push(binary.into());
        }
    }
    let mut jobs: Vec<_> = crates.into_iter().collect();
    jobs.sort_by_key(|(_, binaries)| std::cmp::Reverse(binaries.len()));
    jobs.into_iter()
        .map(|(directory, binaries)| Job::Crate { directory, binaries })
        .chain([Job::DocTests])
        .collect()
}

/// Takes jobs until there is none.
fn work(
    repository: &Repository,
    jobs: &Mutex<VecDeque<Job>>,
    step: &Step,
) -> Vec<anyhow::Result<run::Finished>> {
    let mut results = Vec::new();
    loop {
        let job = jobs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        let Some(job) = job else { return results };
        for command in commands(repository, &job) {
            let result = command.and_then(|(name, command)| {
                let mut finished = run::finish(command, step)?;
                if !name.is_empty() {
                    finished.output = format!("     Running {name}\n{}", finished.output);
                }
                Ok(finished)
            });
            let stops = result.is_err();
            results.push(result);
            if stops {
                return results;
            }
        }
    }
}

/// Returns the commands of a job, each with the name that cargo prints for the binary.
fn commands(repository: &Repository, job: &Job) -> Vec<anyhow::Result<(String, Command)>> {
    match job {
        Job::DocTests => {
            let cargo = run::command(repository, "cargo").map(|mut cargo| {
                cargo.args(["test", "--workspace", "--locked", "--no-fail-fast", "--doc"]);
                (String::new(), cargo)
            });
            vec![cargo]
        }
        Job::Crate { directory, binaries } => binaries
            .iter()
            .map(|binary| {
                let mut command = run::command(repository, binary)
                    .with_context(|| format!("cannot run {}", binary.display()))?;
                command
                    .current_dir(directory)
                    .env("CARGO_MANIFEST_DIR", directory)
                    .arg("--show-output");
                Ok((format!("test ({})", binary.display()), command))
            })
            .collect(),
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
    use std::path::PathBuf;
    use std::time::Duration;

    use super::{Job, count_cargo, jobs};

    #[test]
    fn finds_the_test_binaries_of_each_crate_and_starts_with_the_largest() {
        let messages = r#"{"manifest_path":"/a/Cargo.toml","executable":"/t/a-1","profile":{"test":true}}
not json
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-1","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-2","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/program","profile":{"test":false}}
{"manifest_path":"/b/Cargo.toml","executable":null,"profile":{"test":true}}"#;
        let of = |directory: &str, binaries: &[&str]| Job::Crate {
            directory: directory.into(),
            binaries: binaries.iter().map(PathBuf::from).collect(),
        };
        let expected = [
            of("/b/", &["/t/b-1", "/t/b-2"]),
            of("/a/", &["/t/a-1"]),
            Job::DocTests,
        ];
        assert_eq!(jobs(messages), expected);
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
