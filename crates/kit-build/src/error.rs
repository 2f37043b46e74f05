//! Errors of the environment: files, permissions, the clock. Mistakes in the project are diagnostics instead.

use std::io;
use std::path::PathBuf;

/// Error of the environment. Mistakes in the project are diagnostics of the report instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The root of the project is not a directory.
    #[error("there is no directory {}", root.display())]
    NoProject {
        /// Path of the project's root.
        root: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// Name of the operation: `read`, `write`.
        action: &'static str,
        /// Path that the operation failed on.
        path: PathBuf,
        /// Cause of the failure.
        source: io::Error,
    },
    /// The output directory contains files that kit did not create.
    #[error(
        "the output directory {} contains files that kit did not write; empty it, or set another `outputDir`",
        path.display()
    )]
    ForeignOutput {
        /// Path of the directory.
        path: PathBuf,
    },
    /// The list of generated files, `.manifest.json`, is damaged. Without it, kit cannot know which files in
    /// the directory it wrote itself.
    #[error("{} is damaged ({reason}); delete the directory that contains this file, and build again", path.display())]
    Manifest {
        /// Path of the damaged list.
        path: PathBuf,
        /// Description of the damage, such as invalid JSON.
        reason: String,
    },
    /// Another build uses the output directory and did not release it in time.
    #[error("another build is writing to {} and did not finish within {seconds} s", path.display())]
    Busy {
        /// Path of the output directory.
        path: PathBuf,
        /// Seconds that the build waited.
        seconds: u64,
    },
    /// `SOURCE_DATE_EPOCH` is not a valid time.
    #[error(
        "SOURCE_DATE_EPOCH must be a whole number of seconds since 1970 and before the year 10000, but is `{value}`"
    )]
    SourceDateEpoch {
        /// Value of the variable.
        value: String,
    },
    /// The clock of the machine shows a year that kit's date format cannot represent.
    #[error(
        "the clock of this machine shows a year that kit cannot write; set the clock, or set SOURCE_DATE_EPOCH"
    )]
    Clock,
    /// The host stopped the functions of the plugins, because the caller has other work.
    #[error("the plugins were stopped")]
    Interrupted,
    /// Two artifacts have the same path, or the path of an artifact is outside of the output directory.
    #[error(
        "kit generated an artifact with the path `{path}`, which {problem}. This is a bug in kit; please report it"
    )]
    Artifact {
        /// Path of the artifact.
        path: String,
        /// Description of the problem.
        problem: &'static str,
    },
}

impl BuildError {
    /// Returns a function for `map_err` that adds the operation and the path to an [`io::Error`].
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
