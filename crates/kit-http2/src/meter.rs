//! Limits for what the client of an HTTP/2 connection sends, and for how slowly it sends and reads.
//!
//! h2 bounds the memory of a connection: open streams, header sections, `CONTINUATION` frames, resets that wait. A client can
//! still make the server work without a request, or keep streams open without reading. This module counts these frames, and
//! follows the windows of the client.

use std::time::{Duration, Instant};

use crate::bucket::Bucket;
use crate::end::{End, FLOW_CONTROL_ERROR, FRAME_SIZE_ERROR, PROTOCOL_ERROR, STREAM_CLOSED};
use crate::frames::{END_HEADERS, END_STREAM, Event, Frames, Head, kind};
use crate::windows::Windows;
use crate::{MAX_STREAMS, Timeouts};

/// Number of frames without content that a client may send at once, and for each second after that: `PING`, `SETTINGS` and each
/// of its values, `PRIORITY`, empty `DATA`, frames of unknown types, `WINDOW_UPDATE` without data, trailers.
const CONTROL_FRAMES: Bucket = Bucket::new(1000.0, 100.0);
/// Number of streams that a client may reset, or have reset by its errors, at once, and for each second after that.
const RESETS: Bucket = Bucket::new(200.0, 33.0);
/// `WINDOW_UPDATE` frames that a client may send for each frame of data, and for each 4 KiB of its data: clients report what
/// they read on the stream and on the connection, some of them in pieces of 4 KiB.
const UPDATES_FOR_DATA: f64 = 2.0;
const BYTES_FOR_UPDATES: f64 = 2048.0;
/// Maximum number of these frames that a client may send at once. A client that reads a buffered response late sends all of them
/// together: two frames for each 4 KiB of a window of 1 GiB.
const MOST_UPDATES: f64 = 524_288.0;
/// Frames that a client may send for each request: two priorities, as browsers send them, and trailers.
const FRAMES_FOR_REQUEST: f64 = 3.0;
/// Time for a client to report that it has received `GOAWAY` when the server shuts down.
const CLOSING_TIME: Duration = Duration::from_secs(1);
const SETTING_INITIAL_WINDOW: u16 = 4;

/// State of a connection, as its frames show it. The caller passes all bytes of both directions, without TLS.
///
/// ```
/// use std::time::Instant;
/// use kit_http2::{End, Meter, Timeouts};
///
/// let now = Instant::now();
/// let mut meter = Meter::new(Timeouts::default(), now);
/// meter.receive(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0", now);
/// meter.write(b"\0\0\0\x04\0\0\0\0\0", now);
/// assert!(meter.is_idle() && meter.may_write_frame() && meter.end().is_none() && meter.begun() == 0);
/// // The server is going to write a head with the status 100 on the stream 1.
/// meter.announce_interim(1);
/// let ping = b"\0\0\x08\x06\0\0\0\0\0........";
/// for _ in 0..2_000 {
///     meter.receive(ping, now);
/// }
/// assert_eq!((meter.end(), meter.last_stream()), (Some(End::TooManyControlFrames), 0));
///
/// let mut meter = Meter::new(Timeouts::default(), now);
/// meter.begin_closing(now);
/// let next = meter.check(now);
/// meter.check(next);
/// assert_eq!(meter.end(), Some(End::Idle));
/// ```
#[derive(Debug)]
pub struct Meter {
    timeouts: Timeouts,
    received: Frames,
    written: Frames,
    controls: Bucket,
    /// Number of `WINDOW_UPDATE` frames that the client may still send for the data that it got.
    updates: f64,
    resets: Bucket,
    windows: Windows,
    last_stream: u32,
    /// Number of streams that the client began.
    begun: u64,
    /// Start of an incomplete header section, or of a connection without a complete frame.
    head_since: Option<Instant>,
    /// Time since which no stream is open.
    idle_since: Instant,
    /// Time at which the server began to shut down.
    closing_since: Option<Instant>,
    end: Option<End>,
}

impl Meter {
    /// Creates the state of a connection that begins.
    pub fn new(timeouts: Timeouts, now: Instant) -> Self {
        Self {
            timeouts,
            received: Frames::of_client(),
            written: Frames::default(),
            controls: CONTROL_FRAMES,
            updates: 0.0,
            resets: RESETS,
            windows: Windows::default(),
            last_stream: 0,
            begun: 0,
            head_since: Some(now),
            idle_since: now,
            closing_since: None,
            end: None,
        }
    }

    /// Returns the reason why the connection must end.
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// Returns the number of the last stream that the client began.
    pub fn last_stream(&self) -> u32 {
        self.last_stream
    }

    /// Returns the number of streams that the client began, with the first bytes of a header section.
    pub fn begun(&self) -> u64 {
        self.begun
    }

    /// Returns true if no response is in progress.
    pub fn is_idle(&self) -> bool {
        self.windows.open() == 0
    }

    /// Returns true if a frame of the server may be written, because the last frame is complete.
    pub fn may_write_frame(&self) -> bool {
        self.written.is_between()
    }

    /// Records that the server shuts down. The connection ends when no request is in progress.
    pub fn begin_closing(&mut self, now: Instant) {
        self.closing_since.get_or_insert(now);
    }

    /// Records that the next head which the server writes for this stream is no response: it has the status 100.
    pub fn announce_interim(&mut self, stream: u32) {
        self.windows.announce_interim(stream);
    }

    /// Records bytes of the client.
    pub fn receive(&mut self, bytes: &[u8], now: Instant) {
        let mut frames = std::mem::take(&mut self.received);
        frames.push(bytes, |event| self.note_received(event, now));
        self.received = frames;
    }

    /// Records bytes that the server has written.
    pub fn write(&mut self, bytes: &[u8], now: Instant) {
        let mut frames = std::mem::take(&mut self.written);
        frames.push(bytes, |event| self.note_written(event, now));
        self.written = frames;
    }

    fn note_received(&mut self, event: Event, now: Instant) {
        match event {
            Event::Head(head) => self.note_received_head(head, now),
            Event::Setting(name, value) => {
                self.take_control(now);
                if name == SETTING_INITIAL_WINDOW {
                    self.windows.set_initial(value, now);
                }
            }
            Event::Window(stream, increment) => self.windows.extend(stream, increment, now),
            Event::Reset(stream, _) => {
                self.take_reset(now);
                self.remove(stream, now);
            }
            Event::End(head) => {
                let is_head = matches!(head.kind, kind::HEADERS | kind::CONTINUATION);
                if !is_head || head.has(END_HEADERS) {
                    self.head_since = None;
                }
            }
        }
    }

    fn note_received_head(&mut self, head: Head, now: Instant) {
        if head.kind == kind::HEADERS {
            self.head_since.get_or_insert(now);
        }
        match head.kind {
            kind::DATA if head.length > 0 || head.has(END_STREAM) => {}
            kind::HEADERS if head.stream > self.last_stream => {
                self.last_stream = head.stream;
                self.begun += 1;
                self.controls.add(FRAMES_FOR_REQUEST);
                self.windows.begin(head.stream);
                if self.windows.open() > 2 * MAX_STREAMS as usize {
                    self.end.get_or_insert(End::TooManyStreams);
                }
            }
            kind::CONTINUATION if head.length > 0 => {}
            kind::RST_STREAM => {}
            kind::WINDOW_UPDATE if self.updates >= 1.0 => self.updates -= 1.0,
            _ => self.take_control(now),
        }
    }

    fn note_written(&mut self, event: Event, now: Instant) {
        match event {
            Event::Head(head) => {
                if head.kind == kind::DATA {
                    let more = UPDATES_FOR_DATA + f64::from(head.length) / BYTES_FOR_UPDATES;
                    self.updates = (self.updates + more).min(MOST_UPDATES);
                    self.windows.use_up(head.stream, head.length, now);
                } else if head.kind == kind::HEADERS {
                    self.windows.answer(head.stream, now);
                }
            }
            Event::Reset(stream, code) => {
                if matches!(
                    code,
                    PROTOCOL_ERROR | FLOW_CONTROL_ERROR | STREAM_CLOSED | FRAME_SIZE_ERROR
                ) {
                    self.take_reset(now);
                }
                self.remove(stream, now);
            }
            Event::End(head) => {
                if matches!(head.kind, kind::DATA | kind::HEADERS) && head.has(END_STREAM) {
                    self.remove(head.stream, now);
                }
            }
            Event::Setting(..) | Event::Window(..) => {}
        }
    }

    fn remove(&mut self, stream: u32, now: Instant) {
        if self.windows.remove(stream, now) {
            self.idle_since = now;
        }
    }

    fn take_control(&mut self, now: Instant) {
        if !self.controls.take(now) {
            self.end.get_or_insert(End::TooManyControlFrames);
        }
    }

    fn take_reset(&mut self, now: Instant) {
        if !self.resets.take(now) {
            self.end.get_or_insert(End::TooManyResets);
        }
    }

    /// Looks for timeouts that have passed. Returns the time of the next look.
    pub fn check(&mut self, now: Instant) -> Instant {
        let Timeouts {
            head, idle, write, ..
        } = self.timeouts;
        let mut next = now + idle;
        let is_idle = self.is_idle();
        if !is_idle {
            // A write may block a stream, or end the last one, after this look.
            let is_closing = self.closing_since.is_some();
            next = next.min(now + if is_closing { CLOSING_TIME } else { write });
        }
        let mut limit = |at: Instant, reason: End| {
            if at <= now {
                self.end.get_or_insert(reason);
            } else {
                next = next.min(at);
            }
        };
        if let Some(since) = self.head_since {
            limit(since + head, End::SlowHead);
        }
        if is_idle {
            // A client that requests nothing at all gets no more time than one that begins a request.
            let time = if self.begun == 0 { head.min(idle) } else { idle };
            limit(self.idle_since + time, End::Idle);
            if let Some(since) = self.closing_since {
                limit(since.max(self.idle_since) + CLOSING_TIME, End::Idle);
            }
        }
        if let Some(at) = self.windows.deadline(now, write) {
            limit(at, End::NotReading);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{End, Meter, kind};
    use crate::Timeouts;

    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

    fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
        let length = u32::try_from(payload.len()).expect("a short payload");
        let mut bytes = length.to_be_bytes()[1..].to_vec();
        bytes.extend([kind, flags]);
        bytes.extend(stream.to_be_bytes());
        bytes.extend(payload);
        bytes
    }

    /// Returns a meter after the start of the connection.
    fn started(now: Instant) -> Meter {
        let mut meter = Meter::new(Timeouts::default(), now);
        meter.receive(PREFACE, now);
        meter.receive(&frame(kind::SETTINGS, 0, 0, &[]), now);
        meter
    }

    /// Returns the number of frames after which the connection ends, if `count` frames arrive in each second.
    fn ends_after(frames: &[Vec<u8>], per_second: u32) -> Option<(u32, End)> {
        let start = Instant::now();
        let mut meter = started(start);
        for number in 0..per_second * 60 {
            let now = start + Duration::from_secs_f64(f64::from(number) / f64::from(per_second));
            for frame in frames {
                meter.receive(frame, now);
            }
            if let Some(end) = meter.end() {
                return Some((number, end));
            }
        }
        None
    }

    #[test]
    fn ends_connections_that_send_many_frames_without_content() {
        for (name, flood) in [
            ("PING", frame(6, 0, 0, &[0; 8])),
            ("PING with ACK", frame(6, 1, 0, &[0; 8])),
            ("SETTINGS", frame(kind::SETTINGS, 0, 0, &[])),
            ("SETTINGS with ACK", frame(kind::SETTINGS, 1, 0, &[])),
            ("PRIORITY", frame(2, 0, 1, &[0; 5])),
            ("PRIORITY_UPDATE", frame(16, 0, 0, b"\0\0\0\x01u=1")),
            ("empty DATA", frame(kind::DATA, 0, 1, &[])),
            ("empty CONTINUATION", frame(kind::CONTINUATION, 0, 1, &[])),
            ("WINDOW_UPDATE", frame(kind::WINDOW_UPDATE, 0, 0, &[0, 0, 0, 1])),
            ("trailers", frame(kind::HEADERS, 5, 1, b"\x82")),
            ("unknown type", frame(200, 0, 0, &[])),
        ] {
            let (count, end) = ends_after(std::slice::from_ref(&flood), 10_000).expect(name);
            assert_eq!(end, End::TooManyControlFrames, "{name}");
            assert!((900..1100).contains(&count), "{name}: {count}");
            assert_eq!(ends_after(&[flood], 90), None, "{name}");
        }
        let values = frame(kind::SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 1].repeat(500));
        assert_ne!(ends_after(&[values], 10), None, "each value counts");
    }

    #[test]
    fn ends_connections_that_reset_many_streams() {
        let start = Instant::now();
        let mut meter = started(start);
        let mut stream = 1;
        while meter.end().is_none() {
            meter.receive(&frame(kind::HEADERS, 5, stream, b"\x82"), start);
            meter.receive(&frame(kind::RST_STREAM, 0, stream, &[0, 0, 0, 8]), start);
            stream += 2;
            assert!(stream < 1000);
        }
        assert_eq!(meter.end(), Some(End::TooManyResets));
        // Resets that errors of the client cause count, and resets of refused or unread requests do not.
        for (code, expected) in [(1, Some(End::TooManyResets)), (7, None), (0, None)] {
            let mut meter = started(start);
            for number in 0..300 {
                let stream = 2 * number + 1;
                meter.receive(&frame(kind::HEADERS, 4, stream, b"\x82"), start);
                meter.write(&frame(kind::RST_STREAM, 0, stream, &[0, 0, 0, code]), start);
            }
            assert_eq!(meter.end(), expected, "code {code}");
        }
    }

    #[test]
    fn permits_window_updates_for_the_data_that_the_client_reads() {
        let start = Instant::now();
        let mut meter = started(start);
        meter.receive(&frame(kind::HEADERS, 5, 1, b"\x82"), start);
        for _ in 0..20_000 {
            meter.write(&frame(kind::DATA, 0, 1, &[0; 16 * 1024]), start);
            for _ in 0..4 {
                meter.receive(&frame(kind::WINDOW_UPDATE, 0, 1, &[0, 0, 16, 0]), start);
                meter.receive(&frame(kind::WINDOW_UPDATE, 0, 0, &[0, 0, 16, 0]), start);
            }
        }
        assert_eq!(meter.end(), None);
    }

    #[test]
    fn permits_window_updates_that_come_together_after_a_pause_of_the_client() {
        let start = Instant::now();
        let mut meter = started(start);
        meter.receive(&frame(kind::HEADERS, 5, 1, b"\x82"), start);
        for _ in 0..256 {
            meter.write(&frame(kind::DATA, 0, 1, &[0; 16 * 1024]), start);
        }
        // Two frames for each 4 KiB of 4 MiB.
        let update = frame(kind::WINDOW_UPDATE, 0, 1, &[0, 0, 16, 0]);
        for _ in 0..2048 {
            meter.receive(&update, start);
        }
        assert_eq!(meter.end(), None);
        for _ in 0..2_000 {
            meter.receive(&update, start);
        }
        assert_eq!(meter.end(), Some(End::TooManyControlFrames));
    }

    #[test]
    fn permits_a_stream_to_pause_while_another_response_goes_on() {
        let start = Instant::now();
        let mut meter = started(start);
        meter.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 10]), start);
        for stream in [1, 3] {
            meter.receive(&frame(kind::HEADERS, 5, stream, b"\x82"), start);
            meter.write(&frame(kind::HEADERS, 4, stream, b"\x88"), start);
        }
        meter.write(&frame(kind::DATA, 0, 1, &[0; 10]), start);
        meter.check(start);
        let minutes = |count: u32| start + count * Duration::from_secs(61);
        meter.check(minutes(1));
        assert_eq!(meter.end(), None, "the stream 3 goes on");
        meter.check(minutes(10));
        assert_eq!(meter.end(), Some(End::NotReading));
    }

    #[test]
    fn ends_connections_whose_client_does_not_read_a_response() {
        let start = Instant::now();
        let minute = Duration::from_secs(61);
        for (name, window, data, is_ended) in [
            ("a window of 0", 0, 0, true),
            ("a full window", 10, 10, true),
            ("a slow handler", 10, 5, false),
        ] {
            let mut meter = started(start);
            meter.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 0, 0, window]), start);
            meter.receive(&frame(kind::HEADERS, 5, 1, b"\x82"), start);
            meter.check(start);
            meter.check(start + minute);
            assert_eq!(meter.end(), None, "{name}: the handler has not responded");
            let begun = start + minute;
            meter.write(&frame(kind::HEADERS, 4, 1, b"\x88"), begun);
            meter.write(&frame(kind::DATA, 0, 1, &vec![0; data]), begun);
            assert!(meter.check(begun) <= begun + minute);
            meter.check(begun + minute);
            assert_eq!(meter.end(), is_ended.then_some(End::NotReading), "{name}");
        }
        // The window of the connection is full, although that of the stream is not.
        let mut meter = started(start);
        meter.receive(&frame(kind::SETTINGS, 0, 0, &[0, 4, 0, 255, 255, 255]), start);
        meter.receive(&frame(kind::HEADERS, 5, 1, b"\x82"), start);
        meter.write(&frame(kind::HEADERS, 4, 1, b"\x88"), start);
        meter.write(&frame(kind::DATA, 0, 1, &vec![0; 65_535]), start);
        meter.check(start);
        meter.check(start + minute);
        assert_eq!(meter.end(), Some(End::NotReading));
    }

    #[test]
    fn limits_the_time_of_header_sections_and_of_the_start_of_a_connection() {
        let start = Instant::now();
        let head = Timeouts::default().head;
        let mut silent = Meter::new(Timeouts::default(), start);
        assert_eq!(silent.check(start), start + head);
        silent.check(start + head);
        assert_eq!(silent.end(), Some(End::SlowHead));
        for (flags, expected) in [(0, Some(End::SlowHead)), (4, None)] {
            let mut meter = started(start);
            meter.receive(&frame(kind::HEADERS, 1, 1, b"\x82"), start);
            meter.receive(&frame(kind::CONTINUATION, flags, 1, b"\x84"), start + head / 2);
            meter.check(start + head);
            assert_eq!(meter.end(), expected);
        }
    }

    #[test]
    fn ends_connections_without_requests_after_the_idle_time_even_if_the_client_sends_pings() {
        let start = Instant::now();
        let idle = Timeouts::default().idle;
        let mut meter = started(start);
        meter.receive(&frame(kind::HEADERS, 5, 1, b"\x82"), start);
        meter.check(start + idle);
        assert_eq!(meter.end(), None, "a response is in progress");
        let answered = start + idle;
        meter.write(&frame(kind::HEADERS, 5, 1, b"\x88"), answered);
        meter.receive(&frame(6, 0, 0, &[0; 8]), answered + idle / 2);
        assert_eq!(meter.check(answered + idle / 2), answered + idle);
        meter.check(answered + idle);
        assert_eq!(meter.end(), Some(End::Idle));
    }

    #[test]
    fn ends_connections_on_which_no_request_begins_after_the_time_for_a_head_or_between_requests() {
        let start = Instant::now();
        for (idle, is_closing, seconds) in [(72, false, 10), (5, false, 5), (72, true, 1)] {
            let mut meter = started(start);
            meter.timeouts.idle = Duration::from_secs(idle);
            meter.closing_since = is_closing.then_some(start);
            let end = start + Duration::from_secs(seconds);
            assert_eq!(meter.check(start), end);
            meter.check(end);
            assert_eq!(meter.end(), Some(End::Idle));
        }
    }
}
