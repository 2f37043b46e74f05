//! `kit inspect`: what a build found, and what a running app tells.

mod artifacts;
mod dependencies;
mod middleware;
mod pipeline;
mod routes;
mod runtime;
mod schema;
mod sidecar;
mod table;

use clap::{Args, Subcommand, ValueEnum};

use crate::args::Common;
use crate::context::Context;
use crate::failure::Stop;

/// Shows what kit knows of a project, for people and as JSON for programs.
///
/// What a build found (routes, route, middleware, dependencies, schema, build-pipeline) is read from .kit/ and needs no
/// running server. What happens while an app runs (errors, performance, server) is asked of its debug sidecar.
#[derive(Debug, Args)]
#[command(
    subcommand_required = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "\
Examples:
  kit inspect routes
  kit inspect route \"GET /notes/:id\" --json
  kit inspect schema Note
  kit inspect errors --last 5 --debug-port 9801"
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    subject: Subject,
    #[command(flatten)]
    options: Options,
}

/// What every subcommand takes.
#[derive(Debug, Args)]
struct Options {
    /// The project's root.
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    root: std::path::PathBuf,
    /// Print JSON on standard output, and nothing else there.
    #[arg(long, global = true)]
    json: bool,
    /// The form of the output.
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,
    /// The port of the debug sidecar, for what is asked of a running app.
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 9800,
        value_parser = clap::value_parser!(u16).range(1..),
        global = true
    )]
    debug_port: u16,
    /// Say more.
    #[arg(long, short, global = true)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    Text,
    /// For programs; the same as --json.
    Json,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// All routes.
    #[command(after_help = "\
Examples:
  kit inspect routes
  kit inspect routes --json | jq -r '.[].path'")]
    Routes,
    /// One route: its types, middleware and handler.
    #[command(after_help = "\
Examples:
  kit inspect route \"GET /notes/:id\"
  kit inspect route \"POST /notes\" --verbose --json")]
    Route {
        /// Method and path as in the contract, such as "GET /notes/:id".
        #[arg(value_name = "METHOD PATH")]
        route: String,
    },
    /// All middleware, by ascending priority.
    #[command(after_help = "\
Examples:
  kit inspect middleware
  kit inspect middleware --json | jq -r '.[].name'")]
    Middleware,
    /// Which @kit/* packages the project and its packages depend on.
    #[command(
        visible_alias = "deps",
        after_help = "\
Examples:
  kit inspect dependencies
  kit inspect deps --json"
    )]
    Dependencies,
    /// One type: its properties, their rules, and the routes that use it.
    ///
    /// `--json` gives { name, properties, usedBy, file, line }. `usedBy` lists { route, as }, where `as` is `params`, `query`,
    /// `body` or `response`: first the routes that name the type, then those that hold it in others. These have `through` too, the names of the
    /// types that lead to it, from the one that the route names.
    #[command(after_help = "\
Examples:
  kit inspect schema Note
  kit inspect schema Note --json | jq .usedBy")]
    Schema {
        /// The name of the type, such as Note.
        #[arg(value_name = "TYPE")]
        name: String,
    },
    /// The hooks of a build in order, who taps them, and how the output directory stands to the sources.
    ///
    /// `lastBuildStatus` is `cached` where .kit/ is what the sources say, `built` where the sources changed since it was
    /// built, `failed` where they have mistakes, so that .kit/ is that of an earlier build, and `none` where there is no
    /// .kit/. It is found by a build that writes nothing, as `kit build --check`: builds leave no record of themselves, and
    /// one that changes nothing touches no file. Taps of plugins run in it, except for `compile` and `done`.
    #[command(after_help = "\
Examples:
  kit inspect build-pipeline
  kit inspect build-pipeline --json | jq .registeredTaps")]
    BuildPipeline,
    /// The newest errors of a running app.
    #[command(after_help = "\
Examples:
  kit inspect errors --last 5
  kit inspect errors --json --debug-port 9801")]
    Errors {
        /// How many.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
        last: u32,
    },
    /// Latencies of a running app's route.
    #[command(after_help = "\
Examples:
  kit inspect performance --route /notes
  kit inspect performance --json")]
    Performance {
        /// The route's path, such as /notes/:id.
        #[arg(long, value_name = "PATH", default_value = "/")]
        route: String,
    },
    /// The server of a running app.
    #[command(after_help = "\
Examples:
  kit inspect server
  kit inspect server --json --debug-port 9801 | jq -r .status")]
    Server,
}

impl Arguments {
    /// Whether the result is to be JSON.
    pub(crate) fn json(&self) -> bool {
        self.options.json || self.options.format == Format::Json
    }

    fn common(&self) -> Common {
        Common {
            root: self.options.root.clone(),
            json: self.json(),
        }
    }
}

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), Stop> {
    let (console, verbose) = (context.console, arguments.options.verbose);
    let port = arguments.options.debug_port;
    match &arguments.subject {
        Subject::Errors { last } => return runtime::errors(*last, port, verbose, context),
        Subject::Performance { route } => return runtime::performance(route, port, context),
        Subject::Server => return runtime::server(port, context),
        _ => {}
    }
    let built = artifacts::Built::open(&arguments.common(), context).await?;
    match &arguments.subject {
        Subject::Routes => routes::all(&built, verbose, console),
        Subject::Route { route } => routes::one(&built, route, verbose, console),
        Subject::Middleware => middleware::run(&built, verbose, console),
        Subject::Dependencies => dependencies::run(&built, console),
        Subject::Schema { name } => schema::run(&built, name, verbose, console),
        Subject::BuildPipeline => pipeline::run(&built, context).await,
        Subject::Errors { .. } | Subject::Performance { .. } | Subject::Server => Ok(()),
    }
}
