//! What a command asks of JavaScript.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;

use kit_build::{CodePlace, TapEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// An answer that may take a while.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + 'a>>;

/// What only JavaScript can do: run a configuration file, start the embedded database, run Node beside it.
pub trait Host {
    /// The default export of a configuration file, as plain data.
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value>;

    /// Sets the variables of the project's `.env` that are not set, unless `NODE_ENV` says something else than `development`. A variable that an
    /// earlier call set is set anew, or removed where the file does not have it any more.
    fn load_env<'a>(&'a self, root: &'a Path) -> HostFuture<'a, EnvFile>;

    /// The URL of the project's embedded database, which runs until the command ends or longer.
    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String>;

    /// Does something with the project's embedded database.
    fn database<'a>(&'a self, root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseAnswer>;

    /// Runs the tap of a plugin of the configuration that was loaded last, and gives its answer to `event`.
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value>;

    /// Runs Node until it ends. What it prints goes to standard error; an interrupt reaches it too.
    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeEnd>;

    /// Looks at files from now on, in place of those that it looked at; what happens to them is an [`Event`] of whoever waits next.
    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()>;

    /// Waits until something is to be done.
    fn wait(&self) -> HostFuture<'_, Event>;

    /// Serves an application in development, until something is to be done.
    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event>;
}

/// Variables that the project's `.env` set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvFile {
    /// Names of the variables of the file that are set to the file's values.
    pub set: Vec<String>,
    /// Names of the variables of the file that had other values already, which they keep.
    pub kept: Vec<String>,
    /// Names of the variables whose values this reading changed or removed.
    pub changed: Vec<String>,
}

/// What is to be done with the embedded database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "action")]
pub enum DatabaseAction {
    /// Start it, and say where it is.
    Url,
    /// Start it, keep it until it is stopped, and say where it is.
    Start,
    /// Keep it no longer, and say who uses it still.
    Stop,
    /// Make it anew and empty, and say where it is.
    Reset,
    /// Run psql on it to its end, and say how that went.
    Psql {
        /// Its arguments.
        arguments: Vec<String>,
    },
}

/// What came of it; of each only what was asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DatabaseAnswer {
    /// Where the database is.
    pub url: Option<String>,
    /// How many processes use it.
    pub users: Option<usize>,
    /// The exit code of psql; none where a signal ended it.
    pub code: Option<i32>,
}

impl DatabaseAnswer {
    /// The URL, which every answer has that was asked for it.
    pub(crate) fn url(self) -> String {
        self.url.unwrap_or_default()
    }
}

/// How to run the Node that the host is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRun {
    /// Its arguments. One that is [`REPORT`] stands for the path of a file whose text comes back when Node has ended, one
    /// that is [`REPORTER`] for the module that makes `node --test` write its result there.
    pub args: Vec<String>,
    /// The working directory, absolute.
    pub directory: String,
    /// Variables of its environment besides the host's; one that is [`SEEN`] stands for a directory, into which tests write what they
    /// see of the contracts.
    pub env: BTreeMap<&'static str, String>,
}

/// An argument that stands for the report's path.
pub const REPORT: &str = "{report}";

/// An argument that stands for the reporter of tests.
pub const REPORTER: &str = "{reporter}";

/// A variable that stands for the directory of what tests see.
pub const SEEN: &str = "{seen}";

/// How Node ended.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeEnd {
    /// Its exit code; none where a signal ended it.
    pub code: Option<i32>,
    /// That signal.
    pub signal: Option<String>,
    /// Whether the user wanted the command to end, and so it did.
    pub interrupted: bool,
    /// What it wrote into its report, where it wrote one.
    pub report: Option<String>,
    /// What its tests saw of the contracts; nothing where none of them counted.
    pub seen: Option<Seen>,
}

/// What tests saw of the contracts.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Seen {
    /// All that could be seen.
    pub items: Vec<ContractItem>,
    /// The places of those in `items` that were.
    pub seen: BTreeSet<usize>,
}

/// One thing of a contract that tests see or do not see.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractItem {
    /// What it is.
    pub kind: ItemKind,
    /// `POST /notes`.
    pub route: String,
    /// `params`, `query` or `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// `$.items[].name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Which rule, bound, member or answer: `maxLength 200`, `404 NOTE_NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// Kinds of what tests see of contracts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemKind {
    /// A route, which answered with success.
    Route,
    /// A status and a code that a route answers with.
    Answer,
    /// A field of a request that was taken.
    Field,
    /// A member of a union, in a request that was taken.
    Member,
    /// A bound that a value stood at, in a request that was taken.
    Bound,
    /// A rule that a request broke and was refused for.
    Rule,
}

/// Which files are somebody's edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Watch {
    /// Absolute path of the project: what is in it counts.
    pub root: String,
    /// But for these directories, relative to the root.
    pub ignored: Vec<String>,
    /// Whether files of tests count.
    pub tests: bool,
    /// Files that count wherever they are, absolute.
    pub files: Vec<String>,
    /// Files that were just written by a build, absolute: that is no edit.
    pub written: Vec<String>,
}

/// What is to be served in development.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Serve {
    /// Absolute path of the project.
    pub root: String,
    /// The program, relative to the root.
    pub entry: String,
    /// In place of the port that the program says.
    pub port: Option<u16>,
    /// The address to listen on, in place of the one that the program says.
    pub host: Option<String>,
    /// Names that the `Host` header of a request may have, besides localhost and addresses.
    pub allowed_hosts: Vec<String>,
    /// Of the embedded database, where that is used.
    pub database_url: Option<String>,
    /// How the last build went. After one that failed the application goes on as it is.
    pub build: BuildState,
    /// The type check that follows once the application listens or has ended; its end is an [`Event::Checked`].
    pub types: Option<TypeCheck>,
}

/// How to run the project's type checker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TypeCheck {
    /// Absolute path of the program.
    pub program: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// How a build went, for those who see the application and not the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "status")]
pub enum BuildState {
    /// It was built.
    Built {
        /// Empty.
        text: String,
    },
    /// It was not.
    Failed {
        /// What the terminal shows.
        text: String,
        /// What `kit build --json` prints.
        report: Value,
    },
}

/// What happened while a command waited.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Event {
    /// Files were written, came or went.
    Changed {
        /// Relative to the root.
        files: Vec<String>,
    },
    /// Somebody wants it built once more.
    Rebuild,
    /// The type check of what is served has ended.
    Checked {
        /// Its exit code; none if it could not be started or a signal ended it.
        code: Option<i32>,
        /// What it printed.
        text: String,
    },
    /// Nothing can be served: the application has no port to listen on. The host has said so.
    Failed,
    /// It is over.
    Quit,
}

/// What the host could not do, and why, in words for the user.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostError {
    /// The message.
    pub message: String,
    /// Where in the project's code, where that is known.
    pub at: Option<CodePlace>,
}
