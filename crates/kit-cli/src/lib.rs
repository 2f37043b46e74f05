//! The `kit` command.
//!
//! Where it stands: above `kit-build` and `kit-migrate`, below the addon that Node loads. It parses arguments, calls, and
//! says what happened; what a build *is*, it does not know.
//!
//! A command is a future. It does its own work in place and waits only for its [`Host`], for the few things that need
//! JavaScript. [`Session`] turns that into a conversation, so that the host needs no async runtime and tests need no Node.
//!
//! Invariants:
//! - With `--json`, standard output holds one JSON document and nothing else, whether the command succeeds or fails.
//! - Escape sequences only where a terminal is, and never with `NO_COLOR`.
//! - Nothing of the process is reached but through [`Environment`].
//!
//! ```
//! use kit_cli::{ProcessEnvironment, Request, Session};
//!
//! let mut session = Session::new(vec!["--version".into()], ProcessEnvironment);
//! assert_eq!(session.step(None), Ok(Request::Exit { code: 0 }));
//! ```

mod again;
mod args;
mod commands;
mod compiler;
mod console;
mod context;
mod database_url;
mod entry;
mod env_file;
mod environment;
mod exit;
mod failure;
mod host;
mod mistakes;
mod plugins;
mod process;
mod project;
#[cfg(test)]
mod reference;
mod run;
mod session;
mod tsconfig;
mod type_check;

pub use environment::{Environment, Speech, Stream};
pub use exit::Exit;
pub use host::{
    BuildState, ContractItem, DatabaseAction, DatabaseAnswer, EnvFile, Event, Host, HostError, HostFuture,
    ItemKind, NodeEnd, NodeRun, REPORT, REPORTER, SEEN, Seen, Serve, TypeCheck, Watch,
};
pub use process::ProcessEnvironment;
pub use run::run;
pub use session::{Reply, Request, Session, SessionError};
