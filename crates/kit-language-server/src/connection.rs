//! Interface to the process that runs the server.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use kit_build::{Analysis, FileSystem, Rerun, ResolvedConfig, Session};
use kit_diagnostics::{Diagnostics, Sources};

/// Future of an operation of a [`Connection`].
pub type ConnectionFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Operations that the server needs of its process: streams to the editor, and the analysis of projects.
pub trait Connection {
    /// Reads bytes that the editor has sent. If there are none, waits for bytes, but at most this long, and then returns
    /// [`Input::Nothing`].
    fn read(&self, wait: Duration) -> ConnectionFuture<'_, Input>;

    /// Ends the input as soon as a process has ended: the editor, which may end without closing the stream.
    fn end_with(&self, process: u32) -> ConnectionFuture<'_, ()>;

    /// Writes text to the editor. Returns false if the editor does not read any more.
    fn write(&self, text: &str) -> bool;

    /// Reads the configuration of a project, and analyzes the project with the files of `files`. Writes no artifacts. Returns
    /// [`Failed::Interrupted`] if bytes arrive while plugins run that have run before.
    fn analyze<'a>(
        &'a self,
        root: &'a Path,
        files: Arc<dyn FileSystem>,
        rerun: Rerun,
        session: &'a mut Session,
    ) -> ConnectionFuture<'a, Result<Analyzed, Failed>>;
}

/// Result of [`Connection::read`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Bytes, in any division.
    Bytes(Vec<u8>),
    /// No bytes are there.
    Nothing,
    /// The editor has closed the stream.
    End,
}

/// A project that was analyzed. It may have mistakes.
pub struct Analyzed {
    /// Result of the analysis.
    pub analysis: Analysis,
    /// Configuration of the project.
    pub config: ResolvedConfig,
    /// Warnings about the configuration.
    pub warnings: Diagnostics,
}

/// Reason why a project could not be analyzed.
pub enum Failed {
    /// The configuration has mistakes.
    Diagnostics(Diagnostics, Box<dyn Sources>),
    /// The environment failed.
    Message(String),
    /// The editor has sent bytes, and the plugins were not awaited.
    Interrupted,
}
