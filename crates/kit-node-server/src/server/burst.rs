//! Detection of the end of a burst of connections.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Minimum number of connections of a burst. Fewer connections free too little memory.
const LEAST_CONNECTIONS: usize = 64;
/// Time after a burst until its memory is returned. JavaScript frees the buffers of streams only with its next garbage
/// collections.
const DELAY: Duration = Duration::from_secs(5);

/// Observes the number of open connections, and decides when free memory is returned to the system.
#[derive(Default)]
pub(super) struct Burst {
    /// Highest number of open connections since the end of the last burst.
    highest: Cell<usize>,
    due: Cell<Option<Instant>>,
}

impl Burst {
    /// Records the number of open connections. A burst ends when three quarters of its connections are closed.
    pub(super) fn observe(&self, open: usize) {
        let highest = self.highest.get();
        if open >= highest {
            self.highest.set(open);
        } else if highest >= LEAST_CONNECTIONS && open <= highest / 4 {
            self.highest.set(open);
            if self.due.get().is_none() {
                self.due.set(Some(Instant::now() + DELAY));
            }
        }
    }

    /// Returns the time at which free memory must be returned. `None` if no burst has ended.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due.get()
    }

    /// Returns true once for each end of a burst, as soon as the delay has passed.
    pub(super) fn take_due(&self) -> bool {
        let is_due = self.due.get().is_some_and(|due| due <= Instant::now());
        if is_due {
            self.due.set(None);
        }
        is_due
    }
}
