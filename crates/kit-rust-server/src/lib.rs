//! A Rust server of an application's types: models, routes, database and the project around them.
//!
//! Where it stands: beside `kit-emit`. `@kit/plugin-rust-server` hands it the program that a build made and writes what it gives; the
//! generated code is made with `kit-runtime`, whose sources are written along.
//!
//! Invariants:
//! - A pure function of the program: no I/O, no order that depends on hashing.
//! - What has no Rust form yet is a [`Problem`] that names the type; there is never code that is only nearly right.
//! - Files below `src/handlers`, `src/middleware` and `src/services` are the user's: they are made once.
//!
//! ```
//! use kit_rust_server::{Options, generate};
//!
//! let output = generate(&kit_ir::Program::default(), &Options { name: "notes".to_owned(), output_dir: ".kit".to_owned(), ..Options::default() });
//! assert!(output.problems.is_empty());
//! assert!(output.files.iter().any(|file| file.path == "Cargo.toml"));
//! ```

// Reason: text is what is made here, a few kilobytes of it, and is read best where it stands.
#![allow(clippy::format_collect, clippy::format_push_string)]

mod database;
mod errors;
mod handlers;
mod manifest;
mod middleware;
mod models;
mod names;
mod print;
mod project;
mod router;
mod shapes;
mod types;

pub use manifest::ManifestProblem;

use kit_database::{Migration, Schema, Snapshot};
use kit_ir::{Program, Span};
use serde::{Deserialize, Serialize};

/// What the project says.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Options {
    /// The project's name, as `package.json` has it.
    pub name: String,
    /// Where kit writes, relative to the project's root.
    pub output_dir: String,
    /// Whether the server can tell an OpenTelemetry collector of itself.
    #[serde(default)]
    pub otlp: bool,
    /// The committed migrations, in the order of their names.
    #[serde(default)]
    pub migrations: Vec<Committed>,
    /// Text of the project's `Cargo.toml`, if there is one.
    #[serde(default)]
    pub manifest: Option<String>,
}

/// A committed migration.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Committed {
    /// The name of its directory.
    pub name: String,
    /// The text of its `snapshot.json`; nothing where a migration written by hand changes data alone.
    pub snapshot: Option<String>,
}

impl Options {
    /// Tables that the migrations have made. A snapshot that cannot be read was an error of the build before.
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

/// What was made.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Output {
    /// The files.
    pub files: Vec<File>,
    /// What has no Rust form.
    pub problems: Vec<Problem>,
    /// Lines of `Cargo.toml` with which generated code cannot be built.
    pub manifest_problems: Vec<ManifestProblem>,
    /// Routes whose handlers answer 501 until the types say more.
    pub warnings: Vec<Warning>,
}

/// A file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct File {
    /// Relative to the output directory, or to the project's root.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// Whose it is.
    pub owner: Owner,
}

/// Whose a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Owner {
    /// kit's, in the output directory.
    Output,
    /// kit's, in the project.
    Project,
    /// The user's: made where there is none.
    User,
}

/// A part of the program that has no Rust form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Problem {
    /// What was found.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What to do.
    pub help: String,
}

/// A route, or the routes of an entity, whose handlers answer 501 until the types say more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Warning {
    /// Routes and reason.
    pub message: String,
    /// The entity or the route.
    pub span: Span,
    /// Advice for the user.
    pub help: String,
    /// The only handler that the warning is about. Once its author has written it, the warning is void.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerText>,
}

/// A generated handler in a file of the user's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerText {
    /// The file, relative to the project's root.
    pub path: String,
    /// Code that stands in the file as long as nobody has replaced it, white space aside.
    pub code: String,
}

/// The first line of what is kit's.
const HEADER: &str = "// Generated by @kit/plugin-rust-server. Do not edit.\n";

/// Makes the server of a program.
pub fn generate(program: &Program, options: &Options) -> Output {
    let mut types = types::Types::new(program);
    let mut files = models::files(&mut types);
    let (mut schema, _) = Schema::from_program(program);
    if let Some(committed) = options.committed() {
        schema.keep_timestamps(&committed);
    }
    let mut database = database::Database::new(&schema, &mut types);
    let routes = router::Routes::new(&types);
    handlers::add_filters(&types, &routes, &mut database);
    files.extend(database.files());
    files.push(errors::file(program));
    files.push(router::file(&types, &routes));
    let manifest = manifest::Manifest::new(options, !database.is_empty());
    files.extend(project::files(options, program, &routes, &database, &manifest));
    let (handlers, warnings) = handlers::files(&types, &routes, &database);
    files.extend(handlers);
    Output {
        files,
        warnings,
        manifest_problems: manifest.problems,
        problems: types.problems(),
    }
}

impl File {
    fn output(path: impl Into<String>, text: &str) -> Self {
        Self {
            path: path.into(),
            text: format!("{HEADER}{text}"),
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

    fn user(path: impl Into<String>, text: String) -> Self {
        Self {
            path: path.into(),
            text,
            owner: Owner::User,
        }
    }
}
