//! Open streams of an HTTP/2 connection, and the bytes that its client accepts (RFC 9113, 5.2).

use std::time::{Duration, Instant};

/// Window of each stream and of the connection before the client changes it (RFC 9113, 6.9.2).
const FIRST_WINDOW: i64 = 65_535;
/// A stream whose client accepts nothing may stay open for this number of write timeouts while other responses of the connection
/// go on, such as a paused video beside other requests of a page.
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
}

/// Open streams with their windows, and the window of the connection.
#[derive(Debug)]
pub(crate) struct Windows {
    /// Sorted by id: clients begin streams in this order. A connection has few, and finding one needs no hash.
    streams: Vec<OpenStream>,
    connection: i64,
    /// Window of a stream that begins.
    initial: i64,
    /// Time of the last write of a response's bytes. The windows at the time of a check do not show progress, because the server
    /// may use up what the client accepts before the check.
    last_use: Option<Instant>,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            streams: Vec::new(),
            connection: FIRST_WINDOW,
            initial: FIRST_WINDOW,
            last_use: None,
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
        };
        self.streams.push(open);
    }

    /// Removes a stream that has ended. Returns true if the stream was the last one.
    pub(crate) fn remove(&mut self, stream: u32) -> bool {
        let Some(index) = self.index(stream) else {
            return false;
        };
        self.streams.remove(index);
        self.streams.is_empty()
    }

    /// Sets the window of streams that begin, which also changes those of open streams.
    pub(crate) fn set_initial(&mut self, value: u32) {
        let change = i64::from(value) - self.initial;
        self.initial += change;
        for stream in &mut self.streams {
            stream.window += change;
        }
    }

    /// Records that the client accepts more bytes: of a stream, or of the connection if the number is 0.
    pub(crate) fn extend(&mut self, stream: u32, increment: u32) {
        if stream == 0 {
            self.connection += i64::from(increment);
        } else if let Some(stream) = self.find(stream) {
            stream.window += i64::from(increment);
        }
    }

    /// Records that the next head has the status 100.
    pub(crate) fn announce_interim(&mut self, stream: u32) {
        if let Some(stream) = self.find(stream) {
            stream.is_interim_next = true;
        }
    }

    /// Records that a head was written.
    pub(crate) fn answer(&mut self, stream: u32) {
        if let Some(stream) = self.find(stream) {
            let is_interim = std::mem::take(&mut stream.is_interim_next);
            stream.is_answered |= !is_interim;
        }
    }

    /// Records that bytes of a response were written.
    pub(crate) fn use_up(&mut self, stream: u32, length: u32, now: Instant) {
        if length > 0 {
            self.last_use = Some(now);
        }
        self.connection -= i64::from(length);
        if let Some(stream) = self.find(stream) {
            stream.window -= i64::from(length);
            stream.blocked = None;
        }
    }

    /// Returns for each response of which the client accepts nothing: the time until which this may be so.
    pub(crate) fn deadlines(&mut self, now: Instant, write: Duration) -> impl Iterator<Item = Instant> {
        let is_connection_blocked = self.connection <= 0;
        let last_use = self.last_use;
        let is_blocked = move |stream: &OpenStream| is_connection_blocked || stream.window <= 0;
        let does_any_go_on = self
            .streams
            .iter()
            .any(|stream| stream.is_answered && !is_blocked(stream));
        self.streams.iter_mut().filter_map(move |stream| {
            if !stream.is_answered || !is_blocked(stream) {
                stream.blocked = None;
                return None;
            }
            let since = *stream.blocked.get_or_insert(now);
            let without_progress = last_use.map_or(since, |last| last.max(since)) + write;
            if stream.window > 0 {
                // Only the window of the connection stops this response, which may also have nothing to write.
                return Some(without_progress);
            }
            let longest = since + write * PAUSED_STREAM;
            Some(if does_any_go_on {
                longest
            } else {
                longest.min(without_progress)
            })
        })
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
            windows.set_initial(window);
            windows.begin(stream);
            windows.answer(stream);
        }
        // A new initial window changes those of open streams.
        windows.extend(1, 1 << 24);
        windows.use_up(1, 65_535, start);
        (0..2 * READING).step_by(10).find(|seconds| {
            let now = start + Duration::from_secs(*seconds);
            if *seconds <= READING {
                windows.extend(0, 4096);
                windows.use_up(1, 4096, now);
            }
            windows.deadlines(now, WRITE).any(|at| at <= now)
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

    #[test]
    fn permits_a_client_to_accept_nothing_between_the_status_100_and_the_response() {
        let start = Instant::now();
        let mut windows = Windows::default();
        windows.set_initial(0);
        windows.begin(1);
        windows.announce_interim(1);
        // The client has reset this stream.
        windows.announce_interim(3);
        windows.answer(1);
        assert_eq!(windows.deadlines(start, WRITE).next(), None);
        let answered = start + 2 * WRITE;
        windows.answer(1);
        assert_eq!(windows.deadlines(answered, WRITE).next(), Some(answered + WRITE));
    }
}
