//! Generates a Rust server from an application's types: models, routes, database and the project files.
//!
//! This crate is at the level of `kit-emit`. `@kit/plugin-rust-server` passes the program of a build to this crate and
//! writes the returned files. The generated code uses `kit-runtime`, whose sources are written into the project too.
//!
//! Invariants:
//! - Generation is a pure function of the program: no I/O, and no order that depends on hashing.
//! - A type without a Rust form is a [`Problem`] that names the type. The crate never generates code that is only
//!   nearly correct.
//! - `src/main.rs`, `src/app.rs`, `tests/contract.rs`, and files below `src/handlers`, `src/middleware` and `src/services` belong to the user: they
//!   are written once.
//!
//! ```
//! use kit_rust_server::{Options, generate};
//!
//! let output = generate(&kit_ir::Program::default(), &Options { name: "notes".to_owned(), output_dir: ".kit".to_owned(), ..Options::default() });
//! assert!(output.problems.is_empty());
//! assert!(output.files.iter().any(|file| file.path == "Cargo.toml"));
//! ```

// Reason: this crate prints only a few kilobytes of text, and the format strings are easiest to read in place.
#![allow(clippy::format_collect, clippy::format_push_string)]

mod bodies;
mod client;
mod compression;
mod contract_tests;
mod cors;
mod csrf;
mod database;
mod edge;
mod error_format;
mod errors;
mod etag;
mod format_unions;
mod handlers;
mod literal_option;
mod manifest;
mod middleware;
mod models;
mod names;
mod names_by_status;
mod origins;
mod print;
mod project;
mod replies;
mod request_log;
mod route_groups;
mod route_names;
mod router;
mod scopes;
mod security_header_values;
mod security_headers;
mod settings;
mod shapes;
mod sidecar;
mod sidecar_routes;
mod sockets;
mod source;
mod static_files;
mod status;
mod types;

pub use handlers::{AddedHandler, HandlerEdit, MissingHandlers, RefusedEdit, UnusedHandler};
pub use manifest::ManifestProblem;
pub use origins::{HandlerOrigin, ModelOrigin};

use kit_database::{Migration, Schema, Snapshot};
pub use kit_emit::{RouteTests, TestValues};
use kit_ir::{Program, Span};
use proc_macro2::TokenStream;
use serde::{Deserialize, Serialize};

/// Options of a project.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Options {
    /// Name of the project, from `package.json`.
    pub name: String,
    /// Output directory, relative to the project's root.
    pub output_dir: String,
    /// True if the server can export telemetry to an OpenTelemetry collector.
    #[serde(default)]
    pub otlp: bool,
    /// True if the output directory has the files of the API reference: `docs/viewer.js.gz.base64` and `docs/start.js`.
    #[serde(default)]
    pub api_docs: bool,
    /// True if the server has the debug sidecar. The output directory then has its dashboard, `sidecar/dashboard.json`.
    #[serde(default)]
    pub sidecar: bool,
    /// True to generate a client crate, too.
    #[serde(default)]
    pub client: bool,
    /// True to generate contract tests, too.
    #[serde(default)]
    pub contract_tests: bool,
    /// Option `tests` of the configuration: values of the requests of contract tests.
    #[serde(default)]
    pub tests: TestValues,
    /// Migrations of the project, in the order of their names.
    #[serde(default)]
    pub migrations: Vec<Committed>,
    /// Current content of the project's `Cargo.toml`. `None` if the file does not exist.
    #[serde(default)]
    pub manifest: Option<String>,
}

/// A migration that the user has added to the project.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Committed {
    /// Name of the migration's directory.
    pub name: String,
    /// Content of the migration's `snapshot.json`. `None` if the migration was written by hand and changes
    /// only data.
    pub snapshot: Option<String>,
}

impl Options {
    /// Returns the tables that exist after all migrations. A snapshot that cannot be read is ignored, because the
    /// build has already reported it.
    fn committed(&self) -> Option<Snapshot> {
        let migrations: Vec<Migration> = self
            .migrations
            .iter()
            .map(|migration| Migration {
                name: migration.name.clone(),
                sql: String::new(),
                destructive: false,
                changes: Vec::new(),
                snapshot: migration
                    .snapshot
                    .as_deref()
                    .and_then(|text| Snapshot::from_json(text).ok()),
            })
            .collect();
        kit_database::committed(&migrations)
    }
}

/// Result of the generation.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// Generated files.
    pub files: Vec<File>,
    /// Types and routes that Rust code cannot express. The build must report them as errors.
    pub problems: Vec<Problem>,
    /// Lines of the user's `Cargo.toml` that make the generated code fail to compile.
    pub manifest_problems: Vec<ManifestProblem>,
    /// Routes whose handlers respond with 501 because the types contain too little information, and options that the server
    /// has only in part.
    pub warnings: Vec<Warning>,
    /// Contracts of the handlers.
    pub handlers: Vec<HandlerOrigin>,
    /// Types of the models.
    pub models: Vec<ModelOrigin>,
}

/// A generated file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// Path relative to the output directory if the owner is [`Owner::Output`], otherwise relative to the project's
    /// root.
    pub path: String,
    /// Content of the file.
    pub text: String,
    /// The owner decides who may change the file.
    pub owner: Owner,
}

/// Owner of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// kit owns the file. It is in the output directory and is overwritten by each build.
    Output,
    /// kit writes the file in each build, outside of the output directory: `Cargo.toml` or `src/lib.rs`.
    Project,
    /// The user owns the file. kit writes it only if it does not exist.
    User,
}

/// A type or route that Rust code cannot express.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// Description of the problem.
    pub message: String,
    /// Location in the source.
    pub span: Span,
    /// Advice for the user.
    pub help: String,
}

/// A warning about one route, about all routes of an entity, or about an option. Handlers of these routes respond with 501
/// because the types contain too little information.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// The routes or the option, and the reason.
    pub message: String,
    /// Location of the entity, the route or the option.
    pub span: Span,
    /// Advice for the user.
    pub help: String,
    /// The generated handler, if the warning is about a single handler. The warning no longer applies after
    /// the user has replaced the handler.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerText>,
}

/// A generated handler in a file of the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerText {
    /// Path of the file, relative to the project's root.
    pub path: String,
    /// Generated code of the handler. If the file still contains it, apart from whitespace, the user has not replaced
    /// the handler.
    pub code: String,
}

/// First line of files that kit owns.
const HEADER: &str = "// Generated by @kit/plugin-rust-server. Do not edit.\n";

/// Generates the Rust server of an application.
pub fn generate(program: &Program, options: &Options) -> Output {
    with_routes(program, options, |models, types, routes, database| {
        let mut files = models.clone();
        files.extend(database.files());
        files.push(errors::file(types));
        files.push(router::file(types, routes, options));
        files.extend(sidecar_routes::file(types, routes, options));
        let manifest = manifest::Manifest::new(options, !database.is_empty(), &features(program, types));
        files.extend(project::files(options, types, routes, database, &manifest));
        let (handlers, mut warnings) = handlers::files(types, routes, database);
        if options.client {
            files.extend(client::files(options, types, routes, &models));
        }
        if options.contract_tests {
            let (output, values, library) = (&options.output_dir, &options.tests, &manifest.library);
            files.extend(contract_tests::files(output, values, types, database, library));
        }
        files.extend(handlers);
        warnings.extend(settings::warnings(program));
        Output {
            files,
            warnings,
            handlers: origins::handlers(routes),
            models: origins::models(types),
            manifest_problems: manifest.problems,
            problems: types
                .problems()
                .into_iter()
                .chain(edge::problems(program))
                .chain(error_format::problems(program))
                .chain(scopes::problems(program))
                .chain(jobs_problem(program))
                .chain(settings::problems(program, options))
                .chain(routes.problems.iter().cloned())
                .collect(),
        }
    })
}

/// Returns the handlers that the files of the user lack, for example after a contract was added. `read` returns the text of a file
/// by its path relative to the project's root, or `None` if the file does not exist: the next build creates such a file.
/// `is_wanted` selects routes, such as `GET /todos/:id`.
///
/// ```
/// use kit_rust_server::{Options, missing_handlers};
///
/// let missing = missing_handlers(&kit_ir::Program::default(), &Options::default(), &|_| None, &|_| true);
/// assert!(missing.edits.is_empty());
/// ```
pub fn missing_handlers(
    program: &Program,
    options: &Options,
    read: &dyn Fn(&str) -> Option<String>,
    is_wanted: &dyn Fn(&str) -> bool,
) -> MissingHandlers {
    with_routes(program, options, |_, types, routes, database| {
        handlers::missing(types, routes, database, read, is_wanted)
    })
}

/// Calls a function with the models of an application, its types, routes and tables.
fn with_routes<T>(
    program: &Program,
    options: &Options,
    make: impl FnOnce(Vec<File>, &types::Types<'_>, &route_groups::Routes<'_>, &database::Database<'_>) -> T,
) -> T {
    let mut types = types::Types::new(program);
    let models = models::files(&mut types);
    let (mut schema, _) = Schema::from_program(program);
    let committed = options.committed();
    if let Some(committed) = &committed {
        schema.keep_timestamps(committed);
        schema.keep_names(committed);
    }
    let mut database = database::Database::new(&schema, committed.as_ref(), &mut types);
    let routes = route_groups::Routes::new(&types);
    handlers::add_functions(&types, &routes, &mut database);
    make(models, &types, &routes, &database)
}

/// Returns the problem of an application with jobs. Rust code could not store them with the checks of their types.
fn jobs_problem(program: &Program) -> Option<Problem> {
    let jobs = program.application.jobs.as_ref()?;
    Some(Problem {
        message: "the Rust server has no jobs, but the application calls `createJobs`".to_owned(),
        span: jobs.span,
        help: "move the jobs and their workers into a project for Node, or remove `rustServer()` from the plugins"
            .to_owned(),
    })
}

/// Returns the cargo features of `kit-runtime` that the application needs, besides the features that the
/// configuration selects.
fn features(program: &Program, types: &types::Types<'_>) -> Vec<&'static str> {
    let mut features = edge::features(program);
    features.extend(sockets::feature(program));
    features.extend(types.features());
    features
}

impl File {
    fn output(path: impl Into<String>, code: &TokenStream) -> Self {
        Self {
            path: path.into(),
            text: format!("{HEADER}{}", print::file(code)),
            owner: Owner::Output,
        }
    }

    fn project(path: impl Into<String>, text: String) -> Self {
        Self {
            path: path.into(),
            text,
            owner: Owner::Project,
        }
    }

    fn user(path: impl Into<String>, code: &TokenStream) -> Self {
        Self {
            path: path.into(),
            text: print::file(code),
            owner: Owner::User,
        }
    }
}
