//! Parser of bodies in the format `multipart/form-data` (RFC 7578, on the framing of RFC 2046, section 5.1). The parser
//! is strict: each body that two programs could read differently is refused. `packages/core/src/bodies/multipart.ts`
//! implements the same in TypeScript, and `conformance/multipart.json` has the cases.
//!
//! tidy: long because the parser and the tests of its mistakes read each other's texts

use std::collections::HashMap;

use axum::body::Bytes;
use memchr::memmem::{self, Finder};

use crate::media_type::{MediaType, is_token, parse_parameters, trim};

/// Maximum number of parts of a body.
const MAX_PARTS: usize = 1000;
/// Maximum number of bytes of the headers of a part.
const MAX_HEADERS: usize = 16 * 1024;

/// Part of a multipart body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Name of the form's field.
    pub name: String,
    /// Name of the file, without a path. `None` if the part is not a file.
    pub file_name: Option<String>,
    /// Type and subtype in lower case. `None` if the part has no content type.
    pub media_type: Option<String>,
    /// Content, which is a view of the body.
    pub bytes: Bytes,
}

/// Framing that the parser refuses, in the words of a validation failure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// Description of the framing that the parser expects.
    pub expected: String,
    /// Description of the received bytes.
    pub received: String,
}

impl Mistake {
    fn new(expected: impl Into<String>, received: impl Into<String>) -> Self {
        Self {
            expected: expected.into(),
            received: received.into(),
        }
    }
}

/// Returns the boundary in the parameters of a content type if it is valid (RFC 2046, 5.1.1).
pub(crate) fn boundary_of(media_type: &MediaType) -> Result<&str, Mistake> {
    let boundary = media_type.parameters.get("boundary");
    boundary
        .map(String::as_str)
        .filter(|text| is_boundary(text))
        .ok_or_else(|| {
            let received = if boundary.is_none() {
                "no boundary"
            } else {
                "another boundary"
            };
            Mistake::new(
                "a content type with a parameter `boundary` of 1 to 70 characters",
                received,
            )
        })
}

/// Returns the boundary of a multipart body with this content type.
///
/// # Errors
///
/// If the content type has no valid boundary.
pub fn boundary(content_type: &str) -> Result<String, Mistake> {
    let none = || Mistake::new("multipart/form-data", "another content type");
    let media_type = MediaType::parse(content_type).ok_or_else(none)?;
    boundary_of(&media_type).map(str::to_owned)
}

fn is_boundary(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"'()+_,-./:=? ".contains(&byte);
    (1..=70).contains(&text.len()) && text.bytes().all(is_allowed) && !text.ends_with(' ')
}

/// Returns the parts of a body in order.
///
/// # Errors
///
/// The first mistake in the framing of the body.
pub fn parse(body: &Bytes, boundary: &str) -> Result<Vec<Part>, Mistake> {
    let mut parser = Parser::new(boundary);
    parser.push(body.clone());
    parser.end();
    let mut parts: Vec<Part> = Vec::new();
    loop {
        match parser.step()? {
            Step::Part(head) => parts.push(Part {
                name: head.name,
                file_name: head.file_name,
                media_type: head.media_type,
                bytes: Bytes::new(),
            }),
            // The whole content, because the parser has the whole body.
            Step::Content(bytes) => {
                if let Some(part) = parts.last_mut() {
                    part.bytes = bytes;
                }
            }
            Step::PartEnd => {}
            Step::End | Step::More => return Ok(parts),
        }
    }
}

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

/// Description of a valid header `content-length` of a part, which few clients send.
const LENGTH: &str = "a content-length that equals the number of bytes in the part";

/// Description of a part, from its headers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Name of the form's field.
    pub name: String,
    /// Name of the file, without a path. `None` if the part is not a file.
    pub file_name: Option<String>,
    /// Type and subtype in lower case. `None` if the part has no content type.
    pub media_type: Option<String>,
    /// Number of bytes that the header `content-length` declares.
    length: Option<usize>,
}

impl Head {
    /// Reads the headers of a part: their lines without the last line break.
    fn read(bytes: &[u8]) -> Result<Self, Mistake> {
        let text = std::str::from_utf8(bytes)
            .map_err(|_| Mistake::new("headers of a part in UTF-8", "other bytes"))?;
        let mut headers = HashMap::new();
        for line in text.split("\r\n").filter(|_| !text.is_empty()) {
            let (name, value) = line.split_once(':').unwrap_or_default();
            let has_control = line
                .bytes()
                .any(|byte| byte != b'\t' && (byte < b' ' || byte == 0x7f));
            if !is_token(name) || has_control {
                return Err(Mistake::new("headers of a part as `name: value`", "another line"));
            }
            let name = name.to_ascii_lowercase();
            if headers.contains_key(&name) {
                return Err(Mistake::new(format!("one header {name} in a part"), "several"));
            }
            headers.insert(name, trim(value));
        }
        Self::new(&headers)
    }

    fn new(headers: &HashMap<String, &str>) -> Result<Self, Mistake> {
        const EXPECTED: &str = "a header `content-disposition: form-data; name=\"…\"` in each part";
        let disposition = headers
            .get("content-disposition")
            .ok_or_else(|| Mistake::new(EXPECTED, "none"))?;
        let other = || Mistake::new(EXPECTED, "another value");
        let semicolon = disposition.find(';').ok_or_else(other)?;
        let mut parameters = parse_parameters(&disposition[semicolon..]).ok_or_else(other)?;
        if !trim(&disposition[..semicolon]).eq_ignore_ascii_case("form-data") {
            return Err(other());
        }
        let name = parameters.swap_remove("name").ok_or_else(other)?;
        if let Some(encoding) = headers.get("content-transfer-encoding") {
            let encoding = encoding.to_lowercase();
            if !matches!(encoding.as_str(), "7bit" | "8bit" | "binary") {
                let shown: String = encoding.chars().take(40).collect();
                return Err(Mistake::new("parts without a content-transfer-encoding", shown));
            }
        }
        let media_type = match headers.get("content-type") {
            None => None,
            Some(text) => Some(MediaType::parse(text).ok_or_else(|| {
                Mistake::new("a media type as the content-type of a part", "another value")
            })?),
        };
        let charset = media_type
            .as_ref()
            .and_then(|known| known.parameters.get("charset"));
        let is_utf8 = |charset: &String| matches!(charset.to_lowercase().as_str(), "utf-8" | "utf8");
        if !charset.is_none_or(is_utf8) {
            return Err(Mistake::new("text in UTF-8 in each part", "another charset"));
        }
        let length = match headers.get("content-length") {
            None => None,
            Some(text) => {
                let is_number = text.len() <= 15 && text.bytes().all(|byte| byte.is_ascii_digit());
                let number = text.parse().ok().filter(|_| is_number);
                Some(number.ok_or_else(|| Mistake::new(LENGTH, "another value"))?)
            }
        };
        let file_name = parameters.swap_remove("filename");
        Ok(Self {
            length,
            name: decode_name(&name),
            file_name: file_name.map(|name| base_name(&decode_name(&name)).to_owned()),
            media_type: media_type.map(|known| known.essence),
        })
    }
}

/// Decodes the three characters that browsers escape in names (WHATWG HTML, 4.10.21.8).
fn decode_name(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(percent) = rest.find('%') {
        decoded.push_str(&rest[..percent]);
        let escape = rest.get(percent + 1..percent + 3).map(str::to_ascii_uppercase);
        let character = match escape.as_deref() {
            Some("22") => Some('"'),
            Some("0D") => Some('\r'),
            Some("0A") => Some('\n'),
            _ => None,
        };
        decoded.push(character.unwrap_or('%'));
        rest = &rest[percent + if character.is_some() { 3 } else { 1 }..];
    }
    decoded + rest
}

/// Returns the last part of a path (RFC 7578, 4.2), so that a name such as `../../etc/passwd` is harmless.
fn base_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use axum::body::Bytes;

    use super::{MAX_HEADERS, MAX_PARTS, boundary, parse};

    /// Parses a body with the boundary `b`. Lines of `text` end with LF.
    fn read(text: &str) -> Result<String, String> {
        let body = Bytes::from(text.replace('\n', "\r\n"));
        let parts =
            parse(&body, "b").map_err(|mistake| format!("{} / {}", mistake.expected, mistake.received))?;
        let parts = parts.iter().map(|part| {
            format!(
                "{}|{}|{}|{};",
                part.name,
                part.file_name.as_deref().unwrap_or("-"),
                part.media_type.as_deref().unwrap_or("-"),
                String::from_utf8_lossy(&part.bytes)
            )
        });
        Ok(parts.collect())
    }

    const HEAD: &str = "content-disposition: form-data; name=a";

    #[test]
    fn reads_fields_and_files_in_order() {
        let body = "\n--b \nContent-Disposition: form-data; name=\"t%22%0d%zz%\"\n\none\ntwo\n--b\n\
             Content-Type: Image/PNG; x=y\ncontent-disposition: form-data; name=f; filename=\"C:\\dir\\a \\\"b\\\".png\"\n\n--c\n--b-- \t\n";
        let expected = "t\"\r%zz%|-|-|one\r\ntwo;f|a \"b\".png|image/png|--c;";
        assert_eq!(read(body).as_deref(), Ok(expected));
        let empty = format!("--b\n{HEAD}\nContent-Length: 0\n\n\n--b--");
        assert_eq!(read(&empty).as_deref(), Ok("a|-|-|;"));
        assert_eq!(read("--b--\n").as_deref(), Ok(""));
    }

    #[test]
    fn refuses_broken_framing() {
        for (body, expected) in [
            ("", "a line --b before the first part / none"),
            ("x--b", "a line --b before the first part / none"),
            ("--b", "a line break after a boundary / the end of the body"),
            ("--bc\n", "a line break after a boundary / other bytes"),
            (
                "--b--x",
                "the end of the body after the last boundary / other bytes",
            ),
            ("--b\nx: y\n", "an empty line after the headers of a part / none"),
            (
                "--b\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / none",
            ),
            (
                "--b\ncontent-disposition: form-data\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\ncontent-disposition: file; name=a\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\ncontent-disposition: form-data; name=a; name=b\n\nx\n--b--",
                "a header `content-disposition: form-data; name=\"…\"` in each part / another value",
            ),
            (
                "--b\nx y: z\n\n\n--b--",
                "headers of a part as `name: value` / another line",
            ),
            (
                "--b\nx: y\n folded\n\n\n--b--",
                "headers of a part as `name: value` / another line",
            ),
            ("--b\nx: 1\nX: 2\n\n\n--b--", "one header x in a part / several"),
        ] {
            assert_eq!(read(body).unwrap_err(), expected, "{body}");
        }
        for (line, expected) in [
            (
                "content-transfer-encoding: Base64",
                "parts without a content-transfer-encoding / base64",
            ),
            (
                "content-type: text",
                "a media type as the content-type of a part / another value",
            ),
            (
                "content-type: text/plain; charset=latin1",
                "text in UTF-8 in each part / another charset",
            ),
        ] {
            assert_eq!(
                read(&format!("--b\n{HEAD}\n{line}\n\nx\n--b--")).unwrap_err(),
                expected
            );
        }
        let joined = format!("--b\n{HEAD}\n\n--b--");
        assert_eq!(
            read(&joined).unwrap_err(),
            "a line break between the headers of a part and the next boundary / none"
        );
        for (length, received) in [("1", "another number"), ("x", "another value")] {
            let other = format!("--b\n{HEAD}\ncontent-length: {length}\n\nxy\n--b--");
            let expected =
                format!("a content-length that equals the number of bytes in the part / {received}");
            assert_eq!(read(&other).unwrap_err(), expected);
        }
        let cut = format!("--b\n{HEAD}\n\nx\n--");
        assert_eq!(
            read(&cut).unwrap_err(),
            "a line --b-- after the last part / the end of the body"
        );
    }

    #[test]
    fn limits_the_number_of_parts_and_the_size_of_headers() {
        let part = format!("\n{HEAD}\n\n\n--b");
        let most = format!("--b{}--", part.repeat(MAX_PARTS));
        assert!(read(&most).is_ok());
        let more = format!("--b{}--", part.repeat(MAX_PARTS + 1));
        assert_eq!(read(&more).unwrap_err(), "at most 1000 parts / more parts");
        let long = format!("--b\n{HEAD}\nx: {}\n\n\n--b--", "y".repeat(MAX_HEADERS));
        assert_eq!(
            read(&long).unwrap_err(),
            "at most 16384 bytes of headers in a part / more bytes"
        );
    }

    #[test]
    fn reads_the_boundary_of_a_content_type() {
        let of = |text: &str| boundary(text).map_err(|mistake| mistake.received);
        assert_eq!(of("multipart/form-data; boundary=\"a b\"").as_deref(), Ok("a b"));
        assert_eq!(of("multipart/form-data").unwrap_err(), "no boundary");
        for wrong in [String::new(), "é".to_owned(), "a ".to_owned(), "a".repeat(71)] {
            let content_type = format!("multipart/form-data; boundary=\"{wrong}\"");
            assert_eq!(of(&content_type).unwrap_err(), "another boundary", "{wrong}");
        }
    }
}
