//! Result of a build.

use std::path::PathBuf;
use std::time::Duration;

use kit_diagnostics::Diagnostics;
use kit_ir::LiteralOption;
use kit_typescript::SourceTexts;

use crate::database::PendingChanges;
use crate::{FileChanges, NoContractTests, Step};

/// Result of a build.
#[derive(Debug, Clone)]
pub struct BuildReport {
    /// Errors and warnings, sorted. If there is an error, no file was written.
    pub diagnostics: Diagnostics,
    /// Texts of the source files, for excerpts in messages.
    pub sources: SourceTexts,
    /// Paths of the program's source files, in the order of the program.
    pub paths: Vec<String>,
    /// Every file that was read. A change to any of these files can change the output.
    pub dependencies: Vec<PathBuf>,
    /// Number of sources, types, entities and routes.
    pub counts: Counts,
    /// Paths of the generated contract tests, relative to the output directory, or the reason why there are none.
    pub contract_tests: Result<Vec<String>, NoContractTests>,
    /// Option `tls` of the calls of `listen`; `None` if no call has the option.
    pub tls: Option<LiteralOption>,
    /// Differences between the types and the committed migrations.
    pub pending: PendingChanges,
    /// Files that were written and removed.
    pub files: FileChanges,
    /// Duration of each step, in order.
    pub steps: Vec<(Step, Duration)>,
}

impl BuildReport {
    /// Returns true if the build had no errors, so the output directory matches the sources.
    pub fn succeeded(&self) -> bool {
        !self.diagnostics.has_errors()
    }
}

/// Counts that describe the size of a project.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of source files that were read.
    pub sources: usize,
    /// Number of named types.
    pub types: usize,
    /// Number of types that are stored in the database.
    pub entities: usize,
    /// Number of routes.
    pub routes: usize,
}
