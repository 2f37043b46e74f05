//! `kit inspect`: prints results of a build, and the state of a running application.

mod build_status;
mod built_project;
mod dependencies;
mod jobs;
mod middleware;
mod pipeline;
mod route_options;
mod routes;
mod runtime;
mod schema;
mod sidecar;
mod static_files;
mod streams;
mod table;
mod traces;
mod type_names;

use clap::{Args, Subcommand, ValueEnum};

pub(crate) use self::build_status::BuildStatus;
pub(crate) use self::built_project::Built;
use crate::commands::diff;
use crate::common_args::Common;
use crate::context::Context;
use crate::failure::CommandError;

/// Show information about a project, for people or as JSON for programs.
///
/// routes, route, middleware, dependencies, schemas, schema and build-pipeline show the results of a build, and need no running
/// application. errors, traces, streams, stream, performance, jobs and server show the state of a running application, and read it
/// from the debug sidecar (`@kit/plugin-debug`).
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

/// Options of all subcommands.
#[derive(Debug, Args)]
struct Options {
    /// Root of the project.
    #[arg(long, value_name = "DIR", default_value = ".", global = true)]
    root: std::path::PathBuf,
    /// Print only JSON on standard output.
    #[arg(long, global = true)]
    json: bool,
    /// Format of the output.
    #[arg(long, value_enum, default_value_t = Format::Text, global = true)]
    format: Format,
    /// Port of the debug sidecar, for the state of a running application.
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 9800,
        value_parser = clap::value_parser!(u16).range(1..),
        global = true
    )]
    debug_port: u16,
    /// Print more details.
    #[arg(long, short, global = true)]
    verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    Text,
    /// JSON for programs, same as --json.
    Json,
}

#[derive(Debug, Subcommand)]
enum Subject {
    /// Show all routes.
    #[command(after_help = "\
Examples:
  kit inspect routes
  kit inspect routes --json | jq -r '.[].path'")]
    Routes,
    /// Show one route: its types, middleware and handler.
    #[command(after_help = "\
Examples:
  kit inspect route \"GET /notes/:id\"
  kit inspect route \"POST /notes\" --verbose --json")]
    Route {
        /// Method and path as in the contract, such as "GET /notes/:id".
        #[arg(value_name = "METHOD PATH")]
        route: String,
    },
    /// Show all middleware, by ascending priority.
    #[command(after_help = "\
Examples:
  kit inspect middleware
  kit inspect middleware --json | jq -r '.[].name'")]
    Middleware,
    /// Show the @kit/* packages that the project and its packages depend on.
    #[command(
        visible_alias = "deps",
        after_help = "\
Examples:
  kit inspect dependencies
  kit inspect deps --json"
    )]
    Dependencies,
    /// Show the names of all types, with their files and tables.
    #[command(after_help = "\
Examples:
  kit inspect schemas
  kit inspect schemas --json | jq -r '.[].name'")]
    Schemas,
    /// Show one type: its properties, their rules, and the routes that use it.
    ///
    /// `--json` prints { name, properties, usedBy, file, line }. `usedBy` has an entry { route, as } for each use. `as` is `params`,
    /// `query`, `body`, `response` or `event`. If a route uses the type only inside of other types, the entry also has `through`:
    /// the names of these types, from the type in the contract to the type that contains this one.
    #[command(after_help = "\
Examples:
  kit inspect schema Note
  kit inspect schema Note --json | jq .usedBy")]
    Schema {
        /// Name of the type, such as Note.
        #[arg(value_name = "TYPE")]
        name: String,
    },
    /// Show the hooks of a build in order, their taps, and the state of the output directory.
    ///
    /// The command runs a build that writes nothing, like `kit build --check`. Taps of plugins run in this build, except for
    /// `compile` and `done`. With `--json`, `lastBuildStatus` is `cached` if .kit/ is up to date, `built` if the sources changed since
    /// the build, `failed` if the sources have mistakes and .kit/ is from an earlier build, and `none` if there is no .kit/.
    #[command(after_help = "\
Examples:
  kit inspect build-pipeline
  kit inspect build-pipeline --json | jq .registeredTaps")]
    BuildPipeline,
    /// Show the latest errors of a running application.
    #[command(after_help = "\
Examples:
  kit inspect errors --last 5
  kit inspect errors --json --debug-port 9801")]
    Errors {
        /// Maximum number of errors.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
        last: u32,
    },
    /// Show the spans of the latest requests of a running application, the newest request first.
    #[command(after_help = "\
Examples:
  kit inspect traces --last 3
  kit inspect traces --route \"GET /notes/:id\" --json")]
    Traces {
        /// Only requests of this route: a method and a path as in the contract.
        #[arg(long, value_name = "ROUTE")]
        route: Option<String>,
        /// Maximum number of requests; the sidecar keeps the spans of the last 100 requests.
        #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
        last: u32,
    },
    /// Show the WebSockets and streams of a running application, open ones first.
    #[command(after_help = "\
Examples:
  kit inspect streams
  kit inspect streams --route \"WS /rooms/:room\" --json")]
    Streams {
        /// Only streams of this route: a path, or a method and a path.
        #[arg(long, value_name = "ROUTE")]
        route: Option<String>,
        /// Maximum number of streams.
        #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
        last: u32,
    },
    /// Show the messages of one WebSocket or stream of a running application.
    #[command(after_help = "\
Examples:
  kit inspect stream req-5f3a9c-1
  kit inspect stream req-5f3a9c-1 --json")]
    Stream {
        /// Id of the request, as `kit inspect streams` prints it.
        #[arg(value_name = "REQUEST ID")]
        request_id: String,
    },
    /// Show the latencies of a route of a running application.
    #[command(after_help = "\
Examples:
  kit inspect performance --route /notes
  kit inspect performance --json")]
    Performance {
        /// Path of the route, such as /notes/:id.
        #[arg(long, value_name = "PATH", default_value = "/")]
        route: String,
    },
    /// Show the jobs of a running application by name and state, the schedules, the workers and the last failures.
    ///
    /// The option `plugins` of the application must contain `jobs.plugin` of `@kit/jobs`.
    #[command(after_help = "\
Examples:
  kit inspect jobs
  kit inspect jobs --json | jq '.queues[] | select(.waiting > 100)'")]
    Jobs,
    /// Compare two states of the types, as `kit diff` does.
    #[command(after_help = "\
Examples:
  kit inspect diff origin/main
  kit inspect diff v1.4.0 v2.0.0 --json")]
    Diff(diff::Selection),
    /// Show the server of a running application.
    #[command(after_help = "\
Examples:
  kit inspect server
  kit inspect server --json --debug-port 9801 | jq -r .status")]
    Server,
}

impl Arguments {
    /// Returns true if the command should print JSON.
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

pub(crate) async fn run(arguments: &Arguments, context: &Context<'_>) -> Result<(), CommandError> {
    let (console, verbose) = (context.console, arguments.options.verbose);
    let port = arguments.options.debug_port;
    match &arguments.subject {
        Subject::Errors { last } => return runtime::errors(*last, port, verbose, context),
        Subject::Traces { route, last } => return traces::run(route.as_deref(), *last, port, context),
        Subject::Streams { route, last } => {
            return streams::list(route.as_deref(), *last, port, context);
        }
        Subject::Stream { request_id } => return streams::one(request_id, port, context),
        Subject::Performance { route } => return runtime::performance(route, port, context),
        Subject::Jobs => return jobs::run(port, context),
        Subject::Server => return runtime::server(port, context),
        Subject::Diff(selection) => return diff::run(selection, &arguments.common(), context).await,
        _ => {}
    }
    let built = built_project::Built::open(&arguments.common(), context).await?;
    match &arguments.subject {
        Subject::Routes => routes::print_all(&built, verbose, console),
        Subject::Route { route } => routes::print_one(&built, route, verbose, console),
        Subject::Middleware => middleware::run(&built, verbose, console),
        Subject::Dependencies => dependencies::run(&built, console),
        Subject::Schemas => schema::list(&built, console),
        Subject::Schema { name } => schema::run(&built, name, verbose, console),
        Subject::BuildPipeline => pipeline::run(&built, context).await,
        Subject::Errors { .. }
        | Subject::Traces { .. }
        | Subject::Streams { .. }
        | Subject::Stream { .. }
        | Subject::Performance { .. }
        | Subject::Jobs
        | Subject::Diff(_)
        | Subject::Server => Ok(()),
    }
}
