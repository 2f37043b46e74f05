//! The command `kit migrate:baseline`.

use clap::Args;
use kit_migrate::baseline;
use serde::Serialize;

use crate::commands::migrate_apply::{database_url, load, problem};
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;

/// Record the first migration as applied, without running it.
///
/// For a database that is older than its migrations. `kit db pull` writes entities and a first migration with the objects of the
/// database. This command compares the database with this migration, and fails if they differ. Later migrations are applied
/// as usual.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  DATABASE_URL=postgres://localhost/shop kit migrate:baseline
  DATABASE_URL=postgres://localhost/shop kit migrate:baseline --dry-run")]
pub(crate) struct Arguments {
    /// Only compare the database with the migration.
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Serialize)]
struct Report<'a> {
    /// `recorded` or `dry-run`.
    status: &'static str,
    migration: &'a str,
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let (root, migrations) = load(&arguments.common, context).await?;
    let url = database_url(&root, context).await?;
    let name = baseline(&url, &migrations, arguments.dry_run).map_err(|error| problem(&error))?;
    context.console.json(&Report {
        status: if arguments.dry_run { "dry-run" } else { "recorded" },
        migration: &name,
    });
    context.console.result(&if arguments.dry_run {
        format!("the database matches {name}, and has no history yet")
    } else {
        format!("recorded {name} as applied; no SQL was run")
    });
    Ok(())
}
