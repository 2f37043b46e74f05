//! The commands `kit test` and `kit test:contracts`.

mod coverage;
mod log;
mod report;
mod runner;

use std::collections::BTreeMap;
use std::time::{Duration, Instant, SystemTime};

use anstyle::AnsiColor;
use clap::Args;
use kit_build::{BuildReport, CONTRACTS, find_contract_tests, find_tests};
use serde::Serialize;

use self::coverage::CoverageReport;
use self::log::CapturedLog;
use self::report::{Report, TestFailure};
use self::runner::Runner;
use super::build_steps::{BuildKind, run_build};
use super::generate::no_contract_tests;
use crate::common_args::Common;
use crate::console::{Console, milliseconds};
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::Project;
use crate::{Environment, LOG, NodeRun, SEEN, Stream};

/// Run the project's tests and the generated contract tests.
///
/// Writes .kit/ first, so that the tests use the current sources. Then runs files such as name.test.ts and name.spec.ts in all
/// directories with node:test. If package.json depends on vitest, vitest runs the tests, and its configuration selects the files.
///
/// The output of the runner goes to standard error. The number of tests, and the parts of the contracts that requests have
/// covered, go to standard output. The log of the application is shown only for failed tests.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit test
  kit test notes src/auth            only files with `notes` or `src/auth` in their path
  kit test --watch
  kit test --json | jq '.failures[]'
  kit test --runs 1000               random requests too, 1000 for each route
  kit test -- --test-name-pattern create")]
pub(crate) struct Arguments {
    /// Run only test files whose path contains one of these strings.
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
}

/// Run only the generated contract tests.
///
/// Contract tests send valid and invalid requests to each route, and compare the responses with the contract of the route. The tests
/// are in the directory `tests` of the output directory.
/// Writes .kit/ first, like `kit test`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit test:contracts
  kit test:contracts --json | jq .failed
  kit test:contracts --runs 1000 --seed 42")]
pub(crate) struct ContractArguments {
    /// Only send a failed random request again. The failed test prints the value of this option.
    #[arg(long, value_name = "WHAT", requires = "seed", conflicts_with = "runs")]
    replay: Option<String>,
    #[command(flatten)]
    pub(crate) run: RunArguments,
}

/// Maximum seed. The random generator of `@kit/testing` uses signed 32-bit integers.
const MAX_SEED: i64 = 0x7fff_ffff;

/// Default number of random requests of each kind to each route.
const RUNS: u32 = 100;

/// Arguments of both commands.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// Run the tests again when a file that they use changes; stop with Ctrl-C.
    #[arg(long, conflicts_with = "json")]
    watch: bool,
    /// Run the tests with the existing .kit/.
    #[arg(long)]
    no_build: bool,
    /// In contract tests, also send N random requests of each kind to each route; 100 if only --seed is given.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    runs: Option<u32>,
    /// Print the log of the application while the tests run, and not only with failed tests; --watch does this too.
    #[arg(long)]
    log: bool,
    /// Seed of the random requests: the same seed gives the same requests; by default, each run has another seed.
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u32).range(..=MAX_SEED))]
    seed: Option<u32>,
    /// Arguments for the runner.
    #[arg(last = true, value_name = "ARGUMENT")]
    rest: Vec<String>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let (project, _) = open(&arguments.run, context).await?;
    let runner = Runner::of(&project)?;
    let mut files: Vec<String> = Vec::new();
    for found in [
        find_tests(&project.root, &project.config)?,
        find_contract_tests(&project.root, &project.config)?,
    ] {
        files.extend(found.into_iter().map(|(_, name)| name));
    }
    let chosen: Vec<String> = files
        .iter()
        .filter(|file| {
            arguments.paths.is_empty() || arguments.paths.iter().any(|path| path_contains(file, path))
        })
        .cloned()
        .collect();
    let run = match &runner {
        // vitest selects test files by its own configuration, and by paths like kit does.
        Runner::Vitest { .. } => runner.command(&arguments.paths, &arguments.run),
        Runner::Node if chosen.is_empty() => return Err(no_tests(&project, &arguments.paths, &files)),
        Runner::Node => runner.command(&chosen, &arguments.run),
    };
    execute(&project, &runner, run, (&arguments.run, None), context).await
}

pub(crate) async fn contracts(
    arguments: &ContractArguments,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let (project, report) = open(&arguments.run, context).await?;
    let runner = Runner::of(&project)?;
    let files: Vec<String> = find_contract_tests(&project.root, &project.config)?
        .into_iter()
        .map(|(_, name)| name)
        .collect();
    if files.is_empty() {
        if let Some(Err(why)) = report.map(|report| report.contract_tests) {
            return Err(no_contract_tests(why, &project.config).into());
        }
        let directory = &project.config.output_dir;
        return Err(Problem::testing(format!(
            "there are no contract tests: no file matches {directory}/tests/*.contract.test.ts"
        ))
        .help("run `kit generate:tests`")
        .into());
    }
    let run = runner.command(&files, &arguments.run);
    let replay = arguments.replay.as_deref();
    execute(&project, &runner, run, (&arguments.run, replay), context).await
}

/// Opens the project and builds it, unless `--no-build` is given.
async fn open(
    arguments: &RunArguments,
    context: &Context<'_>,
) -> Result<(Project, Option<BuildReport>), CommandError> {
    let project = Project::open(&arguments.common, context).await?;
    let report = if arguments.no_build {
        None
    } else {
        Some(run_build(&project, context, &mut BuildKind::Write).await?)
    };
    Ok((project, report))
}

/// Returns true if the path of a test file contains the string from the command line. Ignores a leading `./`
/// of the string.
fn path_contains(file: &str, path: &str) -> bool {
    file.contains(path.strip_prefix("./").unwrap_or(path))
}

fn no_tests(project: &Project, paths: &[String], files: &[String]) -> CommandError {
    if files.is_empty() {
        let message = format!(
            "there are no tests in {}: no file name has the form name.test.ts or name.spec.ts",
            project.root.display()
        );
        return Problem::testing(message)
            .help("write a test file, such as src/app.test.ts; kit does not search node_modules, the output directories and names that begin with a dot")
            .into();
    }
    let wanted: Vec<String> = paths.iter().map(|path| format!("`{path}`")).collect();
    let some: Vec<&str> = files.iter().take(10).map(String::as_str).collect();
    let more = if files.len() > some.len() { ", …" } else { "" };
    Problem::testing(format!("no test file has a path with {}", wanted.join(" or ")))
        .help(&format!("there are {}{more}", some.join(", ")))
        .into()
}

/// Runs the tests, prints the result, and fails if a test failed.
async fn execute(
    project: &Project,
    runner: &Runner,
    args: Vec<String>,
    (arguments, replay): (&RunArguments, Option<&str>),
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let start = Instant::now();
    let directory = project.root.to_string_lossy().into_owned();
    let random = Random::of(arguments, replay, context.environment);
    let mut env = random.map(|random| random.variables(replay)).unwrap_or_default();
    env.extend(coverage_variables(project, arguments));
    // A run with `--watch` prints no result, so a captured log would never be shown.
    if !arguments.log && !arguments.watch {
        env.insert("KIT_TEST_LOG", LOG.to_owned());
    }
    // kit treats an unset NODE_ENV as production, and tests must not run as production.
    if context.environment.var("NODE_ENV").unwrap_or_default().is_empty() {
        env.insert("NODE_ENV", "test".to_owned());
    }
    let run = NodeRun { args, directory, env };
    let end = context
        .host
        .run_node(&run)
        .await
        .map_err(|error| Problem::testing(error.message))?;
    if end.interrupted {
        return Err(CommandError::Reported);
    }
    let how = match (&end.code, &end.signal) {
        (_, Some(signal)) => format!("was ended by {signal}"),
        (Some(code), None) => format!("ended with code {code}"),
        (None, None) => "ended".to_owned(),
    };
    if arguments.watch {
        return match end.code {
            Some(0) => Ok(()),
            _ => Err(Problem::testing(format!("{} {how}", runner.name())).into()),
        };
    }
    let report = match &end.report {
        Some(text) => runner.read(text, &project.root),
        None => Err("it wrote no report".to_owned()),
    };
    let log = CapturedLog::new(&end.logs);
    // Without a failed test, the end of the log may have the reason.
    let show_log = || {
        for line in log::lines(&log.end()) {
            context.console.note(&line);
        }
    };
    let mut report = report.map_err(|why| {
        show_log();
        let message = format!("{} {how}, and its results cannot be read: {why}", runner.name());
        Problem::testing(message).help("see its output above")
    })?;
    for failure in &mut report.failures {
        failure.log = log.of(failure);
    }
    if report.failed == 0 && end.code != Some(0) {
        // The runner failed for another reason, such as an invalid configuration, or an error outside of any test.
        show_log();
        let message = format!("no test failed, but {} {how}", runner.name());
        return Err(Problem::testing(message).help("see its output above").into());
    }
    if let (Some(title), 0) = (replay, report.passed + report.failed + report.skipped) {
        let message = format!("no test has the route of `--replay '{title}'`");
        let help = "copy the value that the failed test printed; if the contract has changed since, run the tests without `--replay`";
        return Err(Problem::testing(message).help(help).into());
    }
    let seen = end.seen.as_ref().map(CoverageReport::new);
    print_result(&report, seen.as_ref(), random, start.elapsed(), context.console);
    if report.failed == 0 {
        Ok(())
    } else {
        Err(CommandError::Reported)
    }
}

/// Options of the random requests in contract tests.
#[derive(Debug, Clone, Copy, Serialize)]
struct Random {
    runs: u32,
    seed: u32,
}

impl Random {
    /// Returns the options for random requests, or `None` if the command line does not request any.
    fn of(arguments: &RunArguments, replay: Option<&str>, environment: &dyn Environment) -> Option<Self> {
        let RunArguments { runs, seed, .. } = *arguments;
        (runs.is_some() || seed.is_some() || replay.is_some()).then(|| Self {
            runs: runs.unwrap_or(RUNS),
            seed: seed.unwrap_or_else(|| any_seed(environment.now())),
        })
    }

    /// Returns the environment variables that pass the options to `@kit/testing`.
    fn variables(self, replay: Option<&str>) -> BTreeMap<&'static str, String> {
        let mut variables = BTreeMap::from([
            ("KIT_TEST_RUNS", self.runs.to_string()),
            ("KIT_TEST_SEED", self.seed.to_string()),
        ]);
        if let Some(replay) = replay {
            variables.insert("KIT_TEST_REPLAY", replay.to_owned());
        }
        variables
    }
}

/// Returns a seed from the current time, so that it differs between runs.
fn any_seed(now: SystemTime) -> u32 {
    let since = now.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    // Uses nanoseconds, because a script can start two runs in the same millisecond.
    let mixed = since.as_nanos().wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16;
    u32::try_from(mixed & 0x7fff_ffff).unwrap_or_default()
}

/// Returns the environment variables that make tests record the coverage of the contracts. Returns no variables if
/// the project has no list of its contracts, or with `--watch`, because a run with `--watch` prints no result.
fn coverage_variables(project: &Project, arguments: &RunArguments) -> Vec<(&'static str, String)> {
    let contracts = project.root.join(&project.config.output_dir).join(CONTRACTS);
    if arguments.watch || !contracts.is_file() {
        return Vec::new();
    }
    vec![
        ("KIT_TEST_CONTRACTS", contracts.to_string_lossy().into_owned()),
        ("KIT_TEST_SEEN", SEEN.to_owned()),
    ]
}

fn print_result(
    report: &Report,
    seen: Option<&CoverageReport<'_>>,
    random: Option<Random>,
    took: Duration,
    console: &Console<'_>,
) {
    console.json(&JsonReport {
        passed: report.passed,
        failed: report.failed,
        skipped: report.skipped,
        duration_ms: milliseconds(took),
        failures: &report.failures,
        random,
        contracts: seen,
    });
    let red = AnsiColor::Red.on_default().bold();
    let green = AnsiColor::Green.on_default().bold();
    let mut lines: Vec<String> = report.failures.iter().flat_map(describe_failure).collect();
    let failed = format!("{} failed", report.failed);
    let passed = format!("{} passed", report.passed);
    let mut parts = vec![if report.failed == 0 {
        console.paint(Stream::Out, green, &passed)
    } else {
        format!("{}, {passed}", console.paint(Stream::Out, red, &failed))
    }];
    if report.skipped > 0 {
        parts.push(format!("{} skipped", report.skipped));
    }
    lines.push(format!("{} in {:.1} s", parts.join(", "), took.as_secs_f64()));
    if let Some(Random { runs, seed }) = random {
        lines.push(format!("random requests: {runs} runs a test, seed {seed}"));
    }
    lines.extend(seen.map(|seen| seen.lines(console)).unwrap_or_default());
    console.result(&lines.join("\n"));
}

/// Describes a failed test: `src/notes.test.ts:12 notes > are listed: expected 200, found 500`, the commands that repeat
/// it, advice, and the log.
fn describe_failure(failure: &TestFailure) -> Vec<String> {
    let more = failure.message.lines().skip(1);
    let more = more.filter(|line| {
        ["curl ", "kit test", "help: "]
            .iter()
            .any(|start| line.starts_with(start))
    });
    std::iter::once(line(failure))
        .chain(more.map(|line| format!("  {line}")))
        .chain(log::lines(&failure.log))
        .collect()
}

fn line(failure: &TestFailure) -> String {
    let place = match (&failure.file, failure.line) {
        (Some(file), Some(line)) => format!("{file}:{line} "),
        (Some(file), None) => format!("{file} "),
        (None, _) => String::new(),
    };
    let message = failure.message.lines().next().unwrap_or_default();
    format!("{place}{}: {message}", failure.name)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    passed: usize,
    failed: usize,
    skipped: usize,
    duration_ms: f64,
    failures: &'a [TestFailure],
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<Random>,
    /// Coverage of the contracts; `None` if no test sent a request to the application.
    #[serde(skip_serializing_if = "Option::is_none")]
    contracts: Option<&'a CoverageReport<'a>>,
}
