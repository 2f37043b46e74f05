//! Limits the number of log entries that clients can cause.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;

/// Duration in which events of a kind are counted together.
const WINDOW: Duration = Duration::from_secs(60);

/// Decides which events are logged individually: for each kind, the first `limit` events in a minute. At the end of
/// the minute, one log entry has the number of the other events. If there were other events, the next minute logs
/// no event of this kind individually.
///
/// The caller must keep the number of kinds small: each kind uses an entry of the map and a sleeping task for a
/// minute.
pub(crate) struct Sampler<K> {
    /// Number of individual entries for each kind and minute.
    limit: u64,
    /// Logs the number of events of a kind that were not logged individually.
    log_remaining: fn(&K, u64),
    windows: Mutex<BTreeMap<K, Window>>,
}

#[derive(Default)]
struct Window {
    logged: u64,
    /// Number of events since the last log entry that were counted but not logged.
    unlogged: u64,
}

impl<K: Clone + Ord + Send + Sync + 'static> Sampler<K> {
    pub(crate) fn new(limit: u64, log_remaining: fn(&K, u64)) -> Self {
        Self {
            limit,
            log_remaining,
            windows: Mutex::default(),
        }
    }

    /// Counts an event. Returns true if the caller must log it now.
    pub(crate) fn should_log(&'static self, kind: K) -> bool {
        let mut windows = self.windows();
        if let Some(window) = windows.get_mut(&kind) {
            let is_logged = window.logged < self.limit;
            if is_logged {
                window.logged += 1;
            } else {
                window.unlogged += 1;
            }
            return is_logged;
        }
        let window = Window {
            logged: 1,
            unlogged: 0,
        };
        windows.insert(kind.clone(), window);
        drop(windows);
        // A server always has an async runtime. Without one, `flush` logs the count.
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                loop {
                    tokio::time::sleep(WINDOW).await;
                    if !self.close(&kind) {
                        return;
                    }
                }
            });
        }
        true
    }

    /// Ends the minute of a kind and logs its count. Returns true if another minute begins, because at least
    /// one event was counted.
    fn close(&self, kind: &K) -> bool {
        let mut windows = self.windows();
        let unlogged = windows.get(kind).map_or(0, |window| window.unlogged);
        if unlogged == 0 {
            windows.remove(kind);
            return false;
        }
        let logged = self.limit;
        windows.insert(kind.clone(), Window { logged, unlogged: 0 });
        drop(windows);
        (self.log_remaining)(kind, unlogged);
        true
    }

    /// Logs the numbers of events that were counted but not logged. Called when the server shuts down.
    pub(crate) fn flush(&self) {
        let windows = std::mem::take(&mut *self.windows());
        for (kind, Window { unlogged, .. }) in windows {
            if unlogged > 0 {
                (self.log_remaining)(&kind, unlogged);
            }
        }
    }

    fn windows(&self) -> MutexGuard<'_, BTreeMap<K, Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{LazyLock, Mutex};

    use super::Sampler;

    static LOGGED: Mutex<Vec<(&str, u64)>> = Mutex::new(Vec::new());
    static SAMPLER: LazyLock<Sampler<&str>> = LazyLock::new(|| {
        Sampler::new(2, |kind, count| {
            LOGGED.lock().unwrap().push((kind, count));
        })
    });

    fn logged() -> Vec<(&'static str, u64)> {
        std::mem::take(&mut LOGGED.lock().unwrap())
    }

    #[test]
    fn logs_the_first_events_of_a_minute_and_counts_the_others() {
        let sampler: &'static Sampler<&str> = &SAMPLER;
        let taken: Vec<bool> = (0..5).map(|_| sampler.should_log("scan")).collect();
        assert_eq!(taken, [true, true, false, false, false]);
        assert!(sampler.should_log("other"));
        assert!(sampler.close(&"scan"), "it goes on");
        assert_eq!(logged(), [("scan", 3)]);
        // Events are logged individually again after a minute without events.
        assert!(!sampler.should_log("scan"));
        assert!(sampler.close(&"scan"));
        assert!(!sampler.close(&"scan"));
        assert_eq!(logged(), [("scan", 1)]);
        assert!(sampler.should_log("scan"));
        assert!(!sampler.close(&"other"));
        // `flush` logs the count, and only once.
        sampler.should_log("scan");
        sampler.should_log("scan");
        sampler.flush();
        sampler.flush();
        assert_eq!(logged(), [("scan", 1)]);
    }
}
