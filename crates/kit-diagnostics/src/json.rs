//! The form for programs: the specification's `BUILD_ERROR`.

use serde::Serialize;

use crate::{Diagnostics, Severity};

/// A failed build as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildFailure {
    /// Always `BUILD_ERROR`.
    pub code: &'static str,
    /// The phase of the first error.
    pub phase: &'static str,
    /// Every error, in order.
    pub failures: Vec<Failure>,
    /// Every warning, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Failure>,
}

/// One error or warning.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The file, relative to the project's root; absent where no file is to blame.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// What was found.
    pub message: String,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// `KIT1302`.
    pub code: String,
}

impl BuildFailure {
    /// The JSON form of diagnostics that hold at least one error.
    pub fn new(diagnostics: &Diagnostics) -> Self {
        let select = |severity| {
            diagnostics
                .iter()
                .filter(move |diagnostic| diagnostic.severity == severity)
                .map(|diagnostic| {
                    let place = diagnostic.primary();
                    Failure {
                        path: place.map(|label| label.path.clone()),
                        line: place.map(|label| label.line).filter(|line| *line > 0),
                        column: place.map(|label| label.column).filter(|column| *column > 0),
                        message: diagnostic.message.clone(),
                        suggestion: diagnostic.help.clone(),
                        code: diagnostic.code.name(),
                    }
                })
        };
        Self {
            code: "BUILD_ERROR",
            phase: diagnostics
                .iter()
                .find(|diagnostic| diagnostic.severity == Severity::Error)
                .map_or("build", |diagnostic| diagnostic.code.phase().name()),
            failures: select(Severity::Error).collect(),
            warnings: select(Severity::Warning).collect(),
        }
    }
}
