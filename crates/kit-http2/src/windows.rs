//! Open streams of an HTTP/2 connection, and the bytes that its client accepts (RFC 9113, 5.2).

use std::time::{Duration, Instant};

use kit_guard::{Pace, READ_RATE};

/// Window of each stream and of the connection before the client changes it (RFC 9113, 6.9.2).
const FIRST_WINDOW: i64 = 65_535;
/// A stream whose client accepts nothing may stay open for this number of write timeouts while other responses of the connection
/// go on, such as a paused video beside other requests of a page. The client may be behind the minimum rate for the same time.
const PAUSED_STREAM: u32 = 10;

/// A stream whose response is not complete.
#[derive(Debug)]
struct OpenStream {
    id: u32,
    /// Number of bytes that the client accepts.
    window: i64,
    /// True after the head of the response was written.
    is_answered: bool,
    /// True if the next head has the status 100.
    is_interim_next: bool,
    /// Time since which the client accepts nothing of the response.
    blocked: Option<Instant>,
    /// True if the windows have stopped the response at least once, so that it may be a reason why the client is behind.
    was_blocked: bool,
}

/// Open streams with their windows, and the window of the connection.
#[derive(Debug)]
pub(crate) struct Windows {
    /// Sorted by id: clients begin streams in this order. A connection has few, and finding one needs no hash.
    streams: Vec<OpenStream>,
    connection: i64,
    /// Window of a stream that begins.
    initial: i64,
    /// Speed of the client while the windows stop all responses. The windows at the time of a check do not show progress, because
    /// the server may use up what the client accepts before the check.
    stopped: Pace,
    /// Speed of the client while the windows stop a response, even if others go on.
    paused: Pace,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            streams: Vec::new(),
            connection: FIRST_WINDOW,
            initial: FIRST_WINDOW,
            stopped: Pace::new(READ_RATE),
            paused: Pace::new(READ_RATE),
        }
    }
}

impl Windows {
    /// Returns the number of open streams.
    pub(crate) fn open(&self) -> usize {
        self.streams.len()
    }

    fn find(&mut self, stream: u32) -> Option<&mut OpenStream> {
        let index = self.index(stream)?;
        self.streams.get_mut(index)
    }

    fn index(&self, stream: u32) -> Option<usize> {
        self.streams.binary_search_by_key(&stream, |open| open.id).ok()
    }

    /// Adds a stream that the client has begun. Its number must be greater than those of all streams before.
    pub(crate) fn begin(&mut self, stream: u32) {
        let open = OpenStream {
            id: stream,
            window: self.initial,
            is_answered: false,
            is_interim_next: false,
            blocked: None,
            was_blocked: false,
        };
        self.streams.push(open);
    }

    /// Removes a stream that has ended. Returns true if the stream was the last one.
    pub(crate) fn remove(&mut self, stream: u32, now: Instant) -> bool {
        let Some(index) = self.index(stream) else {
            return false;
        };
        let removed = self.streams.remove(index);
        if self.paused.is_waiting() {
            self.follow(now);
        }
        if removed.was_blocked && !self.streams.iter().any(|stream| stream.was_blocked) {
            // No response of the time in which the client was slow is left.
            self.stopped = Pace::new(READ_RATE);
            self.paused = Pace::new(READ_RATE);
        }
        self.streams.is_empty()
    }

    /// Sets the window of streams that begin, which also changes those of open streams.
    pub(crate) fn set_initial(&mut self, value: u32, now: Instant) {
        let change = i64::from(value) - self.initial;
        self.initial += change;
        for stream in &mut self.streams {
            stream.window += change;
        }
        self.follow(now);
    }

    /// Records that the client accepts more bytes: of a stream, or of the connection if the number is 0.
    pub(crate) fn extend(&mut self, stream: u32, increment: u32, now: Instant) {
        if stream == 0 {
            self.connection += i64::from(increment);
        } else if let Some(stream) = self.find(stream) {
            stream.window += i64::from(increment);
        }
        if self.paused.is_waiting() {
            self.follow(now);
        }
    }

    /// Records that the next head has the status 100.
    pub(crate) fn announce_interim(&mut self, stream: u32) {
        if let Some(stream) = self.find(stream) {
            stream.is_interim_next = true;
        }
    }

    /// Records that a head was written.
    pub(crate) fn answer(&mut self, stream: u32, now: Instant) {
        let mut is_blocked = self.connection <= 0;
        if let Some(stream) = self.find(stream) {
            let is_interim = std::mem::take(&mut stream.is_interim_next);
            stream.is_answered |= !is_interim;
            is_blocked |= stream.window <= 0;
        }
        if is_blocked || self.paused.is_waiting() {
            self.follow(now);
        }
    }

    /// Records that bytes of a response were written.
    pub(crate) fn use_up(&mut self, stream: u32, length: u32, now: Instant) {
        let mut may_block = self.paused.is_waiting();
        for pace in [&mut self.stopped, &mut self.paused] {
            pace.pause(now);
            pace.receive(length as usize);
        }
        self.connection -= i64::from(length);
        may_block |= self.connection <= 0;
        if let Some(stream) = self.find(stream) {
            stream.window -= i64::from(length);
            stream.blocked = None;
            may_block |= stream.window <= 0;
        }
        if may_block {
            self.follow(now);
        }
    }

    /// Lets the time go on in which the client stops responses, or stops this time.
    fn follow(&mut self, now: Instant) {
        let (mut is_any_blocked, mut does_any_go_on) = (false, false);
        for stream in self.streams.iter_mut().filter(|stream| stream.is_answered) {
            if self.connection <= 0 || stream.window <= 0 {
                stream.was_blocked = true;
                is_any_blocked = true;
            } else {
                does_any_go_on = true;
            }
        }
        let is_all_blocked = is_any_blocked && !does_any_go_on;
        for (pace, is_waiting) in [
            (&mut self.stopped, is_all_blocked),
            (&mut self.paused, is_any_blocked),
        ] {
            if is_waiting {
                pace.wait(now);
            } else {
                pace.pause(now);
            }
        }
    }

    /// Returns the time until which the client must accept something of a response. Returns `now` if the client was too slow.
    pub(crate) fn deadline(&mut self, now: Instant, write: Duration) -> Option<Instant> {
        let longest = write * PAUSED_STREAM;
        if self.stopped.is_behind(write) || self.paused.is_behind(longest) {
            return Some(now);
        }
        let streams = self.streams.iter_mut().filter_map(|stream| {
            if !stream.is_answered || stream.window > 0 {
                stream.blocked = None;
                return None;
            }
            Some(*stream.blocked.get_or_insert(now) + longest)
        });
        let paces = [self.stopped.deadline(write), self.paused.deadline(longest)];
        streams.chain(paces.into_iter().flatten()).min()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::Windows;

    const WRITE: Duration = Duration::from_mins(1);
    /// Number of seconds in which the client reads.
    const READING: u64 = 1200;

    /// Lets the client read 4 KiB of the stream 1 every ten seconds, and nothing after [`READING`]. The response of the stream 1 uses
    /// the whole window of the connection. Returns the number of seconds after which a deadline of a response has passed. `window` is
    /// the window of the stream 3.
    fn ends_after(window: u32) -> Option<u64> {
        let start = Instant::now();
        let mut windows = Windows::default();
        for (stream, window) in [(1, 1 << 24), (3, window)] {
            windows.set_initial(window, start);
            windows.begin(stream);
            windows.answer(stream, start);
        }
        // A new initial window changes those of open streams.
        windows.extend(1, 1 << 24, start);
        windows.use_up(1, 65_535, start);
        (0..2 * READING).step_by(10).find(|seconds| {
            let now = start + Duration::from_secs(*seconds);
            if *seconds <= READING {
                windows.extend(0, 4096, now);
                windows.use_up(1, 4096, now);
            }
            windows.deadline(now, WRITE).is_some_and(|at| at <= now)
        })
    }

    #[test]
    fn permits_a_silent_response_beside_one_that_uses_the_whole_window_of_the_connection() {
        assert_eq!(ends_after(1 << 24), Some(READING + WRITE.as_secs()));
    }

    #[test]
    fn permits_a_stream_to_pause_beside_one_that_uses_the_whole_window_of_the_connection() {
        assert_eq!(ends_after(0), Some(10 * WRITE.as_secs()));
    }

    /// Returns the number of seconds after which the client of 100 responses is too slow. The client accepts `bytes` of one of them
    /// every `seconds`, and one byte of each other one every nine minutes. `None` if it may go on for four hours. If `has_open` is true,
    /// the client has another response whose handler writes nothing.
    fn slow_ends_after(bytes: u32, seconds: u64, has_open: bool) -> Option<u64> {
        let start = Instant::now();
        let mut windows = Windows::default();
        windows.extend(0, 1 << 30, start);
        windows.set_initial(0, start);
        for stream in (1..200).step_by(2) {
            windows.begin(stream);
            windows.answer(stream, start);
        }
        if has_open {
            windows.begin(201);
            windows.extend(201, 1000, start);
            windows.answer(201, start);
        }
        let mut times = (1..4 * 3600 / seconds).map(|looks| looks * seconds);
        times.find(|second| {
            let now = start + Duration::from_secs(*second);
            let is_late = windows.deadline(now, WRITE).is_some_and(|at| at < now);
            let mut accept = |stream, bytes| {
                windows.extend(stream, bytes, now);
                // The Rust server looks after it has read, and before it writes.
                let is_late = windows.deadline(now, WRITE).is_some_and(|at| at < now);
                windows.use_up(stream, bytes, now);
                is_late
            };
            let mut is_late = is_late || accept(1, bytes);
            if second % 540 < seconds {
                for stream in (3..200).step_by(2) {
                    is_late |= accept(stream, 1);
                }
            }
            is_late || windows.deadline(now, WRITE).is_some_and(|at| at <= now)
        })
    }

    #[test]
    fn ends_connections_whose_client_accepts_few_bytes() {
        let minutes = |range: std::ops::Range<u64>, ends: Option<u64>| {
            assert!(ends.is_some_and(|ends| range.contains(&(ends / 60))), "{ends:?}");
        };
        minutes(1..3, slow_ends_after(1, 50, false));
        minutes(10..12, slow_ends_after(1, 50, true));
        minutes(1..4, slow_ends_after(120 * 10, 10, false));
        minutes(10..25, slow_ends_after(120 * 10, 10, true));
    }

    #[test]
    fn permits_clients_that_read_slowly() {
        // The last one reads 2 KB per second, and announces this in pieces of 64 KB.
        for (bytes, seconds) in [(250, 1), (250 * 10, 10), (64_000, 32)] {
            for has_open in [false, true] {
                assert_eq!(
                    slow_ends_after(bytes, seconds, has_open),
                    None,
                    "{bytes} in {seconds} s"
                );
            }
        }
    }

    /// Returns the number of seconds after which the client of 100 responses is too slow. The client accepts one byte of 99 of them
    /// every 50 seconds. If `repeats` is true, the client then also resets the last response, of which it accepts nothing, and
    /// requests the same again. `None` if it may go on for four hours.
    fn slow_ends_after_resets(repeats: bool) -> Option<u64> {
        let start = Instant::now();
        let mut windows = Windows::default();
        windows.extend(0, 1 << 30, start);
        windows.set_initial(0, start);
        for stream in (1..=199).step_by(2) {
            windows.begin(stream);
            windows.answer(stream, start);
        }
        let mut last = 199;
        (50..4 * 3600).step_by(50).find(|second| {
            let now = start + Duration::from_secs(*second);
            let is_late = windows.deadline(now, WRITE).is_some_and(|at| at < now);
            for stream in (1..199).step_by(2) {
                windows.extend(stream, 1, now);
            }
            if repeats {
                windows.remove(last, now);
                last += 2;
                windows.begin(last);
                windows.answer(last, now);
            }
            for stream in (1..199).step_by(2) {
                windows.use_up(stream, 1, now);
            }
            is_late || windows.deadline(now, WRITE).is_some_and(|at| at <= now)
        })
    }

    #[test]
    fn does_not_forget_the_slowness_of_open_responses_when_another_one_is_reset() {
        for repeats in [false, true] {
            assert_eq!(slow_ends_after_resets(repeats), Some(100), "{repeats}");
        }
    }

    #[test]
    fn forgets_the_slowness_of_responses_that_have_ended() {
        for (has_open, time) in [(false, WRITE), (true, 10 * WRITE)] {
            let start = Instant::now();
            let mut windows = Windows::default();
            windows.set_initial(0, start);
            windows.begin(1);
            windows.answer(1, start);
            if has_open {
                // The windows never stop this response, whose handler writes nothing.
                windows.begin(3);
                windows.extend(3, 1000, start);
                windows.answer(3, start);
            }
            let later = start + time / 2;
            windows.remove(1, later);
            windows.begin(5);
            windows.answer(5, later);
            assert_eq!(windows.deadline(later, WRITE), Some(later + time), "{has_open}");
        }
    }

    #[test]
    fn permits_a_client_to_accept_nothing_between_the_status_100_and_the_response() {
        let start = Instant::now();
        let mut windows = Windows::default();
        windows.set_initial(0, start);
        windows.begin(1);
        windows.announce_interim(1);
        // The client has reset this stream.
        windows.announce_interim(3);
        windows.answer(1, start);
        assert_eq!(windows.deadline(start, WRITE), None);
        let answered = start + 2 * WRITE;
        windows.answer(1, answered);
        assert_eq!(windows.deadline(answered, WRITE), Some(answered + WRITE));
    }
}
