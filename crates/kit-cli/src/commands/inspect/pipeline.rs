//! `kit inspect build-pipeline`.

use kit_build::{HOOKS, Hook};
use serde::Serialize;

use super::artifacts::Built;
use super::table::table;
use crate::console::Console;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    hooks: Vec<HookReport>,
    registered_taps: Vec<Tap>,
    /// `cached` where the output directory holds a build, else `none`.
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
    hook: String,
    #[serde(rename = "tapName")]
    name: String,
    order: usize,
}

pub(super) fn run(built: &Built, console: &Console<'_>) {
    let hooks = HOOKS.iter().enumerate();
    let report = Report {
        hooks: hooks
            .map(|(index, Hook { name, description })| HookReport {
                name,
                order: index + 1,
                description,
            })
            .collect(),
        registered_taps: Vec::new(),
        last_build_status: if built.exists() { "cached" } else { "none" },
        output_dir: &built.project.config.output_dir,
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
    let status = match report.last_build_status {
        "cached" => format!("{}/ holds a build", report.output_dir),
        _ => "not built yet: run `kit build`".to_owned(),
    };
    console.result(&format!(
        "{}\n\n{status}",
        table(&["ORDER", "HOOK", "WHAT FOR"], &rows)
    ));
}
