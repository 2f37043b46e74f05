//! Regular expressions of ECMA-262.

use std::sync::OnceLock;

/// The regular expression of a `@pattern`, compiled when it is first asked. The build refuses one that can hang.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    compiled: OnceLock<Option<regress::Regex>>,
}

impl Pattern {
    /// The expression of that source.
    pub const fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }

    /// As written.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Whether a part of the text is a match.
    pub fn is_match(&self, text: &str) -> bool {
        let compiled = self
            .compiled
            .get_or_init(|| regress::Regex::with_flags(self.source, "u").ok());
        compiled.as_ref().is_some_and(|regex| regex.find(text).is_some())
    }
}
