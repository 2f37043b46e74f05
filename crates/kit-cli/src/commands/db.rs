//! `kit db`: the project's embedded database, rows for development, and the adoption of an existing database.

use std::path::Path;

use clap::{Args, Subcommand};
use kit_migrate::apply;
use serde::Serialize;

use crate::commands::migrate_apply::{migrations_of, problem};
use crate::commands::{db_pull, db_seed};
use crate::common_args::Common;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{CommandError, Problem, Reason};
use crate::host::{DatabaseAction, DatabaseResult};
use crate::project::root;

/// Manage the project's embedded PostgreSQL, fill a database, or adopt an existing one.
///
/// The embedded PostgreSQL runs while a program uses it, such as `kit dev`, an application, a test or psql. `start` keeps
/// it running until `stop`. Only `seed` and `pull` use the database in `DATABASE_URL`: `seed` writes rows into it, and `pull` reads it.
/// All other commands use only the embedded PostgreSQL.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  kit db url
  kit db psql -- -c 'SELECT 1'
  kit db reset --yes
  kit db seed
  DATABASE_URL=postgres://localhost/shop kit db pull"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    Url(Url),
    Psql(Psql),
    Start(Start),
    Stop(Stopping),
    Reset(Reset),
    Seed(db_seed::Arguments),
    Pull(db_pull::Arguments),
}

/// Start the database if it is not running, and print its URL.
///
/// The database stops some seconds after this command unless a client connects; `kit db start` keeps it running.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db url
  DATABASE_URL=$(kit db url) node scripts/report.ts")]
struct Url {
    #[command(flatten)]
    common: Common,
}

/// Open psql on the database.
///
/// psql is PostgreSQL's own client and must be installed. The password is passed in its environment, because other users of
/// a machine can read the arguments of a process.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db psql
  kit db psql -- -c 'SELECT count(*) FROM notes'")]
struct Psql {
    /// Arguments of psql, after `--`.
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: std::path::PathBuf,
}

/// Start the database, and keep it running until `kit db stop`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db start")]
struct Start {
    #[command(flatten)]
    common: Common,
}

/// Stop the database that `kit db start` keeps running.
///
/// If another program still uses the database, the database runs until this program exits. In this case, the command says so
/// and exits with 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db stop")]
struct Stopping {
    #[command(flatten)]
    common: Common,
}

/// Delete all data of the database, and apply the migrations to the empty database.
///
/// Asks for confirmation on a terminal; otherwise --yes is required. Closes open sessions of the database.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db reset
  kit db reset --yes")]
struct Reset {
    /// Do not ask for confirmation.
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    common: Common,
}

impl Arguments {
    pub(crate) fn json(&self) -> bool {
        match &self.action {
            Action::Url(arguments) => arguments.common.json,
            Action::Start(arguments) => arguments.common.json,
            Action::Stop(arguments) => arguments.common.json,
            Action::Reset(arguments) => arguments.common.json,
            Action::Seed(arguments) => arguments.common.json,
            Action::Pull(arguments) => arguments.common.json,
            Action::Psql(_) => false,
        }
    }
}

#[derive(Serialize)]
struct Document<'a> {
    /// `running`, `stopped`, `in-use` or `reset`.
    status: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    users: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    applied: Option<usize>,
}

const NOTHING: Document<'_> = Document {
    status: "",
    url: None,
    users: None,
    applied: None,
};

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let console = context.console;
    match &arguments.action {
        Action::Url(arguments) => {
            let root = root(&arguments.common, context.environment)?;
            let url = ask(&root, DatabaseAction::Url, context).await?.url();
            console.json(&Document {
                status: "running",
                url: Some(&url),
                ..NOTHING
            });
            console.result(&url);
        }
        Action::Start(arguments) => {
            let root = root(&arguments.common, context.environment)?;
            let url = ask(&root, DatabaseAction::Start, context).await?.url();
            console.json(&Document {
                status: "running",
                url: Some(&url),
                ..NOTHING
            });
            console.result(&url);
            if !console.is_json() {
                console.note("the database runs until `kit db stop`");
            }
        }
        Action::Stop(arguments) => {
            let root = root(&arguments.common, context.environment)?;
            let users = ask(&root, DatabaseAction::Stop, context)
                .await?
                .users
                .unwrap_or_default();
            console.json(&Document {
                status: if users == 0 { "stopped" } else { "in-use" },
                users: Some(users),
                ..NOTHING
            });
            if users > 0 {
                console.result(&format!(
                    "the embedded database is still running, because {} it; the database stops when the last of these processes ends",
                    if users == 1 {
                        "another process uses".to_owned()
                    } else {
                        format!("{users} other processes use")
                    }
                ));
                return Err(CommandError::Reported);
            }
            console.result("stopped");
        }
        Action::Psql(arguments) => {
            let common = Common {
                root: arguments.root.clone(),
                json: false,
            };
            let root = root(&common, context.environment)?;
            let action = DatabaseAction::Psql {
                arguments: arguments.arguments.clone(),
            };
            if ask(&root, action, context).await?.code != Some(0) {
                return Err(CommandError::Reported);
            }
        }
        Action::Reset(arguments) => reset(arguments, context).await?,
        Action::Seed(arguments) => db_seed::run(arguments, context).await?,
        Action::Pull(arguments) => db_pull::run(arguments, context).await?,
    }
    Ok(())
}

async fn reset(arguments: &Reset, context: &Context<'_>) -> Result<(), CommandError> {
    let Context {
        console, environment, ..
    } = context;
    let root = root(&arguments.common, *environment)?;
    // Read the migrations first: if one is damaged, nothing is deleted.
    let migrations = migrations_of(&root)?;
    if !arguments.yes {
        let refused = |message: &str| {
            CommandError::from(Problem::migration(vec![Reason::new(message)]).help(
                "`kit db reset --yes` deletes everything in the embedded database without confirmation",
            ))
        };
        if !environment.can_ask() || console.is_json() {
            return Err(refused(
                "nothing was deleted: kit can ask for confirmation only on a terminal",
            ));
        }
        let question = "Delete everything in the embedded database?";
        let answer = environment
            .choose(question, &["no", "yes, delete it"])
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::Interrupted => CommandError::Interrupted("stopped; nothing was deleted"),
                _ => refused(&format!("nothing was deleted: {error}")),
            })?;
        if answer != Some(1) {
            return Err(refused("nothing was deleted"));
        }
    }
    let url = ask(&root, DatabaseAction::Reset, context).await?.url();
    let options = kit_migrate::Options {
        // The database is empty, so destructive migrations lose no data.
        allow_destructive: true,
        ..kit_migrate::Options::default()
    };
    let report = apply(&url, &migrations, &options).map_err(|error| problem(&error))?;
    console.json(&Document {
        status: "reset",
        url: Some(&url),
        applied: Some(report.applied.len()),
        ..NOTHING
    });
    console.result(&format!(
        "the database is new, with {}",
        quantity(report.applied.len(), "migration")
    ));
    Ok(())
}

async fn ask(
    root: &Path,
    action: DatabaseAction,
    context: &Context<'_>,
) -> Result<DatabaseResult, CommandError> {
    // `.env` may also set `KIT_DATA_DIR`, the directory of the database. `kit dev` reads it from there, too.
    context.host.load_env(root).await?;
    Ok(context
        .host
        .database(root, action)
        .await
        .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?)
}
