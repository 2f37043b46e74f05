//! State of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use kit_build::{Rerun, Session, TypeRun};
use serde_json::json;

use crate::connection::{Analyzed, Connection};
use crate::documents::Documents;
use crate::frames::frame;
use crate::protocol::Outgoing;
use crate::published::FileDiagnostics;

/// Phase of the conversation with the editor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    New,
    Running,
    ShutDown,
}

/// The server.
pub(crate) struct Server<'a> {
    pub(crate) connection: &'a dyn Connection,
    pub(crate) phase: Phase,
    pub(crate) documents: Documents,
    pub(crate) projects: BTreeMap<PathBuf, Project>,
    pub(crate) folders: BTreeSet<PathBuf>,
    /// True if the editor can watch files for the server.
    pub(crate) can_watch: bool,
    /// True if the editor does not read any more.
    pub(crate) is_closed: bool,
}

/// Kind of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Edit {
    /// The text is only in the editor.
    Unsaved,
    /// The file on the disk changed.
    Saved,
}

/// Work for a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    Analyze(Rerun),
    StartTypeScript,
}

/// Maximum number of runs of TypeScript after a file was saved. A run finds more files only if the declarations of one file
/// need types of another file.
const MAX_TYPE_RUNS: usize = 4;

/// State of a project.
#[derive(Default)]
pub(crate) struct Project {
    pub(crate) session: Session,
    /// True if a file changed since the last analysis.
    pub(crate) has_changed: bool,
    /// True if plugins must run again, because the last analysis used their last results.
    pub(crate) needs_plugins: bool,
    /// True if a file was saved since TypeScript inferred types.
    pub(crate) needs_types: bool,
    /// TypeScript, while it infers types.
    pub(crate) type_run: Option<TypeRun>,
    /// Number of runs of TypeScript since a file was saved.
    pub(crate) type_runs: usize,
    /// Last successful analysis.
    pub(crate) analyzed: Option<Analyzed>,
    /// Diagnostics that the editor shows.
    pub(crate) published: FileDiagnostics,
    /// Last message about a failure of the environment.
    pub(crate) failure: Option<String>,
}

impl Project {
    /// Creates the state of a project that was not analyzed yet.
    pub(crate) fn unknown() -> Self {
        let mut project = Self::default();
        project.change(Edit::Saved);
        project
    }

    /// Marks the project as changed.
    pub(crate) fn change(&mut self, edit: Edit) {
        self.has_changed = true;
        if edit == Edit::Saved {
            self.needs_types = true;
            self.type_runs = 0;
        }
    }

    /// Returns the work that is left. Work on which answers depend comes first.
    pub(crate) fn work(&self) -> Option<Work> {
        if self.has_changed {
            Some(Work::Analyze(Rerun::Nothing))
        } else if self.needs_plugins {
            Some(Work::Analyze(Rerun::Plugins))
        } else if self.needs_types && self.type_run.is_none() && self.type_runs < MAX_TYPE_RUNS {
            Some(Work::StartTypeScript)
        } else {
            None
        }
    }
}

impl Server<'_> {
    /// Sends a message to the editor.
    pub(crate) fn send(&mut self, message: &Outgoing<'_>) {
        let text = serde_json::to_string(message).expect("messages have string keys and finite numbers");
        if !self.connection.write(&frame(&text)) {
            self.is_closed = true;
        }
    }

    /// Sends a message for the log of the editor.
    pub(crate) fn log(&mut self, text: &str) {
        let params = json!({ "type": 2, "message": text });
        self.send(&Outgoing::notification("window/logMessage", params));
    }
}
