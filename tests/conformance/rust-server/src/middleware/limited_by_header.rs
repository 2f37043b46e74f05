//! Middleware `limitedByHeader`. Limits requests by the header `x-client`, in the time of two windows.

use std::sync::LazyLock;

use kit_runtime::rate_limit::{RateLimit, RateLimitOptionError, RateLimitOptions};
use kit_runtime::{Error, Middleware, Request};

use crate::app::App;

/// Limits of a request: three in two seconds, and five in an hour.
fn limits() -> Result<&'static [RateLimit; 2], RateLimitOptionError> {
    static LIMITS: LazyLock<Result<[RateLimit; 2], RateLimitOptionError>> = LazyLock::new(|| {
        Ok([
            RateLimitOptions::new("3/2s").name("burst").build()?,
            RateLimitOptions::new("5/hour").build()?,
        ])
    });
    LIMITS.as_ref().map_err(Clone::clone)
}

/// Result of the middleware `limitedByHeader`. It adds nothing to the request.
#[derive(Debug, Clone)]
pub struct LimitedByHeader;

impl Middleware<App> for LimitedByHeader {
    const NAME: &'static str = "limitedByHeader";

    async fn run(_app: &App, request: &Request) -> Result<Self, Error> {
        let client = request.header("x-client");
        for limit in limits()? {
            limit.check_by(request, client.as_deref())?;
        }
        Ok(Self)
    }
}
