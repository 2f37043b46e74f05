//! Limits of requests in a minute.

use kit_runtime::rate_limit::{RateLimit, RateLimitOptionError, RateLimitOptions};

use crate::models::AppEnv;

/// Limits of the shop.
pub struct Limits {
    /// Limit of logins, for each address.
    pub logins: RateLimit,
    /// Limit of changes, for each account.
    pub writes: RateLimit,
}

impl Limits {
    /// Creates the limits from the environment variables.
    pub fn new(env: &AppEnv) -> Result<Self, RateLimitOptionError> {
        Ok(Self {
            logins: per_minute(env.logins_per_minute, "logins")?,
            writes: per_minute(env.writes_per_minute, "writes")?,
        })
    }
}

fn per_minute(requests: i64, name: &str) -> Result<RateLimit, RateLimitOptionError> {
    RateLimitOptions::new(format!("{requests}/min"))
        .name(name)
        .build()
}
