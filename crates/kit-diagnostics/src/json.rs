//! Diagnostics as JSON, for programs that run a build: the `BUILD_ERROR` of kit's specification.

use serde::Serialize;

use crate::{Diagnostics, Severity};

/// A failed build as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BuildFailure {
    /// Always `BUILD_ERROR`.
    pub code: &'static str,
    /// Name of the phase that reported the first error, such as `types`.
    pub phase: &'static str,
    /// All errors, in the order of the diagnostics.
    pub failures: Vec<Failure>,
    /// All warnings, in the order of the diagnostics.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<Failure>,
}

/// One error or one warning as JSON.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Path of the file, relative to the project's root. Absent if the mistake belongs to no file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line in the file, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in the line, counted from 1 in UTF-16 code units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Description of the mistake.
    pub message: String,
    /// Correction that the user can make.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
    /// Code of the kind of mistake, such as `KIT1302`.
    pub code: String,
}

impl BuildFailure {
    /// Converts diagnostics that contain at least one error.
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
