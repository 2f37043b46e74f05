//! The command `kit migrate:status`.

use clap::Args;
use kit_build::analyze_with;
use kit_migrate::{Difference, MigrationStatus, State, Status, status};
use serde::Serialize;

use crate::commands::build_steps::request;
use crate::commands::migrate_apply::{database_url, load, problem};
use crate::commands::migrate_generate::pending_plan;
use crate::commands::status_words::{Types, describe, facts, repairs, text_of, word};
use crate::common_args::Common;
use crate::console::{Console, milliseconds, quantity};
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::Plugins;
use crate::project::{Project, build_time};

/// Compare the database with its history and with the committed migrations.
///
/// Shows for each migration if it is applied, pending, applied in part, edited after it was applied, or missing in this project.
/// Shows each table of the database that differs from the applied migrations, and how to repair the difference. Also shows
/// changes of the types that no migration contains, if the directory has the types of the project.
///
/// Changes nothing. Exits with 0 if the database is up to date and the migrations contain all changes of the types, and with 1
/// otherwise.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:status
  DATABASE_URL=postgres://localhost/notes kit migrate:status --json")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) common: Common,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    let (root, migrations) = load(&arguments.common, context).await?;
    let url = database_url(&root, context).await?;
    let status = status(&url, &migrations).map_err(|error| problem(&error))?;
    let types = compare_types(&arguments.common, context).await;
    let is_behind = types.are_ahead();
    console.json(&Document::new(&status, &types));
    if !console.is_json() {
        print_status(&status, &types, console);
    }
    if status.is_up_to_date() && !is_behind {
        Ok(())
    } else {
        Err(CommandError::Reported)
    }
}

/// Compares the types with the committed migrations.
async fn compare_types(common: &Common, context: &Context<'_>) -> Types {
    let compared = async {
        let project = Project::open(common, context).await?;
        let time = build_time(context.environment)?;
        let analysis = analyze_with(&request(&project, &time), &Plugins(context.host), &()).await?;
        if analysis.diagnostics.has_errors() {
            let sources = Box::new(analysis.sources);
            return Err(CommandError::Diagnostics(analysis.diagnostics, sources));
        }
        // Without types, the project is deployed, or its tables come from elsewhere.
        if analysis.schema.tables.is_empty() {
            return Ok(Types::Same);
        }
        Ok(match pending_plan(&analysis) {
            Ok(plan) if plan.is_empty() => Types::Same,
            Ok(plan) => {
                let changes = plan.changes.iter();
                let changes: Vec<String> = changes.map(|step| step.change.summary()).collect();
                Types::Ahead(changes.join("; "))
            }
            Err(error) => Types::Refused(error.problems),
        })
    };
    match compared.await {
        Ok(types) => types,
        Err(error) => Types::Unknown(error.summary().0),
    }
}

fn print_status(status: &Status, types: &Types, console: &Console<'_>) {
    let width = status
        .migrations
        .iter()
        .map(|migration| word(&migration.state).len())
        .max()
        .unwrap_or_default();
    for migration in &status.migrations {
        let facts = facts(&migration.state);
        let facts = if facts.is_empty() {
            facts
        } else {
            format!("  ({facts})")
        };
        console.result(&format!(
            "{:width$}  {}{facts}",
            word(&migration.state),
            migration.name
        ));
    }
    match &status.branches {
        Ok(names) if names.is_empty() => {}
        Ok(names) => console.result(&format!(
            "these migrations come from different branches: {}; the next `kit migrate:generate` joins them",
            names.join(", ")
        )),
        Err(conflict) => console.result(&format!("conflict  {conflict}")),
    }
    if let Some(holder) = &status.running {
        console.result(&format!("another process is applying migrations now ({holder})"));
    }
    match &status.drift {
        Err(reason) => console.result(&format!("the tables were not compared: {reason}")),
        Ok(drift) => {
            for difference in &drift.differences {
                console.result(&format!("differs  {}", describe(difference)));
            }
            if !drift.unknown.is_empty() {
                console.result(&format!(
                    "in the database, but in no migration (kit does not change them): {}",
                    drift.unknown.join(", ")
                ));
            }
        }
    }
    match types {
        Types::Same => {}
        Types::Ahead(changes) => console.result(&format!(
            "ahead  the types have changes that no migration contains: {changes}"
        )),
        Types::Refused(problems) => console.result(&format!(
            "ahead  the types have changes for which kit cannot write a migration: {}",
            text_of(problems)
        )),
        Types::Unknown(reason) => console.result(&format!(
            "the types were not compared with the migrations: {reason}"
        )),
    }
    if status.is_up_to_date() && !types.are_ahead() {
        console.result(&format!(
            "up to date: {}",
            quantity(status.migrations.len(), "migration")
        ));
    }
    for repair in repairs(status, types) {
        console.result(&format!("repair: {repair}"));
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Document<'a> {
    /// `up-to-date` or `differs`.
    status: &'static str,
    migrations: Vec<JsonMigration<'a>>,
    drift: JsonDrift<'a>,
    branches: JsonBranches<'a>,
    /// Description of a process that is applying migrations at the moment.
    running: Option<&'a str>,
    types: JsonTypes<'a>,
    repairs: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonTypes<'a> {
    /// Changes of the types that no migration contains.
    #[serde(skip_serializing_if = "Option::is_none")]
    ahead: Option<&'a str>,
    /// Changes of the types for which kit cannot write a migration.
    #[serde(skip_serializing_if = "Option::is_none")]
    refused: Option<String>,
    /// Reason why the types were not compared with the migrations.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_because: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonMigration<'a> {
    name: &'a str,
    /// `applied`, `expanded`, `pending`, `edited`, `missing`, `later`, `half-way` or `in-part`.
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied_at: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    destructive: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_of_order: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps_done: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<usize>,
    /// Migrations that a squashed one replaces and the database has not applied completely.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    missing: &'a [String],
    /// Migrations that a squashed one replaces and the database has applied with another text.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    different: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonDrift<'a> {
    /// Reason why the tables in the database could not be compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown_because: Option<&'a str>,
    differences: Vec<JsonDifference<'a>>,
    /// Names of tables in the database that no migration created.
    unknown_tables: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonBranches<'a> {
    /// Names of migrations from merged git branches that no later migration combines yet.
    side_by_side: &'a [String],
    /// Reason why the migrations of both branches conflict, and how to repair it.
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonDifference<'a> {
    what: &'a str,
    expected: Option<&'a str>,
    found: Option<&'a str>,
    repair: &'a str,
}

impl<'a> Document<'a> {
    fn new(status: &'a Status, types: &'a Types) -> Self {
        let drift = status.drift.as_ref();
        Self {
            status: if status.is_up_to_date() && !types.are_ahead() {
                "up-to-date"
            } else {
                "differs"
            },
            migrations: status.migrations.iter().map(JsonMigration::new).collect(),
            drift: JsonDrift {
                unknown_because: drift.err().map(String::as_str),
                differences: drift.map_or_else(
                    |_| Vec::new(),
                    |drift| drift.differences.iter().map(JsonDifference::new).collect(),
                ),
                unknown_tables: drift.map_or(&[], |drift| &drift.unknown),
            },
            branches: JsonBranches {
                side_by_side: status.branches.as_deref().unwrap_or_default(),
                conflict: status.branches.as_ref().err().map(String::as_str),
            },
            running: status.running.as_deref(),
            types: JsonTypes {
                ahead: match types {
                    Types::Ahead(changes) => Some(changes),
                    _ => None,
                },
                refused: match types {
                    Types::Refused(problems) => Some(text_of(problems)),
                    _ => None,
                },
                unknown_because: match types {
                    Types::Unknown(reason) => Some(reason),
                    _ => None,
                },
            },
            repairs: repairs(status, types),
        }
    }
}

impl<'a> JsonDifference<'a> {
    fn new(difference: &'a Difference) -> Self {
        Self {
            what: &difference.object,
            expected: difference.expected.as_deref(),
            found: difference.found.as_deref(),
            repair: &difference.repair,
        }
    }
}

impl<'a> JsonMigration<'a> {
    fn new(migration: &'a MigrationStatus) -> Self {
        let state = &migration.state;
        let mut json = Self {
            name: &migration.name,
            state: match state {
                State::PartlyApplied { .. } | State::PartlyUndone => "half-way",
                State::PartlyReplaced { .. } => "in-part",
                other => word(other),
            },
            applied_at: None,
            duration_ms: None,
            destructive: None,
            out_of_order: None,
            steps_done: None,
            steps: None,
            missing: &[],
            different: &[],
        };
        match state {
            State::Applied { at, duration } => {
                json.applied_at = Some(at);
                json.duration_ms = Some(milliseconds(*duration));
            }
            State::Edited { at } => json.applied_at = Some(at),
            State::Missing { at } | State::Later { at } => json.applied_at = at.as_deref(),
            State::Pending {
                destructive,
                out_of_order,
            } => {
                json.destructive = Some(*destructive);
                json.out_of_order = Some(*out_of_order);
            }
            State::Expanded { .. } | State::PartlyUndone => {}
            State::PartlyReplaced { missing, different } => {
                json.missing = missing;
                json.different = different;
            }
            State::PartlyApplied { done, of, .. } => {
                json.steps_done = Some(*done);
                json.steps = Some(*of);
            }
        }
        json
    }
}
