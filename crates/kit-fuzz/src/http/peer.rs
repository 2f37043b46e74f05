//! A test client that checks everything that it receives. The bytes must be complete responses, then nothing or the end of
//! the connection.

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;

/// A response that the client received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ReceivedResponse {
    pub(crate) status: u16,
    /// Number of the request to which the response belongs; `None` if the engine rejected the bytes.
    pub(crate) number: Option<usize>,
    pub(crate) closes: bool,
    pub(crate) length: usize,
    /// Error code, if the engine rejected the bytes.
    pub(crate) code: String,
}

pub(crate) struct TestClient {
    stream: UnixStream,
    pub(crate) received: Vec<u8>,
    pub(crate) ended: bool,
    pub(crate) half_closed: bool,
}

impl TestClient {
    pub(crate) fn connect(path: &Path) -> Self {
        let stream = UnixStream::connect(path).expect("the server listens");
        stream.set_nonblocking(true).expect("an option");
        Self {
            stream,
            received: Vec::new(),
            ended: false,
            half_closed: false,
        }
    }

    /// Sends as many bytes as the socket accepts, and returns their number. If the server has closed the connection,
    /// returns the number of all bytes.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> usize {
        match self.stream.write(bytes) {
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(_) => bytes.len(),
        }
    }

    pub(crate) fn half_close(&mut self) {
        self.half_closed = true;
        // The server may already have closed the connection.
        let _ = self.stream.shutdown(Shutdown::Write);
    }

    /// Reads the bytes that have arrived. Returns true if there were any.
    pub(crate) fn read(&mut self) -> bool {
        let before = (self.received.len(), self.ended);
        let mut chunk = [0; 16 * 1024];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(count @ 1..) => self.received.extend_from_slice(&chunk[..count]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // The connection has ended. A server that closes it before it has read everything causes a reset, which is
                // also an end.
                Ok(_) | Err(_) => {
                    self.ended = true;
                    break;
                }
            }
        }
        before != (self.received.len(), self.ended)
    }

    /// Returns all complete responses, and the number of bytes after them. `is_head` returns true if the request with this
    /// number has the method HEAD.
    pub(crate) fn responses(&self, is_head: impl Fn(usize) -> bool) -> (Vec<ReceivedResponse>, usize) {
        let mut responses = Vec::new();
        let mut bytes = &self.received[..];
        while let Some((response, rest)) = next_response(bytes, self.ended, &is_head) {
            // `100 Continue` is not a final response.
            if response.status != 100 {
                responses.push(response);
            }
            bytes = rest;
        }
        (responses, bytes.len())
    }
}

fn next_response(
    bytes: &[u8],
    ended: bool,
    is_head: impl Fn(usize) -> bool,
) -> Option<(ReceivedResponse, &[u8])> {
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&bytes[..end]).expect("the head of a response is text");
    let status = head
        .strip_prefix("HTTP/1.1 ")
        .or_else(|| head.strip_prefix("HTTP/1.0 "))
        .and_then(|rest| rest.get(..3)?.parse().ok())
        .unwrap_or_else(|| panic!("no response begins with: {head:?}"));
    let field = |name: &str| -> Option<&str> {
        head.lines()
            .filter_map(|line| line.split_once(": "))
            .find_map(|(key, value)| (key == name).then_some(value))
    };
    let number = field("x-number").map(|number| number.parse().expect("its own number"));
    let rest = &bytes[end..];
    let closes = field("connection") == Some("close");
    // The content of the body, and the number of its bytes in the stream.
    let (body, length) = match status {
        100 | 204 | 304 => (&[][..], 0),
        _ if number.is_some_and(is_head) => (&[][..], 0),
        _ => match (field("content-length"), field("transfer-encoding")) {
            (Some(length), None) => {
                let length = length.parse().expect("a length");
                (rest.get(..length)?, length)
            }
            (None, Some("chunked")) => (&[][..], end_of_chunks(rest)?),
            (None, None) if closes => {
                if !ended {
                    return None;
                }
                (&[][..], rest.len())
            }
            framing => panic!("the framing of a response is {framing:?}: {head:?}"),
        },
    };
    let text = if number.is_none() {
        String::from_utf8_lossy(body)
    } else {
        "".into()
    };
    let code = text.split(r#""code":""#).nth(1).unwrap_or_default();
    let code = code.split('"').next().unwrap_or_default().to_owned();
    let response = ReceivedResponse {
        status,
        number,
        closes,
        length,
        code,
    };
    Some((response, &rest[length..]))
}

/// Returns the position after a chunked body. The body must contain only the letter that the server of these tests writes.
fn end_of_chunks(bytes: &[u8]) -> Option<usize> {
    let mut offset = 0;
    loop {
        let line = bytes[offset..].windows(2).position(|two| two == b"\r\n")?;
        let size = std::str::from_utf8(&bytes[offset..offset + line]).expect("a size");
        let size = usize::from_str_radix(size, 16).expect("a size");
        let start = offset + line + 2;
        let data = bytes.get(start..start + size)?;
        assert!(data.iter().all(|byte| *byte == b'x'), "a chunk has strange bytes");
        assert_eq!(bytes.get(start + size..start + size + 2)?, b"\r\n");
        offset = start + size + 2;
        if size == 0 {
            return Some(offset);
        }
    }
}
