//! The command `kit inspect build-pipeline`.

use kit_build::{HOOKS, Hook, RegisteredTap, check_with, registered_taps};
use kit_diagnostics::Severity;
use serde::Serialize;

use super::built_project::Built;
use super::table::table;
use crate::commands::build_steps::request;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::Plugins;
use crate::project::build_time;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    hooks: Vec<HookReport>,
    registered_taps: Vec<Tap>,
    /// State of the output directory: `cached`, `built`, `failed` or `none`.
    last_build_status: &'static str,
    output_dir: &'a str,
}

#[derive(Serialize)]
struct HookReport {
    name: &'static str,
    order: usize,
    description: &'static str,
}

#[derive(Serialize)]
struct Tap {
    #[serde(rename = "hookName")]
    hook: &'static str,
    #[serde(rename = "tapName")]
    name: String,
    order: usize,
}

pub(super) async fn run(built: &Built, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    let config = &built.project.config;
    let status = Status::of(built, context).await?;
    let hooks = HOOKS.iter().enumerate();
    let report = Report {
        hooks: hooks
            .map(|(index, Hook { name, description })| HookReport {
                name,
                order: index + 1,
                description,
            })
            .collect(),
        registered_taps: registered_taps(&config.plugins)
            .into_iter()
            .map(|RegisteredTap { hook, plugin, order }| Tap {
                hook,
                name: plugin,
                order,
            })
            .collect(),
        last_build_status: status.name(),
        output_dir: &config.output_dir,
    };
    console.json(&report);
    let rows: Vec<Vec<String>> = report
        .hooks
        .iter()
        .map(|hook| {
            vec![
                hook.order.to_string(),
                hook.name.to_owned(),
                hook.description.to_owned(),
            ]
        })
        .collect();
    let taps: Vec<Vec<String>> = report
        .registered_taps
        .iter()
        .map(|tap| vec![tap.hook.to_owned(), tap.order.to_string(), tap.name.clone()])
        .collect();
    let taps = if taps.is_empty() {
        String::new()
    } else {
        format!("\n\n{}", table(&["TAPPED HOOK", "ORDER", "PLUGIN"], &taps))
    };
    console.result(&format!(
        "{}{taps}\n\n{}",
        table(&["ORDER", "HOOK", "WHAT FOR"], &rows),
        status.words(&config.output_dir)
    ));
    Ok(())
}

/// State of the output directory, compared with the sources. kit does not store this state. It runs a build that writes
/// nothing and looks at the result.
enum Status {
    /// The output directory is up to date.
    Cached,
    /// The output directory is out of date. A build would write or remove this number of files.
    Built(usize),
    /// The sources have this number of errors, so the output directory is the result of an earlier build.
    Failed(usize),
    /// There is no output directory.
    None,
}

impl Status {
    async fn of(built: &Built, context: &Context<'_>) -> Result<Self, CommandError> {
        if !built.exists() {
            return Ok(Self::None);
        }
        let time = build_time(context.environment)?;
        let request = request(&built.project, &time);
        let report = check_with(&request, &Plugins(context.host), &()).await?;
        if !report.succeeded() {
            let errors = report.diagnostics.iter();
            let errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
            return Ok(Self::Failed(errors.count()));
        }
        let files = &report.files;
        Ok(
            match files.written.len() + files.removed.len() + files.project.len() {
                0 => Self::Cached,
                stale => Self::Built(stale),
            },
        )
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Built(_) => "built",
            Self::Failed(_) => "failed",
            Self::None => "none",
        }
    }

    fn words(&self, directory: &str) -> String {
        match self {
            Self::Cached => format!("{directory}/ is up to date"),
            Self::Built(stale) => format!(
                "{directory}/ is built, but the sources changed after the build: `kit build` would write {}",
                quantity(*stale, "file")
            ),
            Self::Failed(errors) => format!(
                "the sources have {}, so {directory}/ is from an earlier build: run `kit build` to see the mistakes",
                quantity(*errors, "mistake")
            ),
            Self::None => "not built yet: run `kit build`".to_owned(),
        }
    }
}
