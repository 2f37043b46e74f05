//! Counts in Valkey or Redis. The names and the script are those of `@kit/rate-limit`, so that Node servers and Rust
//! servers count together.

use std::fmt;
use std::time::Duration;

use super::RateLimitOptionError;
use crate::valkey::{ValkeyConnection, ValkeyError};

/// Counts a request and begins a window if there is none. The time to live is set in the same script, so that every
/// count expires, even if the server stops between two commands.
const SCRIPT: &str = r#"
local count = redis.call("INCR", KEYS[1])
local left = redis.call("PTTL", KEYS[1])
if left < 0 then
  redis.call("PEXPIRE", KEYS[1], ARGV[1])
  left = tonumber(ARGV[1])
end
return { count, left }"#;

/// Store in Valkey or Redis (2.6 or newer), which counts for all processes and machines. Clones share one connection.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::rate_limit::ValkeyLimits;
///
/// let store = ValkeyLimits::open("valkey://localhost:6379")?
///     .prefix("shop:limits:")
///     .timeout(Duration::from_millis(200))?;
/// # drop(store);
/// assert!(ValkeyLimits::open("http://localhost").is_err());
/// # Ok::<(), kit_runtime::rate_limit::RateLimitOptionError>(())
/// ```
#[derive(Clone)]
#[must_use]
pub struct ValkeyLimits {
    connection: ValkeyConnection,
    prefix: String,
}

impl fmt::Debug for ValkeyLimits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The URL contains a password.
        f.debug_struct("ValkeyLimits")
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

impl ValkeyLimits {
    /// Creates the store. The server is connected when the first request is counted.
    ///
    /// `url` is `valkey://user:password@host:6379/0`; with `valkeys`, the connection is encrypted. `redis` and `rediss` mean
    /// the same.
    ///
    /// # Errors
    ///
    /// If the URL is not valid.
    pub fn open(url: &str) -> Result<Self, RateLimitOptionError> {
        let connection = ValkeyConnection::open(url).map_err(|problem| refused(&problem))?;
        Ok(Self {
            connection,
            prefix: "kit:limits:".to_owned(),
        })
    }

    /// Sets the beginning of all names in the store. Default: `kit:limits:`, as on Node.
    pub fn prefix(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = prefix.into();
        self
    }

    /// Sets the maximum time for which a request waits for its count, up to a minute. Default: 500 ms.
    ///
    /// # Errors
    ///
    /// If the time is zero or longer than a minute.
    pub fn timeout(mut self, timeout: Duration) -> Result<Self, RateLimitOptionError> {
        self.connection
            .set_timeout(timeout)
            .map_err(|problem| refused(&problem))?;
        Ok(self)
    }

    /// Counts a request. Returns the number of requests in the window, and the time until its end.
    pub(super) async fn count(&self, key: &str, window: Duration) -> Result<(u64, Duration), ValkeyError> {
        let window_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let mut count = redis::cmd("EVAL");
        count
            .arg(SCRIPT)
            .arg(1)
            .arg(format!("{}{window_ms}:{key}", self.prefix))
            .arg(window_ms);
        let (count, left): (u64, u64) = self.connection.send(&count).await?;
        Ok((count, Duration::from_millis(left)))
    }
}

fn refused(problem: &str) -> RateLimitOptionError {
    RateLimitOptionError(format!("rate limit: {problem}"))
}
