//! State of the server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use kit_build::{Inference, Session};
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

/// State of a project.
#[derive(Default)]
pub(crate) struct Project {
    pub(crate) session: Session,
    /// Kind of the analysis that is needed. `None` if nothing changed since the last analysis.
    pub(crate) changed: Option<Inference>,
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
        Self {
            changed: Some(Inference::Run),
            ..Self::default()
        }
    }

    /// Marks the project as changed.
    pub(crate) fn change(&mut self, inference: Inference) {
        if self.changed != Some(Inference::Run) {
            self.changed = Some(inference);
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
