//! Interface to the host, the JavaScript process that starts the command and does what needs JavaScript.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::pin::Pin;
use std::time::Duration;

use kit_build::{CodeLocation, TapEvent};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Future of a host's operation.
pub type HostFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, HostError>> + 'a>>;

/// Operations that need JavaScript: load a configuration file, control the embedded database, run Node.
pub trait Host {
    /// Loads a configuration file and returns its default export as JSON.
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value>;

    /// Sets the environment variables in the project's `.env`, except those that are already set. Does nothing if `NODE_ENV` is
    /// set to a value other than `development`. Updates variables that an earlier call set, or removes them if the file no
    /// longer contains them.
    fn load_env<'a>(&'a self, root: &'a Path) -> HostFuture<'a, EnvFile>;

    /// Returns the URL of the project's embedded database. The database runs at least until the command ends.
    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String>;

    /// Performs an action on the project's embedded database.
    fn database<'a>(&'a self, root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseResult>;

    /// Runs a plugin's function for a hook with `event` and returns its result. `plugin` is the index in the configuration that
    /// was loaded last.
    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value>;

    /// Runs a plugin's function as [`Host::run_tap`] does, but returns `None` as soon as bytes arrive on standard input. The
    /// function may still run then. The next function waits for its end.
    fn run_tap_until_input<'a>(
        &'a self,
        plugin: usize,
        hook: &'static str,
        event: TapEvent,
    ) -> HostFuture<'a, Option<Value>>;

    /// Runs Node and waits until it exits. Its output goes to standard error. Ctrl-C also interrupts Node.
    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeExit>;

    /// Runs Node as [`Host::run_node`] does, but returns `None` as soon as bytes arrive on standard input. Call the function again
    /// without `run` to wait for the end, or [`Host::stop_node`].
    fn run_node_until_input<'a>(&'a self, run: Option<&'a NodeRun>) -> HostFuture<'a, Option<NodeExit>>;

    /// Ends the Node process of [`Host::run_node_until_input`], and waits until it has ended.
    fn stop_node(&self) -> HostFuture<'_, ()>;

    /// Starts to watch files in place of the files of the last call. The next call of `wait` or `serve` returns changes
    /// as an [`Event`].
    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()>;

    /// Waits for the next event: a change of a watched file, or a key.
    fn wait(&self) -> HostFuture<'_, Event>;

    /// Serves an application in development until the next event occurs.
    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event>;

    /// Keeps signals from ending this process while `hold` is true. If a signal arrived meanwhile, the process ends by the
    /// signal as soon as `hold` is false.
    fn hold_signals(&self, hold: bool) -> HostFuture<'_, ()>;

    /// Ends standard input for this command as soon as a process has ended, such as the program that started this command.
    fn end_input_with(&self, process: u32) -> HostFuture<'_, ()>;

    /// Reads bytes that arrived on standard input. If there are none, waits for bytes or the end, but at most this long.
    fn read(&self, wait: Duration) -> HostFuture<'_, InputChunk>;
}

/// Part of standard input.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct InputChunk {
    /// Bytes, each as a character from U+0000 to U+00FF. A text in UTF-8 may be divided inside a character.
    pub bytes: String,
    /// True if no bytes follow.
    pub ended: bool,
}

impl InputChunk {
    /// Returns the bytes.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.bytes
            .chars()
            .map(|letter| u8::try_from(letter).unwrap_or(b'?'))
            .collect()
    }
}

/// Result of loading the project's `.env`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvFile {
    /// Names of the variables whose values come from the file.
    pub set: Vec<String>,
    /// Names of variables that keep their earlier values, although the file contains other values.
    pub kept: Vec<String>,
    /// Names of the variables that this call changed or removed.
    pub changed: Vec<String>,
}

/// Action on the embedded database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "action")]
pub enum DatabaseAction {
    /// Start the database while the command runs, and return its URL.
    Url,
    /// Start the database and return its URL. The database keeps running after the command, until an action
    /// stops it.
    Start,
    /// Let the database stop as soon as nothing uses it, and return the number of processes that still use
    /// it.
    Stop,
    /// Delete the data of the database, create an empty one, and return its URL.
    Reset,
    /// Run psql on the database and return its exit code.
    Psql {
        /// Arguments of psql.
        arguments: Vec<String>,
    },
}

/// Result of a [`DatabaseAction`]. Each action sets only the fields that belong to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct DatabaseResult {
    /// URL of the database.
    pub url: Option<String>,
    /// Number of processes that still use the database.
    pub users: Option<usize>,
    /// Exit code of psql; `None` if a signal ended it.
    pub code: Option<i32>,
}

impl DatabaseResult {
    /// Returns the URL. Call this function only for actions that return a URL.
    pub(crate) fn url(self) -> String {
        self.url.unwrap_or_default()
    }
}

/// Arguments and environment of a Node process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NodeRun {
    /// Arguments of Node. The host replaces [`REPORT`] by the path of a file, and returns the content of the file after Node
    /// has exited. It replaces [`REPORTER`] by the path of a test reporter for `node --test` that writes its result to that
    /// file.
    pub args: Vec<String>,
    /// Absolute path of the working directory.
    pub directory: String,
    /// Environment variables in addition to the variables of the host. The host replaces the value [`SEEN`] by the path of a
    /// directory into which tests write the coverage of the contracts, and [`LOG`] by the path of one that receives the log.
    pub env: BTreeMap<&'static str, String>,
}

/// Placeholder for the path of the report.
pub const REPORT: &str = "{report}";

/// Placeholder for the path of the test reporter.
pub const REPORTER: &str = "{reporter}";

/// Placeholder for the path of the directory for the coverage of the contracts.
pub const SEEN: &str = "{seen}";

/// Placeholder for the path of the directory for the log of the application.
pub const LOG: &str = "{log}";

/// Result of a Node process that has exited.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeExit {
    /// Exit code; `None` if a signal ended the process.
    pub code: Option<i32>,
    /// Signal that ended the process; `None` if it exited by itself.
    pub signal: Option<String>,
    /// True if the process ended because the user pressed Ctrl-C.
    pub interrupted: bool,
    /// Content of the report; `None` if Node did not write a report.
    pub report: Option<String>,
    /// Coverage of the contracts by the tests; `None` if no test recorded it.
    pub seen: Option<Coverage>,
    /// Logs that applications wrote to the directory [`LOG`].
    #[serde(default)]
    pub logs: Vec<ProgramLog>,
}

/// Log that one process wrote.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct ProgramLog {
    /// Path of the program. node:test starts a process for each test file.
    pub program: String,
    /// Last lines of the log, each an entry in JSON.
    pub text: String,
}

/// Coverage of the contracts by tests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
pub struct Coverage {
    /// All items that tests can cover.
    pub items: Vec<ContractItem>,
    /// Indices of the covered items in `items`.
    pub seen: BTreeSet<usize>,
}

/// A part of a contract that tests can cover.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContractItem {
    /// Kind of the item.
    pub kind: ItemKind,
    /// Route, such as `POST /notes`.
    pub route: String,
    /// Slot of the request: `params`, `query` or `body`. `None` if the item is not part of a request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Path of the value in the slot, such as `$.items[].name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Description of a rule, a bound, a member of a union or a response: `maxLength 200`, `404 NOTE_NOT_FOUND`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub what: Option<String>,
}

/// Kinds of contract items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ItemKind {
    /// A route. Covered if a request succeeded.
    Route,
    /// A response of a route with a status and an error code. Covered if a request got this response.
    #[serde(rename = "answer")]
    Response,
    /// A property of a request. Covered if an accepted request contained the property.
    Field,
    /// A member of a union. Covered if an accepted request contained a value of the member.
    Member,
    /// A bound of a value, such as 200 for `maxLength 200`. Covered if a value in an accepted request was
    /// equal to the bound.
    Bound,
    /// A rule. Covered if a request was refused because it broke the rule.
    Rule,
    /// A message of a WebSocket or an event. Covered if it was sent.
    Message,
}

/// Files to watch. A change to one of them is an edit that triggers the next build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Watch {
    /// Absolute path of the project. Watches all files in it.
    pub root: String,
    /// Directories in the project that are not watched, relative to its root.
    pub ignored: Vec<String>,
    /// True to watch test files in addition to all other files.
    pub tests: bool,
    /// Absolute paths of other files to watch.
    pub files: Vec<String>,
    /// Absolute paths of files that a build has just written. These changes are not edits.
    pub written: Vec<String>,
}

/// Application to serve in development, after a build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Serve {
    /// Absolute path of the project.
    pub root: String,
    /// Path of the program that starts the application, relative to the root.
    pub entry: String,
    /// Output directory of a project whose server is in Rust, relative to the root: cargo builds and runs the program. `None` if
    /// Node runs the program.
    pub rust: Option<String>,
    /// Path of the program that does the jobs of the application, relative to the root. The program runs beside the application.
    /// `None` if there is none.
    pub worker: Option<String>,
    /// Port on which the application listens in place of the port that it chooses itself.
    pub port: Option<u16>,
    /// Address on which the application listens in place of the address that it chooses itself.
    pub host: Option<String>,
    /// Accepted names in the `Host` header of requests, in addition to localhost and addresses.
    pub allowed_hosts: Vec<String>,
    /// URL of the embedded database; `None` if the project does not use it.
    pub database_url: Option<String>,
    /// Result of the last build. If it failed, the application that already runs stays unchanged.
    pub build: BuildState,
    /// Type check to run as soon as the application listens or has exited. The result arrives as an
    /// [`Event::Checked`].
    pub types: Option<TypeCheck>,
}

/// Program and arguments that check the project's types.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TypeCheck {
    /// Absolute path of the type checker.
    pub program: String,
    /// Arguments of the program.
    pub args: Vec<String>,
}

/// Result of a build, which the host shows to users who see the application and not the terminal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "status")]
pub enum BuildState {
    /// The build succeeded.
    Built {
        /// Always empty, because a successful build has no errors.
        text: String,
    },
    /// The build failed.
    Failed {
        /// Errors of the build, as the terminal shows them.
        text: String,
        /// The same errors as `kit build --json` prints them.
        report: Value,
    },
}

/// Event that the command waits for.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Event {
    /// Files were written, created or removed.
    Changed {
        /// Paths of the files, relative to the project's root.
        files: Vec<String>,
    },
    /// The user requested another build.
    Rebuild,
    /// The type check of the served application has ended.
    Checked {
        /// Exit code of the type checker; `None` if it could not be started or a signal ended it.
        code: Option<i32>,
        /// Output of the type checker.
        text: String,
    },
    /// The application does not listen on a port, so it cannot be served. The host has printed this.
    Failed,
    /// The user quit.
    Quit,
}

/// Failure of an operation of the host.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostError {
    /// Message for the user.
    pub message: String,
    /// Location in the project's code, if known.
    pub at: Option<CodeLocation>,
}
