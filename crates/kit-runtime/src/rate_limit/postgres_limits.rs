//! Counts in PostgreSQL. The table and the names are those of `@kit/rate-limit`, so that Node servers and Rust servers count
//! together.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use sqlx::PgPool;

use super::RateLimitOptionError;
use crate::postgres::is_table_name;

/// Number of requests of one process after which the store removes windows that have ended, and their number.
const REMOVE_EVERY: u32 = 100;
const REMOVED_AT_ONCE: u32 = 200;

/// Default and maximum of the time for which a request waits for its count.
const TIMEOUT: Duration = Duration::from_millis(500);
const LONGEST_TIMEOUT: Duration = Duration::from_secs(60);

/// Store in PostgreSQL, which counts for all processes and machines. A request is one statement, which also removes windows
/// that have ended, once in a while. The table is that of `limitTableSql()` of `@kit/rate-limit`.
///
/// ```
/// use std::time::Duration;
///
/// use kit_runtime::rate_limit::{PostgresLimits, RateLimitOptionError};
/// use sqlx::PgPool;
///
/// fn store(pool: &PgPool) -> Result<PostgresLimits, RateLimitOptionError> {
///     let store = PostgresLimits::new(pool.clone()).table("api.limits")?;
///     store.timeout(Duration::from_millis(200))
/// }
/// ```
#[derive(Debug, Clone)]
#[must_use]
pub struct PostgresLimits {
    pool: PgPool,
    timeout: Duration,
    /// Statement that counts a request, and the one that removes windows too.
    count: Arc<str>,
    remove: Arc<str>,
    /// Number of requests since windows were removed.
    requests: Arc<AtomicU32>,
}

impl PostgresLimits {
    /// Creates a store with the table `kit_rate_limits`.
    pub fn new(pool: PgPool) -> Self {
        let (count, remove) = statements("kit_rate_limits");
        Self {
            pool,
            timeout: TIMEOUT,
            count,
            remove,
            requests: Arc::default(),
        }
    }

    /// Sets the name of the table, with or without a schema.
    ///
    /// # Errors
    ///
    /// If the name needs quotes.
    pub fn table(mut self, name: &str) -> Result<Self, RateLimitOptionError> {
        if !is_table_name(name) {
            return Err(refused(&format!(
                "the name of the table must have lower-case letters, digits and underscores, such as api.limits, not {name:?}"
            )));
        }
        (self.count, self.remove) = statements(name);
        Ok(self)
    }

    /// Sets the maximum time for which a request waits for its count, up to a minute. Default: 500 ms.
    ///
    /// # Errors
    ///
    /// If the time is zero or longer than a minute.
    pub fn timeout(mut self, timeout: Duration) -> Result<Self, RateLimitOptionError> {
        if timeout.is_zero() || timeout > LONGEST_TIMEOUT {
            return Err(refused("`timeout` must be more than zero and at most a minute"));
        }
        self.timeout = timeout;
        Ok(self)
    }

    /// Counts a request. Returns the number of requests in the window, and the time until its end, or the reason of the failure.
    pub(super) async fn count(&self, key: &str, window: Duration) -> Result<(u64, Duration), String> {
        let removes = self.requests.fetch_add(1, Ordering::Relaxed) % REMOVE_EVERY == REMOVE_EVERY - 1;
        let sql = if removes { &self.remove } else { &self.count };
        let query = sqlx::query_as(sql)
            .bind(format!("{}:{key}", window.as_millis()))
            .bind(window.as_secs_f64() * 1000.0);
        let counted = tokio::time::timeout(self.timeout, query.fetch_one(&self.pool));
        let (count, rest): (i64, i64) = counted
            .await
            .map_err(|_| format!("PostgreSQL did not answer within {:?}", self.timeout))?
            .map_err(|error| error.to_string())?;
        let rest = Duration::from_millis(u64::try_from(rest).unwrap_or_default());
        Ok((u64::try_from(count).unwrap_or_default(), rest.min(window)))
    }
}

/// Returns the statement that counts a request, and the one that removes windows too.
fn statements(table: &str) -> (Arc<str>, Arc<str>) {
    let count = format!(
        "INSERT INTO {table} AS known (key, count, ends_at) VALUES ($1, 1, now() + $2 * interval '1 ms') \
         ON CONFLICT (key) DO UPDATE SET \
           count = CASE WHEN known.ends_at <= now() THEN 1 ELSE known.count + 1 END, \
           ends_at = CASE WHEN known.ends_at <= now() THEN excluded.ends_at ELSE known.ends_at END \
         RETURNING count, greatest(1, ceil(extract(epoch FROM ends_at - now()) * 1000))::bigint"
    );
    // The statement must not delete the row that it counts in.
    let remove = format!(
        "WITH ended AS (DELETE FROM {table} WHERE key IN (\
           SELECT key FROM {table} WHERE ends_at < now() AND key <> $1 ORDER BY ends_at LIMIT {REMOVED_AT_ONCE} \
           FOR UPDATE SKIP LOCKED)) {count}"
    );
    (count.into(), remove.into())
}

fn refused(problem: &str) -> RateLimitOptionError {
    RateLimitOptionError(format!("rate limit: {problem}"))
}
