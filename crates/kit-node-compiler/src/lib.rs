//! Addon of `@kit/transform-native`: kit's command line as a Node-API module.
//!
//! Place in the workspace: a `cdylib` that Node loads. The crate converts between JavaScript values and [`kit_cli`] and
//! contains no other logic. It starts no threads: each call of [`Command::step`] runs a part of the command on the caller's
//! thread.
//!
//! A panic does not cross the boundary: it becomes a JavaScript error that reports a bug in kit, and the command ends.
//!
//! ```js
//! const { Command } = require("./kit-compiler.linux-x64-gnu.node");
//! const command = new Command(["build", "--json"]);
//! let request = JSON.parse(command.step());          // { kind: "loadConfig", path: "/app/kit.config.ts" }
//! request = JSON.parse(command.step('{"value":{}}')); // { kind: "exit", code: 0 }
//! ```

mod shared_listener;

use std::any::Any;
use std::ffi::OsString;
use std::panic::{AssertUnwindSafe, catch_unwind};

use kit_cli::{ProcessEnvironment, Reply, Session};
use napi::{Error, Result};
use napi_derive::napi;

/// A command of kit that runs in steps.
#[napi]
pub struct Command {
    /// The command; `None` after a panic.
    session: Option<Session>,
}

#[napi]
impl Command {
    /// Creates a command from its arguments, without the program's name. The command does not run before the
    /// first call of `step`.
    #[napi(constructor)]
    pub fn new(args: Vec<String>) -> Self {
        let args = args.into_iter().map(OsString::from).collect();
        Self {
            session: Some(Session::new(args, ProcessEnvironment)),
        }
    }

    /// Runs the command until its next request to the host or its end. `reply` is the reply to the previous
    /// request. Returns the next request. The reply and the request are JSON.
    #[napi]
    #[allow(clippy::needless_pass_by_value)] // Reason: Node-API passes an owned string.
    pub fn step(&mut self, reply: Option<String>) -> Result<String> {
        let reply = reply
            .map(|text| serde_json::from_str::<Reply>(&text))
            .transpose()
            .map_err(|error| Error::from_reason(format!("the reply is not valid: {error}")))?;
        let mut session = self
            .session
            .take()
            .ok_or_else(|| Error::from_reason("the command has ended"))?;
        // A panic drops the session, because later calls could find it in an inconsistent state.
        let request = catch_unwind(AssertUnwindSafe(|| {
            let request = session.step(reply);
            self.session = Some(session);
            request
        }))
        .map_err(|panic| bug(panic.as_ref()))?
        .map_err(|error| Error::from_reason(error.to_string()))?;
        serde_json::to_string(&request).map_err(|error| Error::from_reason(error.to_string()))
    }

    /// Returns the value of the property that the last request names in `attached`, as JSON. Returns `null` if the request
    /// names none.
    #[napi]
    pub fn attachment(&self) -> Option<String> {
        self.session.as_ref().and_then(Session::attachment)
    }
}

/// Generates the Rust server of a program. `program` is the document that plugins get, and `options` are JSON, too. Returns
/// the generated files and the errors as JSON.
#[napi]
#[allow(clippy::needless_pass_by_value)] // Reason: Node-API passes owned strings.
pub fn generate_rust_server(program: String, options: String) -> Result<String> {
    let made = catch_unwind(|| -> serde_json::Result<String> {
        let options = serde_json::from_str(&options)?;
        let program = serde_json::from_str(&program)?;
        serde_json::to_string(&kit_rust_server::generate(&program, &options))
    });
    made.map_err(|panic| bug(panic.as_ref()))?
        .map_err(|error| Error::from_reason(error.to_string()))
}

/// Returns the version of the addon.
#[napi]
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

fn bug(panic: &(dyn Any + Send)) -> Error {
    let message = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("it gave no message");
    Error::from_reason(format!(
        "bug in kit: {message}. Please report it with the sources that caused it"
    ))
}
