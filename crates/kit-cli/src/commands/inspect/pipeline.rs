//! The command `kit inspect build-pipeline`.

use kit_build::{HOOKS, Hook, RegisteredTap, registered_taps};
use serde::Serialize;

use super::build_status::BuildStatus;
use super::built_project::Built;
use super::table::table;
use crate::context::Context;
use crate::failure::CommandError;

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
    let status = BuildStatus::of(built, context).await?;
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
