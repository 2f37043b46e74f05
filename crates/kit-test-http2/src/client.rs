//! Client that sends single frames of HTTP/2 over TLS, valid or not.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

pub const DATA: u8 = 0;
pub const HEADERS: u8 = 1;
pub const PRIORITY: u8 = 2;
pub const RST_STREAM: u8 = 3;
pub const SETTINGS: u8 = 4;
pub const PUSH_PROMISE: u8 = 5;
pub const PING: u8 = 6;
pub const GOAWAY: u8 = 7;
pub const WINDOW_UPDATE: u8 = 8;
pub const CONTINUATION: u8 = 9;
/// Flags. `ACK` has the value of `END_STREAM`.
pub const END_STREAM: u8 = 1;
pub const END_HEADERS: u8 = 4;
pub const PADDED: u8 = 8;
pub const WHOLE: u8 = END_STREAM | END_HEADERS;
pub const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// A received frame.
#[derive(Debug)]
pub struct Frame {
    pub kind: u8,
    pub flags: u8,
    pub stream: u32,
    pub payload: Vec<u8>,
}

impl Frame {
    /// Returns four bytes of the payload as a number.
    pub fn number(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.payload[at..at + 4].try_into().unwrap())
    }

    /// Returns the status of a response's head.
    pub fn status(&self) -> u16 {
        status(&self.payload)
    }
}

/// Reaction of the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// Response with this status.
    Response(u16),
    /// `RST_STREAM` with this code.
    Reset(u32),
    /// `GOAWAY` with this code.
    GoAway(u32),
    /// The connection was closed.
    Closed,
}

/// Returns the bytes of a frame.
pub fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap();
    let mut bytes = length.to_be_bytes()[1..].to_vec();
    bytes.extend([kind, flags]);
    bytes.extend(stream.to_be_bytes());
    bytes.extend(payload);
    bytes
}

/// Returns header fields in the form of HPACK, without tables and Huffman codes.
pub fn fields(fields: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (name, value) in fields {
        bytes.push(0);
        for text in [name, value] {
            integer(&mut bytes, text.len());
            bytes.extend(text.as_bytes());
        }
    }
    bytes
}

/// Writes an integer with a prefix of 7 bits (RFC 7541, 5.1).
fn integer(bytes: &mut Vec<u8>, mut value: usize) {
    if value < 127 {
        bytes.push(u8::try_from(value).unwrap());
        return;
    }
    bytes.push(127);
    value -= 127;
    while value >= 128 {
        bytes.push(u8::try_from(value % 128).unwrap() | 128);
        value /= 128;
    }
    bytes.push(u8::try_from(value).unwrap());
}

/// Returns the fields of a request.
pub fn request<'a>(method: &'a str, path: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        (":method", method),
        (":scheme", "https"),
        (":authority", "localhost"),
        (":path", path),
    ]
}

/// Returns the status of a header section that the server sent. The server has written the status of no other response with
/// a reference to its table.
fn status(block: &[u8]) -> u16 {
    match block[0] {
        0x88 => 200,
        0x89 => 204,
        0x8a => 206,
        0x8b => 304,
        0x8c => 400,
        0x8d => 404,
        0x8e => 500,
        0x48 => {
            let length = usize::from(block[1] & 0x7f);
            let text = &block[2..2 + length];
            if block[1] & 0x80 == 0 {
                return std::str::from_utf8(text).unwrap().parse().unwrap();
            }
            // Huffman codes of digits have 5 bits for 0, 1 and 2, and 6 bits for the others (RFC 7541, B).
            let bits = text.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
            let mut left = 8 * length;
            let bits_at = |left: usize, count: usize| bits >> (left - count) & ((1 << count) - 1);
            let mut number = 0;
            for _ in 0..3 {
                let short = bits_at(left, 5);
                let (digit, count) = if short < 3 {
                    (short, 5)
                } else {
                    (bits_at(left, 6) - 0x19 + 3, 6)
                };
                number = number * 10 + u16::try_from(digit).unwrap();
                left -= count;
            }
            number
        }
        other => panic!("the status begins with the byte {other:#x}"),
    }
}

/// A connection.
pub struct Client(pub StreamOwned<ClientConnection, TcpStream>);

impl Client {
    /// Connects, without any byte of HTTP/2.
    pub fn connect(address: &str, config: &Arc<ClientConfig>) -> Self {
        Self::connect_with(address, config, &[b"h2"])
    }

    /// Connects, and offers protocols in the TLS handshake.
    pub fn connect_with(address: &str, config: &Arc<ClientConfig>, protocols: &[&[u8]]) -> Self {
        let mut config = (**config).clone();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        let socket = TcpStream::connect(address).unwrap();
        socket.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        socket.set_nodelay(true).unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        Self(StreamOwned::new(
            ClientConnection::new(Arc::new(config), name).unwrap(),
            socket,
        ))
    }

    /// Connects, and sends the start of the connection.
    pub fn open(address: &str, config: &Arc<ClientConfig>) -> Self {
        let mut client = Self::connect(address, config);
        client.write(PREFACE);
        client.send(SETTINGS, 0, 0, &[]);
        client
    }

    /// Sends bytes. The server may have closed the connection.
    pub fn write(&mut self, bytes: &[u8]) -> bool {
        self.0.write_all(bytes).and_then(|()| self.0.flush()).is_ok()
    }

    pub fn send(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> bool {
        self.write(&frame(kind, flags, stream, payload))
    }

    /// Sends a request without a body.
    pub fn get(&mut self, stream: u32, path: &str) {
        self.send(HEADERS, WHOLE, stream, &fields(&request("GET", path)));
    }

    /// Reads the next frame. Returns `None` after the end of the connection.
    pub fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.0.read_exact(&mut head).ok()?;
        let [l0, l1, l2, kind, flags, s0, s1, s2, s3] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, l0, l1, l2]) as usize];
        self.0.read_exact(&mut payload).ok()?;
        let stream = u32::from_be_bytes([s0, s1, s2, s3]);
        Some(Frame {
            kind,
            flags,
            stream,
            payload,
        })
    }

    /// Reads frames until one has this type.
    pub fn read_kind(&mut self, kind: u8) -> Option<Frame> {
        loop {
            let frame = self.read()?;
            if frame.kind == kind {
                return Some(frame);
            }
        }
    }

    /// Returns the reaction of the server on a stream, and the body of the response.
    pub fn outcome(&mut self, stream: u32) -> (Outcome, Vec<u8>) {
        let mut body = Vec::new();
        let mut found = None;
        loop {
            let Some(frame) = self.read() else {
                return (Outcome::Closed, body);
            };
            match frame.kind {
                GOAWAY if frame.number(4) != 0 => return (Outcome::GoAway(frame.number(4)), body),
                RST_STREAM if frame.stream == stream => return (Outcome::Reset(frame.number(0)), body),
                HEADERS if frame.stream == stream => found = Some(status(&frame.payload)),
                DATA if frame.stream == stream => body.extend(&frame.payload),
                _ => {}
            }
            let is_end = matches!(frame.kind, HEADERS | DATA) && frame.flags & END_STREAM != 0;
            if let (Some(found), true, true) = (found, is_end, frame.stream == stream) {
                return (Outcome::Response(found), body);
            }
        }
    }
}
