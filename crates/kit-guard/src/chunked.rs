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
/// Maximum size of all extensions of a body in bytes (RFC 9112, 7.1.1). hyper has the same limit, and counts fewer bytes.
const MAX_EXTENSIONS: usize = 16 * 1024;

/// Maximum length in bytes of a line that contains only the size of a chunk, with its CRLF.
const MAX_SIZE_LINE: usize = MAX_DIGITS + 2;
/// Maximum number of digits of a size.
const MAX_DIGITS: usize = 13;

/// State of the parser within a chunked body.
#[derive(Debug)]
pub(crate) struct Chunked {
    state: State,
    /// Bytes of the current line. At most [`MAX_LINE`] bytes, or [`MAX_TRAILERS`] bytes in the trailer section.
    line: Vec<u8>,
    extension_bytes: usize,
    trailer_bytes: usize,
    /// Number of further fields that the trailer section may have.
    trailers_left: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Size,
    Data(u64),
    /// The CRLF after the data of a chunk, with the number of its bytes that were read.
    DataEnd(u8),
    Trailers,
}

impl Chunked {
    /// Creates the state at the start of a body. `most_trailers` is the maximum number of fields in the trailer section.
    pub(crate) fn new(most_trailers: usize) -> Self {
        Self {
            state: State::Size,
            line: Vec::new(),
            extension_bytes: 0,
            trailer_bytes: 0,
            trailers_left: most_trailers,
        }
    }

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
            let (size, extension_bytes) = parse_size(line)?;
            self.extension_bytes += extension_bytes;
            if self.extension_bytes > MAX_EXTENSIONS {
                return Err(Rejection::bad_request(
                    "the chunk extensions of the body are too long",
                ));
            }
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
            if self.trailer_bytes > MAX_TRAILERS || self.trailers_left == 0 {
                return Err(Rejection::HEADERS_TOO_LARGE);
            }
            self.trailers_left -= 1;
            split_field(line)?;
            false
        };
        Ok(done)
    }
}

/// Position in a chunked body that is in memory, for bodies in their usual form: chunks without extensions, and no trailers. All
/// other bodies, valid or not, are for [`crate::Guard::admit`].
///
/// The time for a body depends only on its length: after [`PlainEnd::Incomplete`], the next call continues with the same chunk.
///
/// ```
/// use kit_guard::{PlainChunks, PlainEnd};
///
/// let mut chunks = PlainChunks::default();
/// let mut data = Vec::new();
/// let mut keep = |piece: &[u8]| data.extend_from_slice(piece);
/// assert_eq!(chunks.read(b"3\r\nabc\r\n2\r\nd", 10, &mut keep), PlainEnd::Incomplete);
/// let body = b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\nGET / ";
/// assert_eq!(chunks.read(body, 10, &mut keep), PlainEnd::At(body.len() - 6));
/// assert_eq!((chunks.length(), &data[..]), (5, &b"abcde"[..]));
/// ```
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainChunks {
    /// Start of the next chunk.
    offset: usize,
    /// Number of bytes of data before the next chunk.
    length: usize,
}

/// Result of a search for the end of a body, such as [`PlainChunks::read`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlainEnd {
    /// The body is complete, and ends before this offset.
    At(usize),
    /// More bytes must arrive.
    Incomplete,
    /// The body is invalid, not in its usual form, or larger than the limit.
    Unusual,
}

impl PlainChunks {
    /// Returns the number of bytes of data in the chunks that were read.
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// Reads chunks that have arrived completely, and passes their data on. `body` must begin with the body, and may continue after
    /// its end. `limit` is the maximum number of bytes of data.
    pub fn read(&mut self, body: &[u8], limit: usize, data: &mut impl FnMut(&[u8])) -> PlainEnd {
        loop {
            let rest = body.get(self.offset..).unwrap_or_default();
            let start_of_rest = &rest[..rest.len().min(MAX_SIZE_LINE)];
            let Some(line_end) = memchr::memchr(b'\n', start_of_rest) else {
                return if start_of_rest.len() < MAX_SIZE_LINE {
                    PlainEnd::Incomplete
                } else {
                    PlainEnd::Unusual
                };
            };
            let Some(size) = plain_size(&rest[..line_end]) else {
                return PlainEnd::Unusual;
            };
            let start = line_end + 1;
            if size > limit.saturating_sub(self.length) {
                return PlainEnd::Unusual;
            }
            // After the last chunk, an empty line ends the body. After the data of another chunk, the same bytes end the chunk.
            let end = start.saturating_add(size);
            match rest.get(end..) {
                None | Some([] | [b'\r']) => return PlainEnd::Incomplete,
                Some([b'\r', b'\n', ..]) if size == 0 => return PlainEnd::At(self.offset + end + 2),
                Some([b'\r', b'\n', ..]) => {
                    data(&rest[start..end]);
                    self.offset += end + 2;
                    self.length += size;
                }
                Some(_) => return PlainEnd::Unusual,
            }
        }
    }
}

/// Returns the size in a line without its LF. Returns `None` if the size is invalid, or the line contains anything else.
fn plain_size(line: &[u8]) -> Option<usize> {
    let digits = line.strip_suffix(b"\r")?;
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let (size, _) = parse_size(digits).ok()?;
    usize::try_from(size).ok()
}

/// Parses the size of a chunk. Also returns the number of bytes of its extensions, which must match their grammar, but are otherwise
/// ignored, as RFC 9112, 7.1.1 requires.
fn parse_size(line: &[u8]) -> Result<(u64, usize), Rejection> {
    let end = line
        .iter()
        .position(|byte| !byte.is_ascii_hexdigit())
        .unwrap_or(line.len());
    let (digits, extensions) = line.split_at(end);
    if !(1..=MAX_DIGITS).contains(&digits.len()) {
        return Err(Rejection::bad_request("a chunk's size is invalid"));
    }
    if !are_extensions(extensions) {
        return Err(Rejection::bad_request("a chunk's extensions are invalid"));
    }
    let digit = |byte: &u8| match byte {
        b'0'..=b'9' => byte - b'0',
        _ => (byte | 0x20) - b'a' + 10,
    };
    let size = digits
        .iter()
        .fold(0, |size, byte| size * 16 + u64::from(digit(byte)));
    Ok((size, extensions.len()))
}

#[cfg(test)]
mod tests {
    use super::{Chunked, MAX_EXTENSIONS, MAX_LINE, MAX_TRAILERS, PlainChunks, PlainEnd, State};

    /// Parts from which the test builds all bodies.
    const PARTS: [&[u8]; 13] = [
        b"3\r\nabc\r\n",
        b"0",
        b"0\r\n",
        b"1\r\n",
        b"00000000000A\r\n",
        b"0123456789",
        b"\r\n",
        b"\r\nG",
        b"\r",
        b"\n",
        b"g",
        b";a",
        b"t: v\r\n",
    ];

    /// Result of [`Chunked`] for a body: the number of its bytes if it is complete, and its data. Fails if the body is rejected.
    fn parse(body: &[u8]) -> Result<(Option<usize>, Vec<u8>), ()> {
        let mut chunked = Chunked::new(100);
        let mut data = Vec::new();
        for (index, byte) in body.iter().enumerate() {
            if matches!(chunked.state, State::Data(_)) {
                data.push(*byte);
            }
            let (_, is_complete) = chunked.parse(&[*byte], &mut |_| {}).map_err(|_| ())?;
            if is_complete {
                return Ok((Some(index + 1), data));
            }
        }
        Ok((None, data))
    }

    /// Compares both parsers for a body, and for the body with each further part, up to `most` parts. `chunks` and `data` are the
    /// position in the body and the data before it. Counts the bodies, and those of them that [`PlainChunks`] reads to the end.
    fn compare(
        body: &mut Vec<u8>,
        mut chunks: PlainChunks,
        data: &[u8],
        most: usize,
        counts: &mut (u32, u32),
    ) {
        let mut data = data.to_vec();
        let end = chunks.read(body, 20, &mut |piece| data.extend_from_slice(piece));
        let shown = String::from_utf8_lossy(body);
        let mut whole = Vec::new();
        let at_once = PlainChunks::default().read(body, 20, &mut |piece| whole.extend_from_slice(piece));
        assert_eq!((at_once, &whole), (end, &data), "{shown:?} at once");
        let expected = parse(body);
        counts.0 += 1;
        match end {
            PlainEnd::At(end) => {
                assert_eq!(chunks.length(), data.len(), "{shown:?}");
                assert_eq!(expected, Ok((Some(end), data)), "{shown:?}");
                counts.1 += 1;
            }
            // The guard decides.
            PlainEnd::Unusual => {}
            PlainEnd::Incomplete => {
                assert!(matches!(expected, Ok((None, _))), "{shown:?}: {expected:?}");
                let length = body.len();
                for part in PARTS.iter().filter(|_| most > 0) {
                    body.extend_from_slice(part);
                    compare(body, chunks, &data, most - 1, counts);
                    body.truncate(length);
                }
            }
        }
    }

    #[test]
    fn plain_chunks_end_where_the_guard_ends_them_and_contain_the_same_data() {
        let mut counts = (0, 0);
        compare(&mut Vec::new(), PlainChunks::default(), &[], 5, &mut counts);
        assert!(counts.0 > 10_000 && counts.1 > 50, "{counts:?}");
    }

    /// Returns the status with which [`Chunked`] rejects a body that arrives at once. `None` if the body is complete.
    fn status_of(body: &[u8]) -> Option<u16> {
        match Chunked::new(100).parse(body, &mut |_| {}) {
            Ok((taken, is_complete)) => {
                assert_eq!((taken, is_complete), (body.len(), true));
                None
            }
            Err(rejection) => Some(rejection.status),
        }
    }

    #[test]
    fn limits_the_bytes_of_all_extensions_of_a_body() {
        // Each chunk has 250 bytes of extensions, with the semicolon.
        let line = format!("1;{}\r\nx\r\n", "a".repeat(249));
        assert!(line.len() - 3 <= MAX_LINE);
        let chunks = line.repeat(MAX_EXTENSIONS / 250);
        let left = MAX_EXTENSIONS % 250;
        for (last, expected) in [(0, None), (left - 1, None), (left, Some(400))] {
            let extension = if last == 0 {
                String::new()
            } else {
                format!(";{}", "a".repeat(last))
            };
            let body = format!("{chunks}0{extension}\r\n\r\n");
            assert_eq!(status_of(body.as_bytes()), expected, "{last}");
        }
    }

    #[test]
    fn limits_the_number_and_the_bytes_of_trailers() {
        // Eight of these fields have as many bytes as all trailers may have.
        let long = format!("a:{}\r\n", "b".repeat(MAX_TRAILERS / 8 - 4)).repeat(8);
        for (trailers, expected) in [
            ("a:\r\n".repeat(100), None),
            ("a:\r\n".repeat(101), Some(431)),
            (long.clone(), None),
            (long + "a:\r\n", Some(431)),
        ] {
            let body = format!("1\r\nx\r\n0\r\n{trailers}\r\n");
            assert_eq!(status_of(body.as_bytes()), expected, "{}", trailers.len());
        }
    }
}
