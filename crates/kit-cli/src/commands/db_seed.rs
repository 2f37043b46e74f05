//! The command `kit db seed`.

use std::collections::BTreeMap;
use std::time::Instant;

use clap::Args;
use kit_build::{Adapter, MIGRATIONS};
use kit_migrate::apply;
use serde::Serialize;

use crate::commands::migrate_apply::{migrations_of, problem};
use crate::common_args::Common;
use crate::console::milliseconds;
use crate::context::Context;
use crate::database_url::is_production;
use crate::failure::{CommandError, Problem, Reason};
use crate::project::Project;
use crate::{NodeRun, REPORT, database_url, env_file};

/// Script for `node`, which runs the seed program in a transaction.
const SCRIPT: &str = include_str!("db_seed.mjs");

/// Fill the database with rows for development.
///
/// Runs the function that src/seed.ts exports by default, in a transaction. The function gets the database as the project uses it:
/// with drizzle, kysely or `pg`. Write the function so that it can run again, for example with fixed ids and `ON CONFLICT DO NOTHING`.
///
/// The database is the one in `DATABASE_URL`, or else the embedded one. The command refuses a database with pending migrations, and
/// `NODE_ENV=production`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db seed
  kit db seed --file src/demo.ts
  kit db reset --yes && kit db seed")]
pub(crate) struct Arguments {
    /// Program to run, relative to the root of the project.
    #[arg(long, value_name = "FILE", default_value = "src/seed.ts")]
    file: String,
    /// Also run with `NODE_ENV=production`.
    #[arg(long)]
    production: bool,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    /// `seeded`.
    status: &'static str,
    program: &'a str,
    duration_ms: f64,
}

fn refuse(message: String, help: &str) -> CommandError {
    Problem::migration(vec![Reason::new(message)]).help(help).into()
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    env_file::load_and_print(&arguments.common, context).await?;
    let mode = context.environment.var("NODE_ENV").unwrap_or_default();
    if is_production(context.environment) && !arguments.production {
        return Err(refuse(
            "NODE_ENV is `production`, and rows for development do not belong into that database".to_owned(),
            "`--production` runs the program nevertheless",
        ));
    }
    let project = Project::open(&arguments.common, context).await?;
    let file = project.root.join(&arguments.file);
    if !file.is_file() {
        return Err(refuse(
            format!("the project has no {}", arguments.file),
            &format!(
                "write the file, with `{}`",
                example(project.config.adapter.adapter)
            ),
        ));
    }
    let url = match database_url::from_environment(context.environment).map_err(Problem::from)? {
        Some(url) => url,
        None => context
            .host
            .database_url(&project.root)
            .await
            .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?,
    };
    refuse_pending(&project, &url)?;
    let start = Instant::now();
    let schemas = project
        .root
        .join(&project.config.output_dir)
        .join("schemas/database.ts");
    let texts = [&file, &schemas].map(|path| path.to_string_lossy().into_owned());
    let adapter = project.config.adapter.adapter.name();
    let args = [
        "--input-type=module",
        "--eval",
        SCRIPT,
        REPORT,
        adapter,
        &texts[0],
        &texts[1],
    ];
    let mut env = BTreeMap::from([("DATABASE_URL", url)]);
    // kit treats an unset NODE_ENV as production.
    if mode.is_empty() {
        env.insert("NODE_ENV", "development".to_owned());
    }
    let run = NodeRun {
        args: args.map(ToOwned::to_owned).to_vec(),
        directory: project.root.to_string_lossy().into_owned(),
        env,
    };
    let end = context
        .host
        .run_node(&run)
        .await
        .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?;
    if end.interrupted {
        return Err(CommandError::Reported);
    }
    let message = match end.report.as_deref() {
        Some("committed") if end.code == Some(0) => {
            context.console.json(&Report {
                status: "seeded",
                program: &arguments.file,
                duration_ms: milliseconds(start.elapsed()),
            });
            context.console.result(&format!("ran {}", arguments.file));
            return Ok(());
        }
        Some("committed") => {
            "its transaction was committed, but the program failed afterwards; see the output above"
        }
        Some(message) => message,
        None => {
            "the program ended the process, for example with `process.exit`, before its transaction was committed"
        }
    };
    let message = format!("{}: {message}", arguments.file);
    Err(Problem::migration(vec![Reason::new(message)]).into())
}

/// Refuses a database that lacks migrations: the program is written for the tables after all of them.
fn refuse_pending(project: &Project, url: &str) -> Result<(), CommandError> {
    let migrations = migrations_of(&project.root)?;
    if migrations.is_empty() {
        return Err(refuse(
            format!("{MIGRATIONS}/ contains no migration, so the database has no tables of the types"),
            "run `kit migrate:generate --name <name>` and `kit migrate:apply` first",
        ));
    }
    let options = kit_migrate::Options {
        dry_run: true,
        ..kit_migrate::Options::default()
    };
    let report = apply(url, &migrations, &options).map_err(|error| problem(&error))?;
    if report.pending.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = report
        .pending
        .iter()
        .map(|planned| planned.name.as_str())
        .collect();
    Err(refuse(
        format!("the database lacks migrations: {}", names.join(", ")),
        "run `kit migrate:apply` first",
    ))
}

/// Returns the beginning of a program for the adapter.
fn example(adapter: Adapter) -> &'static str {
    match adapter {
        Adapter::Drizzle => {
            "export default async function seed(db: NodePgDatabase) { await db.insert(notes).values([…]).onConflictDoNothing(); }"
        }
        Adapter::Kysely => {
            "export default async function seed(db: Kysely<Database>) { await db.insertInto(\"notes\").values([…]).onConflict((on) => on.doNothing()).execute(); }"
        }
        Adapter::Raw => {
            "export default async function seed(client: ClientBase) { await client.query(\"INSERT INTO notes … ON CONFLICT DO NOTHING\"); }"
        }
    }
}
