//! The commands `kit generate`, `kit generate:tests` and `kit generate:openapi`. The module `generate_deploy` has `kit generate deploy`.

use std::path::{Component, Path, PathBuf};

use clap::{Args, Subcommand};
use kit_build::{NoContractTests, ResolvedConfig, read_text, write_text};
use serde::Serialize;

use super::build_steps::{BuildKind, BuildSteps, PrintedLines, build_and_compile, run_build};
use super::generate_deploy;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::{CommandError, Problem};
use crate::project::Project;

/// Write the artifacts in .kit/, as `kit build --no-compile` does.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  kit generate
  kit generate --json | jq .files.written
  kit generate deploy --format kubernetes"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    subject: Option<Subject>,
    #[command(flatten)]
    common: Common,
}

#[derive(Debug, Subcommand)]
enum Subject {
    Deploy(Box<generate_deploy::Arguments>),
}

impl Arguments {
    /// Returns true if the command should print JSON.
    pub(crate) fn json(&self) -> bool {
        match &self.subject {
            Some(Subject::Deploy(arguments)) => arguments.common.json,
            None => self.common.json,
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    if let Some(Subject::Deploy(deploy)) = &arguments.subject {
        return generate_deploy::run(deploy, context).await;
    }
    let project = Project::open(&arguments.common, context).await?;
    build_and_compile(
        &project,
        context,
        BuildSteps::default(),
        &mut BuildKind::Write,
        &mut PrintedLines::default(),
    )
    .await
}

/// Write the contract tests.
///
/// Writes .kit/ like `kit generate`, and lists the files with contract tests: one file for each group of routes. `kit test` and
/// `kit test:contracts` run these tests, which need the package `@kit/testing`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit generate:tests
  kit generate:tests --json | jq -r '.files[]'")]
pub(crate) struct TestsArguments {
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn tests(arguments: &TestsArguments, context: &Context<'_>) -> Result<(), CommandError> {
    let project = Project::open(&arguments.common, context).await?;
    let report = run_build(&project, context, &mut BuildKind::Write).await?;
    let directory = &project.config.output_dir;
    let files: Vec<String> = report
        .contract_tests
        .map_err(|why| no_contract_tests(why, &project.config))?
        .into_iter()
        .map(|path| format!("{directory}/{path}"))
        .collect();
    context.console.json(&TestsReport {
        status: "generated",
        files: &files,
        routes: report.counts.routes,
    });
    let lines: Vec<String> = files.iter().map(|file| format!("wrote {file}")).collect();
    context.console.result(&lines.join("\n"));
    Ok(())
}

/// Returns the error for a project that gets no contract tests.
pub(super) fn no_contract_tests(why: NoContractTests, config: &ResolvedConfig) -> Problem {
    let application = |module: &str| {
        format!(
            "name {module}: `tests: {{ app: \"src/app.ts\" }}` in {}",
            config.options_file
        )
    };
    let exporting = application("the module that exports the application");
    let starting = application("a module that starts the server");
    let (why, help) = match why {
        NoContractTests::NoPackage => (
            "package.json does not list @kit/testing, which the contract tests import",
            "run `npm install --save-dev @kit/testing`",
        ),
        NoContractTests::NoRoutes => (
            "the project has no routes",
            "`kit scaffold add route NAME` adds one; `kit inspect routes` lists them",
        ),
        NoContractTests::NoApplication => (
            "no file calls `createApp`, or kit cannot find the call without running the code",
            exporting.as_str(),
        ),
        NoContractTests::DeclaredApi => (
            "the project declares its API with `declareApi`, so no TypeScript module exports the application",
            starting.as_str(),
        ),
    };
    Problem::testing(format!("there are no contract tests: {why}")).help(help)
}

#[derive(Serialize)]
struct TestsReport<'a> {
    status: &'static str,
    files: &'a [String],
    routes: usize,
}

/// Write the OpenAPI document.
///
/// Writes .kit/ like `kit generate`. Every build writes the document to .kit/schemas/openapi.json; `--out` copies it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit generate:openapi
  kit generate:openapi --out docs/openapi.json
  kit generate:openapi --out - | npx @redocly/cli lint /dev/stdin")]
pub(crate) struct OpenapiArguments {
    /// Copy the document to this file outside of the output directory; `-` is standard output.
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn openapi(arguments: &OpenapiArguments, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    let to_output = arguments.out.as_ref().is_some_and(|path| path.as_os_str() == "-");
    if to_output && console.is_json() {
        return Err(Problem::build(
            "configuration",
            "`--out -` and `--json` cannot be used together, because both print to standard output",
        )
        .help("use only one of the two options")
        .into());
    }
    let project = Project::open(&arguments.common, context).await?;
    let directory = project.root.join(&project.config.output_dir);
    let made = directory.join(DOCUMENT);
    let copy = match &arguments.out {
        Some(path) if !to_output => Some(copy_path(path, &project, &directory, context)?),
        _ => None,
    };
    let report = run_build(&project, context, &mut BuildKind::Write).await?;
    let path = if to_output || copy.is_some() {
        let document = read_text(&made)?
            .ok_or_else(|| Problem::build("emit", "another program removed the document during the build"))?;
        if to_output {
            console.result(document.trim_end());
            return Ok(());
        }
        let path = copy.unwrap_or(made);
        write_text(&path, &document)?;
        path
    } else {
        made
    };
    let shown = path
        .strip_prefix(&project.root)
        .unwrap_or(&path)
        .display()
        .to_string();
    console.json(&OpenapiReport {
        status: "generated",
        path: &shown,
        routes: report.counts.routes,
    });
    console.result(&format!("wrote {shown}"));
    Ok(())
}

/// Path of the document in the output directory.
const DOCUMENT: &str = "schemas/openapi.json";

/// Returns the path to which the document is copied. Refuses a path in the output directory, because builds would not
/// update a copy there.
fn copy_path(
    path: &Path,
    project: &Project,
    directory: &Path,
    context: &Context<'_>,
) -> Result<PathBuf, CommandError> {
    // A relative path starts at the working directory, not at the project's root.
    let here = context
        .environment
        .current_dir()
        .map_err(|error| Problem::build("emit", format!("the working directory cannot be used: {error}")))?;
    let path = plain(&here.join(path));
    if path.starts_with(plain(&here.join(directory))) {
        let output = &project.config.output_dir;
        let message = format!("`--out` names a file in {output}/, which contains only generated files");
        return Err(Problem::build("configuration", message)
            .help(&format!(
                "run the command without `--out` and read {output}/{DOCUMENT}, or name a file in another directory"
            ))
            .into());
    }
    Ok(path)
}

/// Returns the path with `.` and `..` resolved: `/a/./b/../c` becomes `/a/c`.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

#[derive(Serialize)]
struct OpenapiReport<'a> {
    status: &'static str,
    path: &'a str,
    routes: usize,
}
