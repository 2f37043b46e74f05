//! Parses the framing of a chunked body, byte by byte, without copying its data. Each line is held back until it is
//! complete and valid. Otherwise hyper would detect the error in an incomplete line, and the peer would get no
//! response.

use crate::chunk_extension::are_extensions;
use crate::head::split_field;
use crate::rejection::Rejection;

/// Maximum length in bytes of the line with a chunk's size and extensions.
const MAX_LINE: usize = 256;
/// Maximum size of the trailer section in bytes.
const MAX_TRAILERS: usize = 8 * 1024;

/// State of the parser within a chunked body.
#[derive(Debug, Default)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes of the current line. At most [`MAX_LINE`] bytes, or [`MAX_TRAILERS`] bytes in the trailer section.
    line: Vec<u8>,
    trailer_bytes: usize,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    #[default]
    Size,
    Data(u64),
    /// The CRLF after the data of a chunk, with the number of its bytes that were read.
    DataEnd(u8),
    Trailers,
}

impl Chunked {
    /// Parses received bytes and passes on the valid bytes. Returns the number of bytes that belong to the body, and
    /// true if the body is complete.
    pub(crate) fn parse(
        &mut self,
        input: &[u8],
        pass: &mut impl FnMut(&[u8]),
    ) -> Result<(usize, bool), Rejection> {
        let mut offset = 0;
        while offset < input.len() {
            let rest = &input[offset..];
            match self.state {
                State::Data(left) => {
                    let taken = usize::try_from(left).unwrap_or(usize::MAX).min(rest.len());
                    pass(&rest[..taken]);
                    offset += taken;
                    let left = left - taken as u64;
                    self.state = if left == 0 {
                        State::DataEnd(0)
                    } else {
                        State::Data(left)
                    };
                }
                State::DataEnd(read) => {
                    if rest[0] != b"\r\n"[usize::from(read)] {
                        return Err(Rejection::bad_request("a chunk is longer than its size says"));
                    }
                    pass(&rest[..1]);
                    offset += 1;
                    self.state = if read == 0 { State::DataEnd(1) } else { State::Size };
                }
                State::Size | State::Trailers => {
                    let (taken, complete) = self.take_line(rest)?;
                    offset += taken;
                    if complete {
                        let done = self.end_line()?;
                        pass(&self.line);
                        self.line.clear();
                        if done {
                            return Ok((offset, true));
                        }
                    }
                }
            }
        }
        Ok((offset, false))
    }

    fn take_line(&mut self, rest: &[u8]) -> Result<(usize, bool), Rejection> {
        let end = memchr::memchr(b'\n', rest);
        let taken = end.map_or(rest.len(), |end| end + 1);
        let limit = if self.state == State::Size {
            MAX_LINE
        } else {
            MAX_TRAILERS
        };
        if self.line.len() + taken > limit {
            return Err(Rejection::bad_request("a line of the chunked body is too long"));
        }
        self.line.extend_from_slice(&rest[..taken]);
        Ok((taken, end.is_some()))
    }

    /// Parses the completed line. Returns true at the end of the body.
    fn end_line(&mut self) -> Result<bool, Rejection> {
        let Some(line) = self.line.strip_suffix(b"\r\n") else {
            return Err(Rejection::bad_request("lines must end with CRLF"));
        };
        let done = if self.state == State::Size {
            let size = parse_size(line)?;
            self.state = if size == 0 {
                State::Trailers
            } else {
                State::Data(size)
            };
            false
        } else if line.is_empty() {
            true
        } else {
            self.trailer_bytes += self.line.len();
            if self.trailer_bytes > MAX_TRAILERS {
                return Err(Rejection::HEADERS_TOO_LARGE);
            }
            split_field(line)?;
            false
        };
        Ok(done)
    }
}

/// Parses the size of a chunk. Extensions must match their grammar, but are otherwise ignored, as RFC 9112, 7.1.1
/// requires.
fn parse_size(line: &[u8]) -> Result<u64, Rejection> {
    let end = line
        .iter()
        .position(|byte| !byte.is_ascii_hexdigit())
        .unwrap_or(line.len());
    let (digits, extensions) = line.split_at(end);
    if !(1..=13).contains(&digits.len()) {
        return Err(Rejection::bad_request("a chunk's size is invalid"));
    }
    if !are_extensions(extensions) {
        return Err(Rejection::bad_request("a chunk's extensions are invalid"));
    }
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => byte - b'0',
        _ => (byte | 0x20) - b'a' + 10,
    };
    Ok(digits
        .iter()
        .fold(0, |size, byte| size * 16 + u64::from(digit(byte))))
}
