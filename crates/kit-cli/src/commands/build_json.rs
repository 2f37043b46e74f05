//! The JSON that `kit build --json` prints.

use std::time::Duration;

use kit_build::BuildReport;
use kit_diagnostics::{BuildFailure, Failure};
use serde::Serialize;

use super::left_out::LeftOut;
use crate::compiler::Compiled;
use crate::console::milliseconds;

/// Results of the steps after the artifacts are written.
pub(super) struct OptionalSteps {
    pub(super) compiled: Option<Compiled>,
    /// Duration of the type check; `None` if it did not run.
    pub(super) types: Option<Duration>,
}

/// JSON report of a build.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JsonReport<'a> {
    status: &'static str,
    counts: JsonCounts,
    files: JsonFiles<'a>,
    pending_migration: JsonPending,
    steps: Vec<JsonStep>,
    /// The project's compiler; `None` if no compiler ran.
    compiler: Option<JsonStep>,
    /// Artifacts that the build did not generate, with the reason. Empty with `--check`.
    pub(super) left_out: Vec<LeftOut>,
    /// Type check; `None` without `--check-types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    type_check: Option<JsonStep>,
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
    /// Paths of the files outside of the output directory that plugins wrote.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    project: &'a [String],
}

/// Differences between the types and the committed migrations, as numbers.
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
    pub(super) fn new(
        status: &'static str,
        report: &'a BuildReport,
        ran: &OptionalSteps,
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
            compiler: ran.compiled.as_ref().map(|Compiled { compiler, took }| JsonStep {
                name: compiler.name(),
                duration_ms: milliseconds(*took),
            }),
            left_out: Vec::new(),
            type_check: ran.types.map(|took| JsonStep {
                name: "tsc",
                duration_ms: milliseconds(took),
            }),
            duration_ms: milliseconds(took),
            warnings: BuildFailure::new(&report.diagnostics).warnings,
        }
    }
}
