//! An open WebSocket: messages in both directions, pings, and the end of the connection.

use std::borrow::Cow;
use std::time::Duration;

use crate::close::{Close, Violation};
use crate::decoder::{Decoder, Event};
use crate::encoder;
use crate::frame::Opcode;
use crate::handshake::Compression;

/// Number of bytes that may wait for the other side before their sender should wait.
pub const SOFT_LIMIT: usize = 64 * 1024;
/// Time to wait for the close frame of the other side after the own one was sent.
pub const CLOSE_TIME: Duration = Duration::from_secs(5);
/// Maximum capacity of an empty output buffer. A larger buffer is freed.
const KEPT_CAPACITY: usize = 4 * 1024;

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Message<'a> {
    /// Text.
    Text(Cow<'a, str>),
    /// Bytes.
    Binary(Cow<'a, [u8]>),
}

/// Result of [`Session::receive`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received<'a> {
    /// Number of bytes of the input that were read. If some are left, they must be passed to the next call.
    pub taken: usize,
    /// A complete message.
    pub message: Option<Message<'a>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Open,
    /// This side has sent a close frame and waits for the one of the other side.
    Closing,
    /// Both sides have sent a close frame, or the other side has violated the protocol. The connection ends after the output.
    Closed,
}

/// State of an open WebSocket. The caller moves bytes between the session and its socket.
///
/// ```
/// use kit_websocket::{Compression, Message, Session};
///
/// let mut session = Session::new(1024, Compression::None);
/// let mut input = [0x81, 0x82, 0, 0, 0, 0, b'H', b'i'];
/// let received = session.receive(&mut input);
/// assert_eq!(received.message, Some(Message::Text("Hi".into())));
/// session.send(&Message::Text("Hello".into()));
/// assert_eq!(session.output(), b"\x81\x05Hello");
/// session.advance(7);
/// assert!(session.output().is_empty());
/// ```
#[derive(Debug)]
pub struct Session {
    decoder: Decoder,
    /// Function that returns the mask of the next frame. `None` for a server, whose frames are not masked.
    next_mask: Option<fn() -> [u8; 4]>,
    compression: Compression,
    phase: Phase,
    /// End that the application is told.
    close: Option<Close>,
    output: Vec<u8>,
    /// Number of bytes of `output` that the socket has accepted.
    sent: usize,
    /// Payload of the last ping without a pong, while the output is too long for the pong.
    owed_pong: Option<Vec<u8>>,
    /// True if a sender waits for room.
    is_drain_owed: bool,
}

impl Session {
    /// Creates the session of a server, after the handshake. `message_bytes` is the maximum size of a message of the client.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let session = Session::new(1024, Compression::None);
    /// assert!(session.is_open());
    /// ```
    #[must_use]
    pub fn new(message_bytes: usize, compression: Compression) -> Self {
        let decoder = Decoder::new(message_bytes, compression == Compression::Deflate);
        Self::of(decoder, None, compression)
    }

    /// Creates the session of a client, after the handshake. `message_bytes` is the maximum size of a message of the server.
    /// `next_mask` returns random bytes that nobody can predict (RFC 6455, section 5.3).
    ///
    /// ```
    /// use kit_websocket::{Compression, Message, Session};
    ///
    /// let mut session = Session::client(1024, Compression::None, || [1, 2, 3, 4]);
    /// session.send(&Message::Text("Hi".into()));
    /// assert_eq!(session.output(), [0x81, 0x82, 1, 2, 3, 4, b'H' ^ 1, b'i' ^ 2]);
    /// let mut input = [0x81, 0x02, b'H', b'o'];
    /// assert_eq!(session.receive(&mut input).message, Some(Message::Text("Ho".into())));
    /// ```
    #[must_use]
    pub fn client(message_bytes: usize, compression: Compression, next_mask: fn() -> [u8; 4]) -> Self {
        let decoder = Decoder::of_server(message_bytes, compression == Compression::Deflate);
        Self::of(decoder, Some(next_mask), compression)
    }

    fn of(decoder: Decoder, next_mask: Option<fn() -> [u8; 4]>, compression: Compression) -> Self {
        Self {
            decoder,
            next_mask,
            compression,
            phase: Phase::Open,
            close: None,
            output: Vec::new(),
            sent: 0,
            owed_pong: None,
            is_drain_owed: false,
        }
    }

    /// Reads bytes of the other side up to the end of the next message, and responds to pings and close frames. Returns no
    /// message after this side has closed the session.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// let mut ping = [0x89, 0x80, 0, 0, 0, 0];
    /// let received = session.receive(&mut ping);
    /// assert_eq!((received.taken, received.message), (6, None));
    /// assert_eq!(session.output(), [0x8a, 0], "a pong");
    /// ```
    pub fn receive<'a>(&mut self, input: &'a mut [u8]) -> Received<'a> {
        let total = input.len();
        if self.phase == Phase::Closed {
            return Received {
                taken: total,
                message: None,
            };
        }
        let (taken, event) = match self.decoder.read(input) {
            Ok(read) => read,
            Err(violation) => {
                self.fail(violation);
                return Received {
                    taken: total,
                    message: None,
                };
            }
        };
        let Some(event) = event else {
            return Received { taken, message: None };
        };
        let message = match event {
            Event::Text(text) => Some(Message::Text(text)),
            Event::Binary(bytes) => Some(Message::Binary(bytes)),
            Event::Ping(payload) => {
                self.owe_pong(&payload);
                None
            }
            Event::Pong => None,
            Event::Close(close) => {
                self.receive_close(close);
                return Received {
                    taken: total,
                    message: None,
                };
            }
        };
        Received {
            taken,
            message: message.filter(|_| self.phase == Phase::Open),
        }
    }

    /// Sends a message. Returns false if so many bytes wait for the other side that the sender should wait for
    /// [`Session::take_drain`]. Does nothing if the session is closing.
    ///
    /// ```
    /// use kit_websocket::{Compression, Message, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// assert!(session.send(&Message::Binary(vec![1].into())));
    /// assert!(!session.send(&Message::Binary(vec![0; 100_000].into())));
    /// ```
    pub fn send(&mut self, message: &Message<'_>) -> bool {
        if self.phase != Phase::Open {
            return true;
        }
        let is_deflate_agreed = self.compression == Compression::Deflate;
        let mask = self.mask();
        match message {
            Message::Text(text) => {
                encoder::message(
                    &mut self.output,
                    mask,
                    Opcode::Text,
                    text.as_bytes(),
                    is_deflate_agreed,
                );
            }
            Message::Binary(bytes) => {
                encoder::message(&mut self.output, mask, Opcode::Binary, bytes, is_deflate_agreed);
            }
        }
        let has_room = self.waiting() < SOFT_LIMIT;
        self.is_drain_owed |= !has_room;
        has_room
    }

    /// Sends a ping, unless the session is closing.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.ping();
    /// assert_eq!(session.output(), [0x89, 0]);
    /// ```
    pub fn ping(&mut self) {
        if self.phase == Phase::Open {
            let mask = self.mask();
            encoder::control(&mut self.output, mask, Opcode::Ping, &[]);
        }
    }

    /// Sends a close frame after all messages. `reason` is cut to 123 bytes. Has no effect if the session is closing.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.close(1000, "bye");
    /// assert_eq!(session.output(), b"\x88\x05\x03\xe8bye");
    /// assert!(session.is_closing());
    /// ```
    pub fn close(&mut self, code: u16, reason: &str) {
        if self.phase == Phase::Open {
            let mask = self.mask();
            encoder::close(&mut self.output, mask, Some(code), reason);
            self.phase = Phase::Closing;
            self.is_drain_owed = false;
            self.owed_pong = None;
        }
    }

    /// Returns the bytes that the socket must send next.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// assert!(Session::new(1024, Compression::None).output().is_empty());
    /// ```
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.output[self.sent..]
    }

    /// Records that the socket has accepted bytes of [`Session::output`].
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.ping();
    /// session.advance(1);
    /// assert_eq!(session.output(), [0]);
    /// ```
    pub fn advance(&mut self, count: usize) {
        self.sent = (self.sent + count).min(self.output.len());
        if self.sent == self.output.len() {
            self.sent = 0;
            self.output.clear();
            if self.output.capacity() > KEPT_CAPACITY {
                self.output = Vec::new();
            }
        } else if self.sent > SOFT_LIMIT && self.sent >= self.output.len() / 2 {
            // Moves at most as many bytes as were sent, so that a large message does not cost quadratic time.
            self.output.drain(..self.sent);
            self.sent = 0;
        }
        if self.waiting() < SOFT_LIMIT {
            if let Some(payload) = self.owed_pong.take() {
                let mask = self.mask();
                encoder::control(&mut self.output, mask, Opcode::Pong, &payload);
            }
        }
    }

    /// Adds bytes before all frames, such as the head of the response to the handshake.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.write_head(b"HTTP/1.1 101 Switching Protocols\r\n\r\n");
    /// assert!(session.output().starts_with(b"HTTP/1.1 101"));
    /// ```
    pub fn write_head(&mut self, head: &[u8]) {
        self.output.extend_from_slice(head);
    }

    /// Returns true once after a `send` that returned false, when the other side has received enough bytes.
    ///
    /// ```
    /// use kit_websocket::{Compression, Message, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.send(&Message::Binary(vec![0; 100_000].into()));
    /// assert!(!session.take_drain());
    /// session.advance(90_000);
    /// assert!(session.take_drain());
    /// assert!(!session.take_drain());
    /// ```
    pub fn take_drain(&mut self) -> bool {
        let is_drained = self.is_drain_owed && self.waiting() <= SOFT_LIMIT / 2;
        self.is_drain_owed &= !is_drained;
        is_drained
    }

    /// Returns true if neither side has sent a close frame.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.receive(&mut [0x88, 0x80, 0, 0, 0, 0]);
    /// assert!(!session.is_open());
    /// ```
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.phase == Phase::Open
    }

    /// Returns true if this side has sent a close frame and waits for the one of the other side.
    ///
    /// ```
    /// use kit_websocket::{Compression, Session};
    ///
    /// assert!(!Session::new(1024, Compression::None).is_closing());
    /// ```
    #[must_use]
    pub fn is_closing(&self) -> bool {
        self.phase == Phase::Closing
    }

    /// Returns the end of the session when both sides have sent a close frame or the other side has violated the protocol. The
    /// connection must then end after the output is sent.
    ///
    /// ```
    /// use kit_websocket::{Close, Compression, Session};
    ///
    /// let mut session = Session::new(1024, Compression::None);
    /// session.receive(&mut [0x88, 0x80, 0, 0, 0, 0]);
    /// assert_eq!(session.end().map(|close| close.code), Some(1005));
    /// ```
    #[must_use]
    pub fn end(&self) -> Option<&Close> {
        self.close.as_ref()
    }

    /// Returns true for the session of a client.
    #[cfg(feature = "tokio")]
    pub(crate) fn is_client(&self) -> bool {
        self.next_mask.is_some()
    }

    fn mask(&self) -> encoder::Mask {
        self.next_mask.map(|next| next())
    }

    fn waiting(&self) -> usize {
        self.output.len() - self.sent
    }

    /// Sends a pong. While too many bytes wait for the other side, only its last ping gets a pong (RFC 6455, section 5.5.3).
    fn owe_pong(&mut self, payload: &[u8]) {
        if self.phase != Phase::Open {
            return;
        }
        if self.waiting() < SOFT_LIMIT {
            let mask = self.mask();
            encoder::control(&mut self.output, mask, Opcode::Pong, payload);
        } else {
            self.owed_pong = Some(payload.to_vec());
        }
    }

    fn receive_close(&mut self, close: Close) {
        if self.phase == Phase::Open {
            let code = (close.code != Close::NO_CODE).then_some(close.code);
            let mask = self.mask();
            encoder::close(&mut self.output, mask, code, "");
        }
        self.finish(close);
    }

    fn fail(&mut self, violation: Violation) {
        if self.phase == Phase::Open {
            let mask = self.mask();
            encoder::close(&mut self.output, mask, Some(violation.code), violation.reason);
        }
        self.finish(Close {
            code: violation.code,
            reason: violation.reason.to_owned(),
        });
    }

    fn finish(&mut self, close: Close) {
        self.phase = Phase::Closed;
        self.close = Some(close);
        self.is_drain_owed = false;
        self.owed_pong = None;
    }
}
