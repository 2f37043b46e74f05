//! Detection of the end of a burst, after which free memory goes back to the system.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Minimum number of connections of a burst of connections. Fewer connections free too little memory.
const LEAST_CONNECTIONS: usize = 64;
/// Minimum number of bytes of a burst of large pieces: bodies, chunks of bodies, and messages.
const LEAST_BYTES: usize = 32 * 1024 * 1024;
/// Size from which on a piece is large. The memory of smaller pieces is used again by the next requests.
const LARGE_PIECE: usize = 16 * 1024;
/// Time after a burst until its memory is returned. JavaScript frees the buffers of streams only with its next garbage
/// collections.
const DELAY: Duration = Duration::from_secs(5);
/// Time after which memory is returned although large pieces still move.
const LONGEST_DELAY: Duration = Duration::from_mins(1);

/// Observes the number of open connections and the bytes of large pieces, and decides when free memory is returned to the
/// system.
#[derive(Default)]
pub(super) struct Burst {
    /// Highest number of open connections since the end of the last burst.
    highest: Cell<usize>,
    /// Number of bytes of large pieces since free memory was returned.
    moved: Cell<usize>,
    /// Value of `moved` when `due` was set.
    moved_at_due: Cell<usize>,
    due: Cell<Option<Instant>>,
    /// Time at which the memory of large pieces is returned at the latest.
    latest: Cell<Option<Instant>>,
}

impl Burst {
    /// Records the number of open connections. A burst of connections ends when three quarters of them are closed. A burst of large
    /// pieces ends when fewer bytes than [`LEAST_BYTES`] move in [`DELAY`].
    pub(super) fn observe(&self, open: usize) {
        let highest = self.highest.get();
        if open >= highest {
            self.highest.set(open);
        } else if highest >= LEAST_CONNECTIONS && open <= highest / 4 {
            self.highest.set(open);
            self.start();
        }
        if self.moved.get() >= LEAST_BYTES {
            self.start();
        }
    }

    /// Records a piece of a body or a message.
    pub(super) fn note(&self, bytes: usize) {
        if bytes >= LARGE_PIECE {
            self.moved.set(self.moved.get().saturating_add(bytes));
        }
    }

    fn start(&self) {
        if self.due.get().is_none() {
            let now = Instant::now();
            self.due.set(Some(now + DELAY));
            self.latest.set(Some(now + LONGEST_DELAY));
            self.moved_at_due.set(self.moved.get());
        }
    }

    /// Returns the time at which free memory must be returned. `None` if no burst has ended.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due.get()
    }

    /// Returns true once for each end of a burst, as soon as the delay has passed.
    pub(super) fn take_due(&self) -> bool {
        let Some(due) = self.due.get() else {
            return false;
        };
        let now = Instant::now();
        if now < due {
            return false;
        }
        let moved = self.moved.get() - self.moved_at_due.get();
        if moved >= LEAST_BYTES && self.latest.get().is_some_and(|latest| now < latest) {
            self.moved_at_due.set(self.moved.get());
            self.due.set(Some(now + DELAY));
            return false;
        }
        self.due.set(None);
        self.moved.set(0);
        true
    }
}
