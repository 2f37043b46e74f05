//! Times at which the engine looks for connections whose deadlines have passed.

use std::cell::Cell;
use std::time::{Duration, Instant};

/// Minimum time between two looks, for each open connection. A look compares one time for each connection, so looks need at most
/// some percent of a processor: 50,000 connections are looked at every 100 ms.
const PAUSE_FOR_CONNECTION: Duration = Duration::from_micros(2);

/// Time of the next look.
#[derive(Debug, Default)]
pub(super) struct Expiry {
    /// Time before which no deadline passes. `None` if no connection has a deadline.
    next: Cell<Option<Instant>>,
    /// Time before which the engine does not look, because the last look was shortly before.
    pause_end: Cell<Option<Instant>>,
}

impl Expiry {
    /// Returns the time of the next look.
    pub(super) fn time(&self) -> Option<Instant> {
        let next = self.next.get()?;
        Some(self.pause_end.get().map_or(next, |end| next.max(end)))
    }

    /// Returns true if the engine must look.
    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.time().is_some_and(|time| time <= now)
    }

    /// Records a new deadline of a connection.
    pub(super) fn note(&self, deadline: Instant) {
        if self.next.get().is_none_or(|next| deadline < next) {
            self.next.set(Some(deadline));
        }
    }

    /// Records a look at all connections, and the earliest deadline that has not passed.
    pub(super) fn finish_look(&self, now: Instant, connections: usize, next: Option<Instant>) {
        let connections = u32::try_from(connections).unwrap_or(u32::MAX);
        self.pause_end
            .set(now.checked_add(PAUSE_FOR_CONNECTION * connections));
        self.next.set(next);
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Expiry;

    /// Lets the deadlines of this many connections pass, evenly distributed over 30 seconds, with a turn of the event loop every
    /// millisecond. Each connection gets a new deadline after 30 seconds. Returns the number of looks in ten seconds, and the greatest
    /// delay of a deadline in milliseconds.
    fn looks(connections: u64) -> (u32, u64) {
        let start = Instant::now();
        let period = 30_000_000;
        let micros = |time: u64| start + Duration::from_micros(time);
        let mut deadlines: Vec<u64> = (0..connections)
            .map(|index| index * period / connections)
            .collect();
        let expiry = Expiry::default();
        for time in &deadlines {
            expiry.note(micros(*time));
        }
        let (mut count, mut latest) = (0, 0);
        for now in (0..10_000_000).step_by(1000) {
            if !expiry.is_due(micros(now)) {
                continue;
            }
            count += 1;
            let next = deadlines.iter().filter(|time| **time > now).min();
            expiry.finish_look(micros(now), deadlines.len(), next.map(|time| micros(*time)));
            for deadline in deadlines.iter_mut().filter(|time| **time <= now) {
                latest = latest.max(now - *deadline);
                *deadline = now + period;
                expiry.note(micros(*deadline));
            }
        }
        (count, latest / 1000)
    }

    #[test]
    fn many_connections_need_few_looks_and_few_connections_no_delay() {
        let (count, latest) = looks(10_000);
        assert!(
            (300..=500).contains(&count) && latest <= 21,
            "{count} looks, {latest} ms late"
        );
        let (count, latest) = looks(100);
        assert!(count <= 35 && latest <= 1, "{count} looks, {latest} ms late");
    }

    #[test]
    fn a_look_pauses_further_looks_even_if_a_deadline_passes_meanwhile() {
        let (now, expiry) = (Instant::now(), Expiry::default());
        assert!(!expiry.is_due(now) && expiry.time().is_none());
        expiry.note(now);
        assert!(expiry.is_due(now));
        expiry.finish_look(now, 50_000, None);
        assert_eq!(expiry.time(), None);
        expiry.note(now + Duration::from_millis(1));
        assert_eq!(expiry.time(), Some(now + Duration::from_millis(100)));
    }
}
