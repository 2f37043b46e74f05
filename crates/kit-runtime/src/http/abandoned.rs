//! Requests that were abandoned before their handler completed: the client left, or the request exceeded the request
//! timeout.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Number of milliseconds after an abandoned request in which pooled connections to other services are verified.
const RECENT: u64 = 1_000;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Milliseconds from [`BEGIN`] to the last abandoned request, plus one; 0 before the first.
static LAST: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    u64::try_from(BEGIN.elapsed().as_millis()).unwrap_or(u64::MAX - RECENT)
}

/// Returns true if a request was abandoned within the last second. Its queries may still run on their connections.
#[cfg_attr(
    all(not(feature = "sqlx"), not(test)),
    expect(dead_code, reason = "only connections to a database are doubted")
)]
pub(crate) fn was_abandoned_recently() -> bool {
    let last = LAST.load(Ordering::Relaxed);
    last != 0 && now().saturating_sub(last - 1) < RECENT
}

/// Records an abandoned request on drop, unless [`AbandonGuard::end`] was called. Create the guard after the future of the
/// handler, so that the guard is dropped before the future.
pub(super) struct AbandonGuard(bool);

impl AbandonGuard {
    pub(super) fn begin() -> Self {
        Self(true)
    }

    pub(super) fn end(mut self) {
        self.0 = false;
    }
}

impl Drop for AbandonGuard {
    fn drop(&mut self) {
        if self.0 {
            LAST.store(now() + 1, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AbandonGuard, was_abandoned_recently};

    #[test]
    fn counts_only_work_that_is_dropped_before_its_end() {
        AbandonGuard::begin().end();
        assert!(!was_abandoned_recently());
        drop(AbandonGuard::begin());
        assert!(was_abandoned_recently());
    }
}
