//! Latencies by route in slices of time. Recent slices are short, older slices are long. The counterpart for Node is
//! `packages/plugin-debug/src/history/latency.ts`.

// Reason: counts of requests and keys of bins are far below 2^52, and a percentile is an estimate anyway.
#![allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]

use std::collections::{BTreeMap, HashMap};

/// Relative accuracy of a histogram. The documentation promises one percent.
const ACCURACY: f64 = 0.005;

/// Latencies of one route in one slice, as a histogram (DDSketch): bin `k` counts the values from `g^(k-1)` to `g^k` with
/// `g = (1 + accuracy) / (1 - accuracy)`. Merging two histograms does not reduce the accuracy.
#[derive(Debug, Clone, Default)]
pub(super) struct Latency {
    bins: BTreeMap<i32, u64>,
    pub(super) count: u64,
    pub(super) sum: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// Number of responses with a status of 500 or above.
    pub(super) failed: u64,
}

fn log_of_base() -> f64 {
    ((1.0 + ACCURACY) / (1.0 - ACCURACY)).ln()
}

impl Latency {
    fn add(&mut self, ms: f64, is_failed: bool) {
        // A duration has at least a nanosecond, so its logarithm exists.
        let ms = ms.max(1e-6);
        *self
            .bins
            .entry((ms.ln() / log_of_base()).ceil() as i32)
            .or_default() += 1;
        (self.min, self.max) = if self.count == 0 {
            (ms, ms)
        } else {
            (self.min.min(ms), self.max.max(ms))
        };
        self.count += 1;
        self.sum += ms;
        self.failed += u64::from(is_failed);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        if other.count > 0 {
            let is_first = self.count == 0;
            self.min = if is_first {
                other.min
            } else {
                self.min.min(other.min)
            };
            self.max = if is_first {
                other.max
            } else {
                self.max.max(other.max)
            };
        }
        for (bin, count) in &other.bins {
            *self.bins.entry(*bin).or_default() += count;
        }
        self.count += other.count;
        self.sum += other.sum;
        self.failed += other.failed;
    }

    /// Returns the value below which a part of the latencies is, such as 0.95. Returns 0 if there are none.
    pub(super) fn quantile(&self, part: f64) -> f64 {
        let rank = part * (self.count.saturating_sub(1)) as f64;
        let mut passed = 0;
        for (bin, count) in &self.bins {
            passed += count;
            if passed as f64 > rank {
                let middle = (f64::from(*bin) * log_of_base()).exp() * (1.0 - ACCURACY);
                return middle.clamp(self.min, self.max);
            }
        }
        self.max
    }
}

/// Length of the slices of one tier, and the time after which the tier drops them, in milliseconds.
struct Tier {
    slice: u64,
    keep: u64,
}

const MINUTE: u64 = 60_000;
const HOUR: u64 = 60 * MINUTE;

/// Tiers of slices. Short slices are stored for a short time only, so that a whole day needs little memory.
const TIERS: [Tier; 3] = [
    Tier {
        slice: 10_000,
        keep: 10 * MINUTE,
    },
    Tier {
        slice: MINUTE,
        keep: 2 * HOUR,
    },
    Tier {
        slice: 15 * MINUTE,
        keep: 25 * HOUR,
    },
];

/// Longest window of time that can be requested, in milliseconds.
pub(super) const LONGEST_WINDOW: u64 = 24 * HOUR;

/// Maximum number of histograms in memory. Each needs some kilobytes.
const MOST_HISTOGRAMS: usize = 8_000;

/// Latencies by the name of the route. Requests without a route have the empty name.
pub(super) type Routes = HashMap<&'static str, Latency>;

/// Latencies of a window of time, in slices.
#[derive(Debug)]
pub(super) struct Window {
    /// Start of the first slice in milliseconds since 1970.
    pub(super) since: u64,
    pub(super) slice_ms: u64,
    /// Slices by their start, the oldest first.
    pub(super) slices: Vec<(u64, Routes)>,
}

/// Latencies of the routes, divided into slices of time.
#[derive(Debug, Default)]
pub(super) struct LatencyHistory {
    /// Slices of each tier by their start.
    tiers: [BTreeMap<u64, Routes>; 3],
    /// For each tier, the time from which on all slices are present.
    since: [u64; 3],
    /// Start of the newest slice of the first tier, before which nothing must be dropped.
    newest: u64,
}

impl LatencyHistory {
    /// Counts a request that ended at a time.
    pub(super) fn record(&mut self, route: &'static str, ms: f64, is_failed: bool, now: u64) {
        for (slices, tier) in self.tiers.iter_mut().zip(&TIERS) {
            let slice = slices.entry(now / tier.slice * tier.slice).or_default();
            slice.entry(route).or_default().add(ms, is_failed);
        }
        let newest = now / TIERS[0].slice;
        if newest != self.newest {
            self.newest = newest;
            self.drop_old(now);
        }
    }

    fn drop_old(&mut self, now: u64) {
        for (index, tier) in TIERS.iter().enumerate() {
            while let Some(start) = self.tiers[index].keys().next().copied() {
                if start + tier.slice > now.saturating_sub(tier.keep) {
                    break;
                }
                self.forget(index, start);
            }
        }
        loop {
            let sizes = self
                .tiers
                .each_ref()
                .map(|slices| slices.values().map(HashMap::len).sum::<usize>());
            let largest = (0..sizes.len()).max_by_key(|index| sizes[*index]);
            let Some(index) = largest.filter(|_| sizes.iter().sum::<usize>() > MOST_HISTOGRAMS) else {
                return;
            };
            let Some(start) = self.tiers[index].keys().next().copied() else {
                return;
            };
            self.forget(index, start);
        }
    }

    fn forget(&mut self, index: usize, start: u64) {
        self.tiers[index].remove(&start);
        self.since[index] = start + TIERS[index].slice;
    }

    /// Returns the slices of the last `window` milliseconds.
    pub(super) fn slices(&mut self, window: u64, now: u64) -> Window {
        self.drop_old(now);
        let last = TIERS.len() - 1;
        let mut index = TIERS.iter().position(|tier| window < tier.keep).unwrap_or(last);
        while index < last && self.since[index] > now.saturating_sub(window) {
            index += 1;
        }
        let slice_ms = TIERS[index].slice;
        let since = (now.saturating_sub(window) / slice_ms * slice_ms).max(self.since[index]);
        let slices = self.tiers[index].range(since..);
        Window {
            since,
            slice_ms,
            slices: slices.map(|(start, routes)| (*start, routes.clone())).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{HOUR, Latency, LatencyHistory, MOST_HISTOGRAMS};

    #[test]
    fn percentiles_have_an_error_of_at_most_one_percent() {
        let (mut one, mut other) = (Latency::default(), Latency::default());
        for number in 1..=10_000_u32 {
            let part = if number % 2 == 0 { &mut one } else { &mut other };
            part.add(f64::from(number) / 10.0, number % 100 == 0);
        }
        one.merge(&other);
        for (part, exact) in [(0.5, 500.0), (0.95, 950.0), (0.99, 990.0)] {
            let found = one.quantile(part);
            assert!((found - exact).abs() <= exact / 100.0, "{part}: {found}");
        }
        assert_eq!(
            (one.count, one.failed, one.min, one.max),
            (10_000, 100, 0.1, 1000.0)
        );
    }

    #[test]
    fn drops_slices_that_are_older_than_their_tier() {
        let mut history = LatencyHistory::default();
        let start = 1_000_000 * HOUR;
        history.record("GET /", 1.0, false, start);
        history.record("GET /", 1.0, false, start + 3 * HOUR);
        let counts = |history: &mut LatencyHistory, window| {
            let found = history.slices(window, start + 3 * HOUR + 1);
            found
                .slices
                .iter()
                .map(|(_, routes)| routes["GET /"].count)
                .sum::<u64>()
        };
        assert_eq!(counts(&mut history, HOUR), 1);
        assert_eq!(counts(&mut history, 4 * HOUR), 2);
        history.drop_old(start + 40 * HOUR);
        assert_eq!(counts(&mut history, 4 * HOUR), 0);
    }

    #[test]
    fn keeps_a_limited_number_of_histograms() {
        let mut history = LatencyHistory::default();
        let names: Vec<&'static str> = (0..100).map(|number| &*format!("GET /{number}").leak()).collect();
        for slice in 0..200_u64 {
            for name in &names {
                history.record(name, 1.0, false, HOUR + slice * 10_000);
            }
        }
        history.drop_old(HOUR + 200 * 10_000);
        let size: usize = history
            .tiers
            .iter()
            .flat_map(|slices| slices.values())
            .map(HashMap::len)
            .sum();
        assert!(size <= MOST_HISTOGRAMS, "{size}");
    }
}
