//! Counts in Valkey or Redis. The names and the script are those of `@kit/rate-limit`, so that Node servers and Rust
//! servers count together.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, Client, ConnectionAddr, RedisError};
use tokio::sync::Mutex;

use super::RateLimitOptionError;

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

/// Longest time for which a request may wait for its count.
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);

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
    client: Client,
    prefix: String,
    timeout: Duration,
    connection: Arc<Mutex<Connection>>,
}

/// Connection that requests share.
#[derive(Default)]
struct Connection {
    /// Number of the connection, so that a request forgets only the connection that it has used.
    number: u64,
    open: Option<MultiplexedConnection>,
}

/// Reason for which a request was not counted.
#[derive(Debug)]
pub(super) enum ValkeyError {
    Refused(RedisError),
    TimedOut(Duration),
}

impl fmt::Display for ValkeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(error) => error.fmt(f),
            Self::TimedOut(time) => write!(f, "no answer within {} ms", time.as_millis()),
        }
    }
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
        let client = Client::open(url).map_err(|error| {
            let reason = error.detail().unwrap_or("it is not a URL of Valkey or Redis");
            RateLimitOptionError(format!(
                "rate limit: the URL of the store must have the form valkey://user:password@host:6379/0: {reason}"
            ))
        })?;
        if matches!(client.get_connection_info().addr(), ConnectionAddr::TcpTls { .. }) {
            // Without this choice, rustls panics if the program contains several cryptography libraries. An error means that
            // the program has chosen one.
            let _ = rustls::crypto::ring::default_provider().install_default();
        }
        Ok(Self {
            client,
            prefix: "kit:limits:".to_owned(),
            timeout: Duration::from_millis(500),
            connection: Arc::default(),
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
        if timeout.is_zero() || timeout > LONGEST_TIMEOUT {
            return Err(RateLimitOptionError(format!(
                "rate limit: the timeout of the store must be longer than 0 and at most 60 s, not {timeout:?}"
            )));
        }
        self.timeout = timeout;
        Ok(self)
    }

    /// Counts a request. Returns the number of requests in the window, and the time until its end.
    pub(super) async fn count(&self, key: &str, window: Duration) -> Result<(u64, Duration), ValkeyError> {
        let mut used = None;
        let counted = tokio::time::timeout(self.timeout, self.ask(key, window, &mut used)).await;
        let error = match counted {
            Ok(Ok(found)) => return Ok(found),
            Ok(Err(error)) => ValkeyError::Refused(error),
            Err(_) => ValkeyError::TimedOut(self.timeout),
        };
        if let Some(number) = used {
            let mut connection = self.connection.lock().await;
            if connection.number == number {
                connection.open = None;
            }
        }
        Err(error)
    }

    async fn ask(
        &self,
        key: &str,
        window: Duration,
        used: &mut Option<u64>,
    ) -> Result<(u64, Duration), RedisError> {
        let (number, mut connection) = self.connected().await?;
        *used = Some(number);
        let window_ms = u64::try_from(window.as_millis()).unwrap_or(u64::MAX);
        let (count, left): (u64, u64) = redis::cmd("EVAL")
            .arg(SCRIPT)
            .arg(1)
            .arg(format!("{}{window_ms}:{key}", self.prefix))
            .arg(window_ms)
            .query_async(&mut connection)
            .await?;
        Ok((count, Duration::from_millis(left)))
    }

    /// Returns the connection and its number. Connects if there is none; other requests wait for this.
    async fn connected(&self) -> Result<(u64, MultiplexedConnection), RedisError> {
        let mut connection = self.connection.lock().await;
        if let Some(open) = &connection.open {
            return Ok((connection.number, open.clone()));
        }
        let config = AsyncConnectionConfig::new()
            .set_connection_timeout(Some(self.timeout))
            .set_response_timeout(Some(self.timeout));
        let open = self
            .client
            .get_multiplexed_async_connection_with_config(&config)
            .await?;
        connection.number += 1;
        connection.open = Some(open.clone());
        Ok((connection.number, open))
    }
}
