//! Records the result of hand-written and edited SQL in the snapshots of migrations.

use std::path::Path;

use kit_build::{MIGRATIONS, write_snapshot};
use kit_database::Migration;
use kit_migrate::{first_unrecorded, record};

use crate::context::Context;
use crate::database_url::{is_ci, is_production};
use crate::failure::{CommandError, Problem, Reason};

/// Environment variables with the URL of a server on which kit may create databases, in the order of precedence.
const VARIABLES: [&str; 2] = ["SCRATCH_DATABASE_URL", "TEST_DATABASE_URL"];

/// Updates the snapshots of migrations whose SQL is hand-written or was edited, if the SQL changed since it was recorded.
/// Writes the files.
/// Does nothing if all snapshots are up to date. In production and in CI, an outdated snapshot is an error, because the
/// updated file must be committed.
pub(crate) async fn record_snapshots(
    root: &Path,
    migrations: &mut [Migration],
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let Some(first) = first_unrecorded(migrations) else {
        return Ok(());
    };
    if is_production(context.environment) || is_ci(context.environment) {
        return refuse_outdated_snapshot(migrations);
    }
    let name = migrations[first].name.clone();
    let server = scratch_server(root, &name, context).await?;
    let before: Vec<Migration> = migrations.to_vec();
    record(&server, migrations, first).map_err(|error| Problem::from(&error))?;
    for (migration, earlier) in migrations.iter().zip(&before) {
        let text = |migration: &Migration| migration.snapshot.as_ref().map(kit_database::Snapshot::to_json);
        if text(migration) != text(earlier) {
            write_snapshot(root, migration)?;
            if !context.console.is_json() {
                context.console.note(&format!(
                    "{MIGRATIONS}/{}/snapshot.json now describes the result of migration.sql; commit the file",
                    migration.name
                ));
            }
        }
    }
    Ok(())
}

/// Returns an error if hand-written SQL was edited since its snapshot was recorded.
pub(crate) fn refuse_outdated_snapshot(migrations: &[Migration]) -> Result<(), CommandError> {
    let Some(first) = first_unrecorded(migrations) else {
        return Ok(());
    };
    let name = &migrations[first].name;
    let message = format!(
        "{MIGRATIONS}/{name}/snapshot.json does not describe the result of the SQL in {MIGRATIONS}/{name}/migration.sql"
    );
    let help = "run `kit migrate:apply` on your own machine, which updates the file, and commit the file";
    Err(Problem::migration(vec![Reason::new(message)]).help(help).into())
}

/// Returns the URL of a server on which kit may create scratch databases: the one of `SCRATCH_DATABASE_URL` or
/// `TEST_DATABASE_URL`, or else the embedded database. `name` is the migration that needs the server.
pub(crate) async fn scratch_server(
    root: &Path,
    name: &str,
    context: &Context<'_>,
) -> Result<String, CommandError> {
    for variable in VARIABLES {
        let url = context.environment.var(variable).unwrap_or_default();
        if !url.trim().is_empty() {
            return Ok(url.trim().to_owned());
        }
    }
    context.host.database_url(root).await.map_err(|error| {
        let message = format!(
            "kit runs the migrations in an empty database to find the result of {name}, and has no server for this: {}",
            error.message
        );
        Problem::migration(vec![Reason::new(message)])
            .help(
                "install @kit/dev-database, or set SCRATCH_DATABASE_URL to a PostgreSQL on which kit may create and drop databases",
            )
            .into()
    })
}
