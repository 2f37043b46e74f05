//! JSON form of diagnostics for programs: the specification's `BUILD_ERROR`.

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
    /// File, relative to the project's root; absent if the mistake belongs to no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column, from 1, in UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Description of the mistake.
    pub message: String,
    /// Correction for the user to make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Code, such as `KIT1302`.
    pub code: String,
}

impl BuildFailure {
    /// Creates the JSON form of diagnostics that contain at least one error.
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
