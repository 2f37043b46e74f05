//! Services that handlers and middleware share.

pub mod logins;
pub mod sessions;

use std::sync::atomic::{AtomicUsize, Ordering};

static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Returns the next number of a counter. A later call in the same process returns a greater number.
pub fn next_step() -> usize {
    STEPS.fetch_add(1, Ordering::Relaxed)
}
