//! Limits whose counts several processes and machines share.

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

#[cfg(feature = "sqlx")]
use super::PostgresLimits;
use super::RateLimit;
#[cfg(feature = "valkey")]
use super::ValkeyLimits;
use super::occasional::Occasional;
use crate::{Error, Request};

/// Time for which the store is not asked again after it has failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Behavior of a [`SharedRateLimit`] while its store cannot be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum IfStoreFails {
    /// Each process counts in its memory.
    #[default]
    CountInMemory,
    /// Requests get 503 `SERVICE_UNAVAILABLE`.
    Refuse,
    /// Requests are not limited.
    Allow,
}

impl IfStoreFails {
    /// Returns the name in the log, as on Node.
    fn name(self) -> &'static str {
        match self {
            Self::CountInMemory => "memory",
            Self::Refuse => "refuse",
            Self::Allow => "allow",
        }
    }
}

/// Store of the counts of a [`SharedRateLimit`].
#[derive(Debug, Clone)]
pub struct LimitStore(Kind);

#[derive(Debug, Clone)]
enum Kind {
    #[cfg(feature = "valkey")]
    Valkey(Box<ValkeyLimits>),
    #[cfg(feature = "sqlx")]
    Postgres(PostgresLimits),
}

#[cfg(feature = "valkey")]
impl From<ValkeyLimits> for LimitStore {
    fn from(store: ValkeyLimits) -> Self {
        Self(Kind::Valkey(Box::new(store)))
    }
}

#[cfg(feature = "sqlx")]
impl From<PostgresLimits> for LimitStore {
    fn from(store: PostgresLimits) -> Self {
        Self(Kind::Postgres(store))
    }
}

impl LimitStore {
    /// Counts a request. Returns the number of requests in the window, and the time until its end, or the reason of the failure.
    async fn count(&self, key: &str, window: Duration) -> Result<(u64, Duration), String> {
        match &self.0 {
            #[cfg(feature = "valkey")]
            Kind::Valkey(store) => store.count(key, window).await.map_err(|error| error.to_string()),
            #[cfg(feature = "sqlx")]
            Kind::Postgres(store) => store.count(key, window).await,
        }
    }
}

/// Limit of the requests of each client, which is counted in Valkey, Redis or PostgreSQL for all processes and machines. Servers on Node
/// with the same limit and name count together with it.
///
/// ```
/// use kit_runtime::rate_limit::SharedRateLimit;
/// use kit_runtime::{Error, Middleware, Request};
///
/// struct App {
///     limit: SharedRateLimit,
/// }
///
/// struct Limited;
///
/// impl Middleware<App> for Limited {
///     const NAME: &'static str = "limited";
///
///     async fn run(app: &App, request: &Request) -> Result<Self, Error> {
///         app.limit.check(request).await?;
///         Ok(Self)
///     }
/// }
///
/// async fn check_key(app: &App, request: &Request) -> Result<(), Error> {
///     let key = request.header("x-api-key");
///     app.limit.check_by(request, key.as_deref()).await
/// }
/// ```
pub struct SharedRateLimit {
    /// The limit, and the counts while the store cannot be reached.
    limit: RateLimit,
    store: LimitStore,
    if_store_fails: IfStoreFails,
    /// Time until which the store is not asked.
    paused_until: Mutex<Option<Instant>>,
    failure_log: Occasional,
}

impl fmt::Debug for SharedRateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedRateLimit")
            .field("limit", &self.limit)
            .field("if_store_fails", &self.if_store_fails)
            .finish_non_exhaustive()
    }
}

impl SharedRateLimit {
    pub(super) fn new(limit: RateLimit, store: LimitStore, if_store_fails: IfStoreFails) -> Self {
        Self {
            limit,
            store,
            if_store_fails,
            paused_until: Mutex::new(None),
            failure_log: Occasional::default(),
        }
    }

    /// Counts a request by the address of its client. IPv6 addresses of one `/64` network are one client.
    ///
    /// # Errors
    ///
    /// - 429 `RATE_LIMITED` with `retry-after` if the client is above the limit.
    /// - 503 `SERVICE_UNAVAILABLE` with `retry-after` if the store cannot be reached, with [`IfStoreFails::Refuse`].
    pub async fn check(&self, request: &Request) -> Result<(), Error> {
        self.check_by(request, None).await
    }

    /// Counts a request by a text, such as the id of the caller or the value of a header. If there is no text, or if it is
    /// empty, the address counts.
    ///
    /// # Errors
    ///
    /// The same as those of [`Self::check`].
    pub async fn check_by(&self, request: &Request, key: Option<&str>) -> Result<(), Error> {
        let context = request.context();
        let client = self.limit.client(context, key);
        match self.count(client).await? {
            Some((count, rest)) => self.limit.judge(context, count, rest),
            None => Ok(()),
        }
    }

    /// Returns the count of a client and the time until the end of its window. `None` if the request is not limited.
    async fn count(&self, client: String) -> Result<Option<(u64, Duration)>, Error> {
        let paused_until = *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        if paused_until.is_none_or(|until| until <= Instant::now()) {
            let key = format!("{}:{client}", self.limit.name);
            let error = match self.store.count(&key, self.limit.limit.window).await {
                Ok(found) => return Ok(Some(found)),
                Err(error) => error,
            };
            let until = Instant::now() + PAUSE;
            *self.paused_until.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
            if self.failure_log.is_due() {
                tracing::error!(
                    error = %error,
                    if_store_fails = self.if_store_fails.name(),
                    "The store of rate limits cannot be reached"
                );
            }
        }
        match self.if_store_fails {
            IfStoreFails::Allow => Ok(None),
            IfStoreFails::CountInMemory => Ok(Some(self.limit.count(client))),
            IfStoreFails::Refuse => Err(Error::unavailable(
                "The rate limit cannot be checked at the moment",
            )),
        }
    }
}
