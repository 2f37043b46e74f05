//! Errors of commands, which are printed as text or as JSON.

use kit_build::BuildError;
use kit_diagnostics::{BuildFailure, Diagnostics, Failure, Severity, Sources};
use kit_migrate::MigrateError;
use serde::Serialize;

use crate::console::Console;
use crate::{Exit, HostError};

/// Phase of the type check in the JSON of a failed build.
pub(crate) const CHECK_TYPES: &str = "check-types";

/// Reason why a command failed.
pub(crate) enum CommandError {
    /// Diagnostics with errors. No file was written.
    Diagnostics(Diagnostics, Box<dyn Sources>),
    /// Diagnostics with errors that were found after the artifacts were written.
    LateDiagnostics(Diagnostics, Box<dyn Sources>),
    /// A failure without a location in the sources, such as a database that is not available.
    Problem(Problem),
    /// The reason is already part of the printed result.
    Reported,
    /// The user pressed Ctrl-C at a question. The value is a message to print.
    Interrupted(&'static str),
    /// `kit diff` could not compare. The reason is about a state with this name, if it is about one of the states.
    Incomparable(Box<CommandError>, Option<String>),
}

/// A failure without a location in the sources, such as a database that is not available.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Error code in the JSON, such as `BUILD_ERROR`.
    code: &'static str,
    /// Phase in the JSON, such as `check-types`.
    phase: &'static str,
    /// Reasons of the failure. Most failures have one reason.
    reasons: Vec<Reason>,
}

/// One reason of a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reason {
    /// File that caused the failure, if any.
    pub(crate) path: Option<String>,
    /// Line and column in the file, both from 1.
    pub(crate) position: Option<(u32, u32)>,
    /// Description of the failure.
    pub(crate) message: String,
    /// Text that tells the user how to correct the problem.
    pub(crate) help: Option<String>,
    /// Error code of another tool that reported this reason: `TS2322`. The JSON contains it.
    pub(crate) code: Option<String>,
}

impl Problem {
    /// Creates a failure of a build.
    pub(crate) fn build(phase: &'static str, message: impl Into<String>) -> Self {
        Self {
            code: "BUILD_ERROR",
            phase,
            reasons: vec![Reason {
                message: message.into(),
                ..Reason::default()
            }],
        }
    }

    /// Creates a failure from the errors of the project's compiler. As text, the output of the compiler itself is printed
    /// instead.
    pub(crate) fn compile(reasons: Vec<Reason>) -> Self {
        Self {
            code: "BUILD_ERROR",
            phase: "compile",
            reasons,
        }
    }

    /// Creates a failure from type errors in the project's code.
    pub(crate) fn check_types(reasons: Vec<Reason>) -> Self {
        Self {
            code: "BUILD_ERROR",
            phase: CHECK_TYPES,
            reasons,
        }
    }

    /// Creates a failure of `kit inspect`.
    pub(crate) fn inspection(message: impl Into<String>) -> Self {
        Self {
            code: "INSPECT_ERROR",
            phase: "inspect",
            reasons: vec![Reason::new(message)],
        }
    }

    /// Creates a failure of `kit diff`.
    pub(crate) fn comparison(message: impl Into<String>) -> Self {
        Self {
            code: "DIFF_ERROR",
            phase: "diff",
            reasons: vec![Reason::new(message)],
        }
    }

    /// Creates a failure for tests that could not be run.
    pub(crate) fn testing(message: impl Into<String>) -> Self {
        Self {
            code: "TEST_ERROR",
            phase: "test",
            reasons: vec![Reason::new(message)],
        }
    }

    /// Creates a failure of `kit scaffold`.
    pub(crate) fn scaffold(message: impl Into<String>) -> Self {
        Self {
            code: "SCAFFOLD_ERROR",
            phase: "scaffold",
            reasons: vec![Reason::new(message)],
        }
    }

    /// Creates a failure of the commands for migrations.
    pub(crate) fn migration(reasons: Vec<Reason>) -> Self {
        Self {
            code: "MIGRATION_ERROR",
            phase: "database",
            reasons,
        }
    }

    /// Sets the file that caused the failure.
    pub(crate) fn at(mut self, path: &str) -> Self {
        for reason in &mut self.reasons {
            reason.path = Some(path.to_owned());
        }
        self
    }

    /// Sets the text that tells the user how to correct the problem.
    pub(crate) fn help(mut self, help: &str) -> Self {
        for reason in &mut self.reasons {
            reason.help = Some(help.to_owned());
        }
        self
    }
}

impl Reason {
    /// Creates a reason that only has a description.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }
}

impl From<&MigrateError> for Problem {
    fn from(error: &MigrateError) -> Self {
        Self::migration(vec![Reason {
            help: error.help().map(str::to_owned),
            ..Reason::new(error.to_string())
        }])
    }
}

impl From<Problem> for CommandError {
    fn from(problem: Problem) -> Self {
        Self::Problem(problem)
    }
}

impl From<BuildError> for CommandError {
    fn from(error: BuildError) -> Self {
        let phase = match error {
            BuildError::NoProject { .. } | BuildError::SourceDateEpoch { .. } | BuildError::Clock => {
                "configuration"
            }
            _ => "emit",
        };
        Self::Problem(Problem::build(phase, error.to_string()))
    }
}

impl From<HostError> for CommandError {
    fn from(error: HostError) -> Self {
        Self::Problem(Problem::build("configuration", error.message))
    }
}

impl CommandError {
    /// Returns the description on one line, and the help, for output that mentions the failure without
    /// details.
    pub(crate) fn summary(&self) -> (String, Option<String>) {
        match self {
            Self::Reported => ("the command failed".to_owned(), None),
            Self::Interrupted(text) => ((*text).to_owned(), None),
            Self::Incomparable(reason, _) => reason.summary(),
            Self::Diagnostics(diagnostics, _) | Self::LateDiagnostics(diagnostics, _) => diagnostics
                .iter()
                .find(|diagnostic| diagnostic.severity == Severity::Error)
                .map_or_else(
                    || ("the command failed".to_owned(), None),
                    |first| (first.message.clone(), first.help.clone()),
                ),
            Self::Problem(problem) => problem.reasons.first().map_or_else(
                || ("the command failed".to_owned(), None),
                |reason| (reason.message.clone(), reason.help.clone()),
            ),
        }
    }

    /// Returns the exit code.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Incomparable(..) => Exit::Incomparable,
            Self::Diagnostics(..) | Self::LateDiagnostics(..) | Self::Problem(_) | Self::Reported => {
                Exit::Failure
            }
        }
    }

    /// Prints the failure as text, or as JSON if it is requested.
    pub(crate) fn print(&self, console: &Console<'_>) {
        if !console.is_json() {
            return self.print_text(console);
        }
        if let Some(failure) = self.document() {
            let state = match self {
                Self::Incomparable(_, state) => state.as_deref(),
                _ => None,
            };
            console.json(&FailureOfState { failure, state });
        }
        if let Self::Interrupted(text) = self {
            console.note(text);
        }
    }

    fn print_text(&self, console: &Console<'_>) {
        match self {
            Self::Reported => {}
            Self::Interrupted(text) => console.note(text),
            Self::Incomparable(reason, _) => reason.print_text(console),
            Self::Diagnostics(diagnostics, sources) => console.diagnostics(diagnostics, sources.as_ref()),
            Self::LateDiagnostics(diagnostics, sources) => {
                console.late_diagnostics(diagnostics, sources.as_ref());
            }
            Self::Problem(problem) => {
                for reason in &problem.reasons {
                    console.error(&reason.message);
                    if let Some(help) = &reason.help {
                        console.note(&format!("help: {help}"));
                    }
                }
            }
        }
    }

    /// Returns the JSON of the failure. Returns `None` if the reason is already printed.
    fn document(&self) -> Option<BuildFailure> {
        match self {
            Self::Reported | Self::Interrupted(_) => None,
            Self::Incomparable(reason, _) => reason.document(),
            Self::Diagnostics(diagnostics, _) | Self::LateDiagnostics(diagnostics, _) => {
                Some(BuildFailure::new(diagnostics))
            }
            Self::Problem(problem) => {
                let failures = problem.reasons.iter();
                Some(BuildFailure {
                    code: problem.code,
                    phase: problem.phase,
                    failures: failures.map(|reason| failure(problem, reason)).collect(),
                    warnings: Vec::new(),
                })
            }
        }
    }

    /// Marks the failure as the reason why `kit diff` cannot compare. `state` is the name of the state that the failure is about, if
    /// it is about one.
    pub(crate) fn incomparable(self, state: Option<&str>) -> Self {
        match self {
            Self::Reported | Self::Interrupted(_) | Self::Incomparable(..) => self,
            reason => Self::Incomparable(Box::new(reason), state.map(str::to_owned)),
        }
    }

    /// Replaces a path in all texts of the failure, such as the path of a temporary directory.
    pub(crate) fn with_path(mut self, path: &str, by: &str) -> Self {
        let replace = |text: &mut String| {
            if text.contains(path) {
                *text = text.replace(path, by);
            }
        };
        match &mut self {
            Self::Reported | Self::Interrupted(_) | Self::Incomparable(..) => {}
            Self::Diagnostics(diagnostics, _) | Self::LateDiagnostics(diagnostics, _) => {
                for diagnostic in diagnostics.iter_mut() {
                    replace(&mut diagnostic.message);
                    diagnostic.notes.iter_mut().for_each(replace);
                    diagnostic.help.iter_mut().for_each(replace);
                }
            }
            Self::Problem(problem) => {
                for reason in &mut problem.reasons {
                    replace(&mut reason.message);
                    reason.path.iter_mut().for_each(replace);
                    reason.help.iter_mut().for_each(replace);
                }
            }
        }
        self
    }
}

/// JSON of a failure, with the state that the failure is about.
#[derive(Serialize)]
struct FailureOfState<'a> {
    #[serde(flatten)]
    failure: BuildFailure,
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<&'a str>,
}

fn failure(problem: &Problem, reason: &Reason) -> Failure {
    Failure {
        path: reason.path.clone(),
        line: reason.position.map(|(line, _)| line),
        column: reason.position.map(|(_, column)| column),
        message: reason.message.clone(),
        suggestion: reason.help.clone(),
        code: reason.code.clone().unwrap_or_else(|| problem.code.to_owned()),
    }
}
