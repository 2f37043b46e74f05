//! A command of the whole test, and the groups in which commands run.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Maximum time of a job. The slowest job takes less than half of this on 2 processors. A job that hangs must not take the
/// time of the whole run.
const TIMEOUT: Duration = Duration::from_mins(15);

/// Maximum time of a job with `--long`.
pub(super) const LONG_TIMEOUT: Duration = Duration::from_hours(3);

/// A command that runs tests: one test binary, one test file, or all doc tests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) tests: Tests,
    /// Environment variables for the command, in addition to the variables of this program.
    pub(crate) variables: Vec<(String, String)>,
    /// Time after which the job is stopped and counts as failed.
    pub(crate) timeout: Duration,
}

/// The tests that a job runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Tests {
    /// A compiled test binary of a crate.
    Binary {
        /// Directory of the crate. The binary runs in it, as with `cargo test`.
        directory: PathBuf,
        path: PathBuf,
    },
    /// Examples in the doc comments of all crates.
    Documentation,
    /// A file with tests for `node:test`, relative to the root of the repository.
    NodeFile {
        file: String,
        /// Value of `KIT_E2E_SERVER`; `None` if it is not set.
        server: Option<&'static str>,
    },
}

/// Jobs that run one after another in this order, because they must not run at the same time.
pub(crate) type Group = Vec<Job>;

impl From<Tests> for Job {
    fn from(tests: Tests) -> Self {
        Self {
            tests,
            variables: Vec::new(),
            timeout: TIMEOUT,
        }
    }
}

impl Job {
    /// Returns the name of the crate and the name of the test binary. Returns `None` for other jobs.
    pub(crate) fn binary(&self) -> Option<(String, String)> {
        let Tests::Binary { directory, path } = &self.tests else {
            return None;
        };
        let of_crate = directory.file_name()?.to_string_lossy().into_owned();
        let file = path.file_stem()?.to_string_lossy();
        // The name of the file ends with a hash that changes with the sources: `api-0f3a`.
        let binary = file.rsplit_once('-').map_or(&*file, |(name, _hash)| name);
        Some((of_crate, binary.to_owned()))
    }
}

/// Formats the name of the job: the path of a file and its server, or `cargo test -p`, the crate and the binary.
impl fmt::Display for Job {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.tests {
            Tests::Binary { path, .. } => match self.binary() {
                Some((of_crate, binary)) => write!(out, "cargo test -p {of_crate} {binary}"),
                None => write!(out, "{}", path.display()),
            },
            Tests::Documentation => out.write_str("doc tests"),
            Tests::NodeFile { file, server: None } => out.write_str(file),
            Tests::NodeFile {
                file,
                server: Some(server),
            } => write!(out, "{file} on {server}"),
        }
    }
}
