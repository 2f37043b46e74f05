//! The `kit` command.
//!
//! Place in the workspace: the addon that Node loads calls this crate, and this crate calls `kit-build` and `kit-migrate`.
//! This crate parses arguments and prints results. It does not implement builds itself.
//!
//! A command is a future. The command does its own work synchronously. It waits only for its [`Host`], which does the few
//! operations that need JavaScript. [`Session`] turns the future into a sequence of requests and replies, so the host needs
//! no async runtime and tests need no Node.
//!
//! Invariants:
//! - With `--json`, standard output contains one JSON document and nothing else, whether the command succeeds or fails.
//! - Escape sequences go only to terminals, and never with `NO_COLOR`.
//! - Commands access the process only through [`Environment`].
//!
//! ```
//! use kit_cli::{ProcessEnvironment, Request, Session};
//!
//! let mut session = Session::new(vec!["--version".into()], ProcessEnvironment);
//! assert_eq!(session.step(None), Ok(Request::Exit { code: 0 }));
//! ```

mod args;
mod captured;
mod commands;
mod common_args;
mod compiler;
mod compiler_errors;
mod console;
mod context;
mod database_url;
mod entry;
mod env_file;
mod environment;
mod exit;
mod failure;
mod host;
mod plugins;
mod process;
mod project;
#[cfg(test)]
mod reference;
mod repeated_build;
mod run;
mod session;
mod tsconfig;
mod type_check;

pub use environment::{Environment, ProgramOutput, Stream};
pub use exit::Exit;
pub use host::{
    BuildState, ContractItem, Coverage, DatabaseAction, DatabaseResult, EnvFile, Event, Host, HostError,
    HostFuture, InputChunk, ItemKind, LOG, NodeExit, NodeRun, ProgramLog, REPORT, REPORTER, SEEN, Serve,
    TypeCheck, Watch,
};
pub use process::ProcessEnvironment;
pub use run::run;
pub use session::{Reply, Request, Session, SessionError};
