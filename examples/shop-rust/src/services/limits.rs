//! Limits of requests in a minute.

use std::env;
use std::sync::OnceLock;

use kit_runtime::rate_limit::{RateLimit, RateLimitOptionError, RateLimitOptions};

use crate::app::App;

/// Number of requests for tests, which send many requests from one address.
const MANY: i64 = 100_000;

type Limit = Result<RateLimit, RateLimitOptionError>;

/// Returns the limit of logins, for each address.
pub fn logins(app: &App) -> Result<&'static RateLimit, RateLimitOptionError> {
    static LIMIT: OnceLock<Limit> = OnceLock::new();
    let limit = LIMIT.get_or_init(|| per_minute(app.env.logins_per_minute, "logins"));
    limit.as_ref().map_err(Clone::clone)
}

/// Returns the limit of changes, for each account.
pub fn writes(app: &App) -> Result<&'static RateLimit, RateLimitOptionError> {
    static LIMIT: OnceLock<Limit> = OnceLock::new();
    let limit = LIMIT.get_or_init(|| per_minute(app.env.writes_per_minute, "writes"));
    limit.as_ref().map_err(Clone::clone)
}

fn per_minute(requests: i64, name: &str) -> Limit {
    let is_test = env::var("NODE_ENV").is_ok_and(|mode| mode == "test");
    let requests = if is_test { MANY } else { requests };
    RateLimitOptions::new(format!("{requests}/min"))
        .name(name)
        .build()
}
