//! What goes wrong that is nobody's mistake in the sources: files, permissions, the environment.

use std::io;
use std::path::PathBuf;

/// A failure of the environment. Mistakes in the project are diagnostics of the report instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The root is no directory.
    #[error("there is no directory {}", root.display())]
    NoProject {
        /// The root.
        root: PathBuf,
    },
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: `read`, `write`.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// Why it failed.
        source: io::Error,
    },
    /// The output directory holds files that kit did not make.
    #[error(
        "the output directory {} holds files that kit did not make; empty it, or set another `outputDir`",
        path.display()
    )]
    ForeignOutput {
        /// The directory.
        path: PathBuf,
    },
    /// The list of generated files is damaged, so that stale ones cannot be told from others.
    #[error("{} is damaged ({reason}); delete the directory it is in and build again", path.display())]
    Manifest {
        /// The list.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another build holds the output directory.
    #[error("another build is writing to {} and did not finish within {seconds} s", path.display())]
    Busy {
        /// The output directory.
        path: PathBuf,
        /// How long it was waited for.
        seconds: u64,
    },
    /// `SOURCE_DATE_EPOCH` is no time.
    #[error(
        "SOURCE_DATE_EPOCH must be a whole number of seconds since 1970 and before the year 10000, but is `{value}`"
    )]
    SourceDateEpoch {
        /// What it holds.
        value: String,
    },
    /// The clock of the machine shows a year that cannot be written.
    #[error("the clock of this machine is out of range; set it, or set SOURCE_DATE_EPOCH")]
    Clock,
    /// Two artifacts, or one outside of the output directory.
    #[error(
        "kit made an artifact with the path `{path}`, which {problem}. This is a bug in kit; please report it"
    )]
    Artifact {
        /// The path.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
}

impl BuildError {
    /// For `map_err` of a file operation.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}
