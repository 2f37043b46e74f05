//! The speed with which a client reads its responses.

use std::time::{Duration, Instant};

use kit_guard::{Pace, READ_RATE};

/// Time by which a client is behind the minimum rate while bytes wait for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader {
    pace: Pace,
    /// Number of bytes that the operating system had accepted at the last call, as [`crate::socket::Socket::written`] counts them.
    written: usize,
}

impl Default for Reader {
    fn default() -> Self {
        Self {
            pace: Pace::new(READ_RATE),
            written: 0,
        }
    }
}

impl Reader {
    /// Records that bytes wait for the client. Returns the time at which the client is behind by `patience` if it reads nothing.
    pub(crate) fn wait(&mut self, written: usize, now: Instant, patience: Duration) -> Option<Instant> {
        self.pause(written, now);
        self.pace.wait(now);
        self.pace.deadline(patience)
    }

    /// Records that no bytes wait for the client.
    pub(crate) fn pause(&mut self, written: usize, now: Instant) {
        self.pace.pause(now);
        self.pace.receive(written.wrapping_sub(self.written));
        self.written = written;
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Reader;

    const PATIENCE: Duration = Duration::from_mins(1);

    /// Returns the number of minutes after which a client is too slow that reads `bytes` every `seconds`. `None` if it may go on for
    /// a day.
    fn too_slow_after(bytes: usize, seconds: u32) -> Option<u64> {
        let start = Instant::now();
        let mut reader = Reader::default();
        let mut written = usize::MAX - 1000;
        for looks in 0..24 * 3600 / seconds {
            let second = u64::from(looks * seconds);
            let deadline = reader.wait(written, start + Duration::from_secs(second), PATIENCE);
            if deadline
                .is_some_and(|deadline| deadline < start + Duration::from_secs(second + u64::from(seconds)))
            {
                return Some(second / 60);
            }
            written = written.wrapping_add(bytes);
        }
        None
    }

    #[test]
    fn bounds_the_time_of_clients_that_read_single_packets() {
        assert_eq!(too_slow_after(0, 61), Some(0));
        assert_eq!(too_slow_after(536, 59), Some(0));
        assert!(too_slow_after(239, 1).is_some());
    }

    #[test]
    fn permits_clients_that_read_slowly() {
        for (bytes, seconds) in [(240, 1), (2048, 1), (14_400, 59), (100_000, 50)] {
            assert_eq!(too_slow_after(bytes, seconds), None, "{bytes} in {seconds} s");
        }
    }

    #[test]
    fn does_not_count_the_time_in_which_no_bytes_wait() {
        let (start, mut reader) = (Instant::now(), Reader::default());
        reader.wait(0, start, PATIENCE);
        reader.pause(0, start + PATIENCE / 2);
        let later = start + 10 * PATIENCE;
        assert_eq!(reader.wait(0, later, PATIENCE), Some(later + PATIENCE / 2));
    }
}
