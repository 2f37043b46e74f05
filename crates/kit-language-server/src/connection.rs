//! Interface to the process that runs the server.

use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;

use kit_build::{Analysis, FileSystem, Inference, ResolvedConfig, Session};
use kit_diagnostics::{Diagnostics, Sources};

/// Future of an operation of a [`Connection`].
pub type ConnectionFuture<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Operations that the server needs of its process: streams to the editor, and the analysis of projects.
pub trait Connection {
    /// Reads bytes that the editor has sent. If there are none, waits for bytes if `wait` is true, and otherwise returns
    /// [`Input::Nothing`].
    fn read(&self, wait: bool) -> ConnectionFuture<'_, Input>;

    /// Writes text to the editor. Returns false if the editor does not read any more.
    fn write(&self, text: &str) -> bool;

    /// Reads the configuration of a project, and analyzes the project with the files of `files`. Writes no artifacts.
    fn analyze<'a>(
        &'a self,
        root: &'a Path,
        files: Arc<dyn FileSystem>,
        inference: Inference,
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
}
