//! Test files that run with `node:test`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::Outcome;
use super::job::{Group, Tests};
use crate::repository::Repository;
use crate::run;

/// JavaScript program that prints the paths of the files that match globs.
const GLOB: &str = "import { globSync } from 'node:fs';
for (const file of globSync(process.argv.slice(1)).sort()) console.log(file);";

/// Returns the paths of the files that match globs, relative to the root of the repository.
pub(crate) fn files(repository: &Repository, globs: &[String]) -> anyhow::Result<Vec<String>> {
    let mut node = run::command(repository, "node")?;
    node.args(["--input-type=module", "--eval", GLOB, "--"])
        .args(globs);
    let output = node.output().context("`node` could not be started")?;
    if !output.status.success() {
        anyhow::bail!(
            "listing {} failed:\n{}",
            globs.join(" "),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let files: Vec<String> = String::from_utf8(output.stdout)?
        .lines()
        .map(|file| file.replace('\\', "/"))
        .filter(|file| !file.split('/').any(|name| name == "node_modules"))
        .collect();
    Ok(files)
}

/// Returns a group for each file that matches a glob. `server` is the value of `KIT_E2E_SERVER`.
pub(crate) fn groups(
    repository: &Repository,
    glob: &str,
    server: Option<&'static str>,
) -> anyhow::Result<Vec<Group>> {
    let files = files(repository, &[glob.to_owned()])?;
    if files.is_empty() {
        anyhow::bail!("no test file matches {glob}");
    }
    let job = |file| vec![Tests::NodeFile { file, server }.into()];
    Ok(files.into_iter().map(job).collect())
}

/// Gives each job the path of the example `print_ir` of kit-build, which the build of the tests has compiled. Without the
/// path, a test that uses the example compiles it with other features, and all crates below it.
pub(crate) fn use_built_examples(repository: &Repository, groups: &mut [Group]) {
    let example = format!("debug/examples/print_ir{}", std::env::consts::EXE_SUFFIX);
    let path = repository.target().join(example).display().to_string();
    for job in groups.iter_mut().flatten() {
        if matches!(job.tests, Tests::NodeFile { .. }) {
            job.variables.push(("KIT_PRINT_IR".to_owned(), path.clone()));
        }
    }
}

/// Returns the command that runs a test file. It writes readable results to its output, and results for [`count`] to
/// the file `report`.
pub(crate) fn command(
    repository: &Repository,
    file: &str,
    server: Option<&str>,
    report: &Path,
) -> anyhow::Result<Command> {
    if let Some(directory) = report.parent() {
        std::fs::create_dir_all(directory)?;
    }
    // If the file crashes, an old report must not be read in place of its own.
    if report.exists() {
        std::fs::remove_file(report)?;
    }
    let mut node = run::command(repository, "node")?;
    // Without `--test`, the file runs in this process and not in a child process, which saves the start of a process for
    // each file. `node:test` writes the same reports.
    node.env("NODE_COMPILE_CACHE", compile_cache(repository))
        .args(["--test-reporter=spec", "--test-reporter-destination=stdout"])
        .arg("--test-reporter=tap")
        .arg(format!("--test-reporter-destination={}", report.display()))
        .arg(file);
    if let Some(server) = server {
        node.env("KIT_E2E_SERVER", server);
    }
    Ok(node)
}

/// Returns the directory in which Node keeps compiled modules. Most test files, and the programs that they start, load the
/// same modules of packages. Without the cache, each process would remove the types from them and compile them again.
fn compile_cache(repository: &Repository) -> PathBuf {
    repository.target().join("node-compile-cache")
}

/// Reads the counts at the end of a TAP report, and its skipped tests with their reasons.
pub(crate) fn count(report: &str) -> Outcome {
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
    use super::count;

    #[test]
    fn reads_the_counts_at_the_end_of_a_tap_report() {
        let outcome = count(
            "ok 1 - a\nok 2 - bun runs # SKIP no bun here\n# tests 4\n# pass 2\n# fail 1\n# cancelled 0\n# skipped 1\n",
        );
        assert_eq!((outcome.passed, outcome.failed), (2, 1));
        assert_eq!(outcome.skipped, ["bun runs: no bun here"]);
    }
}
