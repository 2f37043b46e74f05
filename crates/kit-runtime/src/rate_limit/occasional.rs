//! Entries in the log about a problem that lasts.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time between two entries about the same problem.
const LOG_EVERY: Duration = Duration::from_secs(60);

/// Limits how often the same problem is logged.
#[derive(Debug, Default)]
pub(super) struct Occasional {
    logged: Mutex<Option<Instant>>,
}

impl Occasional {
    /// Returns true if the problem was not logged in the last minute.
    pub(super) fn is_due(&self) -> bool {
        let now = Instant::now();
        let mut logged = self.logged.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = logged.is_none_or(|at| now.duration_since(at) >= LOG_EVERY);
        if is_due {
            *logged = Some(now);
        }
        is_due
    }
}
