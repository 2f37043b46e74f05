//! The agent on the other end of the streams, and the host of a tool that the agent may cancel.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::path::Path;
use std::time::Duration;

use kit_build::TapEvent;
use serde_json::Value;
use tokio::sync::oneshot;

use super::runtime::{Runtime, Turn};
use super::service::{Answer, Call};
use crate::context::Context;
use crate::{
    DatabaseAction, DatabaseResult, EnvFile, Event, Host, HostError, HostFuture, InputChunk, NodeExit,
    NodeRun, Serve, Stream, Watch,
};

/// The agent: its messages, and the calls that wait.
pub(super) struct Agent<'a> {
    context: &'a Context<'a>,
    runtime: RefCell<Runtime>,
    calls: RefCell<VecDeque<Call>>,
    has_ended: Cell<bool>,
}

impl<'a> Agent<'a> {
    pub(super) fn new(context: &'a Context<'a>, runtime: Runtime) -> Self {
        Self {
            context,
            runtime: RefCell::new(runtime),
            calls: RefCell::default(),
            has_ended: Cell::new(false),
        }
    }

    /// Reads what the agent has sent, and answers all messages but calls. Returns false if the agent has closed the stream.
    pub(super) async fn read(&self, wait: Duration) -> Result<bool, HostError> {
        if self.has_ended.get() {
            return Ok(false);
        }
        let chunk = self.context.host.read(wait).await?;
        let mut runtime = self.runtime.borrow_mut();
        runtime.push(&chunk.to_bytes());
        self.run_until_idle(&mut runtime);
        self.has_ended.set(chunk.ended);
        Ok(!chunk.ended)
    }

    /// Ends the service. A service that has ended drops the calls that it waits for, so all calls must have their answers.
    pub(super) fn end(&self) {
        let mut runtime = self.runtime.borrow_mut();
        runtime.end();
        self.run_until_idle(&mut runtime);
    }

    /// Returns the next call, if one waits. First sends the answers to earlier calls.
    pub(super) fn next_call(&self) -> Option<Call> {
        self.run_until_idle(&mut self.runtime.borrow_mut());
        self.calls.borrow_mut().pop_front()
    }

    /// Runs the protocol until the next message is needed.
    fn run_until_idle(&self, runtime: &mut Runtime) {
        loop {
            match runtime.turn() {
                Turn::Idle => return,
                Turn::Output(text) => {
                    // If the agent does not read any more, its stream ends soon.
                    let _ = self.context.environment.write(Stream::Out, &text);
                }
                Turn::Call(call) => self.calls.borrow_mut().push_back(call),
            }
        }
    }
}

/// Host of a tool. Reads messages of the agent while a program of the tool runs, and ends the program if the agent cancels the
/// call.
pub(super) struct CancellableHost<'a> {
    host: &'a dyn Host,
    agent: &'a Agent<'a>,
    reply: &'a oneshot::Sender<Answer>,
}

impl<'a> CancellableHost<'a> {
    pub(super) fn new(host: &'a dyn Host, agent: &'a Agent<'a>, reply: &'a oneshot::Sender<Answer>) -> Self {
        Self { host, agent, reply }
    }
}

impl Host for CancellableHost<'_> {
    fn run_node<'a>(&'a self, run: &'a NodeRun) -> HostFuture<'a, NodeExit> {
        Box::pin(async move {
            let mut run = Some(run);
            loop {
                if let Some(exit) = self.host.run_node_until_input(run.take()).await? {
                    return Ok(exit);
                }
                self.agent.read(Duration::ZERO).await?;
                if self.reply.is_closed() {
                    self.host.stop_node().await?;
                    return Err(HostError {
                        message: "the agent has cancelled the call".to_owned(),
                        at: None,
                    });
                }
            }
        })
    }

    fn load_config<'a>(&'a self, path: &'a Path) -> HostFuture<'a, Value> {
        self.host.load_config(path)
    }

    fn load_env<'a>(&'a self, root: &'a Path) -> HostFuture<'a, EnvFile> {
        self.host.load_env(root)
    }

    fn database_url<'a>(&'a self, root: &'a Path) -> HostFuture<'a, String> {
        self.host.database_url(root)
    }

    fn database<'a>(&'a self, root: &'a Path, action: DatabaseAction) -> HostFuture<'a, DatabaseResult> {
        self.host.database(root, action)
    }

    fn run_tap<'a>(&'a self, plugin: usize, hook: &'static str, event: TapEvent) -> HostFuture<'a, Value> {
        self.host.run_tap(plugin, hook, event)
    }

    fn run_tap_until_input<'a>(
        &'a self,
        plugin: usize,
        hook: &'static str,
        event: TapEvent,
    ) -> HostFuture<'a, Option<Value>> {
        self.host.run_tap_until_input(plugin, hook, event)
    }

    fn run_node_until_input<'a>(&'a self, run: Option<&'a NodeRun>) -> HostFuture<'a, Option<NodeExit>> {
        self.host.run_node_until_input(run)
    }

    fn stop_node(&self) -> HostFuture<'_, ()> {
        self.host.stop_node()
    }

    fn watch<'a>(&'a self, what: &'a Watch) -> HostFuture<'a, ()> {
        self.host.watch(what)
    }

    fn wait(&self) -> HostFuture<'_, Event> {
        self.host.wait()
    }

    fn serve<'a>(&'a self, what: &'a Serve) -> HostFuture<'a, Event> {
        self.host.serve(what)
    }

    fn hold_signals(&self, hold: bool) -> HostFuture<'_, ()> {
        self.host.hold_signals(hold)
    }

    fn end_input_with(&self, process: u32) -> HostFuture<'_, ()> {
        self.host.end_input_with(process)
    }

    fn read(&self, wait: Duration) -> HostFuture<'_, InputChunk> {
        self.host.read(wait)
    }
}
