//! Services that handlers and middleware share.

use std::sync::atomic::{AtomicUsize, Ordering};

static STEPS: AtomicUsize = AtomicUsize::new(0);

/// Returns the number of the next step of the process. Later steps have greater numbers.
pub fn next_step() -> usize {
    STEPS.fetch_add(1, Ordering::Relaxed)
}
