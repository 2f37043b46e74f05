//! What a build tells whoever watches it.

use std::time::Duration;

/// A stretch of a build. Named for people; the phase of a diagnostic is [`kit_diagnostics::Phase`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Step {
    /// Finding the sources.
    Sources,
    /// Parsing, resolving and evaluating them.
    Types,
    /// Compiling the route tree.
    Routes,
    /// Deriving tables and the pending migration.
    Database,
    /// Making the artifacts.
    Emit,
    /// Writing what changed.
    Write,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 6] = [
        Self::Sources,
        Self::Types,
        Self::Routes,
        Self::Database,
        Self::Emit,
        Self::Write,
    ];

    /// The name in reports.
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

/// Watches a build. Nothing that it does changes the build.
pub trait Progress {
    /// A step begins.
    fn started(&self, step: Step) {
        let _ = step;
    }

    /// A step ended, after so long.
    fn finished(&self, step: Step, took: Duration) {
        let _ = (step, took);
    }
}

/// Watches nothing.
impl Progress for () {}
