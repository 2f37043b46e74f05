//! Why a command could not do its work, in the form for people and the form for programs.

use kit_build::BuildError;
use kit_diagnostics::{BuildFailure, Diagnostics, Failure, Severity, Sources};

use crate::console::Console;
use crate::{Exit, HostError};

/// What ends a command early.
pub(crate) enum Stop {
    /// Mistakes in the project.
    Diagnosed(Diagnostics, Box<dyn Sources>),
    /// Mistakes after the artifacts were written.
    Spoiled(Diagnostics, Box<dyn Sources>),
    /// Something around the project failed, or was refused.
    Failed(Problem),
    /// What was asked is not so, and the result says it.
    Told,
    /// A person pressed Ctrl-C at a question; what is said to it.
    Interrupted(&'static str),
}

/// A failure without a place in the sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    /// `code` of the JSON form.
    code: &'static str,
    /// `phase` of the JSON form.
    phase: &'static str,
    /// Usually one.
    reasons: Vec<Reason>,
}

/// One of the things that went wrong together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Reason {
    /// The file, where one is to blame.
    pub(crate) path: Option<String>,
    /// Its line and column, from 1.
    pub(crate) position: Option<(u32, u32)>,
    /// What happened.
    pub(crate) message: String,
    /// What to do.
    pub(crate) help: Option<String>,
    /// `code` of this failure in the JSON form, if another tool has one: `TS2322`.
    pub(crate) code: Option<String>,
}

impl Problem {
    /// A failure of a build.
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

    /// What the project's compiler found. People have read it in the compiler's own words.
    pub(crate) fn compile(reasons: Vec<Reason>) -> Self {
        Self {
            code: "BUILD_ERROR",
            phase: "compile",
            reasons,
        }
    }

    /// Type errors of the project's code.
    pub(crate) fn check_types(reasons: Vec<Reason>) -> Self {
        Self {
            code: "BUILD_ERROR",
            phase: crate::type_check::PHASE,
            reasons,
        }
    }

    /// A failure to answer what was asked of a project or a running app.
    pub(crate) fn inspection(message: impl Into<String>) -> Self {
        Self {
            code: "INSPECT_ERROR",
            phase: "inspect",
            reasons: vec![Reason::new(message)],
        }
    }

    /// Tests that could not be run.
    pub(crate) fn testing(message: impl Into<String>) -> Self {
        Self {
            code: "TEST_ERROR",
            phase: "test",
            reasons: vec![Reason::new(message)],
        }
    }

    /// A failure to make a project, or to add to one.
    pub(crate) fn scaffold(message: impl Into<String>) -> Self {
        Self {
            code: "SCAFFOLD_ERROR",
            phase: "scaffold",
            reasons: vec![Reason::new(message)],
        }
    }

    /// A failure to make or apply migrations.
    pub(crate) fn migration(reasons: Vec<Reason>) -> Self {
        Self {
            code: "MIGRATION_ERROR",
            phase: "database",
            reasons,
        }
    }

    /// Blames a file.
    pub(crate) fn at(mut self, path: &str) -> Self {
        for reason in &mut self.reasons {
            reason.path = Some(path.to_owned());
        }
        self
    }

    /// Says what to do.
    pub(crate) fn help(mut self, help: &str) -> Self {
        for reason in &mut self.reasons {
            reason.help = Some(help.to_owned());
        }
        self
    }
}

impl Reason {
    /// What happened, and nothing more to say about it.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            ..Self::default()
        }
    }
}

impl From<Problem> for Stop {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem)
    }
}

impl From<BuildError> for Stop {
    fn from(error: BuildError) -> Self {
        let phase = match error {
            BuildError::NoProject { .. } | BuildError::SourceDateEpoch { .. } | BuildError::Clock => {
                "configuration"
            }
            _ => "emit",
        };
        Self::Failed(Problem::build(phase, error.to_string()))
    }
}

impl From<HostError> for Stop {
    fn from(error: HostError) -> Self {
        Self::Failed(Problem::build("configuration", error.message))
    }
}

impl Stop {
    /// What happened in one line, and what to do, for a place that only mentions it.
    pub(crate) fn summary(&self) -> (String, Option<String>) {
        match self {
            Self::Told => ("it did not work".to_owned(), None),
            Self::Interrupted(text) => ((*text).to_owned(), None),
            Self::Diagnosed(diagnostics, _) | Self::Spoiled(diagnostics, _) => diagnostics
                .iter()
                .find(|diagnostic| diagnostic.severity == Severity::Error)
                .map_or_else(
                    || ("it did not work".to_owned(), None),
                    |first| (first.message.clone(), first.help.clone()),
                ),
            Self::Failed(problem) => problem.reasons.first().map_or_else(
                || ("it did not work".to_owned(), None),
                |reason| (reason.message.clone(), reason.help.clone()),
            ),
        }
    }

    /// How the command ends.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::Interrupted(_) => Exit::Interrupted,
            Self::Diagnosed(..) | Self::Spoiled(..) | Self::Failed(_) | Self::Told => Exit::Failure,
        }
    }

    /// Says it, on the right stream in the right form.
    pub(crate) fn report(&self, console: &Console<'_>) {
        match self {
            Self::Told => {}
            Self::Interrupted(text) => console.note(text),
            Self::Diagnosed(diagnostics, sources) => {
                console.json(&BuildFailure::new(diagnostics));
                if !console.is_json() {
                    console.diagnostics(diagnostics, sources.as_ref());
                }
            }
            Self::Spoiled(diagnostics, sources) => {
                console.json(&BuildFailure::new(diagnostics));
                if !console.is_json() {
                    console.late_diagnostics(diagnostics, sources.as_ref());
                }
            }
            Self::Failed(problem) => {
                console.json(&BuildFailure {
                    code: problem.code,
                    phase: problem.phase,
                    failures: problem
                        .reasons
                        .iter()
                        .map(|reason| failure(problem, reason))
                        .collect(),
                    warnings: Vec::new(),
                });
                if !console.is_json() {
                    for reason in &problem.reasons {
                        console.error(&reason.message);
                        if let Some(help) = &reason.help {
                            console.note(&format!("help: {help}"));
                        }
                    }
                }
            }
        }
    }
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
