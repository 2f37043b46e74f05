//! Interface to the host: operations of a command that need JavaScript.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;

use kit_build::{CodeLocation, TapEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Future of a host's operation.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + 'a>>;

/// Operations that need JavaScript: load a configuration file, control the embedded database, run Node.
pub trait Host {
    /// Loads a configuration file and returns its default export as JSON.
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value>;

    /// Sets the variables of the project's `.env` that are not set. Does nothing if `NODE_ENV` is set to a value other than
    /// `development`. A variable that an earlier call set is updated, or removed if the file no longer contains it.
    fn load_env<'a>(&'a self, root: &'a Path) -> HostFuture<'a, EnvFile>;

    /// Returns the URL of the project's embedded database. The database runs at least until the command ends.
    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String>;

    /// Performs an action on the project's embedded database.
    fn database<'a>(&'a self, root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseResult>;

    /// Runs a plugin's tap with `event` and returns its result. The plugin belongs to the last loaded configuration.
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value>;

    /// Runs Node and waits for its exit. Its output goes to standard error; an interrupt also reaches Node.
    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeExit>;

    /// Watches files and replaces the previous watch. The next call of `wait` or `serve` returns changes as an [`Event`].
    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()>;

    /// Waits for an event.
    fn wait(&self) -> HostFuture<'_, Event>;

    /// Serves an application in development until an event occurs.
    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event>;
}

/// Variables from the project's `.env`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvFile {
    /// Names of the variables that have the file's values.
    pub set: Vec<String>,
    /// Names of the variables in the file that were already set to other values, and keep these.
    pub kept: Vec<String>,
    /// Names of the variables that this call changed or removed.
    pub changed: Vec<String>,
}

/// Action on the embedded database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "action")]
pub enum DatabaseAction {
    /// Start the database and return its URL.
    Url,
    /// Start the database, keep it running until it is stopped, and return its URL.
    Start,
    /// Stop keeping the database running, and return the number of processes that still use it.
    Stop,
    /// Delete the database, create an empty one, and return its URL.
    Reset,
    /// Run psql on the database and return its exit code.
    Psql {
        /// Arguments of psql.
        arguments: Vec<String>,
    },
}

/// Result of a [`DatabaseAction`]. Only the members that belong to the action are set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DatabaseResult {
    /// URL of the database.
    pub url: Option<String>,
    /// Number of processes that use the database.
    pub users: Option<usize>,
    /// Exit code of psql; `None` if a signal ended it.
    pub code: Option<i32>,
}

impl DatabaseResult {
    /// Returns the URL, which the result of every action with a URL contains.
    pub(crate) fn url(self) -> String {
        self.url.unwrap_or_default()
    }
}

/// Arguments to run Node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRun {
    /// Arguments of Node. [`REPORT`] represents the path of a file, whose text the host returns after Node has exited.
    /// [`REPORTER`] represents the module that makes `node --test` write its result to that file.
    pub args: Vec<String>,
    /// Working directory, absolute.
    pub directory: String,
    /// Environment variables in addition to those of the host. The value [`SEEN`] represents a directory into which tests write
    /// the coverage of the contracts.
    pub env: BTreeMap<&'static str, String>,
}

/// Argument that represents the path of the report.
pub const REPORT: &str = "{report}";

/// Argument that represents the path of the test reporter.
pub const REPORTER: &str = "{reporter}";

/// Value of an environment variable that represents the directory for the coverage of the contracts.
pub const SEEN: &str = "{seen}";

/// Result of a Node process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeExit {
    /// Exit code; `None` if a signal ended the process.
    pub code: Option<i32>,
    /// Signal that ended the process.
    pub signal: Option<String>,
    /// True if the user interrupted the command, and the process ended therefore.
    pub interrupted: bool,
    /// Text of the report, if Node wrote one.
    pub report: Option<String>,
    /// Coverage of the contracts by the tests; `None` if no test recorded it.
    pub seen: Option<Coverage>,
}

/// Coverage of the contracts by tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Coverage {
    /// All items of the contracts.
    pub items: Vec<ContractItem>,
    /// Indices of the covered items in `items`.
    pub seen: BTreeSet<usize>,
}

/// Item of a contract that tests can cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractItem {
    /// Kind of the item.
    pub kind: ItemKind,
    /// Route, such as `POST /notes`.
    pub route: String,
    /// Slot of the request: `params`, `query` or `body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Path of the value, such as `$.items[].name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Rule, bound, member or response: `maxLength 200`, `404 NOTE_NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// Kinds of contract items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemKind {
    /// A route that responded with success.
    Route,
    /// A status and a code of a route's responses.
    #[serde(rename = "answer")]
    Response,
    /// A field of an accepted request.
    Field,
    /// A member of a union in an accepted request.
    Member,
    /// A bound that a value in an accepted request is equal to.
    Bound,
    /// A rule that a refused request broke.
    Rule,
}

/// Files whose changes count as edits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Watch {
    /// Absolute path of the project. All files in it are watched.
    pub root: String,
    /// Directories that are not watched, relative to the root.
    pub ignored: Vec<String>,
    /// True if test files are watched.
    pub tests: bool,
    /// Additional files to watch, absolute.
    pub files: Vec<String>,
    /// Files that a build has just written, absolute. These writes do not count as edits.
    pub written: Vec<String>,
}

/// Application to serve in development.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Serve {
    /// Absolute path of the project.
    pub root: String,
    /// Program that starts the application, relative to the root.
    pub entry: String,
    /// Port that replaces the program's own.
    pub port: Option<u16>,
    /// Address that replaces the program's own.
    pub host: Option<String>,
    /// Accepted names in the `Host` header of requests, in addition to localhost and addresses.
    pub allowed_hosts: Vec<String>,
    /// URL of the embedded database, if the project uses it.
    pub database_url: Option<String>,
    /// Result of the last build. After a failed build, the running application stays unchanged.
    pub build: BuildState,
    /// Type check to run once the application listens or has exited. The end of the check is an [`Event::Checked`].
    pub types: Option<TypeCheck>,
}

/// Arguments to run the project's type checker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TypeCheck {
    /// Absolute path of the program.
    pub program: String,
    /// Arguments of the program.
    pub args: Vec<String>,
}

/// Result of a build, for users who see the application and not the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "status")]
pub enum BuildState {
    /// The build succeeded.
    Built {
        /// Empty string.
        text: String,
    },
    /// The build failed.
    Failed {
        /// Text of the errors, as on the terminal.
        text: String,
        /// Output of `kit build --json`.
        report: Value,
    },
}

/// Event that ends a wait.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Event {
    /// Files were written, created or removed.
    Changed {
        /// Paths, relative to the root.
        files: Vec<String>,
    },
    /// The user requested another build.
    Rebuild,
    /// The type check of the served application has ended.
    Checked {
        /// Exit code; `None` if the check could not be started or a signal ended it.
        code: Option<i32>,
        /// Output of the check.
        text: String,
    },
    /// The application cannot be served, because it has no port to listen on. The host has reported this.
    Failed,
    /// The user quit.
    Quit,
}

/// Failure of a host's operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostError {
    /// Message for the user.
    pub message: String,
    /// Location in the project's code, if known.
    pub at: Option<CodeLocation>,
}
