//! Rules for bodies that depend on the method and path of a request.

use std::fmt;
use std::sync::Arc;

/// Rules for the bodies of one route.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BodyRule {
    /// Maximum size of a body in bytes; `None` if [`crate::Limits::body_bytes`] applies.
    pub limit: Option<usize>,
    /// True if the handler receives the request as soon as its head is read, and reads the body in chunks
    /// ([`crate::Engine::read_body`]).
    pub is_streamed: bool,
}

/// Function that returns the rules for a method and a path. The path is as the client has sent it.
type RuleOf = dyn Fn(&str, &str) -> BodyRule + Send + Sync;

/// Rules for the bodies of single routes. The engine applies them before it reads a body.
#[derive(Clone)]
pub struct BodyRules {
    largest: usize,
    rule_of: Arc<RuleOf>,
}

impl BodyRules {
    /// Creates the rules. `largest` is the maximum limit that `rule_of` returns.
    pub fn new(largest: usize, rule_of: impl Fn(&str, &str) -> BodyRule + Send + Sync + 'static) -> Self {
        Self {
            largest,
            rule_of: Arc::new(rule_of),
        }
    }
}

impl fmt::Debug for BodyRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BodyRules")
            .field("largest", &self.largest)
            .finish_non_exhaustive()
    }
}

/// Rules for the bodies of a connection's requests.
pub(crate) struct ConnectionBodyRules {
    /// Maximum size of a body, for requests without a limit of their own.
    default: usize,
    by_request: Option<BodyRules>,
}

impl ConnectionBodyRules {
    pub(crate) fn new(default: usize, by_request: Option<BodyRules>) -> Self {
        Self { default, by_request }
    }

    /// Returns the limit above which every body is too large.
    pub(crate) fn largest(&self) -> usize {
        self.by_request
            .as_ref()
            .map_or(self.default, |rules| rules.largest.max(self.default))
    }

    /// Returns the maximum size of the body of a request, and true if the handler reads the body in chunks.
    pub(crate) fn of(&self, method: &str, path: &str) -> (usize, bool) {
        let rule = self
            .by_request
            .as_ref()
            .map_or_else(BodyRule::default, |rules| (rules.rule_of)(method, path));
        (rule.limit.unwrap_or(self.default), rule.is_streamed)
    }
}
