//! Runs a command as a sequence of requests and replies, for a host in JavaScript. The command runs until it needs the host
//! and returns a request. The host calls [`Session::step`] with the reply, and the command continues. This needs no threads
//! and no async runtime.

use std::cell::RefCell;
use std::ffi::OsString;
use std::path::Path;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use kit_build::{Attachment, CodeLocation, TapEvent};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    DatabaseAction, DatabaseResult, EnvFile, Environment, Event, Exit, Host, HostError, HostFuture,
    InputChunk, NodeExit, NodeRun, Serve, Watch, run,
};

/// Request of a command to its host, or the end of the command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "kind")]
pub enum Request {
    /// Import this configuration file, and reply with its default export.
    LoadConfig {
        /// Absolute path of the file.
        path: String,
    },
    /// Set the variables of this project's `.env` and reply with an [`EnvFile`].
    LoadEnv {
        /// Absolute path of the project.
        root: String,
    },
    /// Start the embedded database of this project and reply with its URL.
    DatabaseUrl {
        /// Absolute path of the project.
        root: String,
    },
    /// Perform an action on the embedded database of this project and reply with a [`DatabaseResult`].
    Database {
        /// Absolute path of the project.
        root: String,
        /// Action to perform.
        #[serde(flatten)]
        action: DatabaseAction,
    },
    /// Run a plugin's function for a hook, and reply with its result.
    #[serde(rename_all = "camelCase")]
    RunTap {
        /// Index of the plugin in the configuration.
        plugin: usize,
        /// Name of the hook.
        hook: &'static str,
        /// Event for the function, without the property that `attached` names.
        event: Value,
        /// True to reply with `null` as soon as bytes arrive on standard input.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        until_input: bool,
        /// Name of a property of the event with a long value. [`Session::attachment`] returns the value as JSON.
        attached: Option<&'static str>,
        /// Value of the property, which is not part of the request's JSON.
        #[serde(skip)]
        attachment: Option<Attachment>,
    },
    /// Run Node, and reply with a [`NodeExit`] after it has exited.
    RunNode(NodeRun),
    /// Run Node, and reply with a [`NodeExit`] after it has exited, or with `null` as soon as bytes arrive on standard input.
    RunNodeUntilInput {
        /// Node to run; `None` to wait for the Node that runs.
        run: Option<NodeRun>,
    },
    /// End the Node that runs, and reply after it has exited.
    StopNode,
    /// Watch these files and reply immediately.
    Watch(Watch),
    /// Reply with the next event as soon as it occurs.
    Wait,
    /// Serve an application in development and reply with the next event.
    Serve(Serve),
    /// Keep signals from ending this process, or end it by a signal that has arrived, and reply immediately.
    HoldSignals {
        /// True to keep signals from ending the process.
        hold: bool,
    },
    /// End standard input as soon as this process has ended, and reply immediately.
    EndInputWith {
        /// Number of the process.
        process: u32,
    },
    /// Reply with the bytes that arrived on standard input, as an [`InputChunk`](crate::InputChunk).
    #[serde(rename_all = "camelCase")]
    Read {
        /// Maximum time in milliseconds to wait for bytes if there are none.
        wait_ms: u32,
    },
    /// The command has ended: exit with this code.
    Exit {
        /// The exit code.
        code: u8,
    },
}

/// The host's reply to a request.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", untagged)]
pub enum Reply {
    /// The operation failed.
    Error {
        /// Message for the user.
        error: String,
        /// Location in the project's code, if known.
        #[serde(default)]
        at: Option<CodeLocation>,
    },
    /// The operation succeeded.
    Value {
        /// Result of the operation.
        value: Value,
    },
}

/// Error for a host that calls [`Session::step`] wrongly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionError {
    /// The host did not give the reply to the last request, or gave a reply in the first step.
    UnexpectedReply,
    /// The host called `step` after the command had ended.
    Ended,
}

impl std::fmt::Display for SessionError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::UnexpectedReply => {
                "a step must carry the reply to the last request, and the first step none"
            }
            Self::Ended => "the command has ended",
        })
    }
}

impl std::error::Error for SessionError {}

/// A command that runs in steps.
pub struct Session {
    command: Option<Pin<Box<dyn Future<Output = Exit>>>>,
    exchange: Rc<Exchange>,
}

impl Session {
    /// Creates a session. The command starts with the first step. `args` do not contain the program's name.
    pub fn new(args: Vec<OsString>, environment: impl Environment + 'static) -> Self {
        let exchange = Rc::new(Exchange::default());
        let host = Rc::clone(&exchange);
        Self {
            command: Some(Box::pin(async move { run(args, &environment, &*host).await })),
            exchange,
        }
    }

    /// Runs the command until its next request to the host or its end. `reply` is the reply to the last request, `None` in
    /// the first step.
    ///
    /// # Errors
    /// Returns an error if `reply` does not fit the last request, or the command has ended.
    ///
    /// # Panics
    /// Panics if the command panics, which is a bug in kit.
    pub fn step(&mut self, reply: Option<Reply>) -> Result<Request, SessionError> {
        let command = self.command.as_mut().ok_or(SessionError::Ended)?;
        self.exchange.receive(reply)?;
        match command.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(exit) => {
                self.command = None;
                Ok(Request::Exit { code: exit.code() })
            }
            Poll::Pending => Ok(self
                .exchange
                .asked()
                .expect("a command that waits has asked its host for something")),
        }
    }

    /// Returns the value of the property that the pending request names in `attached`, as JSON. Returns `None` if the request
    /// has no attachment. Each call creates the JSON again.
    pub fn attachment(&self) -> Option<String> {
        let state = self.exchange.state.borrow();
        let State::Asked(request) = &*state else {
            return None;
        };
        match &**request {
            Request::RunTap { attachment, .. } => attachment.as_ref().map(Attachment::text),
            _ => None,
        }
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session")
            .field("ended", &self.command.is_none())
            .finish_non_exhaustive()
    }
}

/// Passes requests and replies between command and host. Only one request is pending at a time, because the command waits for
/// the reply.
#[derive(Default)]
struct Exchange {
    state: RefCell<State>,
}

#[derive(Default)]
enum State {
    #[default]
    Idle,
    Asked(Box<Request>),
    Replied(Reply),
}

impl Exchange {
    fn receive(&self, reply: Option<Reply>) -> Result<(), SessionError> {
        let mut state = self.state.borrow_mut();
        *state = match (&*state, reply) {
            (State::Idle, None) => State::Idle,
            (State::Asked(_), Some(reply)) => State::Replied(reply),
            _ => return Err(SessionError::UnexpectedReply),
        };
        Ok(())
    }

    fn asked(&self) -> Option<Request> {
        match &*self.state.borrow() {
            State::Asked(request) => Some(Request::clone(request)),
            State::Idle | State::Replied(_) => None,
        }
    }

    async fn ask(&self, request: Request) -> Result<Value, HostError> {
        *self.state.borrow_mut() = State::Asked(Box::new(request));
        let reply = std::future::poll_fn(|_| {
            let mut state = self.state.borrow_mut();
            match std::mem::take(&mut *state) {
                State::Replied(reply) => Poll::Ready(reply),
                waiting => {
                    *state = waiting;
                    Poll::Pending
                }
            }
        })
        .await;
        match reply {
            Reply::Value { value } => Ok(value),
            Reply::Error { error, at } => Err(HostError { message: error, at }),
        }
    }
}

impl Host for Exchange {
    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value> {
        Box::pin(self.ask(Request::LoadConfig {
            path: path.to_string_lossy().into_owned(),
        }))
    }

    fn load_env<'a>(&'a self, root: &'a Path) -> HostFuture<'a, EnvFile> {
        Box::pin(async move {
            let root = root.to_string_lossy().into_owned();
            let value = self.ask(Request::LoadEnv { root }).await?;
            parsed(value, "list of environment variables")
        })
    }

    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String> {
        Box::pin(async move {
            let value = self
                .ask(Request::DatabaseUrl {
                    root: root.to_string_lossy().into_owned(),
                })
                .await?;
            match value {
                Value::String(url) => Ok(url),
                other => Err(HostError {
                    message: format!("the embedded database returned `{other}` instead of a URL"),
                    at: None,
                }),
            }
        })
    }

    fn database<'a>(&'a self, root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseResult> {
        Box::pin(async move {
            let value = self
                .ask(Request::Database {
                    root: root.to_string_lossy().into_owned(),
                    action,
                })
                .await?;
            parsed(value, "result of the embedded database")
        })
    }

    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value> {
        Box::pin(self.ask(run_tap(plugin, hook, event, false)))
    }

    fn run_tap_until_input<'a>(
        &'a self,
        plugin: usize,
        hook: &'static str,
        event: TapEvent,
    ) -> HostFuture<'a, Option<Value>> {
        Box::pin(async move {
            let value = self.ask(run_tap(plugin, hook, event, true)).await?;
            Ok((!value.is_null()).then_some(value))
        })
    }

    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeExit> {
        Box::pin(async move {
            parsed(
                self.ask(Request::RunNode(run.clone())).await?,
                "exit status of Node",
            )
        })
    }

    fn run_node_until_input<'a>(&'a self, run: Option<&'a NodeRun>) -> HostFuture<'a, Option<NodeExit>> {
        Box::pin(async move {
            let run = run.cloned();
            parsed(
                self.ask(Request::RunNodeUntilInput { run }).await?,
                "exit status of Node",
            )
        })
    }

    fn stop_node(&self) -> HostFuture<'_, ()> {
        Box::pin(async move { self.ask(Request::StopNode).await.map(|_| ()) })
    }

    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()> {
        Box::pin(async move { self.ask(Request::Watch(what.clone())).await.map(|_| ()) })
    }

    fn wait(&self) -> HostFuture<'_, Event> {
        Box::pin(async move { parsed(self.ask(Request::Wait).await?, "event") })
    }

    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event> {
        Box::pin(async move { parsed(self.ask(Request::Serve(what.clone())).await?, "event") })
    }

    fn hold_signals(&self, hold: bool) -> HostFuture<'_, ()> {
        Box::pin(async move { self.ask(Request::HoldSignals { hold }).await.map(|_| ()) })
    }

    fn end_input_with(&self, process: u32) -> HostFuture<'_, ()> {
        Box::pin(async move { self.ask(Request::EndInputWith { process }).await.map(|_| ()) })
    }

    fn read(&self, wait: Duration) -> HostFuture<'_, InputChunk> {
        Box::pin(async move {
            let wait_ms = u32::try_from(wait.as_millis()).unwrap_or(u32::MAX);
            parsed(
                self.ask(Request::Read { wait_ms }).await?,
                "part of standard input",
            )
        })
    }
}

fn run_tap(plugin: usize, hook: &'static str, event: TapEvent, until_input: bool) -> Request {
    let TapEvent { document, attachment } = event;
    Request::RunTap {
        plugin,
        hook,
        event: document,
        until_input,
        attached: attachment.as_ref().map(|attachment| attachment.name),
        attachment,
    }
}

/// Parses a reply of the host. `what` describes the reply.
fn parsed<T: DeserializeOwned>(reply: Value, what: &str) -> Result<T, HostError> {
    serde_json::from_value(reply).map_err(|error| HostError {
        message: format!("kit's host sent an invalid {what}: {error}"),
        at: None,
    })
}
