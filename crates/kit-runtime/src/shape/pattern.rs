//! Regular expressions of ECMA-262.

use std::sync::OnceLock;

/// Regular expression of a `@pattern`, compiled on first use. The build rejects expressions with catastrophic
/// backtracking.
#[derive(Debug)]
pub struct Pattern {
    source: &'static str,
    /// Source of an expression that matches in the same texts, and whose matching ends.
    tested: &'static str,
    compiled: OnceLock<Option<regress::Regex>>,
}

impl Pattern {
    /// Creates a pattern from its source, the text between the slashes in JavaScript.
    pub const fn new(source: &'static str) -> Self {
        Self::tested_as(source, source)
    }

    /// Creates a pattern whose texts are tested with another expression, which matches in the same texts. The build gives an
    /// expression without lazy repetitions, because the crate `regress` never ends for some of these: `^(?:b?)+?$` with the
    /// text `ba`.
    pub const fn tested_as(source: &'static str, tested: &'static str) -> Self {
        Self {
            source,
            tested,
            compiled: OnceLock::new(),
        }
    }

    /// Returns the source of the regular expression, without slashes.
    pub fn source(&self) -> &'static str {
        self.source
    }

    /// Returns true if the pattern matches a part of the string.
    pub fn is_match(&self, text: &str) -> bool {
        let compiled = self
            .compiled
            .get_or_init(|| regress::Regex::with_flags(self.tested, "u").ok());
        compiled.as_ref().is_some_and(|regex| regex.find(text).is_some())
    }
}
