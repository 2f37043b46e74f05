//! Reads the frames of one direction of an HTTP/2 connection (RFC 9113, 4.1), without the payloads of requests and responses.

/// Types of frames (RFC 9113, 6).
pub(crate) mod kind {
    pub(crate) const DATA: u8 = 0;
    pub(crate) const HEADERS: u8 = 1;
    pub(crate) const RST_STREAM: u8 = 3;
    pub(crate) const SETTINGS: u8 = 4;
    pub(crate) const GOAWAY: u8 = 7;
    pub(crate) const WINDOW_UPDATE: u8 = 8;
    pub(crate) const CONTINUATION: u8 = 9;
}

/// Flag of `DATA` and `HEADERS`: no frame with content follows on the stream.
pub(crate) const END_STREAM: u8 = 0x1;
/// Flag of `HEADERS` and `CONTINUATION`: the header section is complete.
pub(crate) const END_HEADERS: u8 = 0x4;
/// Bytes that a client sends before its first frame (RFC 9113, 3.4).
pub(crate) const PREFACE_LENGTH: usize = 24;
/// Length of the part of a frame before the payload.
const HEAD_LENGTH: usize = 9;

/// First part of a frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    pub(crate) stream: u32,
    /// Length of the payload in bytes.
    pub(crate) length: u32,
}

impl Head {
    fn of(bytes: [u8; HEAD_LENGTH]) -> Self {
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = bytes;
        Self {
            kind,
            flags,
            stream: u32::from_be_bytes([s0, s1, s2, s3]) & 0x7fff_ffff,
            length: u32::from_be_bytes([0, l0, l1, l2]),
        }
    }

    pub(crate) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Length of the parts of the payload that are reported. 0 if the payload is skipped.
    fn part_length(self) -> usize {
        match self.kind {
            kind::SETTINGS => 6,
            kind::WINDOW_UPDATE | kind::RST_STREAM => 4,
            _ => 0,
        }
    }
}

/// Part of a connection's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Event {
    /// Start of a frame.
    Head(Head),
    /// A setting of the peer.
    Setting(u16, u32),
    /// Number of bytes that the peer accepts further, on a stream or on the connection (stream 0).
    Window(u32, u32),
    /// A stream was reset with an error code.
    Reset(u32, u32),
    /// End of a frame.
    End(Head),
}

/// Parser of frames. The input may be split anywhere.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    /// Number of bytes to skip before the next frame.
    preface: usize,
    head: [u8; HEAD_LENGTH],
    head_filled: usize,
    current: Head,
    /// Number of bytes of the payload that have not arrived.
    left: usize,
    part: [u8; 6],
    part_filled: usize,
}

impl Frames {
    /// Creates the parser for the bytes of a client.
    pub(crate) fn of_client() -> Self {
        Self {
            preface: PREFACE_LENGTH,
            ..Self::default()
        }
    }

    /// Returns true if the last byte was the last byte of a frame, or if there was no frame.
    pub(crate) fn is_between(&self) -> bool {
        self.preface == 0 && self.head_filled == 0
    }

    /// Parses the next bytes.
    pub(crate) fn push(&mut self, mut bytes: &[u8], mut on_event: impl FnMut(Event)) {
        let skipped = self.preface.min(bytes.len());
        self.preface -= skipped;
        bytes = &bytes[skipped..];
        while !bytes.is_empty() {
            if self.head_filled < HEAD_LENGTH {
                let count = (HEAD_LENGTH - self.head_filled).min(bytes.len());
                self.head[self.head_filled..self.head_filled + count].copy_from_slice(&bytes[..count]);
                self.head_filled += count;
                bytes = &bytes[count..];
                if self.head_filled < HEAD_LENGTH {
                    return;
                }
                self.current = Head::of(self.head);
                self.left = usize::try_from(self.current.length).unwrap_or(usize::MAX);
                self.part_filled = 0;
                on_event(Event::Head(self.current));
            } else {
                let (payload, rest) = bytes.split_at(self.left.min(bytes.len()));
                self.left -= payload.len();
                self.read_parts(payload, &mut on_event);
                bytes = rest;
            }
            if self.left == 0 {
                self.head_filled = 0;
                on_event(Event::End(self.current));
            }
        }
    }

    fn read_parts(&mut self, payload: &[u8], on_event: &mut impl FnMut(Event)) {
        let length = self.current.part_length();
        if length == 0 {
            return;
        }
        for &byte in payload {
            self.part[self.part_filled] = byte;
            self.part_filled += 1;
            if self.part_filled == length {
                self.part_filled = 0;
                let [p0, p1, p2, p3, p4, p5] = self.part;
                let first = u32::from_be_bytes([p0, p1, p2, p3]);
                on_event(match self.current.kind {
                    kind::SETTINGS => {
                        Event::Setting(u16::from_be_bytes([p0, p1]), u32::from_be_bytes([p2, p3, p4, p5]))
                    }
                    kind::WINDOW_UPDATE => Event::Window(self.current.stream, first & 0x7fff_ffff),
                    _ => Event::Reset(self.current.stream, first),
                });
            }
        }
    }
}

/// Returns a `GOAWAY` frame: the connection ends, and the server has not processed streams above `last_stream`.
pub(crate) fn goaway(last_stream: u32, code: u32) -> Vec<u8> {
    let mut frame = vec![0, 0, 8, kind::GOAWAY, 0, 0, 0, 0, 0];
    frame.extend_from_slice(&last_stream.to_be_bytes());
    frame.extend_from_slice(&code.to_be_bytes());
    frame
}

#[cfg(test)]
mod tests {
    use super::{Event, Frames, Head, goaway, kind};

    /// Returns the events of bytes that arrive in pieces of this size.
    fn events(bytes: &[u8], piece: usize) -> (Vec<Event>, bool) {
        let mut frames = Frames::of_client();
        let mut events = Vec::new();
        for piece in bytes.chunks(piece) {
            frames.push(piece, |event| events.push(event));
        }
        (events, frames.is_between())
    }

    #[test]
    fn reports_the_same_frames_for_every_split_of_the_bytes() {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        bytes.extend([0, 0, 12, kind::SETTINGS, 0, 0, 0, 0, 0]);
        bytes.extend([0, 4, 0, 0, 0, 9, 0, 1, 0, 0, 1, 0]);
        bytes.extend([0, 0, 3, kind::DATA, 1, 0x80, 0, 0, 5, 1, 2, 3]);
        bytes.extend([0, 0, 4, kind::WINDOW_UPDATE, 0, 0, 0, 0, 5, 0x80, 0, 1, 0]);
        bytes.extend([0, 0, 4, kind::RST_STREAM, 0, 0, 0, 0, 5, 0, 0, 0, 8]);
        bytes.extend([0, 0, 0, kind::SETTINGS, 1, 0, 0, 0, 0]);
        let head = |kind, flags, stream, length| Head {
            kind,
            flags,
            stream,
            length,
        };
        let settings = head(kind::SETTINGS, 0, 0, 12);
        let data = head(kind::DATA, 1, 5, 3);
        let window = head(kind::WINDOW_UPDATE, 0, 5, 4);
        let reset = head(kind::RST_STREAM, 0, 5, 4);
        let ack = head(kind::SETTINGS, 1, 0, 0);
        let expected = [
            Event::Head(settings),
            Event::Setting(4, 9),
            Event::Setting(1, 256),
            Event::End(settings),
            Event::Head(data),
            Event::End(data),
            Event::Head(window),
            Event::Window(5, 256),
            Event::End(window),
            Event::Head(reset),
            Event::Reset(5, 8),
            Event::End(reset),
            Event::Head(ack),
            Event::End(ack),
        ];
        for piece in 1..=bytes.len() {
            assert_eq!(
                events(&bytes, piece),
                (expected.to_vec(), true),
                "pieces of {piece}"
            );
        }
        assert!(!events(&bytes[..bytes.len() - 1], 7).1);
        assert!(!events(&bytes[..20], 7).1, "the preface is incomplete");
    }

    #[test]
    fn writes_the_last_stream_and_the_code_of_goaway() {
        assert_eq!(
            goaway(3, 11),
            [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 11]
        );
    }
}
