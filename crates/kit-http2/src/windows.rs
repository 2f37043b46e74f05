//! Open streams of an HTTP/2 connection, and the bytes that its client accepts (RFC 9113, 5.2).

use std::collections::HashMap;
use std::time::{Duration, Instant};

/// Window of each stream and of the connection before the client changes it (RFC 9113, 6.9.2).
const FIRST_WINDOW: i64 = 65_535;
/// A stream whose client accepts nothing may stay open for this number of write timeouts while other responses of the connection
/// go on, such as a paused video beside other requests of a page.
const PAUSED_STREAM: u32 = 10;

/// A stream whose response is not complete.
#[derive(Debug)]
struct OpenStream {
    /// Number of bytes that the client accepts.
    window: i64,
    /// True after the head of the response was written.
    is_answered: bool,
    /// Time since which the client accepts nothing of the response.
    blocked: Option<Instant>,
}

/// Open streams with their windows, and the window of the connection.
#[derive(Debug)]
pub(crate) struct Windows {
    streams: HashMap<u32, OpenStream>,
    connection: i64,
    /// Window of a stream that begins.
    initial: i64,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            streams: HashMap::new(),
            connection: FIRST_WINDOW,
            initial: FIRST_WINDOW,
        }
    }
}

impl Windows {
    /// Returns the number of open streams.
    pub(crate) fn open(&self) -> usize {
        self.streams.len()
    }

    /// Adds a stream that the client has begun.
    pub(crate) fn begin(&mut self, stream: u32) {
        let open = OpenStream {
            window: self.initial,
            is_answered: false,
            blocked: None,
        };
        self.streams.insert(stream, open);
    }

    /// Removes a stream that has ended. Returns true if the stream was the last one.
    pub(crate) fn remove(&mut self, stream: u32) -> bool {
        self.streams.remove(&stream).is_some() && self.streams.is_empty()
    }

    /// Sets the window of streams that begin, which also changes those of open streams.
    pub(crate) fn set_initial(&mut self, value: u32) {
        let change = i64::from(value) - self.initial;
        self.initial += change;
        for stream in self.streams.values_mut() {
            stream.window += change;
        }
    }

    /// Records that the client accepts more bytes: of a stream, or of the connection if the number is 0.
    pub(crate) fn extend(&mut self, stream: u32, increment: u32) {
        if stream == 0 {
            self.connection += i64::from(increment);
        } else if let Some(stream) = self.streams.get_mut(&stream) {
            stream.window += i64::from(increment);
        }
    }

    /// Records that the head of a response was written.
    pub(crate) fn answer(&mut self, stream: u32) {
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.is_answered = true;
        }
    }

    /// Records that bytes of a response were written.
    pub(crate) fn use_up(&mut self, stream: u32, length: u32) {
        self.connection -= i64::from(length);
        if let Some(stream) = self.streams.get_mut(&stream) {
            stream.window -= i64::from(length);
            stream.blocked = None;
        }
    }

    /// Returns for each response of which the client accepts nothing: the time since which this is so, and the time for which it
    /// may be so.
    pub(crate) fn blocked(
        &mut self,
        now: Instant,
        write: Duration,
    ) -> impl Iterator<Item = (Instant, Duration)> {
        let is_connection_blocked = self.connection <= 0;
        let is_blocked = move |stream: &OpenStream| is_connection_blocked || stream.window <= 0;
        let does_any_go_on = self
            .streams
            .values()
            .any(|stream| stream.is_answered && !is_blocked(stream));
        let time = if does_any_go_on {
            write * PAUSED_STREAM
        } else {
            write
        };
        self.streams.values_mut().filter_map(move |stream| {
            if stream.is_answered && is_blocked(stream) {
                return Some((*stream.blocked.get_or_insert(now), time));
            }
            stream.blocked = None;
            None
        })
    }
}
