//! Errors about the files of TLS.

use std::fmt;
use std::path::Path;

/// Error about a file of TLS, or about two files that do not fit.
///
/// The text is a sentence that names the file, and advice on a second line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    help: String,
}

impl Error {
    pub(crate) fn new(message: String, help: String) -> Self {
        Self { message, help }
    }

    /// Returns the error for a file that cannot be read.
    pub(crate) fn unreadable(purpose: &str, file: &Path, reason: &dyn fmt::Display) -> Self {
        let file = file.display();
        Self::new(
            format!("the {purpose} {file} cannot be read: {reason}"),
            "give the path of a file in PEM that the user of the server may read".to_owned(),
        )
    }

    /// Returns the sentence about the problem.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the advice.
    pub fn help(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\nhelp: {}", self.message, self.help)
    }
}

impl std::error::Error for Error {}
