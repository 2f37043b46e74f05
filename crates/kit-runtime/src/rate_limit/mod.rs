//! Limits of requests, with the rules of `@kit/rate-limit`: fixed windows that begin with the first request of a client.

mod limit_text;
mod occasional;
#[cfg(feature = "sqlx")]
mod postgres_limits;
#[cfg(any(feature = "sqlx", feature = "valkey"))]
mod shared;
#[cfg(feature = "valkey")]
mod valkey_limits;
mod windows;

#[cfg(feature = "sqlx")]
pub use postgres_limits::PostgresLimits;
#[cfg(any(feature = "sqlx", feature = "valkey"))]
pub use shared::{IfStoreFails, LimitStore, SharedRateLimit};
#[cfg(feature = "valkey")]
pub use valkey_limits::ValkeyLimits;

use std::fmt;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use sha2_v10::{Digest as _, Sha256};

use crate::bytes::base64url;
use crate::{Context, Error, Request};
use limit_text::Limit;
use occasional::Occasional;
use windows::Windows;

/// Option of [`RateLimitOptions`] that is not valid. The message names the option and the accepted values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimitOptionError(String);

impl fmt::Display for RateLimitOptionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for RateLimitOptionError {}

/// Options of [`RateLimit`].
///
/// ```
/// use kit_runtime::rate_limit::RateLimitOptions;
///
/// let limit = RateLimitOptions::new("100/min").name("search").max_clients(10_000).build()?;
/// # Ok::<(), kit_runtime::rate_limit::RateLimitOptionError>(())
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct RateLimitOptions {
    limit: String,
    name: Option<String>,
    max_clients: usize,
}

impl RateLimitOptions {
    /// Sets the number of requests in a time: `100/min`, `5/10s`, `1000/day`.
    pub fn new(limit: impl Into<String>) -> Self {
        Self {
            limit: limit.into(),
            name: None,
            max_clients: 100_000,
        }
    }

    /// Sets the name of the limit in the headers. Default: the text of the limit.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the maximum number of clients that are counted at the same time. If there are more, the client whose window is
    /// the oldest is forgotten. Default: 100,000, which need about 20 MiB.
    pub fn max_clients(mut self, clients: usize) -> Self {
        self.max_clients = clients;
        self
    }

    /// Creates the limit.
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    pub fn build(self) -> Result<RateLimit, RateLimitOptionError> {
        let refused = |text: String| Err(RateLimitOptionError(format!("rate limit: {text}")));
        let Some(limit) = Limit::read(&self.limit) else {
            return refused(format!(
                "the limit must be a number of requests up to 1000000000 in a time up to 31 days, such as \"100/min\", \
                 \"5/10s\" or \"1000/day\", not {:?}",
                self.limit
            ));
        };
        let name = self.name.unwrap_or_else(|| self.limit.clone());
        let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
        if !(1..=64).contains(&name.len()) || !name.bytes().all(is_plain) {
            return refused(format!(
                "`name` must have 1 to 64 printable ASCII characters without blanks, quotes and backslashes, not {name:?}"
            ));
        }
        if self.max_clients == 0 {
            return refused("`max_clients` must be at least 1".to_owned());
        }
        let seconds = limit.window.as_millis().div_ceil(1000);
        Ok(RateLimit {
            policy: format!("\"{name}\";q={};w={seconds}", limit.requests),
            name,
            text: self.limit,
            windows: Mutex::new(Windows::new(limit.window, self.max_clients)),
            limit,
            address_log: Occasional::default(),
        })
    }

    /// Creates a limit whose counts are in a store: `ValkeyLimits` (feature `valkey`) or `PostgresLimits` (feature `sqlx`).
    ///
    /// ```
    /// use kit_runtime::rate_limit::{
    ///     IfStoreFails, LimitStore, RateLimitOptionError, RateLimitOptions, SharedRateLimit,
    /// };
    ///
    /// fn limit(store: impl Into<LimitStore>) -> Result<SharedRateLimit, RateLimitOptionError> {
    ///     RateLimitOptions::new("100/min").build_shared(store, IfStoreFails::Allow)
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// If an option is not valid.
    #[cfg(any(feature = "sqlx", feature = "valkey"))]
    pub fn build_shared(
        self,
        store: impl Into<LimitStore>,
        if_store_fails: IfStoreFails,
    ) -> Result<SharedRateLimit, RateLimitOptionError> {
        Ok(SharedRateLimit::new(self.build()?, store.into(), if_store_fails))
    }
}

/// Limit of the requests of each client, which is counted in the memory of this process. Responses have the headers
/// `ratelimit-policy` and `ratelimit` (draft-ietf-httpapi-ratelimit-headers-10).
///
/// ```
/// use std::sync::LazyLock;
///
/// use kit_runtime::rate_limit::{RateLimit, RateLimitOptionError, RateLimitOptions};
/// use kit_runtime::{Error, Middleware, Request};
///
/// fn limit() -> Result<&'static RateLimit, RateLimitOptionError> {
///     static LIMIT: LazyLock<Result<RateLimit, RateLimitOptionError>> =
///         LazyLock::new(|| RateLimitOptions::new("100/min").build());
///     LIMIT.as_ref().map_err(Clone::clone)
/// }
///
/// struct Limited;
///
/// impl<A: Sync> Middleware<A> for Limited {
///     const NAME: &'static str = "limited";
///
///     async fn run(_app: &A, request: &Request) -> Result<Self, Error> {
///         limit()?.check(request)?;
///         Ok(Self)
///     }
/// }
///
/// fn check_key(request: &Request) -> Result<(), Error> {
///     let key = request.header("x-api-key");
///     limit()?.check_by(request, key.as_deref())
/// }
/// ```
pub struct RateLimit {
    name: String,
    /// Text of the limit, such as `100/min`.
    text: String,
    limit: Limit,
    /// Item of the header `ratelimit-policy`.
    policy: String,
    windows: Mutex<Windows>,
    /// Log about unknown addresses.
    address_log: Occasional,
}

impl fmt::Debug for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RateLimit")
            .field("name", &self.name)
            .field("limit", &self.text)
            .finish_non_exhaustive()
    }
}

impl RateLimit {
    /// Counts a request by the address of its client. IPv6 addresses of one `/64` network are one client.
    ///
    /// # Errors
    ///
    /// 429 `RATE_LIMITED` with `retry-after` if the client is above the limit.
    pub fn check(&self, request: &Request) -> Result<(), Error> {
        self.check_by(request, None)
    }

    /// Counts a request by a text, such as the id of the caller or the value of a header. If there is no text, or if it is
    /// empty, the address counts.
    ///
    /// # Errors
    ///
    /// The same as those of [`Self::check`].
    pub fn check_by(&self, request: &Request, key: Option<&str>) -> Result<(), Error> {
        let context = request.context();
        let (count, rest) = self.count(self.client(context, key));
        self.judge(context, count, rest)
    }

    /// Returns the name of the client of a request, as in the store of `@kit/rate-limit`.
    fn client(&self, context: &Context, key: Option<&str>) -> String {
        match key.filter(|key| !key.is_empty()) {
            // A hash bounds the memory that a client can use, and keeps credentials out of a store.
            Some(key) => base64url(&Sha256::digest(key.as_bytes())),
            None => self.address(context.ip()),
        }
    }

    /// Counts a request in memory. Returns the number of requests in the window, and the time until its end.
    fn count(&self, client: String) -> (u64, Duration) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        windows.count(client, Instant::now())
    }

    /// Sets the headers of the limit, and refuses the request if the count is above the limit.
    fn judge(&self, context: &Context, count: u64, rest: Duration) -> Result<(), Error> {
        let seconds = u64::try_from(rest.as_millis().div_ceil(1000)).map_or(1, |seconds| seconds.max(1));
        let left = self.limit.requests.saturating_sub(count);
        context.join_header(HeaderName::from_static("ratelimit-policy"), &self.policy);
        let state = format!("\"{}\";r={left};t={seconds}", self.name);
        context.join_header(HeaderName::from_static("ratelimit"), &state);
        if count <= self.limit.requests {
            return Ok(());
        }
        context.set_header(header::RETRY_AFTER, HeaderValue::from(seconds));
        let message = format!(
            "Too many requests: the limit is {}. Try again in {seconds} s",
            self.text
        );
        Err(Error::new(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", message))
    }

    fn address(&self, ip: Option<IpAddr>) -> String {
        match ip {
            Some(IpAddr::V6(ip)) => {
                let [a, b, c, d, ..] = ip.segments();
                format!("ip {a:x}:{b:x}:{c:x}:{d:x}::/64")
            }
            Some(IpAddr::V4(ip)) => format!("ip {ip}"),
            None => {
                self.warn_of_unknown_address();
                "ip unknown".to_owned()
            }
        }
    }

    fn warn_of_unknown_address(&self) {
        if self.address_log.is_due() {
            tracing::warn!(
                limit = self.text,
                "The addresses of some clients are unknown, so these clients share one rate limit"
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RateLimitOptions;

    #[test]
    fn names_the_networks_of_ipv6_clients() {
        let Ok(limit) = RateLimitOptions::new("1/s").build() else {
            panic!("the limit is valid");
        };
        let name = |ip: &str| limit.address(ip.parse().ok());
        assert_eq!(name("2001:db8:0:1:2:3:4:5"), "ip 2001:db8:0:1::/64");
        assert_eq!(name("::1"), "ip 0:0:0:0::/64");
        assert_eq!(name("192.0.2.7"), "ip 192.0.2.7");
        assert_eq!(name(""), "ip unknown");
    }

    #[test]
    fn refuses_options_that_are_not_valid() {
        let message = |options: RateLimitOptions| {
            options
                .build()
                .map_or_else(|error| error.to_string(), |_| String::new())
        };
        assert!(message(RateLimitOptions::new("100")).contains("not \"100\""));
        assert!(message(RateLimitOptions::new("1/s").name("a b")).contains("`name`"));
        assert!(message(RateLimitOptions::new("1/s").name("")).contains("`name`"));
        assert!(message(RateLimitOptions::new("1/s").max_clients(0)).contains("`max_clients`"));
        assert_eq!(message(RateLimitOptions::new("1/s")), "");
    }
}
