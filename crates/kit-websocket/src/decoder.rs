//! Reads the frames of one side and assembles its messages.

use std::borrow::Cow;

use crate::close::{Close, Violation, may_send_code};
use crate::deflate;
use crate::frame::{Header, MAX_CONTROL, MAX_HEADER, Opcode, Side, read_header, read_start, unmask};

/// A message or control frame that has arrived. Borrows from the input if it arrived in one part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event<'a> {
    /// A complete text message.
    Text(Cow<'a, str>),
    /// A complete binary message.
    Binary(Cow<'a, [u8]>),
    /// A ping with its payload, which the pong must contain.
    Ping(Cow<'a, [u8]>),
    /// A pong.
    Pong,
    /// A close frame, which is the last event.
    Close(Close),
}

/// Decoder of the frames of one client or one server.
///
/// ```
/// use kit_websocket::{Decoder, Event};
///
/// let mut decoder = Decoder::new(1024, false);
/// // "Hi" with the mask 0.
/// let mut bytes = [0x81, 0x82, 0, 0, 0, 0, b'H', b'i'];
/// let (taken, event) = decoder.read(&mut bytes)?;
/// assert_eq!((taken, event), (8, Some(Event::Text("Hi".into()))));
/// # Ok::<(), kit_websocket::Violation>(())
/// ```
#[derive(Debug)]
pub struct Decoder {
    /// Side whose frames are read.
    sender: Side,
    /// Maximum size of a message in bytes.
    limit: usize,
    is_deflate_agreed: bool,
    /// Bytes of an incomplete header.
    head: [u8; MAX_HEADER],
    head_length: usize,
    /// Frame whose payload has not arrived completely.
    frame: Option<Frame>,
    /// Message whose last frame has not arrived completely.
    message: Option<MessageStart>,
    /// Payload of `message`.
    payload: Vec<u8>,
    /// Length of the beginning of `payload` that is valid UTF-8.
    checked: usize,
    /// Payload of a control frame that has not arrived completely.
    control: Vec<u8>,
    is_closed: bool,
}

#[derive(Debug, Clone, Copy)]
struct Frame {
    header: Header,
    /// Number of bytes of the payload that have arrived.
    received: usize,
    /// Number of bytes of the payload that are missing.
    missing: usize,
}

#[derive(Debug, Clone, Copy)]
struct MessageStart {
    is_text: bool,
    is_compressed: bool,
}

impl Decoder {
    /// Creates a decoder. `limit` is the maximum size of a message in bytes, after decompression. `is_deflate_agreed` is
    /// true if the handshake has agreed on permessage-deflate.
    ///
    /// ```
    /// use kit_websocket::Decoder;
    ///
    /// let mut decoder = Decoder::new(1, false);
    /// let violation = decoder.read(&mut [0x81, 0x82, 0, 0, 0, 0]).unwrap_err();
    /// assert_eq!(violation.code, 1009);
    /// ```
    #[must_use]
    pub fn new(limit: usize, is_deflate_agreed: bool) -> Self {
        Self::of(Side::Client, limit, is_deflate_agreed)
    }

    /// Creates a decoder for the frames of a server, which are not masked. The arguments are those of [`Decoder::new`].
    ///
    /// ```
    /// use kit_websocket::{Decoder, Event};
    ///
    /// let mut decoder = Decoder::of_server(1024, false);
    /// let mut bytes = [0x81, 0x02, b'H', b'i'];
    /// assert_eq!(decoder.read(&mut bytes)?, (4, Some(Event::Text("Hi".into()))));
    /// # Ok::<(), kit_websocket::Violation>(())
    /// ```
    #[must_use]
    pub fn of_server(limit: usize, is_deflate_agreed: bool) -> Self {
        Self::of(Side::Server, limit, is_deflate_agreed)
    }

    fn of(sender: Side, limit: usize, is_deflate_agreed: bool) -> Self {
        Self {
            sender,
            limit,
            is_deflate_agreed,
            head: [0; MAX_HEADER],
            head_length: 0,
            frame: None,
            message: None,
            payload: Vec::new(),
            checked: 0,
            control: Vec::new(),
            is_closed: false,
        }
    }

    /// Reads up to the end of the next event. Returns the number of bytes that were read, and the event if it is
    /// complete. Without an event, all bytes were read. The bytes are changed in place.
    ///
    /// # Errors
    ///
    /// Returns an error if the sender violates the protocol. The decoder must then not be used again.
    ///
    /// ```
    /// use kit_websocket::Decoder;
    ///
    /// let mut decoder = Decoder::new(1024, false);
    /// assert_eq!(decoder.read(&mut [0x81]), Ok((1, None)));
    /// assert!(decoder.read(&mut [0x02]).is_err(), "frames of clients are masked");
    /// ```
    pub fn read<'a>(&mut self, input: &'a mut [u8]) -> Result<(usize, Option<Event<'a>>), Violation> {
        let total = input.len();
        let mut rest = input;
        loop {
            if self.is_closed {
                // Bytes after a close frame have no meaning.
                return Ok((total, None));
            }
            let (mut frame, header_bytes) = match self.frame.take() {
                Some(frame) => (frame, 0),
                None => match self.read_frame(rest)? {
                    (taken, Some(frame)) => (frame, taken),
                    (_, None) => return Ok((total, None)),
                },
            };
            let after_header = rest.split_at_mut(header_bytes).1;
            let length = frame.missing.min(after_header.len());
            let (part, after) = after_header.split_at_mut(length);
            unmask(part, frame.header.mask, frame.received);
            frame.received += length;
            frame.missing -= length;
            if frame.missing > 0 {
                self.store(&frame, part)?;
                self.frame = Some(frame);
                return Ok((total, None));
            }
            let taken = total - after.len();
            if let Some(event) = self.finish_frame(&frame, part)? {
                return Ok((taken, Some(event)));
            }
            rest = after;
        }
    }

    /// Returns the number of bytes of the header that were read, and the frame if its header is complete.
    fn read_frame(&mut self, input: &[u8]) -> Result<(usize, Option<Frame>), Violation> {
        let stored = self.head_length;
        if stored == 0 {
            if let Some(header) = self.header(input)? {
                return Ok((header.size, Some(self.begin_frame(header)?)));
            }
        }
        let count = input.len().min(MAX_HEADER - stored);
        self.head[stored..stored + count].copy_from_slice(&input[..count]);
        let head = self.head;
        let Some(header) = self.header(&head[..stored + count])? else {
            self.head_length = stored + count;
            return Ok((count, None));
        };
        self.head_length = 0;
        Ok((header.size - stored, Some(self.begin_frame(header)?)))
    }

    /// Returns the header at the start of the bytes; `None` if it is incomplete.
    fn header(&self, bytes: &[u8]) -> Result<Option<Header>, Violation> {
        let [first, second, ..] = bytes else {
            return Ok(None);
        };
        let start = read_start(self.sender, *first, *second)?;
        let is_begun = self.message.is_some();
        match start.opcode {
            Opcode::Continuation if !is_begun => {
                return Err(Violation::protocol("a continuation frame has no message"));
            }
            Opcode::Text | Opcode::Binary if is_begun => {
                return Err(Violation::protocol(
                    "a message begins before the end of the last one",
                ));
            }
            _ => {}
        }
        let may_be_compressed =
            self.is_deflate_agreed && matches!(start.opcode, Opcode::Text | Opcode::Binary);
        if start.is_compressed && !may_be_compressed {
            return Err(Violation::protocol("a reserved bit is set"));
        }
        Ok(read_header(start, bytes))
    }

    fn begin_frame(&mut self, header: Header) -> Result<Frame, Violation> {
        let start = header.start;
        let message = match start.opcode {
            Opcode::Text | Opcode::Binary => MessageStart {
                is_text: start.opcode == Opcode::Text,
                is_compressed: start.is_compressed,
            },
            // A continuation frame without a message is a violation, which `header` has detected.
            _ => self.message.unwrap_or(MessageStart {
                is_text: false,
                is_compressed: false,
            }),
        };
        let mut missing = usize::try_from(header.length).unwrap_or(usize::MAX);
        if start.opcode.is_control() {
            missing = missing.min(MAX_CONTROL);
        } else {
            let limit = if message.is_compressed {
                deflate::max_compressed(self.limit)
            } else {
                self.limit
            };
            if missing > limit.saturating_sub(self.payload.len()) {
                return Err(Violation::TOO_LARGE);
            }
            self.message = Some(message);
        }
        Ok(Frame {
            header,
            received: 0,
            missing,
        })
    }

    /// Stores a part of a payload that is not complete.
    fn store(&mut self, frame: &Frame, part: &[u8]) -> Result<(), Violation> {
        if frame.header.start.opcode.is_control() {
            self.control.extend_from_slice(part);
            return Ok(());
        }
        self.payload.extend_from_slice(part);
        match self.message {
            Some(message) if message.is_text && !message.is_compressed => self.check_text(),
            _ => Ok(()),
        }
    }

    /// Checks the stored part of a text, so that invalid UTF-8 is detected as early as possible.
    fn check_text(&mut self) -> Result<(), Violation> {
        match std::str::from_utf8(&self.payload[self.checked..]) {
            Ok(text) => self.checked += text.len(),
            Err(error) if error.error_len().is_some() => return Err(Violation::NOT_UTF8),
            Err(error) => self.checked += error.valid_up_to(),
        }
        Ok(())
    }

    /// Handles the end of a frame, with the last part of its payload.
    fn finish_frame<'a>(&mut self, frame: &Frame, part: &'a [u8]) -> Result<Option<Event<'a>>, Violation> {
        if frame.header.start.opcode.is_control() {
            return self.finish_control(frame, part).map(Some);
        }
        if !frame.header.start.is_last {
            self.store(frame, part)?;
            return Ok(None);
        }
        let Some(message) = self.message.take() else {
            return Ok(None);
        };
        if message.is_compressed {
            let inflated = if self.payload.is_empty() {
                deflate::inflate(part, self.limit)
            } else {
                self.payload.extend_from_slice(part);
                deflate::inflate(&std::mem::take(&mut self.payload), self.limit)
            };
            return of_bytes(inflated?, message.is_text).map(Some);
        }
        if self.payload.is_empty() {
            return if message.is_text {
                let text = std::str::from_utf8(part).map_err(|_| Violation::NOT_UTF8)?;
                Ok(Some(Event::Text(text.into())))
            } else {
                Ok(Some(Event::Binary(part.into())))
            };
        }
        self.payload.extend_from_slice(part);
        self.checked = 0;
        of_bytes(std::mem::take(&mut self.payload), message.is_text).map(Some)
    }

    fn finish_control<'a>(&mut self, frame: &Frame, part: &'a [u8]) -> Result<Event<'a>, Violation> {
        let payload: Cow<'a, [u8]> = if self.control.is_empty() {
            part.into()
        } else {
            self.control.extend_from_slice(part);
            std::mem::take(&mut self.control).into()
        };
        match frame.header.start.opcode {
            Opcode::Ping => Ok(Event::Ping(payload)),
            Opcode::Pong => Ok(Event::Pong),
            _ => {
                let close = read_close(&payload)?;
                self.is_closed = true;
                Ok(Event::Close(close))
            }
        }
    }
}

fn of_bytes(bytes: Vec<u8>, is_text: bool) -> Result<Event<'static>, Violation> {
    if !is_text {
        return Ok(Event::Binary(bytes.into()));
    }
    let text = String::from_utf8(bytes).map_err(|_| Violation::NOT_UTF8)?;
    Ok(Event::Text(text.into()))
}

fn read_close(payload: &[u8]) -> Result<Close, Violation> {
    let [first, second, reason @ ..] = payload else {
        if payload.is_empty() {
            let reason = String::new();
            return Ok(Close {
                code: Close::NO_CODE,
                reason,
            });
        }
        return Err(Violation::protocol("a close frame has only one byte"));
    };
    let code = u16::from_be_bytes([*first, *second]);
    if !may_send_code(code) {
        return Err(Violation::protocol("the code of a close frame is invalid"));
    }
    let reason = std::str::from_utf8(reason).map_err(|_| Violation::NOT_UTF8)?;
    Ok(Close {
        code,
        reason: reason.to_owned(),
    })
}
