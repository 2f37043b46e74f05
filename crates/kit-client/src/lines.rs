//! Responses in lines of JSON.

use std::marker::PhantomData;

use kit_runtime::Contract;
use reqwest::Response;

use crate::json::read;
use crate::{Error, Undeclared};

/// Lines of a response, which arrive one after the other. Dropping the stream ends the response.
#[derive(Debug)]
pub struct LineStream<T> {
    lines: TextLines,
    values: PhantomData<fn() -> T>,
}

impl<T: Contract> LineStream<T> {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            lines: TextLines::new(response),
            values: PhantomData,
        }
    }

    /// Returns the next line. Returns `None` after the last line.
    ///
    /// # Errors
    ///
    /// If the response breaks off, or if a line does not fit its type.
    pub async fn next(&mut self) -> Result<Option<T>, Error<Undeclared>> {
        while let Some(line) = self.lines.next().await? {
            if !line.trim().is_empty() {
                return read(&line).map(Some);
            }
        }
        Ok(None)
    }
}

/// Lines of a text that arrives in chunks. Lines end with LF, CRLF or CR.
#[derive(Debug)]
pub(crate) struct TextLines {
    response: Response,
    buffer: LineBuffer,
    is_over: bool,
}

impl TextLines {
    pub(crate) fn new(response: Response) -> Self {
        Self {
            response,
            buffer: LineBuffer::default(),
            is_over: false,
        }
    }

    /// Returns the next line without its end. Returns `None` after the last line.
    pub(crate) async fn next(&mut self) -> Result<Option<String>, reqwest::Error> {
        loop {
            if let Some(line) = self.buffer.line() {
                return Ok(Some(line));
            }
            if self.is_over {
                return Ok(self.buffer.rest());
            }
            match self.response.chunk().await? {
                Some(chunk) => self.buffer.push(&chunk),
                None => self.is_over = true,
            }
        }
    }
}

/// Received bytes of which lines are taken.
#[derive(Debug, Default)]
struct LineBuffer {
    bytes: Vec<u8>,
    /// Position of the first byte after the lines that were taken.
    start: usize,
    /// Position up to which no line ends.
    searched: usize,
    /// True if the last line ended with CR, so that an LF at the start of the next chunk belongs to its end.
    after_cr: bool,
    /// True after the first line.
    is_begun: bool,
}

impl LineBuffer {
    /// Adds the next bytes.
    fn push(&mut self, chunk: &[u8]) {
        // Lines that were taken are removed together, because each removal moves the bytes after them.
        self.bytes.drain(..self.start);
        self.searched = self.searched.saturating_sub(self.start);
        self.start = 0;
        self.bytes.extend_from_slice(chunk);
    }

    /// Takes the next line, without its end. Returns `None` if its end has not arrived.
    fn line(&mut self) -> Option<String> {
        if self.after_cr && self.start < self.bytes.len() {
            self.after_cr = false;
            if self.bytes[self.start] == b'\n' {
                self.start += 1;
            }
        }
        self.searched = self.searched.max(self.start);
        let mut unread = self.bytes[self.searched..].iter();
        let Some(length) = unread.position(|byte| matches!(byte, b'\n' | b'\r')) else {
            self.searched = self.bytes.len();
            return None;
        };
        let end = self.searched + length;
        let line = self.text(end);
        self.after_cr = self.bytes[end] == b'\r';
        self.start = end + 1;
        Some(line)
    }

    /// Takes the text after the last line end. Returns `None` if there is none.
    fn rest(&mut self) -> Option<String> {
        let end = self.bytes.len();
        let rest = (self.start < end).then(|| self.text(end));
        self.start = end;
        rest
    }

    /// Returns the text up to a position. Leaves out a byte order mark at the start of all lines, as browsers do.
    fn text(&mut self, end: usize) -> String {
        let mut bytes = &self.bytes[self.start..end];
        if !std::mem::replace(&mut self.is_begun, true) {
            bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        }
        String::from_utf8_lossy(bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::LineBuffer;

    /// Returns the lines of a text that arrives in these chunks.
    fn lines(chunks: &[&[u8]]) -> Vec<String> {
        let mut buffer = LineBuffer::default();
        let mut found = Vec::new();
        for chunk in chunks {
            buffer.push(chunk);
            found.extend(std::iter::from_fn(|| buffer.line()));
        }
        found.extend(std::iter::from_fn(|| buffer.rest()));
        found
    }

    #[test]
    fn takes_the_same_lines_wherever_the_chunks_end() {
        let text = "\u{feff}a\r\nb\rc\n\n\u{feff}d\r\n\r\ne".as_bytes();
        let expected = ["a", "b", "c", "", "\u{feff}d", "", "e"];
        for first in 0..=text.len() {
            for second in first..=text.len() {
                let chunks = [&text[..first], &text[first..second], &text[second..]];
                assert_eq!(lines(&chunks), expected, "{first} {second}");
            }
        }
        assert_eq!(lines(&[b"a\n".as_slice()]), ["a"]);
        assert_eq!(lines(&[b"a\r".as_slice(), b"\n"]), ["a"]);
        assert!(lines(&[b"".as_slice()]).is_empty());
    }

    #[test]
    fn takes_a_million_lines_of_one_chunk_in_linear_time() {
        let chunk = b"1\n".repeat(1 << 20);
        let begun = Instant::now();
        assert_eq!(lines(&[chunk.as_slice()]).len(), 1 << 20);
        // Removing each line from the bytes would take minutes.
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
}
