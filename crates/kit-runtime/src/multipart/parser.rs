//! Framing of a multipart body: boundaries, line breaks and the limits of parts.

use axum::body::Bytes;
use memchr::memmem::{self, Finder};

use super::Mistake;
use super::head::{Head, LENGTH};

/// Maximum number of parts of a body.
pub(super) const MAX_PARTS: usize = 1000;
/// Maximum number of bytes of the headers of a part.
pub(super) const MAX_HEADERS: usize = 16 * 1024;

/// Step of a [`Parser`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// The parser needs more bytes, or the end of the body.
    More,
    /// A part begins.
    Part(Head),
    /// Bytes of the part's content, at least one. They are a view of the received bytes.
    Content(Bytes),
    /// The content of the part is complete.
    PartEnd,
    /// The body is complete. Every later step is the same.
    End,
}

/// Next bytes that a parser expects.
#[derive(Debug, Clone)]
enum State {
    Start,
    AfterDelimiter,
    Epilogue,
    LineBreak,
    Head,
    ContentStart,
    Content,
    PartEnd,
    End,
    Failed(Mistake),
}

/// Parser of a body that arrives in chunks. Between two chunks, the parser keeps at most the headers of one part, or the
/// start of a boundary.
#[derive(Debug)]
pub struct Parser {
    /// Line break, dashes and boundary, which end the content of a part.
    finder: Finder<'static>,
    /// Received bytes that are not consumed.
    buffer: Bytes,
    /// Number of bytes in the buffer in which the end of the headers cannot begin.
    searched: usize,
    is_complete: bool,
    parts: usize,
    /// Number of bytes of the content so far.
    length: usize,
    /// Number of bytes that the header `content-length` of the part declares.
    declared: Option<usize>,
    state: State,
}

/// Line break of the framing.
const LINE_BREAK: &[u8] = b"\r\n";

impl Parser {
    /// Creates a parser for bodies with a valid boundary.
    pub fn new(boundary: &str) -> Self {
        Self {
            finder: Finder::new(&format!("\r\n--{boundary}")).into_owned(),
            buffer: Bytes::new(),
            searched: 0,
            is_complete: false,
            parts: 0,
            length: 0,
            declared: None,
            state: State::Start,
        }
    }

    /// Adds the next bytes of the body.
    pub fn push(&mut self, chunk: Bytes) {
        if self.buffer.is_empty() {
            self.buffer = chunk;
            return;
        }
        // The capacity of the vector at least doubles when it grows, so the time for many small chunks stays linear.
        let mut joined = Vec::from(std::mem::take(&mut self.buffer));
        joined.extend_from_slice(&chunk);
        self.buffer = joined.into();
    }

    /// Tells the parser that the body has no more bytes.
    pub fn end(&mut self) {
        self.is_complete = true;
    }

    /// Returns the next step.
    ///
    /// # Errors
    ///
    /// The first mistake in the framing of the body. Every later step is the same.
    pub fn step(&mut self) -> Result<Step, Mistake> {
        loop {
            let step = match &self.state {
                State::Start => self.read_start(),
                State::AfterDelimiter => Ok(self.read_after_delimiter()),
                State::Epilogue => self.read_epilogue(),
                State::LineBreak => self.read_line_break(),
                State::Head => self.read_head(),
                State::ContentStart => self.read_content_start(),
                State::Content => self.read_content(),
                State::PartEnd => self.read_part_end(),
                State::End => Ok(Some(Step::End)),
                State::Failed(mistake) => Err(mistake.clone()),
            };
            match step {
                Ok(None) => {}
                Ok(Some(step)) => return Ok(step),
                Err(mistake) => {
                    self.state = State::Failed(mistake.clone());
                    return Err(mistake);
                }
            }
        }
    }

    fn delimiter(&self) -> &[u8] {
        self.finder.needle()
    }

    /// Returns the delimiter as text without its line break.
    fn line(&self) -> String {
        String::from_utf8_lossy(&self.delimiter()[LINE_BREAK.len()..]).into_owned()
    }

    /// Returns true if the received bytes start with `expected`. Returns `None` if more bytes decide.
    fn starts_with(&self, expected: &[u8]) -> Option<bool> {
        let length = self.buffer.len().min(expected.len());
        if self.buffer[..length] == expected[..length] {
            (length == expected.len() || self.is_complete).then_some(length == expected.len())
        } else {
            Some(false)
        }
    }

    /// Consumes bytes.
    fn skip(&mut self, length: usize) {
        drop(self.buffer.split_to(length));
    }

    fn skip_blanks(&mut self) {
        let blanks = self.buffer.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
        let length = blanks.count();
        self.skip(length);
    }

    /// Reads the first delimiter, which is at the start of the body or after one line break. A preamble (RFC 2046,
    /// 5.1.1) is refused, because no client sends it.
    fn read_start(&mut self) -> Result<Option<Step>, Mistake> {
        let delimiter = self.delimiter();
        let line = &delimiter[LINE_BREAK.len()..];
        let found = match (self.starts_with(line), self.starts_with(delimiter)) {
            (Some(true), _) => line.len(),
            (_, Some(true)) => delimiter.len(),
            (Some(false), Some(false)) => {
                let expected = format!("a line {} before the first part", self.line());
                return Err(Mistake::new(expected, "none"));
            }
            _ => return Ok(Some(Step::More)),
        };
        self.skip(found);
        self.state = State::AfterDelimiter;
        Ok(None)
    }

    fn read_after_delimiter(&mut self) -> Option<Step> {
        match self.starts_with(b"--") {
            None => return Some(Step::More),
            Some(true) => {
                self.skip(2);
                self.state = State::Epilogue;
            }
            Some(false) => self.state = State::LineBreak,
        }
        None
    }

    /// Reads the rest of the last line. An epilogue (RFC 2046, 5.1.1) is refused: no client sends it, and some programs would
    /// read parts in it.
    fn read_epilogue(&mut self) -> Result<Option<Step>, Mistake> {
        self.skip_blanks();
        let is_end = self.buffer.is_empty() || *self.buffer == *LINE_BREAK;
        let is_possible = is_end || (!self.is_complete && *self.buffer == LINE_BREAK[..1]);
        if !is_possible {
            return Err(Mistake::new(
                "the end of the body after the last boundary",
                "other bytes",
            ));
        }
        if !self.is_complete {
            return Ok(Some(Step::More));
        }
        self.state = State::End;
        Ok(None)
    }

    fn read_line_break(&mut self) -> Result<Option<Step>, Mistake> {
        self.skip_blanks();
        match self.starts_with(LINE_BREAK) {
            None => return Ok(Some(Step::More)),
            Some(true) => {}
            Some(false) => {
                let received = if self.buffer.is_empty() {
                    "the end of the body"
                } else {
                    "other bytes"
                };
                return Err(Mistake::new("a line break after a boundary", received));
            }
        }
        if self.parts == MAX_PARTS {
            return Err(Mistake::new(format!("at most {MAX_PARTS} parts"), "more parts"));
        }
        self.parts += 1;
        self.searched = 0;
        self.state = State::Head;
        Ok(None)
    }

    /// Reads the headers of a part. The line break before them is not consumed earlier, because a part may have no headers.
    fn read_head(&mut self) -> Result<Option<Step>, Mistake> {
        let found = memmem::find(&self.buffer[self.searched..], b"\r\n\r\n").map(|at| at + self.searched);
        let length = found.unwrap_or(self.buffer.len());
        // Without the end of the headers, the last three bytes may belong to it.
        let possible = if found.is_none() { 3 } else { 0 };
        if length > MAX_HEADERS + possible {
            let expected = format!("at most {MAX_HEADERS} bytes of headers in a part");
            return Err(Mistake::new(expected, "more bytes"));
        }
        if found.is_none() {
            if self.is_complete {
                return Err(Mistake::new("an empty line after the headers of a part", "none"));
            }
            self.searched = length.saturating_sub(3);
            return Ok(Some(Step::More));
        }
        // Without headers, the line break before them begins the empty line.
        let head = Head::read(&self.buffer[LINE_BREAK.len().min(length)..length])?;
        self.skip(length + 4);
        self.length = 0;
        self.declared = head.length;
        self.state = State::ContentStart;
        Ok(Some(Step::Part(head)))
    }

    /// Refuses a boundary directly after the headers. RFC 2046 lets a part without content leave out the line break before
    /// the boundary, but some programs read the boundary as content then.
    fn read_content_start(&mut self) -> Result<Option<Step>, Mistake> {
        match self.starts_with(&self.delimiter()[LINE_BREAK.len()..]) {
            None => return Ok(Some(Step::More)),
            Some(false) => self.state = State::Content,
            Some(true) => {
                let expected = "a line break between the headers of a part and the next boundary";
                return Err(Mistake::new(expected, "none"));
            }
        }
        Ok(None)
    }

    fn read_content(&mut self) -> Result<Option<Step>, Mistake> {
        let found = self.finder.find(&self.buffer);
        if found.is_none() && self.is_complete {
            let expected = format!("a line {}-- after the last part", self.line());
            return Err(Mistake::new(expected, "the end of the body"));
        }
        if found.is_some() {
            self.state = State::PartEnd;
        }
        let end = found.unwrap_or_else(|| self.possible_delimiter());
        if end == 0 {
            return Ok(found.is_none().then_some(Step::More));
        }
        self.length += end;
        Ok(Some(Step::Content(self.buffer.split_to(end))))
    }

    fn read_part_end(&mut self) -> Result<Option<Step>, Mistake> {
        if self.declared.is_some_and(|declared| declared != self.length) {
            return Err(Mistake::new(LENGTH, "another number"));
        }
        self.skip(self.delimiter().len());
        self.state = State::AfterDelimiter;
        Ok(Some(Step::PartEnd))
    }

    /// Returns the position at which a delimiter may begin whose rest has not arrived. Returns the end of the buffer if there
    /// is no such position.
    fn possible_delimiter(&self) -> usize {
        let end = self.buffer.len();
        // Only the first byte of a delimiter is a carriage return.
        let at = memchr::memrchr(b'\r', &self.buffer);
        at.filter(|at| self.delimiter().starts_with(&self.buffer[*at..]))
            .unwrap_or(end)
    }
}
