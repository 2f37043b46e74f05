//! `cargo xtask test`: runs all tests of the project. Its last line is `N passed, N failed`.

mod changed;
mod contributing;
mod crates;
mod job;
mod jobs;
mod lock_files;
mod long;
mod node;
mod outcome;
mod times;
mod unsteady;

use std::process::ExitCode;

use clap::ValueEnum;

use self::job::Group;
use self::lock_files::LockFiles;
pub(crate) use self::outcome::Outcome;
use crate::clippy::Compiler;
use crate::repository::Repository;
use crate::{addons, check, run as programs, setup};

/// Options of the command.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run only this part of the tests. Repeat the option to run several parts.
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,
    /// Run only the tests that may fail because of the changes since a commit: those of changed crates and packages
    /// and of the ones that depend on them, and the commands that CONTRIBUTING.md lists for changed directories.
    ///
    /// If no commit is given, it is the last one that the branch shares with its upstream, otherwise with
    /// `origin/main`, otherwise the last commit. Uncommitted and untracked files count as changed.
    #[arg(long, value_name = "COMMIT", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with_all = ["only", "long"])]
    changed: Option<String>,
    /// Run the random tests with many more inputs, and all tests with the addons as they are published. Takes more
    /// than an hour.
    #[arg(long)]
    long: bool,
}

/// Parts of the test run.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Format, lints, types, licences of crates, tidy.
    Check,
    /// Unit and integration tests of the crates; they need no Node.
    Rust,
    /// Tests of the npm packages.
    Packages,
    /// Tests of several packages together: the running example, real HTTP, a real database, the documentation.
    E2e,
}

/// Servers other than the native server. The examples must behave the same on each of them.
/// `tests/e2e/support/server.ts` starts them.
const OTHER_SERVERS: [&str; 4] = ["fallback", "express", "fastify", "hono"];

/// Tests of the npm packages.
const PACKAGE_TESTS: &str = "packages/*/test/**/*.test.ts";

/// Tests of several packages together.
const END_TO_END_TESTS: &str = "tests/**/*.test.ts";

/// Tests of the examples that run on each server.
const SERVER_TESTS: &str = "tests/e2e/servers/*.test.ts";

/// Tests of the examples Notes and `RealWorld` that also run on their Rust servers.
const RUST_TESTS: &str = "tests/e2e/servers/{auth,errors,notes,paging,realworld,routing,rust-client,shop,shutdown,validation}.test.ts";

/// Tests that every server must pass. If `KIT_E2E_SERVER` is not set, they run on the adapters.
const CONFORMANCE_TESTS: &str = "tests/conformance/*.test.ts";

/// Runs the tests. At the end, shows all failures and prints the counts.
pub(crate) fn run(repository: &Repository, options: &Options) -> anyhow::Result<ExitCode> {
    let locked = LockFiles::read(repository)?;
    let mut total = match &options.changed {
        Some(since) => changed::run(repository, since)?,
        None => run_parts(repository, options)?,
    };
    match locked.zip(LockFiles::read(repository)?) {
        Some((before, after)) => total.add(before.compare(&after)),
        None => total
            .skipped
            .push("lock files: git is not installed, or this is not a git repository".to_owned()),
    }
    if !total.report.is_empty() {
        eprintln!("{}", total.report);
    }
    let left_out = long::take_left_out(&mut total.skipped);
    for skipped in &total.skipped {
        println!("skipped: {skipped}");
    }
    for file in &total.unsteady {
        println!("unsteady: {file}: failed once, passed when run again");
    }
    if left_out > 0 {
        println!("{left_out} long tests were not run; `cargo xtask test --long` runs them");
    }
    times::report(repository, std::mem::take(&mut total.files))?;
    println!("{}", total.counts());
    Ok(if total.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn run_parts(repository: &Repository, options: &Options) -> anyhow::Result<Outcome> {
    let has = |part: Part| options.only.is_empty() || options.only.contains(&part);
    let (build, compiler) = if options.long {
        (addons::Build::Release, Compiler::Rustc)
    } else {
        (addons::Build::WithTests, Compiler::Clippy)
    };
    setup::run(repository, build)?;
    let mut total = Outcome::default();
    // The checks of TypeScript use one processor, and so does the linker. The build of the servers uses the other one.
    let (checked, servers) = programs::beside(
        || {
            if has(Part::Check) {
                checks(repository, compiler).map(Some)
            } else if has(Part::E2e) {
                check::build_examples(repository).map(|()| None)
            } else {
                Ok(None)
            }
        },
        || {
            if has(Part::E2e) {
                // `tests/differential` compares the Rust servers with Node.
                check::build_rust_servers(repository)
            } else {
                Ok(())
            }
        },
    );
    if let Some(checked) = checked? {
        total.add(checked);
    }
    servers?;
    let mut groups: Vec<Group> = Vec::new();
    if has(Part::Rust) {
        groups.extend(crates::groups(repository, &[], compiler)?);
        groups.push(crates::doc_tests(compiler));
    }
    if has(Part::Packages) {
        groups.extend(node::groups(repository, PACKAGE_TESTS, None)?);
    }
    if has(Part::E2e) {
        groups.extend(end_to_end(repository)?);
    }
    if options.long {
        long::prepare(&mut groups);
    } else {
        node::use_built_examples(repository, &mut groups);
    }
    if !groups.is_empty() {
        total.add(jobs::run_all(repository, groups)?);
    }
    Ok(total)
}

fn checks(repository: &Repository, compiler: Compiler) -> anyhow::Result<Outcome> {
    let checked = check::all(repository, compiler)?;
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

/// Returns the end-to-end tests for the native server, and the tests that depend on the server again for each
/// other server.
fn end_to_end(repository: &Repository) -> anyhow::Result<Vec<Group>> {
    let mut groups = node::groups(repository, END_TO_END_TESTS, None)?;
    for server in OTHER_SERVERS {
        groups.extend(node::groups(repository, SERVER_TESTS, Some(server))?);
    }
    for tests in [RUST_TESTS, CONFORMANCE_TESTS] {
        groups.extend(node::groups(repository, tests, Some("rust"))?);
    }
    Ok(groups)
}

/// Formats the output of a failed job with a title, for the end of the run.
pub(crate) fn section(title: &str, output: &str) -> String {
    format!("\n---- {title} ----\n{}\n", output.trim_end())
}
