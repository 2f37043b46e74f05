//! `kit build`.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use clap::Args;
use kit_build::{
    BuildReport, BuildRequest, BuildTime, Disk, FileChanges, Mode, PendingChanges, Progress, Step,
    build_with, check_with, compile_step, finish,
};
use kit_diagnostics::{BuildFailure, Diagnostics, Failure};
use serde::Serialize;

use super::build_watch;
use crate::Stream;
use crate::again::Again;
use crate::args::Common;
use crate::compiler::{self, Compiled};
use crate::console::{Console, milliseconds, quantity};
use crate::context::Context;
use crate::failure::Stop;
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Makes .kit/ from the project's types and contracts.
///
/// Reads the configuration (kit.config.ts, or `kit` in package.json), the types, the contracts and the application
/// factory, and writes validators, serializers, routes, the OpenAPI document and schema files. Files that did not
/// change are not touched; a build with an error changes nothing. Then the project's compiler (`compiler` of the
/// configuration; tsc where tsconfig.json writes files) compiles the sources into `distDir`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit build
  kit build --root examples/notes
  kit build --check                  in CI: exit 1 where .kit/ is not what the sources say
  kit build --no-compile             only .kit/, as `kit generate`
  kit build --watch                  again whenever a file is saved, until Ctrl-C
  kit build --watch --json           one line of JSON for each build
  kit build --json | jq .counts")]
pub(crate) struct Arguments {
    /// Write nothing; exit 1 where files of .kit/ are missing, old, or left over.
    #[arg(long)]
    check: bool,
    /// Build again whenever a file is saved.
    #[arg(long, conflicts_with = "check")]
    watch: bool,
    /// Leave the project's compiler out.
    #[arg(long)]
    no_compile: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let compile = !arguments.no_compile;
    if arguments.watch {
        return build_watch::run(&arguments.common, context, compile).await;
    }
    let project = Project::open(&arguments.common, context).await?;
    if arguments.check {
        look(&project, context).await
    } else {
        make(&project, context, compile, &mut Work::Build, &mut None).await
    }
}

/// What a build is made for, and with what.
pub(crate) enum Work<'a, 'host> {
    /// To write.
    Build,
    /// To compare with what is written.
    Check,
    /// To write what changed since the last one.
    Again(&'a mut Again<'host>),
}

impl Work<'_, '_> {
    fn mode(&self) -> Mode {
        match self {
            Self::Build => Mode::Build,
            Self::Check => Mode::Check,
            Self::Again(again) => again.mode,
        }
    }

    /// Runs the last taps of plugins, and remembers what is to be looked at from now on.
    pub(crate) async fn finish(
        &mut self,
        project: &Project,
        context: &Context<'_>,
        report: &mut BuildReport,
    ) -> Result<(), Stop> {
        let time = build_time(context.environment)?;
        let (request, plugins) = (request(project, &time), Plugins(context.host));
        finish(&request, &plugins, self.mode(), report).await;
        if let Self::Again(again) = self {
            again.learn(report).await?;
        }
        Ok(())
    }

    /// The same for a build whose artifacts are written: what taps said since then is told, and is an error where it is one.
    /// `shown` was told before.
    pub(crate) async fn end(
        &mut self,
        project: &Project,
        context: &Context<'_>,
        shown: Diagnostics,
        report: &mut BuildReport,
    ) -> Result<(), Stop> {
        self.finish(project, context, report).await?;
        let late = std::mem::replace(&mut report.diagnostics, shown);
        if late.has_errors() {
            return Err(Stop::Spoiled(late, Box::new(std::mem::take(&mut report.sources))));
        }
        if !context.console.is_json() {
            context.console.diagnostics(&late, &report.sources);
        }
        report.diagnostics.extend(late);
        Ok(())
    }
}

/// Writes the artifacts and says so; then lets the project's compiler run, where it is wanted. `told` is what was said of
/// pending changes, which is not said again.
pub(crate) async fn make(
    project: &Project,
    context: &Context<'_>,
    compile: bool,
    work: &mut Work<'_, '_>,
    told: &mut Option<String>,
) -> Result<(), Stop> {
    let start = Instant::now();
    let console = context.console;
    let mut report = watched(project, context, work).await?;
    console.result(&summary(&report, start.elapsed(), console));
    if console.is_watched() && !console.is_json() && matches!(work, Work::Build) {
        console.note(&console.paint(Stream::Err, Style::new().dimmed(), &phases(&report)));
    }
    tell_pending(&report, told, console);
    let time = build_time(context.environment)?;
    // What was said so far has been shown.
    let shown = std::mem::take(&mut report.diagnostics);
    let by_plugin = if compile {
        compile_step(
            &request(project, &time),
            &Plugins(context.host),
            work.mode(),
            &mut report,
        )
        .await
    } else {
        None
    };
    let compiled = match &by_plugin {
        None if compile && report.succeeded() => compiler::compile(project, context)?,
        _ => None,
    };
    if let (Some(plugin), true) = (&by_plugin, report.succeeded()) {
        let done = console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "compiled");
        console.result(&format!("{done} by the plugin {plugin}"));
    }
    work.end(project, context, shown, &mut report).await?;
    if let Some(Compiled { compiler, took }) = &compiled {
        let done = console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "compiled");
        let (name, into, took) = (compiler.name(), &project.config.dist_dir, duration(*took));
        console.result(&format!("{done} with {name} into {into}/ in {took}"));
    }
    console.json(&JsonReport::new(
        "built",
        &report,
        compiled.as_ref(),
        start.elapsed(),
    ));
    Ok(())
}

/// Says whether the artifacts are what the sources say.
async fn look(project: &Project, context: &Context<'_>) -> Result<(), Stop> {
    let start = Instant::now();
    let console = context.console;
    let report = watched(project, context, &mut Work::Check).await?;
    let FileChanges {
        written,
        removed,
        project: owned,
        ..
    } = &report.files;
    let is_fresh = written.is_empty() && removed.is_empty() && owned.is_empty();
    let status = if is_fresh { "fresh" } else { "stale" };
    console.json(&JsonReport::new(status, &report, None, start.elapsed()));
    let directory = &project.config.output_dir;
    if is_fresh {
        console.result(&format!("{directory}/ is up to date"));
        return Ok(());
    }
    let old = written.iter().map(|path| format!("  {directory}/{path}"));
    let left = removed
        .iter()
        .map(|path| format!("  {directory}/{path} (left over)"));
    let owned = owned.iter().map(|path| format!("  {path}"));
    let lines: Vec<String> = old.chain(left).chain(owned).collect();
    console.result(&format!(
        "{directory}/ is not what the sources say; `kit build` would write\n{}",
        lines.join("\n")
    ));
    Err(Stop::Told)
}

/// What is asked of a build of this project.
pub(crate) fn request<'a>(project: &'a Project, time: &'a BuildTime) -> BuildRequest<'a> {
    BuildRequest {
        root: &project.root,
        config: &project.config,
        files: Arc::new(Disk),
        time,
    }
}

/// Works on a project without mistakes; a person sees the step under way, and its warnings.
pub(crate) async fn watched(
    project: &Project,
    context: &Context<'_>,
    work: &mut Work<'_, '_>,
) -> Result<BuildReport, Stop> {
    let console = context.console;
    let time = build_time(context.environment)?;
    let spinner = StepLine::new(console);
    let (request, plugins) = (request(project, &time), Plugins(context.host));
    let result = match work {
        Work::Check => check_with(&request, &plugins, &spinner).await,
        Work::Build => build_with(&request, &plugins, &spinner).await,
        Work::Again(again) => {
            let mode = again.mode;
            again.session.build_with(&request, &plugins, mode, &spinner).await
        }
    };
    spinner.clear();
    let mut report = result?;
    let mut diagnostics = project.warnings.clone();
    diagnostics.extend(std::mem::take(&mut report.diagnostics));
    report.diagnostics = diagnostics;
    if !report.succeeded() {
        work.finish(project, context, &mut report).await?;
        return Err(Stop::Diagnosed(report.diagnostics, Box::new(report.sources)));
    }
    if !console.is_json() {
        console.diagnostics(&report.diagnostics, &report.sources);
    }
    Ok(report)
}

/// `built 5 routes, 9 types in 12 ms (31 files written)`
pub(crate) fn summary(report: &BuildReport, took: Duration, console: &Console<'_>) -> String {
    let mut changes = Vec::new();
    let (written, removed) = (report.files.written.len(), report.files.removed.len());
    if written > 0 {
        changes.push(format!("{} written", quantity(written, "file")));
    }
    if removed > 0 {
        changes.push(format!("{removed} removed"));
    }
    if changes.is_empty() {
        changes.push("nothing changed".to_owned());
    }
    format!(
        "{} {}, {} in {} ({})",
        console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "built"),
        quantity(report.counts.routes, "route"),
        quantity(report.counts.types, "type"),
        duration(took),
        changes.join(", "),
    )
}

/// `parse 3.1 ms, types 4.0 ms, …`: what took how long, for a person who waited.
fn phases(report: &BuildReport) -> String {
    let phases: Vec<String> = report
        .steps
        .iter()
        .map(|(step, took)| format!("{} {:.1} ms", step.name(), milliseconds(*took)))
        .collect();
    format!("  {}", phases.join(", "))
}

/// Says where the types are ahead of the committed migrations, unless that was said.
pub(crate) fn tell_pending(report: &BuildReport, told: &mut Option<String>, console: &Console<'_>) {
    let text = pending(report);
    if *told != text {
        if let Some(text) = &text {
            console.result(text);
        }
        *told = text;
    }
}

/// Where the types are ahead of the committed migrations.
fn pending(report: &BuildReport) -> Option<String> {
    let PendingChanges { changes, problems } = report.pending;
    let text = match (changes, problems) {
        (0, 0) => return None,
        (changes, 0) => {
            let quantity = quantity(changes, "change");
            format!(
                "{quantity} to the database pending: `kit migrate:generate --name <name>` writes the migration"
            )
        }
        _ => {
            "the database needs a migration that kit cannot write: `kit migrate:generate` says why".to_owned()
        }
    };
    Some(text)
}

fn duration(took: Duration) -> String {
    if took < Duration::from_secs(10) {
        format!("{} ms", took.as_millis())
    } else {
        format!("{:.1} s", took.as_secs_f64())
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    status: &'static str,
    counts: JsonCounts,
    files: JsonFiles<'a>,
    pending_migration: JsonPending,
    steps: Vec<JsonStep>,
    /// Nothing where no compiler ran.
    compiler: Option<JsonStep>,
    duration_ms: f64,
    warnings: Vec<Failure>,
}

#[derive(Serialize)]
struct JsonCounts {
    sources: usize,
    types: usize,
    entities: usize,
    routes: usize,
}

#[derive(Serialize)]
struct JsonFiles<'a> {
    written: &'a [String],
    unchanged: usize,
    removed: &'a [String],
    /// Files outside of the output directory that plugins own.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    project: &'a [String],
}

/// How far the types are ahead of the committed migrations.
#[derive(Serialize)]
struct JsonPending {
    changes: usize,
    problems: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonStep {
    name: &'static str,
    duration_ms: f64,
}

impl<'a> JsonReport<'a> {
    fn new(
        status: &'static str,
        report: &'a BuildReport,
        compiled: Option<&Compiled>,
        took: Duration,
    ) -> Self {
        Self {
            status,
            counts: JsonCounts {
                sources: report.counts.sources,
                types: report.counts.types,
                entities: report.counts.entities,
                routes: report.counts.routes,
            },
            files: JsonFiles {
                written: &report.files.written,
                unchanged: report.files.unchanged,
                removed: &report.files.removed,
                project: &report.files.project,
            },
            pending_migration: JsonPending {
                changes: report.pending.changes,
                problems: report.pending.problems,
            },
            steps: report
                .steps
                .iter()
                .map(|(step, took)| JsonStep {
                    name: step.name(),
                    duration_ms: milliseconds(*took),
                })
                .collect(),
            compiler: compiled.map(|Compiled { compiler, took }| JsonStep {
                name: compiler.name(),
                duration_ms: milliseconds(*took),
            }),
            duration_ms: milliseconds(took),
            warnings: BuildFailure::new(&report.diagnostics).warnings,
        }
    }
}

/// The step under way, on a line of its own that goes away. Only for a person at a terminal.
struct StepLine<'a> {
    console: Option<&'a Console<'a>>,
}

impl<'a> StepLine<'a> {
    fn new(console: &'a Console<'a>) -> Self {
        let shown = console.is_watched() && console.colors(Stream::Err);
        Self {
            console: shown.then_some(console),
        }
    }

    fn clear(&self) {
        if let Some(console) = self.console {
            console.write(Stream::Err, "\r\x1b[2K");
        }
    }
}

impl Progress for StepLine<'_> {
    fn started(&self, step: Step) {
        if let Some(console) = self.console {
            let text = console.paint(Stream::Err, Style::new().dimmed(), step.name());
            console.write(Stream::Err, &format!("\r\x1b[2K{text}"));
        }
    }
}
