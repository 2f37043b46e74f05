//! Limits the rate of events.

use std::time::{Duration, Instant};

/// Number of events that may still happen. The number grows with time, up to a maximum.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bucket {
    left: f64,
    most: f64,
    per_second: f64,
    filled: Option<Instant>,
}

impl Bucket {
    pub(crate) const fn new(most: f64, per_second: f64) -> Self {
        Self {
            left: most,
            most,
            per_second,
            filled: None,
        }
    }

    /// Takes one event. Returns false if none is left.
    pub(crate) fn take(&mut self, now: Instant) -> bool {
        let since = self
            .filled
            .map_or(Duration::ZERO, |filled| now.saturating_duration_since(filled));
        self.filled = Some(now);
        self.add(since.as_secs_f64() * self.per_second);
        self.left -= 1.0;
        self.left >= 0.0
    }

    pub(crate) fn add(&mut self, count: f64) {
        self.left = (self.left + count).min(self.most);
    }
}
