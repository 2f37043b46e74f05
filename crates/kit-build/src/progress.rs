//! Callbacks about the progress of a build.

use std::time::Duration;

/// Step of a build, to show its progress and duration. The phase of a diagnostic is
/// [`kit_diagnostics::Phase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Find the source files.
    Sources,
    /// Parse the source files and evaluate their types.
    Types,
    /// Compile the routes to a radix tree.
    Routes,
    /// Create the tables, and compare them with the committed migrations.
    Database,
    /// Generate the artifacts.
    Emit,
    /// Write the artifacts that changed.
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

    /// Returns the name for output, such as `types`.
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

/// Callbacks during a build. The callbacks cannot change the build.
pub trait Progress {
    /// Called before a step starts.
    fn started(&self, step: Step) {
        let _ = step;
    }

    /// Called after a step has ended; `took` is its duration.
    fn finished(&self, step: Step, took: Duration) {
        let _ = (step, took);
    }
}

/// Reports no progress.
impl Progress for () {}
