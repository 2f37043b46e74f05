//! Mistakes of plugins.

use kit_diagnostics::Code;

use super::CodeLocation;

/// Mistake that a plugin made, for a diagnostic.
#[derive(Debug)]
pub(crate) struct Mistake {
    pub(super) code: Code,
    pub(super) message: String,
    pub(super) help: Option<String>,
    /// Location of the mistake in the plugin's code, if known.
    pub(super) location: Option<CodeLocation>,
}

impl Mistake {
    pub(super) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            help: None,
            location: None,
        }
    }

    #[must_use]
    pub(super) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the location of the mistake, unless it is already known.
    #[must_use]
    pub(super) fn at(mut self, location: Option<CodeLocation>) -> Self {
        self.location = self.location.or(location);
        self
    }
}

impl std::fmt::Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
