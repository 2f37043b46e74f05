//! The speed with which a peer sends a body, or reads a response.

use std::time::{Duration, Instant};

/// Minimum number of bytes per second that a client must read while bytes wait for it.
pub const READ_RATE: u32 = 240;

/// Time by which a peer is behind a minimum rate while the server waits for its bytes, or waits until the peer reads. Each byte
/// reduces this time by the time that the byte may take. Bytes that arrive faster are no credit for later. The time in which the
/// server does not wait does not count. `watchUpload` and `StalledReaders` of `packages/server-node` have the same rule in TypeScript.
///
/// ```
/// use std::time::{Duration, Instant};
/// use kit_guard::Pace;
///
/// let (start, second) = (Instant::now(), Duration::from_secs(1));
/// let mut pace = Pace::new(100);
/// pace.wait(start);
/// assert_eq!(pace.deadline(10 * second), Some(start + 10 * second));
/// // 200 bytes in 5 seconds: 3 seconds too slow.
/// pace.pause(start + 5 * second);
/// pace.receive(200);
/// pace.wait(start + 8 * second);
/// assert_eq!(pace.deadline(10 * second), Some(start + 15 * second));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct Pace {
    bytes_per_second: u32,
    behind: Duration,
    /// Begin of the current wait. `None` while the server does not wait.
    since: Option<Instant>,
}

impl Pace {
    /// Creates a pace with a minimum rate. With the rate 0, each byte lets the time start again.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use kit_guard::Pace;
    ///
    /// let mut pace = Pace::new(0);
    /// assert_eq!(pace.deadline(Duration::from_secs(1)), None);
    /// ```
    pub fn new(bytes_per_second: u32) -> Self {
        Self {
            bytes_per_second,
            ..Self::default()
        }
    }

    /// Records that the server begins to wait for the peer. Has no effect if the server waits already.
    pub fn wait(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Records that the server no longer waits for the peer.
    pub fn pause(&mut self, now: Instant) {
        if let Some(since) = self.since.take() {
            self.behind += now.saturating_duration_since(since);
        }
    }

    /// Returns true if the server waits for the peer.
    ///
    /// ```
    /// use std::time::Instant;
    /// use kit_guard::Pace;
    ///
    /// let mut pace = Pace::new(100);
    /// assert!(!pace.is_waiting());
    /// pace.wait(Instant::now());
    /// assert!(pace.is_waiting());
    /// ```
    pub fn is_waiting(&self) -> bool {
        self.since.is_some()
    }

    /// Returns true if the peer was behind by `patience` when the server last stopped waiting.
    ///
    /// ```
    /// use std::time::{Duration, Instant};
    /// use kit_guard::Pace;
    ///
    /// let (start, second) = (Instant::now(), Duration::from_secs(1));
    /// let mut pace = Pace::new(100);
    /// pace.wait(start);
    /// pace.pause(start + 10 * second);
    /// assert!(pace.is_behind(10 * second) && !pace.is_behind(11 * second));
    /// ```
    pub fn is_behind(&self, patience: Duration) -> bool {
        self.behind >= patience
    }

    /// Records received bytes. Call the function before [`Pace::wait`] or after [`Pace::pause`].
    pub fn receive(&mut self, bytes: usize) {
        if self.bytes_per_second == 0 && bytes > 0 {
            self.behind = Duration::ZERO;
            return;
        }
        let nanos = (bytes as u64).saturating_mul(1_000_000_000) / u64::from(self.bytes_per_second.max(1));
        self.behind = self.behind.saturating_sub(Duration::from_nanos(nanos));
    }

    /// Returns the time at which the peer is behind by `patience` if no byte arrives. Returns `None` if the server does not wait, or
    /// if the time is too far away.
    pub fn deadline(&self, patience: Duration) -> Option<Instant> {
        self.since?.checked_add(patience.saturating_sub(self.behind))
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Pace;

    /// Returns the seconds after which a peer is refused that sends `bytes` every second, if the server always waits. `None` if
    /// the peer may continue.
    fn refused_after(rate: u32, bytes: usize) -> Option<u64> {
        let (start, patience) = (Instant::now(), Duration::from_secs(10));
        let mut pace = Pace::new(rate);
        pace.wait(start);
        for second in 1..=1000 {
            let now = start + Duration::from_secs(second);
            if pace.deadline(patience).is_some_and(|deadline| deadline < now) {
                return Some(second);
            }
            pace.pause(now);
            pace.receive(bytes);
            pace.wait(now);
        }
        None
    }

    #[test]
    fn refuses_a_peer_that_stays_below_the_rate() {
        assert_eq!(refused_after(100, 0), Some(11));
        assert_eq!(refused_after(100, 50), Some(20));
        assert_eq!(refused_after(100, 99), Some(902));
        assert_eq!(refused_after(100, 100), None);
    }

    #[test]
    fn lets_each_byte_start_the_time_again_without_a_rate() {
        assert_eq!(refused_after(0, 1), None);
        assert_eq!(refused_after(0, 0), Some(11));
    }

    #[test]
    fn gives_no_credit_for_bytes_that_arrived_early() {
        let start = Instant::now();
        let mut pace = Pace::new(100);
        pace.receive(1_000_000);
        pace.wait(start);
        let patience = Duration::from_secs(10);
        assert_eq!(pace.deadline(patience), Some(start + patience));
    }

    #[test]
    fn does_not_count_the_time_between_waits() {
        let start = Instant::now();
        let (second, patience) = (Duration::from_secs(1), Duration::from_secs(10));
        let mut pace = Pace::new(100);
        pace.wait(start);
        pace.pause(start + second);
        pace.wait(start + 100 * second);
        assert_eq!(pace.deadline(patience), Some(start + 109 * second));
    }
}
