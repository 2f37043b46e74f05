//! The command `kit migrate:apply`.

use std::path::{Path, PathBuf};

use clap::Args;
use kit_build::{MIGRATIONS, read_migrations};
use kit_database::{Alternative, Migration, Risk};
use kit_diagnostics::Diagnostics;
use kit_migrate::{Half, MigrateError, Report, apply, apply_watched, first_unrecorded};
use serde::Serialize;

use crate::commands::apply_progress::{ProgressPrinter, changes, describe, verb};
use crate::commands::hand_written::record_snapshots;
use crate::commands::migrate_limits::Limits;
use crate::common_args::Common;
use crate::console::{Console, milliseconds, quantity};
use crate::context::Context;
use crate::failure::{CommandError, Problem, Reason};
use crate::project::{NoSources, below_project_error, root};
use crate::{Stream, database_url, env_file};

/// Apply the migrations that are not applied to the database yet.
///
/// `MIGRATE_URL` selects the database, or else `DATABASE_URL`. Without these variables, the command uses the project's embedded
/// PostgreSQL, which is only for development: with `NODE_ENV=production`, one of the variables must be set.
///
/// The command first shows the migrations that it applies. Each migration runs in its own transaction, or in several steps if
/// `migration.sql` has lines such as `-- kit: new transaction`. If a run is interrupted, the next run continues.
///
/// A migration that loses stored data is refused without --allow-destructive. kit finds destructive changes in `changes.json`,
/// and statements such as DROP TABLE, TRUNCATE, ALTER COLUMN with TYPE, and DELETE or UPDATE without WHERE in `migration.sql`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:apply
  kit migrate:apply --dry-run
  kit migrate:apply --dry-run --fail-on destructive,locks,breaksRunningApp
  kit migrate:apply --wait 600 --lock-timeout 0.02
  DATABASE_URL=postgres://localhost/notes kit migrate:apply --json")]
pub(crate) struct Arguments {
    /// Only show the migrations that would be applied.
    #[arg(long)]
    dry_run: bool,
    /// Exit with 1 if a migration that would be applied has one of these risks: `destructive`, `needsData`, `locks`,
    /// `breaksRunningApp`.
    #[arg(long, value_name = "RISKS", value_delimiter = ',', value_parser = risk, requires = "dry_run")]
    fail_on: Vec<Risk>,
    /// Also apply migrations that lose stored data, such as rows, columns, tables or parts of values.
    #[arg(long)]
    allow_destructive: bool,
    #[command(flatten)]
    limits: Limits,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Parses the name of a risk.
fn risk(text: &str) -> Result<Risk, String> {
    Risk::ALL
        .into_iter()
        .find(|risk| risk.id() == text.trim())
        .ok_or_else(|| format!("one of {}", Risk::ALL.map(Risk::id).join(", ")))
}

/// Applies the migrations. Reads only the directory `migrations`, so the command also works without types and configuration,
/// for example in production.
pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let options = kit_migrate::Options {
        allow_destructive: arguments.allow_destructive,
        dry_run: arguments.dry_run,
        ..arguments.limits.options()
    };
    let report = run_with(&options, &arguments.common, context).await?;
    refuse_risks(context.console, arguments, &report)
}

/// Applies migrations, or parts of them, and prints the report.
pub(crate) async fn run_with(
    options: &kit_migrate::Options,
    common: &Common,
    context: &Context<'_>,
) -> Result<Report, CommandError> {
    let console = context.console;
    let (root, mut migrations) = load(common, context).await?;
    if migrations.is_empty() {
        print_report(console, options, &migrations, &Report::default());
        return Ok(Report::default());
    }
    let url = database_url(&root, context).await?;
    if !options.dry_run {
        // An edit of a migration that the database has applied is an error, which must leave the files unchanged.
        if first_unrecorded(&migrations).is_some() {
            let check = kit_migrate::Options {
                dry_run: true,
                ..options.clone()
            };
            apply(&url, &migrations, &check).map_err(|error| problem(&error))?;
        }
        record_snapshots(&root, &mut migrations, context).await?;
    }
    let printer = ProgressPrinter {
        console,
        migrations: &migrations,
        line: console.is_terminal() && console.colors(Stream::Err) && !console.is_json(),
    };
    let outcome = apply_watched(&url, &migrations, options, &|event| printer.print(event));
    printer.clear();
    let report = outcome.map_err(|error| problem(&error))?;
    print_report(console, options, &migrations, &report);
    Ok(report)
}

/// Returns an error if a migration that would be applied has one of the risks of `--fail-on`.
fn refuse_risks(console: &Console<'_>, arguments: &Arguments, report: &Report) -> Result<(), CommandError> {
    let reasons: Vec<Reason> = report
        .pending
        .iter()
        .filter_map(|planned| {
            let found: Vec<&str> = planned
                .risks
                .iter()
                .filter(|risk| arguments.fail_on.contains(risk))
                .map(|risk| risk.id())
                .collect();
            (!found.is_empty()).then(|| {
                Reason::new(format!(
                    "`{}` has a risk of `--fail-on`: {}",
                    planned.name,
                    found.join(", ")
                ))
            })
        })
        .collect();
    match reasons.is_empty() {
        true => Ok(()),
        // With --json, the report contains the risks.
        false if console.is_json() => Err(CommandError::Reported),
        false => Err(Problem::migration(reasons)
            .help("the lines above name the changes and statements, and their alternatives")
            .into()),
    }
}

/// Loads the file `.env`, and returns the directory of the project and its migrations.
pub(crate) async fn load(
    common: &Common,
    context: &Context<'_>,
) -> Result<(PathBuf, Vec<Migration>), CommandError> {
    env_file::load_and_print(common, context).await?;
    let root = root(common, context.environment)?;
    let migrations = migrations_of(&root)?;
    refuse_below(&root, &migrations)?;
    Ok((root, migrations))
}

/// Reads the migrations of a project. A damaged migration is an error.
pub(crate) fn migrations_of(root: &Path) -> Result<Vec<Migration>, CommandError> {
    let mut diagnostics = Diagnostics::default();
    let migrations = read_migrations(root, &mut diagnostics)?;
    if diagnostics.has_errors() {
        return Err(CommandError::Diagnostics(diagnostics, Box::new(NoSources)));
    }
    Ok(migrations)
}

/// Refuses a directory without migrations inside of a project: the user probably wants to apply the migrations of the
/// project.
fn refuse_below(root: &Path, migrations: &[Migration]) -> Result<(), CommandError> {
    match below_project_error(root) {
        Some((problem, help)) if migrations.is_empty() => {
            Err(Problem::migration(vec![Reason::new(problem)]).help(&help).into())
        }
        _ => Ok(()),
    }
}

/// Returns the URL from `MIGRATE_URL` or `DATABASE_URL`, or else the URL of the embedded database.
pub(crate) async fn database_url(root: &Path, context: &Context<'_>) -> Result<String, CommandError> {
    // The file is loaded already. This call only returns its names.
    let from_file = context.host.load_env(root).await?.set;
    match database_url::for_migrations(context.environment, &from_file).map_err(Problem::from)? {
        Some(url) => Ok(url),
        None => Ok(context
            .host
            .database_url(root)
            .await
            .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?),
    }
}

/// Converts an error of `kit-migrate` to a problem with its help.
pub(crate) fn problem(error: &MigrateError) -> Problem {
    Problem::from(error)
}

fn print_report(
    console: &Console<'_>,
    options: &kit_migrate::Options,
    migrations: &[Migration],
    report: &Report,
) {
    console.json(&JsonReport {
        status: match report {
            _ if options.dry_run => "dry-run",
            Report { applied, .. } => applied.last().map_or("up-to-date", |last| match last.half {
                Half::Undo => "undone",
                half => verb(half),
            }),
        },
        applied: report
            .applied
            .iter()
            .map(|applied| JsonApplied {
                name: &applied.name,
                duration_ms: milliseconds(applied.duration),
            })
            .collect(),
        pending: report
            .pending
            .iter()
            .map(|planned| JsonPending {
                name: &planned.name,
                destructive: planned.destructive,
                destructive_statements: planned
                    .losses
                    .iter()
                    .map(|loss| JsonLoss {
                        line: loss.line,
                        statement: &loss.statement,
                        reason: &loss.reason,
                    })
                    .collect(),
                risks: &planned.risks,
                statements: planned
                    .findings
                    .iter()
                    .map(|finding| JsonFinding {
                        line: finding.line,
                        statement: &finding.statement,
                        risk: finding.risk,
                        reason: finding.reason,
                        alternative: (!finding.alternative.is_empty()).then_some(finding.alternative),
                    })
                    .collect(),
                out_of_order: planned.out_of_order,
                steps_done: planned.steps_done,
                edited: planned.edited,
                changes: changes(migrations, &planned.name)
                    .iter()
                    .map(|change| JsonChange {
                        summary: change.change.summary(),
                        destructive: change.is_destructive(),
                        risks: change.risks(),
                        alternative: change.alternative.as_ref(),
                    })
                    .collect(),
            })
            .collect(),
        already_applied: report.already_applied,
        expanded: report.expanded.as_deref(),
        waiting: &report.waiting,
        warnings: &report.warnings,
    });
    for warning in &report.warnings {
        console.warning(warning);
    }
    for planned in &report.pending {
        let verb = match options.half {
            Half::Both => "apply",
            Half::First => "expand",
            Half::Second => "contract",
            Half::Undo => "undo",
        };
        console.result(&format!(
            "would {verb} {}",
            describe(planned, migrations).trim_start()
        ));
    }
    if let Some(name) = &report.expanded {
        console.result(&format!("the first half of {name} is already applied"));
    }
    if !report.waiting.is_empty() {
        console.result(&format!(
            "these migrations wait for `kit migrate:contract`: {}",
            report.waiting.join(", ")
        ));
    }
    if options.half == Half::Second && report.applied.is_empty() && report.pending.is_empty() {
        console.result("no migration waits for its second half");
    } else if migrations.is_empty() {
        console.result(&format!(
            "nothing to apply: {MIGRATIONS}/ contains no migration; `kit migrate:generate --name <name>` writes one"
        ));
    } else if report.applied.is_empty() && report.pending.is_empty() && report.expanded.is_none() {
        console.result(&format!(
            "nothing to apply: the database has {}",
            match report.already_applied {
                1 => "the one migration".to_owned(),
                count => format!("all {}", quantity(count, "migration")),
            }
        ));
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    /// `applied`, `expanded`, `contracted`, `undone`, `up-to-date` or `dry-run`.
    status: &'static str,
    applied: Vec<JsonApplied<'a>>,
    pending: Vec<JsonPending<'a>>,
    already_applied: usize,
    /// Migration whose first half was applied before.
    #[serde(skip_serializing_if = "Option::is_none")]
    expanded: Option<&'a str>,
    /// Migrations that wait for the second half of an earlier migration.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    waiting: &'a [String],
    warnings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonApplied<'a> {
    name: &'a str,
    duration_ms: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonPending<'a> {
    name: &'a str,
    destructive: bool,
    destructive_statements: Vec<JsonLoss<'a>>,
    /// Risks of the changes and of the statements.
    risks: &'a [Risk],
    /// Statements with a risk other than `destructive`.
    statements: Vec<JsonFinding<'a>>,
    out_of_order: bool,
    steps_done: usize,
    /// True if the SQL that kit planned was edited, so that `changes` may not be what the SQL does.
    edited: bool,
    changes: Vec<JsonChange<'a>>,
}

#[derive(Serialize)]
struct JsonLoss<'a> {
    line: usize,
    statement: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    line: usize,
    statement: &'a str,
    risk: Risk,
    reason: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<&'a str>,
}

#[derive(Serialize)]
struct JsonChange<'a> {
    summary: String,
    destructive: bool,
    risks: Vec<Risk>,
    #[serde(skip_serializing_if = "Option::is_none")]
    alternative: Option<&'a Alternative>,
}
