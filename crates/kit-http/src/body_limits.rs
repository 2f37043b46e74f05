//! Body limits that depend on the method and path of a request.

use std::fmt;
use std::sync::Arc;

/// Function that returns the body limit for a method and a path. The path is as the client has sent it.
/// Returns `None` if [`crate::Limits::body_bytes`] applies.
type LimitOf = dyn Fn(&str, &str) -> Option<usize> + Send + Sync;

/// Body limits of single routes, which the engine enforces before it reads a body.
#[derive(Clone)]
pub struct BodyLimits {
    largest: usize,
    limit_of: Arc<LimitOf>,
}

impl BodyLimits {
    /// Creates the limits. `largest` is the greatest limit that `limit_of` can return.
    pub fn new(
        largest: usize,
        limit_of: impl Fn(&str, &str) -> Option<usize> + Send + Sync + 'static,
    ) -> Self {
        Self {
            largest,
            limit_of: Arc::new(limit_of),
        }
    }
}

impl fmt::Debug for BodyLimits {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("BodyLimits")
            .field("largest", &self.largest)
            .finish_non_exhaustive()
    }
}

/// Maximum size of a request body in bytes, for the requests of one connection.
pub(crate) struct BodyLimit {
    /// Limit for requests to routes without a limit of their own.
    default: usize,
    by_request: Option<BodyLimits>,
}

impl BodyLimit {
    pub(crate) fn new(default: usize, by_request: Option<BodyLimits>) -> Self {
        Self { default, by_request }
    }

    /// Returns the limit above which every body is too large.
    pub(crate) fn largest(&self) -> usize {
        self.by_request
            .as_ref()
            .map_or(self.default, |limits| limits.largest.max(self.default))
    }

    /// Returns the limit of a request.
    pub(crate) fn of(&self, method: &str, path: &str) -> usize {
        self.by_request
            .as_ref()
            .and_then(|limits| (limits.limit_of)(method, path))
            .unwrap_or(self.default)
    }
}
