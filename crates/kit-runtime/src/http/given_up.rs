//! Requests that were given up before their handler ended: the client left, or the request took too long.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Milliseconds after a request was given up in which its connections to other services are doubted.
const RECENT: u64 = 1_000;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Milliseconds from [`BEGIN`] to the last request that was given up, and one more; 0 before the first.
static LAST: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    u64::try_from(BEGIN.elapsed().as_millis()).unwrap_or(u64::MAX - RECENT)
}

/// Returns whether a request was given up within the last second. Its queries may still run, and so may their connections be in use.
#[cfg_attr(
    all(not(feature = "sqlx"), not(test)),
    expect(dead_code, reason = "only connections to a database are doubted")
)]
pub(crate) fn was_given_up_recently() -> bool {
    let last = LAST.load(Ordering::Relaxed);
    last != 0 && now().saturating_sub(last - 1) < RECENT
}

/// Notes that a request was given up, unless [`Work::end`] comes first. Create it after the handler's future, so that it is dropped before.
pub(super) struct Work(bool);

impl Work {
    pub(super) fn begin() -> Self {
        Self(true)
    }

    pub(super) fn end(mut self) {
        self.0 = false;
    }
}

impl Drop for Work {
    fn drop(&mut self) {
        if self.0 {
            LAST.store(now() + 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Work, was_given_up_recently};

    #[test]
    fn only_work_that_is_dropped_early_counts() {
        Work::begin().end();
        assert!(!was_given_up_recently());
        drop(Work::begin());
        assert!(was_given_up_recently());
    }
}
