//! Error of an option.

use std::fmt;

/// Option of sessions, API keys or passwords that is not valid. The message names the option and the accepted values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionError(String);

impl OptionError {
    /// Creates the error. `owner` is what the option belongs to, such as `sessions`.
    pub(crate) fn new(owner: &str, problem: impl fmt::Display) -> Self {
        Self(format!("{owner}: {problem}"))
    }
}

impl fmt::Display for OptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for OptionError {}
