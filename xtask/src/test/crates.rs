//! Tests of the crates. cargo builds their test binaries, and the test run starts these side by side. The binaries of
//! one crate run one after another, because they may share a directory below `target/`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::Outcome;
use super::job::{Group, Job, Tests};
use crate::clippy::{Compiler, WRAPPER};
use crate::repository::Repository;
use crate::run;

/// Builds the tests of the crates with these names, or of all crates if there are none, with a compiler. Returns a group for each
/// crate.
pub(crate) fn groups(
    repository: &Repository,
    names: &[String],
    compiler: Compiler,
) -> anyhow::Result<Vec<Group>> {
    let mut cargo = run::command(repository, "cargo")?;
    compiler.set(&mut cargo);
    cargo.args(["test", "--locked", "--no-run"]);
    if names.is_empty() {
        cargo.arg("--workspace");
    }
    for name in names {
        cargo.args(["-p", name]);
    }
    // Without `--examples`, which would compile examples as tests.
    cargo.args(["--lib", "--bins", "--tests"]);
    cargo.arg("--message-format=json-render-diagnostics");
    let title = "building the tests of the crates (minutes the first time)";
    Ok(binaries(&run::stdout_of(title, cargo)?))
}

/// Returns the group with the examples in doc comments, for crates that a compiler has compiled.
pub(crate) fn doc_tests(compiler: Compiler) -> Group {
    let mut job = Job::from(Tests::Documentation);
    if compiler == Compiler::Clippy {
        job.variables.push((WRAPPER.0.to_owned(), WRAPPER.1.to_owned()));
    }
    vec![job]
}

/// Reads the test binaries from the JSON messages of cargo, and returns a group for each crate. Crates with more
/// binaries come first.
fn binaries(messages: &str) -> Vec<Group> {
    let mut crates: BTreeMap<PathBuf, Vec<Job>> = BTreeMap::new();
    for message in messages.lines() {
        let Ok(message) = serde_json::from_str::<Value>(message) else {
            continue;
        };
        let (Some(manifest), Some(binary)) =
            (message["manifest_path"].as_str(), message["executable"].as_str())
        else {
            continue;
        };
        // Examples and ordinary programs are executables too.
        if message["profile"]["test"] == true {
            let directory = Path::new(manifest)
                .parent()
                .map(Path::to_path_buf)
                .unwrap_or_default();
            let path = binary.into();
            let tests = crates.entry(directory.clone()).or_default();
            tests.push(Tests::Binary { directory, path }.into());
        }
    }
    let mut groups: Vec<_> = crates.into_values().collect();
    groups.sort_by_key(|tests| std::cmp::Reverse(tests.len()));
    groups
}

/// Returns the command that runs a test binary in the directory of its crate.
pub(crate) fn binary_command(
    repository: &Repository,
    directory: &Path,
    path: &Path,
) -> anyhow::Result<Command> {
    let mut command = run::command(repository, path)?;
    command
        .current_dir(directory)
        .env("CARGO_MANIFEST_DIR", directory)
        .arg("--show-output");
    Ok(command)
}

/// Returns the command that runs the examples in doc comments of all crates.
pub(crate) fn doc_tests_command(repository: &Repository) -> anyhow::Result<Command> {
    let mut cargo = run::command(repository, "cargo")?;
    cargo.args(["test", "--workspace", "--locked", "--no-fail-fast", "--doc"]);
    Ok(cargo)
}

/// Adds up the `test result:` lines of a test program. A test that cannot run on this machine prints `SKIPPED name:
/// reason`.
pub(crate) fn count(output: &str) -> Outcome {
    let mut outcome = Outcome::default();
    for line in output.lines().map(str::trim) {
        if let Some(counts) = line.strip_prefix("test result: ") {
            outcome.passed += number_before(counts, " passed");
            outcome.failed += number_before(counts, " failed");
        } else if let Some(skipped) = line.strip_prefix("SKIPPED ") {
            outcome.skipped.push(skipped.to_owned());
        }
    }
    outcome.passed = outcome.passed.saturating_sub(outcome.skipped.len());
    outcome
}

/// Returns the number in front of a word: `3 passed` and `passed` give 3.
fn number_before(text: &str, word: &str) -> usize {
    text.find(word)
        .and_then(|end| text[..end].rsplit(|c: char| !c.is_ascii_digit()).next())
        .and_then(|digits| digits.parse().ok())
        .unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{Tests, binaries, count};

    #[test]
    fn finds_the_test_binaries_of_each_crate_and_starts_with_the_largest() {
        let messages = r#"{"manifest_path":"/a/Cargo.toml","executable":"/t/a-1","profile":{"test":true}}
not json
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-1","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/b-2","profile":{"test":true}}
{"manifest_path":"/b/Cargo.toml","executable":"/t/program","profile":{"test":false}}
{"manifest_path":"/b/Cargo.toml","executable":null,"profile":{"test":true}}"#;
        let of = |directory: &str, path: &str| {
            Tests::Binary {
                directory: directory.into(),
                path: path.into(),
            }
            .into()
        };
        let expected = [
            vec![of("/b", "/t/b-1"), of("/b", "/t/b-2")],
            vec![of("/a", "/t/a-1")],
        ];
        assert_eq!(binaries(messages), expected);
    }

    #[test]
    fn adds_up_the_counts_of_test_programs_and_does_not_count_skipped_tests_as_passed() {
        let outcome = count(
            "running 3 tests\nSKIPPED apply: no PostgreSQL\ntest result: ok. 3 passed; 0 failed; 0 ignored\n\
             test result: FAILED. 10 passed; 2 failed; 0 ignored",
        );
        assert_eq!((outcome.passed, outcome.failed), (12, 2));
        assert_eq!(outcome.skipped, ["apply: no PostgreSQL"]);
    }
}
