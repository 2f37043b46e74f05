//! Errors about the files of TLS.

use std::fmt;
use std::path::Path;

/// Error about a file of TLS, or about two files that do not fit.
///
/// The text is a sentence that names the file, and advice on a second line.
///
/// ```
/// # use kit_tls::{Certificates, MinimumVersion, Options};
/// let error = Certificates::load(Options {
///     certificate: "missing.pem".into(),
///     key: "missing.key".into(),
///     clients: None,
///     minimum_version: MinimumVersion::Tls12,
///     protocols: Vec::new(),
/// })
/// .unwrap_err();
/// assert!(error.message().starts_with("the certificate file missing.pem cannot be read: "));
/// assert!(error.help().starts_with("give the path of a file in PEM"));
/// ```
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
