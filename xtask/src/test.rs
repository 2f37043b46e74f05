//! `cargo xtask test`: runs all tests of the project. Its last line is `N passed, N failed`.

use std::process::ExitCode;
use std::time::Duration;

use clap::ValueEnum;

use crate::progress::Step;
use crate::repository::Repository;
use crate::{addons, check, crate_tests, dashboard, node_tests, run, toolchain, viewer};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only this part; may be repeated.
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
}

/// Parts of the test run, in order.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Format, lints, types, licences of crates, tidy.
    Check,
    /// Unit and integration tests of the crates; they need no Node.
    Rust,
    /// Tests of the npm packages.
    Packages,
    /// Tests of several modules together: the running example, real HTTP, a real database, the documentation.
    E2e,
}

impl Part {
    const ALL: [Self; 4] = [Self::Check, Self::Rust, Self::Packages, Self::E2e];
}

/// Results of a part.
#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    /// `name: reason` of each skipped test.
    pub(crate) skipped: Vec<String>,
    /// Files with a failed test that passed in a second run.
    pub(crate) unsteady: Vec<String>,
    /// Duration of each test file or test binary.
    pub(crate) files: Vec<(String, Duration)>,
    /// Text to show at the end; empty without failures.
    pub(crate) report: String,
}

impl Outcome {
    pub(crate) fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped.extend(other.skipped);
        self.unsteady.extend(other.unsteady);
        self.files.extend(other.files);
        self.report.push_str(&other.report);
    }

    pub(crate) fn counts(&self) -> String {
        let Self {
            passed,
            failed,
            skipped,
            ..
        } = self;
        match skipped.len() {
            0 => format!("{passed} passed, {failed} failed"),
            skipped => format!("{passed} passed, {failed} failed, {skipped} skipped"),
        }
    }
}

/// Number of files that are listed with their durations at the end.
const SLOWEST: usize = 10;

/// Servers other than the native one on which the example must behave the same. `tests/e2e/support/server.ts` starts
/// them.
const OTHER_SERVERS: [&str; 4] = ["fallback", "express", "fastify", "hono"];

/// Tests of Notes, which the Rust server must pass too.
const NOTES_TESTS: &str = "tests/e2e/servers/{auth,errors,notes,paging,routing,shutdown,validation}.test.ts";

/// Tests that every server must pass. Without `KIT_E2E_SERVER` they run on the adapters.
const CONFORMANCE_TESTS: &str = "tests/conformance/*.test.ts";

/// Runs the parts, shows all failures at the end, and prints the counts.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    toolchain::install(repository)?;
    viewer::place_or_say(repository);
    dashboard::build(repository)?;
    addons::build(repository, addons::Build::WithTests)?;
    let mut total = Outcome::default();
    for part in Part::ALL
        .into_iter()
        .filter(|part| options.only.is_empty() || options.only.contains(part))
    {
        let outcome = match part {
            Part::Check => checks(repository)?,
            Part::Rust => crate_tests::run(repository)?,
            Part::Packages => node_tests::run(
                repository,
                "tests of the packages",
                "packages/*/test/**/*.test.ts",
                None,
            )?,
            Part::E2e => end_to_end(repository)?,
        };
        total.add(outcome);
    }
    if !total.report.is_empty() {
        eprintln!("{}", total.report);
    }
    for skipped in &total.skipped {
        println!("skipped: {skipped}");
    }
    for file in &total.unsteady {
        println!("unsteady: {file}: failed once, passed when run again");
    }
    print_slowest(std::mem::take(&mut total.files));
    println!("{}", total.counts());
    Ok(if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Prints the files with the longest durations, the slowest first.
fn print_slowest(mut files: Vec<(String, Duration)>) {
    files.sort_by_key(|(_, duration)| std::cmp::Reverse(*duration));
    for (file, duration) in files.iter().take(SLOWEST) {
        println!("slow: {:>6.1} s  {file}", duration.as_secs_f64());
    }
}

fn checks(repository: &Repository) -> anyhow::Result<Outcome> {
    let checked = check::all(repository)?;
    let mut report = String::new();
    for failure in &checked.failures {
        report.push_str(&section(&failure.name, &failure.output));
    }
    Ok(Outcome {
        passed: checked.passed,
        failed: checked.failures.len(),
        skipped: checked.skipped,
        report,
        ..Outcome::default()
    })
}

/// Runs all end-to-end tests, then on each other server the tests that depend on the server.
fn end_to_end(repository: &Repository) -> anyhow::Result<Outcome> {
    check::build_examples(repository)?;
    // `tests/differential` compares these servers with Node.
    check::build_rust_servers(repository)?;
    let mut total = node_tests::run(repository, "end-to-end tests", "tests/**/*.test.ts", None)?;
    for server in OTHER_SERVERS {
        total.add(node_tests::run(
            repository,
            &format!("end-to-end tests on {server}"),
            "tests/e2e/servers/*.test.ts",
            Some(server),
        )?);
    }
    for (title, tests) in [
        ("end-to-end tests of the Rust server", NOTES_TESTS),
        ("conformance of the Rust server", CONFORMANCE_TESTS),
    ] {
        total.add(node_tests::run(repository, title, tests, Some("rust"))?);
    }
    Ok(total)
}

/// Ends the step. If a run failed without a failed test (a crash, or no tests at all), counts a failure.
pub(crate) fn conclude(step: Step, title: &str, outcome: &mut Outcome, finished: &run::Finished) {
    let counted = outcome.passed + outcome.failed + outcome.skipped.len();
    if outcome.failed == 0 && (!finished.success || counted == 0) {
        outcome.failed = 1;
    }
    let remark = outcome.counts();
    if outcome.failed == 0 {
        step.done(&remark);
    } else {
        step.failed(&remark);
        let nothing = if counted == 0 { "no test was run\n" } else { "" };
        outcome.report = section(title, &format!("{nothing}{}", finished.output));
    }
}

/// Formats a section of the final report.
pub(crate) fn section(title: &str, output: &str) -> String {
    format!("\n---- {title} ----\n{}\n", output.trim_end())
}
