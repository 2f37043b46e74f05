//! `kit migrate:apply`.

use clap::Args;
use kit_build::{MIGRATIONS, read_migrations};
use kit_database::Migration;
use kit_diagnostics::Diagnostics;
use kit_migrate::{Report, apply};
use serde::Serialize;

use crate::args::Common;
use crate::console::{Console, milliseconds, quantity};
use crate::context::Context;
use crate::failure::{Problem, Reason, Stop};
use crate::project::{NoSources, root};

/// Applies the migrations that the database does not have yet.
///
/// The database is the one that `DATABASE_URL` names, or the project's embedded PostgreSQL. Each migration runs in a
/// transaction of its own; one that would destroy data is refused without --allow-destructive.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit migrate:apply
  kit migrate:apply --dry-run
  DATABASE_URL=postgres://localhost/notes kit migrate:apply --json")]
pub(crate) struct Arguments {
    /// Only show what would be applied.
    #[arg(long)]
    dry_run: bool,
    /// Also apply migrations that drop tables or columns.
    #[arg(long)]
    allow_destructive: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// Reads nothing of the project but its migrations: they are applied as well where neither types nor configuration are,
/// as in production.
pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let console = context.console;
    let root = root(&arguments.common, context.environment)?;
    let mut diagnostics = Diagnostics::default();
    let migrations = read_migrations(&root, &mut diagnostics)?;
    if diagnostics.has_errors() {
        return Err(Stop::Diagnosed(diagnostics, Box::new(NoSources)));
    }
    if migrations.is_empty() {
        say(console, arguments, &migrations, &Report::default());
        return Ok(());
    }
    let url = match context
        .environment
        .var("DATABASE_URL")
        .filter(|url| !url.is_empty())
    {
        Some(url) => url,
        None => context
            .host
            .database_url(&root)
            .await
            .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?,
    };
    let report = apply(
        &url,
        &migrations,
        &kit_migrate::Options {
            allow_destructive: arguments.allow_destructive,
            dry_run: arguments.dry_run,
            ..kit_migrate::Options::default()
        },
    )
    .map_err(|error| Problem::migration(vec![Reason::new(error.to_string())]))?;
    say(console, arguments, &migrations, &report);
    Ok(())
}

fn say(console: &Console<'_>, arguments: &Arguments, migrations: &[Migration], report: &Report) {
    console.json(&JsonReport {
        status: match report {
            _ if arguments.dry_run => "dry-run",
            Report { applied, .. } if applied.is_empty() => "up-to-date",
            _ => "applied",
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
            .map(|name| JsonPending {
                name,
                destructive: is_destructive(migrations, name),
            })
            .collect(),
        already_applied: report.already_applied,
        warnings: &report.warnings,
    });
    for warning in &report.warnings {
        console.warning(warning);
    }
    for applied in &report.applied {
        console.result(&format!(
            "applied {} in {:.0} ms",
            applied.name,
            milliseconds(applied.duration)
        ));
    }
    for name in &report.pending {
        let mark = if is_destructive(migrations, name) {
            " (destructive: needs --allow-destructive)"
        } else {
            ""
        };
        console.result(&format!("would apply {name}{mark}"));
    }
    if migrations.is_empty() {
        console.result(&format!(
            "nothing to apply: {MIGRATIONS}/ holds no migration; `kit migrate:generate --name <name>` writes one"
        ));
    } else if report.applied.is_empty() && report.pending.is_empty() {
        console.result(&format!(
            "nothing to apply: the database has {}",
            match report.already_applied {
                1 => "the one migration".to_owned(),
                count => format!("all {}", quantity(count, "migration")),
            }
        ));
    }
}

fn is_destructive(migrations: &[Migration], name: &str) -> bool {
    migrations
        .iter()
        .any(|migration| migration.name == name && migration.destructive)
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonReport<'a> {
    /// `applied`, `up-to-date` or `dry-run`.
    status: &'static str,
    applied: Vec<JsonApplied<'a>>,
    pending: Vec<JsonPending<'a>>,
    already_applied: usize,
    warnings: &'a [String],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonApplied<'a> {
    name: &'a str,
    duration_ms: f64,
}

#[derive(Serialize)]
struct JsonPending<'a> {
    name: &'a str,
    destructive: bool,
}
