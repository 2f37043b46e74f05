//! Notifications about the progress of a build.

use std::time::Duration;

/// Step of a build, for people. The phase of a diagnostic is [`kit_diagnostics::Phase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Finds the sources.
    Sources,
    /// Parses, resolves and evaluates the sources.
    Types,
    /// Compiles the route tree.
    Routes,
    /// Derives the tables and the pending migration.
    Database,
    /// Generates the artifacts.
    Emit,
    /// Writes changed files.
    Write,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Self; 6] = [
        Self::Sources,
        Self::Types,
        Self::Routes,
        Self::Database,
        Self::Emit,
        Self::Write,
    ];

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sources => "sources",
            Self::Types => "types",
            Self::Routes => "routes",
            Self::Database => "database",
            Self::Emit => "emit",
            Self::Write => "write",
        }
    }
}

/// Observer of a build. It cannot change the build.
pub trait Progress {
    /// Called when a step starts.
    fn started(&self, step: Step) {
        let _ = step;
    }

    /// Called when a step has ended; `took` is its duration.
    fn finished(&self, step: Step, took: Duration) {
        let _ = (step, took);
    }
}

/// Ignores all notifications.
impl Progress for () {}
