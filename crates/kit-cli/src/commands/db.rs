//! `kit db`: the project's embedded database.

use std::path::Path;

use clap::{Args, Subcommand};
use kit_build::read_migrations;
use kit_diagnostics::Diagnostics;
use kit_migrate::apply;
use serde::Serialize;

use crate::args::Common;
use crate::commands::migrate_apply::problem;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::{Problem, Reason, Stop};
use crate::host::{DatabaseAction, DatabaseAnswer};
use crate::project::{NoSources, root};

/// Works with the project's embedded PostgreSQL.
///
/// It runs as long as something uses it: `kit dev`, an application, a test, a session of psql. `start` keeps it running until
/// `stop`. These commands are for the embedded database alone, never for the one that `DATABASE_URL`
/// names.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "\
Examples:
  kit db url
  kit db psql -- -c 'SELECT 1'
  kit db reset --yes"
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
}

/// Starts the database where it is not running, and prints its URL.
///
/// It stops some seconds after this command unless something connects to it; `kit db start` keeps it.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db url
  DATABASE_URL=$(kit db url) node scripts/seed.ts")]
struct Url {
    #[command(flatten)]
    common: Common,
}

/// Opens psql on the database.
///
/// psql is PostgreSQL's own client and has to be installed. The password is passed in its environment: other users of a
/// machine can read the arguments of a process.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db psql
  kit db psql -- -c 'SELECT count(*) FROM notes'")]
struct Psql {
    /// Arguments of psql, after `--`.
    #[arg(last = true, value_name = "ARGUMENTS")]
    arguments: Vec<String>,
    /// The project's root.
    #[arg(long, value_name = "DIR", default_value = ".")]
    root: std::path::PathBuf,
}

/// Starts the database, and keeps it running until `kit db stop`.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db start")]
struct Start {
    #[command(flatten)]
    common: Common,
}

/// Stops the database that `kit db start` keeps.
///
/// Where something else still uses it, it goes on until that has ended; the command says so and ends with 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db stop")]
struct Stopping {
    #[command(flatten)]
    common: Common,
}

/// Deletes all that is in the database, and applies the migrations to an empty one.
///
/// Asks first on a terminal; elsewhere it needs --yes. Sessions that have it open are ended.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  kit db reset
  kit db reset --yes")]
struct Reset {
    /// Do not ask.
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

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
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
                console.note("it runs until `kit db stop`");
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
                    "it goes on, since {} it still; it stops after the last",
                    if users == 1 {
                        "another process uses".to_owned()
                    } else {
                        format!("{users} other processes use")
                    }
                ));
                return Err(Stop::Told);
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
                return Err(Stop::Told);
            }
        }
        Action::Reset(arguments) => reset(arguments, context).await?,
    }
    Ok(())
}

async fn reset(arguments: &Reset, context: &Context<'_>) -> Result<(), Stop> {
    let Context {
        console, environment, ..
    } = context;
    let root = root(&arguments.common, *environment)?;
    let mut diagnostics = Diagnostics::default();
    // Read before anything is deleted.
    let migrations = read_migrations(&root, &mut diagnostics)?;
    if diagnostics.has_errors() {
        return Err(Stop::Diagnosed(diagnostics, Box::new(NoSources)));
    }
    if !arguments.yes {
        let refused = |message: &str| {
            Stop::from(
                Problem::migration(vec![Reason::new(message)])
                    .help("`kit db reset --yes` deletes all that is in the embedded database without asking"),
            )
        };
        if !environment.can_ask() || console.is_json() {
            return Err(refused("nothing was deleted: there is nobody to ask"));
        }
        let question = "Delete all that is in the embedded database?";
        let answer = environment
            .choose(question, &["no", "yes, delete it"])
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::Interrupted => Stop::Interrupted("stopped; nothing was deleted"),
                _ => refused(&format!("nothing was deleted: {error}")),
            })?;
        if answer != Some(1) {
            return Err(refused("nothing was deleted"));
        }
    }
    let url = ask(&root, DatabaseAction::Reset, context).await?.url();
    let options = kit_migrate::Options {
        // There is nothing to lose in an empty database.
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

async fn ask(root: &Path, action: DatabaseAction, context: &Context<'_>) -> Result<DatabaseAnswer, Stop> {
    // `KIT_DATA_DIR` says where the database is, to `kit dev` too.
    context.host.load_env(root).await?;
    Ok(context
        .host
        .database(root, action)
        .await
        .map_err(|error| Problem::migration(vec![Reason::new(error.message)]))?)
}
