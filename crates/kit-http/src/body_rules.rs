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
    /// Minimum number of bytes per second of a body that the handler reads in chunks, 0 for no minimum; `None` if
    /// [`crate::Timeouts::body_rate`] applies.
    pub rate: Option<u32>,
}

/// Rules for the body of one request.
pub(crate) struct RequestBodyRules {
    /// Maximum size in bytes.
    pub(crate) limit: usize,
    /// True if the handler reads the body in chunks.
    pub(crate) is_streamed: bool,
    /// Minimum rate of the route. `None` if the minimum rate of the server applies.
    pub(crate) rate: Option<u32>,
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

    /// Returns the rules for the body of a request.
    pub(crate) fn of(&self, method: &str, path: &str) -> RequestBodyRules {
        let rule = self
            .by_request
            .as_ref()
            .map_or_else(BodyRule::default, |rules| (rules.rule_of)(method, path));
        RequestBodyRules {
            limit: rule.limit.unwrap_or(self.default),
            is_streamed: rule.is_streamed,
            rate: rule.rate,
        }
    }
}
