//! Requests that were abandoned before their handler completed: the client left, or the request exceeded the request
//! timeout.

use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Time in milliseconds after an abandoned request during which pooled connections to a database are tested
/// before reuse.
const RECENT: u64 = 1_000;

static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
/// Time of the last abandoned request, in milliseconds since [`BEGIN`], plus 1. The value 0 means that no
/// request was abandoned.
static LAST: AtomicU64 = AtomicU64::new(0);

fn now() -> u64 {
    u64::try_from(BEGIN.elapsed().as_millis()).unwrap_or(u64::MAX - RECENT)
}

/// Returns true if a request was abandoned within the last second, so that its queries may still run in the database.
#[cfg_attr(
    all(not(feature = "sqlx"), not(test)),
    expect(dead_code, reason = "only connections to a database are doubted")
)]
pub(crate) fn was_abandoned_recently() -> bool {
    let last = LAST.load(Ordering::Relaxed);
    last != 0 && now().saturating_sub(last - 1) < RECENT
}

/// Records an abandoned request on drop, unless [`AbandonGuard::end`] was called. Create the guard after the
/// handler's future: values are dropped in reverse order, so the request is recorded before the future is dropped.
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
    fn counts_a_request_as_abandoned_only_if_it_is_dropped_before_its_end() {
        AbandonGuard::begin().end();
        assert!(!was_abandoned_recently());
        drop(AbandonGuard::begin());
        assert!(was_abandoned_recently());
    }
}
