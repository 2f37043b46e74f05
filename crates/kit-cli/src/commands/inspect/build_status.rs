//! State of the output directory of a project.

use kit_build::check_with;
use kit_diagnostics::Severity;

use super::built_project::Built;
use crate::commands::build_steps::request;
use crate::console::quantity;
use crate::context::Context;
use crate::failure::CommandError;
use crate::plugins::Plugins;
use crate::project::build_time;

/// State of the output directory, compared with the sources. kit does not store this state. It runs a build that writes
/// nothing and looks at the result.
pub(crate) enum BuildStatus {
    /// The output directory is up to date.
    Cached,
    /// The output directory is out of date. A build would write or remove this number of files.
    Built(usize),
    /// The sources have this number of errors, so the output directory is the result of an earlier build.
    Failed(usize),
    /// There is no output directory.
    None,
}

impl BuildStatus {
    pub(crate) async fn of(built: &Built, context: &Context<'_>) -> Result<Self, CommandError> {
        if !built.exists() {
            return Ok(Self::None);
        }
        let time = build_time(context.environment)?;
        let request = request(&built.project, &time);
        let report = check_with(&request, &Plugins(context.host), &()).await?;
        if !report.succeeded() {
            let errors = report.diagnostics.iter();
            let errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
            return Ok(Self::Failed(errors.count()));
        }
        let files = &report.files;
        Ok(
            match files.written.len() + files.removed.len() + files.project.len() {
                0 => Self::Cached,
                stale => Self::Built(stale),
            },
        )
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Built(_) => "built",
            Self::Failed(_) => "failed",
            Self::None => "none",
        }
    }

    pub(super) fn words(&self, directory: &str) -> String {
        match self {
            Self::Cached => format!("{directory}/ is up to date"),
            Self::Built(stale) => format!(
                "{directory}/ is built, but the sources changed after the build: `kit build` would write {}",
                quantity(*stale, "file")
            ),
            Self::Failed(errors) => format!(
                "the sources have {}, so {directory}/ is from an earlier build: run `kit build` to see the mistakes",
                quantity(*errors, "mistake")
            ),
            Self::None => "not built yet: run `kit build`".to_owned(),
        }
    }
}
