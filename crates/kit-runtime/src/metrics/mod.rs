//! Metrics of requests and of the process, for Prometheus and for an OpenTelemetry collector. Nothing is counted unless one of
//! them is on.

mod process;
mod prometheus;
mod server;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use axum::http::StatusCode;

pub(crate) use process::Process;
pub(crate) use server::serve;

/// Upper bounds of the histogram's buckets in seconds, as the semantic conventions of OpenTelemetry recommend.
pub(crate) const BOUNDARIES: [f64; 14] = [
    0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0,
];

/// Methods that metrics contain by name. Any other method becomes `_OTHER`, because a client may invent methods.
const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

static IS_ON: AtomicBool = AtomicBool::new(false);
static ACTIVE: AtomicI64 = AtomicI64::new(0);
static CONNECTIONS: AtomicI64 = AtomicI64::new(0);
static REQUESTS: LazyLock<Mutex<HashMap<Labels, Durations>>> = LazyLock::new(Mutex::default);

/// Attributes of requests that are counted together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Labels {
    /// Path of the route in its contract, such as `/notes/:id`. `None` without a route.
    pub(crate) route: Option<&'static str>,
    pub(crate) method: &'static str,
    pub(crate) status: u16,
}

/// Durations of requests: how many were in each bucket, and their sum.
#[derive(Debug, Clone, Default)]
struct Durations {
    /// Number of requests in each bucket of [`BOUNDARIES`], without those of the buckets below. The last entry has the longer
    /// ones.
    buckets: [u64; BOUNDARIES.len() + 1],
    seconds: f64,
}

impl Durations {
    fn add(&mut self, seconds: f64) {
        let at = BOUNDARIES.iter().position(|bound| seconds <= *bound);
        self.buckets[at.unwrap_or(BOUNDARIES.len())] += 1;
        self.seconds += seconds;
    }

    fn count(&self) -> u64 {
        self.buckets.iter().sum()
    }
}

/// Starts to count. Requests that are in progress are not counted.
pub(crate) fn start() {
    IS_ON.store(true, Ordering::Relaxed);
}

/// Number of requests in progress.
pub(crate) fn active_requests() -> i64 {
    ACTIVE.load(Ordering::Relaxed)
}

/// Number of open connections.
pub(crate) fn connections() -> i64 {
    CONNECTIONS.load(Ordering::Relaxed)
}

/// A connection that counts as open until this value is dropped.
#[derive(Debug)]
pub(crate) struct OpenConnection(());

impl OpenConnection {
    pub(crate) fn new() -> Self {
        CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for OpenConnection {
    fn drop(&mut self) {
        CONNECTIONS.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A request that counts as active until this value is dropped.
pub(crate) struct MeasuredRequest {
    begun: Instant,
}

impl MeasuredRequest {
    /// Begins to measure a request. Returns `None` if nothing is counted.
    pub(crate) fn begin() -> Option<Self> {
        if !IS_ON.load(Ordering::Relaxed) {
            return None;
        }
        ACTIVE.fetch_add(1, Ordering::Relaxed);
        Some(Self {
            begun: Instant::now(),
        })
    }

    /// Counts the request with the status of its response. `route` is the method and the path of the route.
    pub(crate) fn answered(self, route: Option<&'static str>, method: &str, status: StatusCode) {
        let labels = Labels {
            route: route.map(|route| route.split_once(' ').map_or(route, |(_, path)| path)),
            method: METHODS
                .into_iter()
                .find(|known| *known == method)
                .unwrap_or("_OTHER"),
            status: status.as_u16(),
        };
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut requests = REQUESTS.lock().unwrap_or_else(PoisonError::into_inner);
        requests.entry(labels).or_default().add(seconds);
        drop(requests);
        if let Some(record) = RECORD.get() {
            record(labels, seconds);
        }
    }
}

impl Drop for MeasuredRequest {
    fn drop(&mut self) {
        ACTIVE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Number of connections to the database.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pool {
    pub(crate) idle: u64,
    pub(crate) used: u64,
    pub(crate) max: u64,
}

type ReadPool = Box<dyn Fn() -> Pool + Send + Sync>;

static POOL: OnceLock<ReadPool> = OnceLock::new();

/// Sets the function that returns the number of connections to the database. Only the first call has an effect.
#[cfg(feature = "sqlx")]
pub(crate) fn watch_pool(read: impl Fn() -> Pool + Send + Sync + 'static) {
    POOL.get_or_init(|| Box::new(read));
}

/// Returns the number of connections to the database. Returns `None` if the program has opened no pool.
pub(crate) fn pool() -> Option<Pool> {
    POOL.get().map(|read| read())
}

static RECORD: OnceLock<fn(Labels, f64)> = OnceLock::new();

/// Sets a function that gets the attributes and the seconds of each request too. Only the first call has an effect.
#[cfg(feature = "otlp")]
pub(crate) fn record_with(record: fn(Labels, f64)) {
    RECORD.get_or_init(|| record);
}

#[cfg(test)]
mod tests {
    use super::{BOUNDARIES, Durations};

    #[test]
    fn counts_a_duration_in_the_first_bucket_that_is_large_enough() {
        let mut durations = Durations::default();
        for seconds in [0.005, 0.006, 9.0, 11.0] {
            durations.add(seconds);
        }
        assert_eq!(durations.count(), 4);
        assert_eq!((durations.buckets[0], durations.buckets[1]), (1, 1));
        assert_eq!(durations.buckets[BOUNDARIES.len() - 1..], [1, 1]);
    }
}
