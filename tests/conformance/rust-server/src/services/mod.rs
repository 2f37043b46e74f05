//! What handlers share.

use std::sync::atomic::{AtomicUsize, Ordering};

static STEPS: AtomicUsize = AtomicUsize::new(0);

/// The number of a step of the process: a later one is greater.
pub fn next_step() -> usize {
    STEPS.fetch_add(1, Ordering::Relaxed)
}
