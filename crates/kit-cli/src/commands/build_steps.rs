//! Steps of a build: artifacts, type check, the project's compiler, and the printed result. Commands that build share
//! them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anstyle::{AnsiColor, Style};
use kit_build::{
    BuildReport, BuildRequest, BuildTime, Disk, FileChanges, Mode, PendingChanges, Progress, Step,
    build_with, check_with, compile_step, finish,
};
use kit_diagnostics::Diagnostics;

use super::build_json::{JsonReport, OptionalSteps};
use super::left_out;
use super::migrate_apply::migrations_of;
use crate::compiler::{self, Compiled};
use crate::console::{Console, milliseconds, quantity};
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::Plugins;
use crate::project::{Project, build_time};
use crate::repeated_build::RepeatedBuild;
use crate::{Stream, type_check};

/// Optional steps after the artifacts are written.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct BuildSteps {
    /// True to run the project's compiler, which writes JavaScript.
    pub(crate) compile: bool,
    /// True to check the types of all code with tsc.
    pub(crate) check_types: bool,
}

/// Kind of a build.
pub(crate) enum BuildKind<'a, 'host> {
    /// Build once, and write the artifacts.
    Write,
    /// Compare the artifacts with the existing files, and write nothing.
    Check,
    /// Build again after an edit, and write the artifacts that changed. The value is the state of the earlier builds.
    Incremental(&'a mut RepeatedBuild<'host>),
}

impl BuildKind<'_, '_> {
    fn mode(&self) -> Mode {
        match self {
            Self::Write => Mode::Build,
            Self::Check => Mode::Check,
            Self::Incremental(again) => again.mode,
        }
    }

    /// Runs the plugins that tap the hook `done`, and watches the files that the build has read.
    pub(crate) async fn finish(
        &mut self,
        project: &Project,
        context: &Context<'_>,
        report: &mut BuildReport,
    ) -> Result<(), CommandError> {
        let time = build_time(context.environment)?;
        let (request, plugins) = (request(project, &time), Plugins(context.host));
        finish(&request, &plugins, self.mode(), report).await;
        if let Self::Incremental(again) = self {
            again.watch_dependencies(report).await?;
        }
        Ok(())
    }

    /// Does the same as [`BuildKind::finish`] after the artifacts are written, and prints the diagnostics of the plugins. An
    /// error among them fails the build. `shown` are the diagnostics that were already printed.
    pub(crate) async fn finish_written(
        &mut self,
        project: &Project,
        context: &Context<'_>,
        shown: Diagnostics,
        report: &mut BuildReport,
    ) -> Result<(), CommandError> {
        self.finish(project, context, report).await?;
        let late = std::mem::replace(&mut report.diagnostics, shown);
        if late.has_errors() {
            return Err(CommandError::LateDiagnostics(
                late,
                Box::new(std::mem::take(&mut report.sources)),
            ));
        }
        if !context.console.is_json() {
            context.console.diagnostics(&late, &report.sources);
        }
        report.diagnostics.extend(late);
        Ok(())
    }
}

/// Lines that earlier builds of this process printed. A later build prints them again only if they changed.
#[derive(Debug, Default)]
pub(crate) struct PrintedLines {
    pending: Option<String>,
    left_out: Option<String>,
}

/// Builds, writes the artifacts and prints a summary. Then checks types and runs the project's compiler if `steps` requests it.
pub(crate) async fn build_and_compile(
    project: &Project,
    context: &Context<'_>,
    steps: BuildSteps,
    work: &mut BuildKind<'_, '_>,
    printed: &mut PrintedLines,
) -> Result<(), CommandError> {
    let compile = steps.compile;
    let start = Instant::now();
    let console = context.console;
    let mut report = run_build(project, context, work).await?;
    console.result(&summary(&report, start.elapsed(), console));
    if console.is_terminal() && !console.is_json() && matches!(work, BuildKind::Write) {
        console.note(&console.paint(Stream::Err, Style::new().dimmed(), &phases(&report)));
    }
    print_pending(&report, &mut printed.pending, console);
    let time = build_time(context.environment)?;
    // These diagnostics were already printed.
    let shown = std::mem::take(&mut report.diagnostics);
    let types = if steps.check_types {
        Some(check_types(project, context)?)
    } else {
        None
    };
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
        None if compile && report.succeeded() => Some(compiler::compile(project, context)?),
        _ => None,
    };
    let (compiled, not_compiled) = match compiled {
        Some(Ok(compiled)) => (Some(compiled), None),
        Some(Err(reason)) => (None, Some(reason)),
        None => (None, None),
    };
    if let (Some(plugin), true) = (&by_plugin, report.succeeded()) {
        let done = console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "compiled");
        console.result(&format!("{done} by the plugin {plugin}"));
    }
    work.finish_written(project, context, shown, &mut report).await?;
    if let Some(Compiled { compiler, took }) = &compiled {
        let done = console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "compiled");
        let (name, into, took) = (compiler.name(), &project.config.dist_dir, duration(*took));
        console.result(&format!("{done} with {name} into {into}/ in {took}"));
    }
    let left_out = left_out::left_out(project, &report, not_compiled.as_ref());
    let line = left_out::line(&left_out);
    if printed.left_out != line {
        if let Some(line) = &line {
            console.result(line);
        }
        printed.left_out = line;
    }
    let ran = OptionalSteps { compiled, types };
    let mut json = JsonReport::new("built", &report, &ran, start.elapsed());
    json.left_out = left_out;
    console.json(&json);
    Ok(())
}

/// Checks the types of all code and prints the result.
fn check_types(project: &Project, context: &Context<'_>) -> Result<Duration, CommandError> {
    let console = context.console;
    let took = type_check::check(&project.root, context)?;
    let done = console.paint(Stream::Out, AnsiColor::Green.on_default().bold(), "checked");
    console.result(&format!("{done} types in {}", duration(took)));
    Ok(took)
}

/// Compares the artifacts with the existing files and prints the result. Then checks types if `steps` requests it.
pub(crate) async fn check_artifacts(
    project: &Project,
    context: &Context<'_>,
    steps: BuildSteps,
) -> Result<(), CommandError> {
    let start = Instant::now();
    let console = context.console;
    let report = run_build(project, context, &mut BuildKind::Check).await?;
    let FileChanges {
        written,
        removed,
        project: owned,
        ..
    } = &report.files;
    let is_fresh = written.is_empty() && removed.is_empty() && owned.is_empty();
    let directory = &project.config.output_dir;
    if is_fresh {
        console.result(&format!("{directory}/ is up to date"));
    }
    // If the artifacts are out of date, type errors would be misleading.
    let types = if steps.check_types && is_fresh {
        Some(check_types(project, context)?)
    } else {
        None
    };
    // A project without migrations has another way to create its tables.
    let is_behind = report.pending != PendingChanges::default() && !migrations_of(&project.root)?.is_empty();
    let status = match (is_fresh, is_behind) {
        (true, false) => "fresh",
        (true, true) => "unmigrated",
        (false, _) => "stale",
    };
    let ran = OptionalSteps {
        compiled: None,
        types,
    };
    console.json(&JsonReport::new(status, &report, &ran, start.elapsed()));
    if is_behind && let Some(text) = pending(&report) {
        console.result(&text);
    }
    if is_fresh {
        return if is_behind {
            Err(CommandError::Reported)
        } else {
            Ok(())
        };
    }
    let old = written.iter().map(|path| format!("  {directory}/{path}"));
    let left = removed
        .iter()
        .map(|path| format!("  {directory}/{path} (left over)"));
    let owned = owned.iter().map(|path| format!("  {path}"));
    let lines: Vec<String> = old.chain(left).chain(owned).collect();
    console.result(&format!(
        "{directory}/ is out of date; `kit build` would write\n{}",
        lines.join("\n")
    ));
    Err(CommandError::Reported)
}

/// Returns the input of `kit-build` for a project.
pub(crate) fn request<'a>(project: &'a Project, time: &'a BuildTime) -> BuildRequest<'a> {
    BuildRequest {
        root: &project.root,
        config: &project.config,
        files: Arc::new(Disk),
        time,
    }
}

/// Runs a build and fails if the project has mistakes. On a terminal, shows the current step while the build runs, then the
/// warnings.
pub(crate) async fn run_build(
    project: &Project,
    context: &Context<'_>,
    work: &mut BuildKind<'_, '_>,
) -> Result<BuildReport, CommandError> {
    let console = context.console;
    let time = build_time(context.environment)?;
    let spinner = StepLine::new(console);
    let (request, plugins) = (request(project, &time), Plugins(context.host));
    let result = match work {
        BuildKind::Check => check_with(&request, &plugins, &spinner).await,
        BuildKind::Write => build_with(&request, &plugins, &spinner).await,
        BuildKind::Incremental(again) => {
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
        return Err(CommandError::Diagnostics(
            report.diagnostics,
            Box::new(report.sources),
        ));
    }
    if !console.is_json() {
        console.diagnostics(&report.diagnostics, &report.sources);
    }
    Ok(report)
}

/// Returns a line such as `built 5 routes, 9 types in 12 ms (31 files written)`.
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

/// Returns a line with the duration of each step: `sources 3.1 ms, types 4.0 ms, …`.
fn phases(report: &BuildReport) -> String {
    let phases: Vec<String> = report
        .steps
        .iter()
        .map(|(step, took)| format!("{} {:.1} ms", step.name(), milliseconds(*took)))
        .collect();
    format!("  {}", phases.join(", "))
}

/// Prints the line about database changes without a migration, unless `printed` shows that the last build printed the same.
pub(crate) fn print_pending(report: &BuildReport, printed: &mut Option<String>, console: &Console<'_>) {
    let text = pending(report);
    if *printed != text {
        if let Some(text) = &text {
            console.result(text);
        }
        *printed = text;
    }
}

/// Returns a line about differences between the types and the committed migrations. Returns `None` if there
/// are none.
fn pending(report: &BuildReport) -> Option<String> {
    let PendingChanges { changes, problems } = report.pending;
    let text = match (changes, problems) {
        (0, 0) => return None,
        (changes, 0) => {
            let quantity = quantity(changes, "change");
            format!(
                "{quantity} to the database without a migration: `kit migrate:generate --name <name>` writes the migration"
            )
        }
        _ => {
            "the database needs a migration that kit cannot write: run `kit migrate:generate` to see the reason".to_owned()
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

/// Shows the current step on a line of the terminal, which is erased afterwards.
struct StepLine<'a> {
    console: Option<&'a Console<'a>>,
}

impl<'a> StepLine<'a> {
    fn new(console: &'a Console<'a>) -> Self {
        let shown = console.is_terminal() && console.colors(Stream::Err);
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
