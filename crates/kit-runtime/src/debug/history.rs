//! History of the process: its requests, errors, log entries and latencies, all within limits.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Map, Value};
use tracing::Level;

use super::latency::{LatencyHistory, Window};
use super::recording::{Recording, next_sequence};
use super::ring::{KeptText, Ring};
use crate::http::Segment;

const ERROR_BYTES: usize = 8 * 1024 * 1024;
const LOG_BYTES: usize = 16 * 1024 * 1024;
/// Maximum number of errors per second that are recorded. A client could cause many errors on purpose.
const ERRORS_PER_SECOND: u64 = 100;

/// Levels of the log with their severities, as in OpenTelemetry.
pub(super) const SEVERITIES: [(&str, u8); 6] = [
    ("trace", 1),
    ("debug", 5),
    ("info", 9),
    ("warn", 13),
    ("error", 17),
    ("fatal", 21),
];

static HISTORY: OnceLock<History> = OnceLock::new();

/// Returns the history. Returns `None` if the sidecar is off.
pub(super) fn history() -> Option<&'static History> {
    HISTORY.get()
}

/// Begins to record.
pub(super) fn start(keep: usize, is_production: bool) {
    HISTORY.get_or_init(|| History {
        keep,
        is_production,
        requests: Mutex::default(),
        errors: Mutex::new(Errors {
            ring: Ring::new(keep, ERROR_BYTES),
            second: 0,
            in_second: 0,
            missed: 0,
        }),
        logs: Mutex::new(Ring::new(keep * 10, LOG_BYTES)),
        latencies: Mutex::default(),
    });
}

/// Records a log entry.
pub(crate) fn log(level: Level, entry: &Map<String, Value>) {
    let Some(history) = history() else { return };
    let name = level.as_str().to_ascii_lowercase();
    let severity = SEVERITIES.iter().find(|(known, _)| *known == name);
    let request_id = entry.get("requestId").and_then(Value::as_str).map(str::to_owned);
    let text = serde_json::to_string(entry).unwrap_or_default();
    lock(&history.logs).push(KeptText {
        time: now_ms(),
        request_id,
        severity: severity.map_or(0, |(_, severity)| *severity),
        segments: &[],
        text,
    });
}

/// History of the process.
pub(super) struct History {
    keep: usize,
    is_production: bool,
    requests: Mutex<Requests>,
    errors: Mutex<Errors>,
    logs: Mutex<Ring>,
    latencies: Mutex<LatencyHistory>,
}

#[derive(Default)]
struct Requests {
    /// Requests in progress by their number.
    active: BTreeMap<u64, Arc<Recording>>,
    /// Finished requests, the oldest first.
    finished: VecDeque<Arc<Recording>>,
    finished_count: u64,
}

struct Errors {
    ring: Ring,
    second: u64,
    in_second: u64,
    missed: u64,
}

/// Finished requests since a position.
pub(super) struct Finished {
    /// The newest first.
    pub(super) records: Vec<Arc<Recording>>,
    /// Number of requests since the position that are not in `records`.
    pub(super) skipped: u64,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the current time in milliseconds since 1970.
pub(super) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl History {
    /// Returns true if headers and bodies of requests are recorded.
    pub(super) fn keeps_content(&self) -> bool {
        !self.is_production
    }

    pub(super) fn begin(&self, make: impl FnOnce(u64) -> Recording) -> Arc<Recording> {
        let sequence = next_sequence();
        let recording = Arc::new(make(sequence));
        lock(&self.requests)
            .active
            .insert(sequence, Arc::clone(&recording));
        recording
    }

    pub(super) fn ended(
        &self,
        recording: &Arc<Recording>,
        route: &'static str,
        status: u16,
        duration: Duration,
    ) {
        let mut requests = lock(&self.requests);
        requests.active.remove(&recording.sequence);
        requests.finished_count += 1;
        requests.finished.push_back(Arc::clone(recording));
        let oldest = (requests.finished.len() > self.keep).then(|| requests.finished.pop_front());
        drop(requests);
        drop(oldest);
        let ms = duration.as_secs_f64() * 1_000.0;
        lock(&self.latencies).record(route, ms, status >= 500, now_ms());
    }

    /// Returns the requests in progress, the oldest first.
    pub(super) fn active(&self) -> Vec<Arc<Recording>> {
        lock(&self.requests).active.values().cloned().collect()
    }

    pub(super) fn active_count(&self) -> usize {
        lock(&self.requests).active.len()
    }

    pub(super) fn finished_count(&self) -> u64 {
        lock(&self.requests).finished_count
    }

    /// Returns at most `limit` finished requests that meet a condition, the newest first.
    pub(super) fn finished(
        &self,
        limit: usize,
        is_wanted: impl Fn(&Recording) -> bool,
    ) -> Vec<Arc<Recording>> {
        let all: Vec<_> = lock(&self.requests).finished.iter().rev().cloned().collect();
        all.into_iter()
            .filter(|recording| is_wanted(recording))
            .take(limit)
            .collect()
    }

    /// Returns the last requests that finished after the first `after` ones, at most `limit`.
    pub(super) fn finished_after(&self, after: u64, limit: usize) -> Finished {
        let requests = lock(&self.requests);
        let fresh = requests.finished_count.saturating_sub(after);
        let count = usize::try_from(fresh).unwrap_or(usize::MAX).min(limit);
        let records: Vec<_> = requests.finished.iter().rev().take(count).cloned().collect();
        let shown = u64::try_from(records.len()).unwrap_or(u64::MAX);
        Finished {
            records,
            skipped: fresh.saturating_sub(shown),
        }
    }

    /// Returns an active or kept request by its id.
    pub(super) fn find(&self, request_id: &str) -> Option<Arc<Recording>> {
        let requests = lock(&self.requests);
        let all = requests.active.values().chain(&requests.finished);
        all.rev()
            .find(|recording| recording.request_id == request_id)
            .cloned()
    }

    /// Records an error. `describe` is not called if there were too many errors in this second.
    pub(super) fn failed(
        &self,
        request_id: &str,
        segments: &'static [Segment],
        describe: impl FnOnce() -> String,
    ) {
        let now = now_ms();
        let mut errors = lock(&self.errors);
        if now / 1_000 != errors.second {
            errors.second = now / 1_000;
            errors.in_second = 0;
        }
        errors.in_second += 1;
        if errors.in_second > ERRORS_PER_SECOND {
            errors.missed += 1;
            return;
        }
        drop(errors);
        let text = describe();
        lock(&self.errors).ring.push(KeptText {
            time: now,
            request_id: Some(request_id.to_owned()),
            severity: 0,
            segments,
            text,
        });
    }

    /// Returns the number of errors that were not recorded, because too many came at once.
    pub(super) fn missed_errors(&self) -> u64 {
        lock(&self.errors).missed
    }

    /// Returns at most `limit` errors that meet a condition, the newest first.
    pub(super) fn errors(&self, limit: usize, is_wanted: impl Fn(&KeptText) -> bool) -> Vec<Arc<KeptText>> {
        select(&lock(&self.errors).ring, limit, is_wanted)
    }

    /// Returns at most `limit` log entries that meet a condition, the newest first.
    pub(super) fn logs(&self, limit: usize, is_wanted: impl Fn(&KeptText) -> bool) -> Vec<Arc<KeptText>> {
        select(&lock(&self.logs), limit, is_wanted)
    }

    /// Returns the latencies of the last `window` milliseconds.
    pub(super) fn slices(&self, window: u64) -> Window {
        lock(&self.latencies).slices(window, now_ms())
    }
}

/// Returns entries without parsing their JSON, because requests that log or fail wait for the lock of the ring.
fn select(ring: &Ring, limit: usize, is_wanted: impl Fn(&KeptText) -> bool) -> Vec<Arc<KeptText>> {
    let wanted = ring.newest().filter(|entry| is_wanted(entry)).take(limit);
    wanted.cloned().collect()
}
