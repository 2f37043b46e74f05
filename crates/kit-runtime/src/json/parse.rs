//! Parser for JSON text. Nesting of any depth is safe, because the parser has its own stack.

use indexmap::IndexMap;

use super::{Json, order_like_javascript};

/// Maximum nesting of arrays and objects. Deeper values are parsed for their syntax only.
pub const MAX_LEVELS: usize = 1024;

/// Error for text that is not JSON, with the position and the expected syntax.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Position of the error in UTF-16 code units, as JavaScript counts.
    pub offset: usize,
    /// Line number, from 1.
    pub line: usize,
    /// Column in UTF-16 code units, from 1.
    pub column: usize,
    /// Description of the expected syntax.
    pub expected: &'static str,
}

/// Parses JSON text.
///
/// ```
/// use kit_runtime::json::{Json, parse};
///
/// assert_eq!(parse("1e999"), Ok(Json::Number(f64::INFINITY)));
/// assert_eq!(parse("[1,]").unwrap_err().expected, "a value");
/// ```
///
/// # Errors
///
/// If the text is not JSON.
pub fn parse(text: &str) -> Result<Json, SyntaxError> {
    Reader::new(text).read().map_err(|(at, expected)| {
        let before = &text[..floor_boundary(text, at)];
        let start = before.rfind('\n').map_or(0, |line_feed| line_feed + 1);
        SyntaxError {
            offset: utf16_length(before),
            line: before.matches('\n').count() + 1,
            column: utf16_length(&before[start..]) + 1,
            expected,
        }
    })
}

fn utf16_length(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

fn floor_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or(0)
}

/// An array or object that is not closed yet.
enum OpenContainer {
    Array(Vec<Json>),
    /// The properties before the current property, and the name of the current property.
    Object(Box<(IndexMap<String, Json>, String)>),
}

/// Position of a syntax error in bytes, and a description of the expected syntax.
type SyntaxErrorAt = (usize, &'static str);

const VALUE: &str = "a value";
const KEY: &str = "a property name in double quotes";
const COMMA: &str = "`,` or the end of the list or object";

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    bytes: &'a [u8],
    pub(super) at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at: 0,
        }
    }

    fn read(&mut self) -> Result<Json, SyntaxErrorAt> {
        let mut open: Vec<OpenContainer> = Vec::new();
        let mut expected = VALUE;
        loop {
            // A value begins here, or an empty container closes at once.
            self.skip_space();
            let value = match self.peek() {
                Some(b'[') => {
                    self.at += 1;
                    self.skip_space();
                    if self.peek() == Some(b']') {
                        self.at += 1;
                        Self::within(open.len(), Json::Array(Vec::new()))
                    } else {
                        open.push(OpenContainer::Array(Vec::new()));
                        expected = "a value or `]`";
                        continue;
                    }
                }
                Some(b'{') => {
                    self.at += 1;
                    self.skip_space();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                        Self::within(open.len(), Json::Object(IndexMap::new()))
                    } else {
                        let key = self.key("a property name in double quotes or `}`")?;
                        open.push(OpenContainer::Object(Box::new((IndexMap::new(), key))));
                        expected = VALUE;
                        continue;
                    }
                }
                _ => self.scalar(expected)?,
            };
            match self.close(value, &mut open)? {
                Some(whole) => return Ok(whole),
                None => expected = VALUE,
            }
        }
    }

    /// Adds a complete value to the innermost open array or object, and moves to the start of the next value.
    /// If no array or object is open, the value is the whole document, and it is returned.
    fn close(
        &mut self,
        mut value: Json,
        open: &mut Vec<OpenContainer>,
    ) -> Result<Option<Json>, SyntaxErrorAt> {
        loop {
            self.skip_space();
            let level = open.len();
            match open.last_mut() {
                None => {
                    return if self.at == self.bytes.len() {
                        Ok(Some(value))
                    } else {
                        Err((self.at, "the end of the text"))
                    };
                }
                Some(OpenContainer::Array(items)) => {
                    if level <= MAX_LEVELS {
                        items.push(value);
                    }
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            return Ok(None);
                        }
                        Some(b']') => {
                            self.at += 1;
                            value = Self::within(level - 1, Json::Array(std::mem::take(items)));
                        }
                        _ => return Err((self.at, COMMA)),
                    }
                }
                Some(OpenContainer::Object(object)) => {
                    let (members, key) = &mut **object;
                    if level <= MAX_LEVELS {
                        members.insert(std::mem::take(key), value);
                    }
                    match self.peek() {
                        Some(b',') => {
                            self.at += 1;
                            self.skip_space();
                            *key = self.key(KEY)?;
                            return Ok(None);
                        }
                        Some(b'}') => {
                            self.at += 1;
                            let mut members = std::mem::take(members);
                            order_like_javascript(&mut members);
                            value = Self::within(level - 1, Json::Object(members));
                        }
                        _ => return Err((self.at, COMMA)),
                    }
                }
            }
            open.pop();
        }
    }

    /// Returns an array or object, or [`Json::TooDeep`] if too many others (`level`) contain it.
    fn within(level: usize, container: Json) -> Json {
        if level < MAX_LEVELS {
            container
        } else {
            Json::TooDeep
        }
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(super) fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn key(&mut self, expected: &'static str) -> Result<String, SyntaxErrorAt> {
        if self.peek() != Some(b'"') {
            return Err((self.at, expected));
        }
        let key = self.string()?;
        self.skip_space();
        if self.peek() != Some(b':') {
            return Err((self.at, "`:`"));
        }
        self.at += 1;
        Ok(key)
    }

    pub(super) fn scalar(&mut self, expected: &'static str) -> Result<Json, SyntaxErrorAt> {
        if self.peek() == Some(b'"') {
            return self.string().map(Json::String);
        }
        for (word, value) in [
            ("true", Json::Bool(true)),
            ("false", Json::Bool(false)),
            ("null", Json::Null),
        ] {
            if self.bytes[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value);
            }
        }
        let start = self.at;
        let end = self.end_of_number().ok_or((start, expected))?;
        self.at = end;
        // Rust parses every number of this syntax. The result is infinite if the number is too large.
        self.text[start..end]
            .parse()
            .map(Json::Number)
            .map_err(|_| (start, expected))
    }

    fn end_of_number(&self) -> Option<usize> {
        let digit = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_digit);
        let digits = |mut at: usize| {
            while digit(at) {
                at += 1;
            }
            at
        };
        let mut at = self.at + usize::from(self.peek() == Some(b'-'));
        if !digit(at) {
            return None;
        }
        // In JSON, a number that begins with 0 has no other digit before the decimal point.
        at = if self.bytes[at] == b'0' {
            at + 1
        } else {
            digits(at)
        };
        if self.bytes.get(at) == Some(&b'.') && digit(at + 1) {
            at = digits(at + 1);
        }
        if matches!(self.bytes.get(at), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.bytes.get(at + 1), Some(b'+' | b'-')));
            if digit(at + 1 + sign) {
                at = digits(at + 1 + sign);
            }
        }
        Some(at)
    }

    pub(super) fn string(&mut self) -> Result<String, SyntaxErrorAt> {
        const EXPECTED: &str = "a character of a string, a valid escape or a closing double quote";
        self.at += 1;
        let mut text = String::new();
        let mut start = self.at;
        loop {
            self.at += plain_length(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    text.push_str(&self.text[start..self.at]);
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    text.push_str(&self.text[start..self.at]);
                    let character = self.escape().ok_or((self.at, EXPECTED))?;
                    text.push(character);
                    start = self.at;
                }
                _ => return Err((self.at, EXPECTED)),
            }
        }
    }

    /// Returns the character of an escape sequence, and moves behind the escape.
    fn escape(&mut self) -> Option<char> {
        let character = match self.bytes.get(self.at + 1)? {
            b'"' => '"',
            b'\\' => '\\',
            b'/' => '/',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                let unit = self.hex(self.at + 2)?;
                self.at += 6;
                return Some(self.unit(unit));
            }
            _ => return None,
        };
        self.at += 2;
        Some(character)
    }

    /// Returns the character of a UTF-16 code unit from a `\u` escape. If it is a high surrogate and a low surrogate
    /// follows, reads both. An unpaired surrogate becomes U+0000.
    fn unit(&mut self, unit: u32) -> char {
        let is_high = (0xD800..=0xDBFF).contains(&unit);
        if is_high && self.bytes[self.at..].starts_with(b"\\u") {
            if let Some(low @ 0xDC00..=0xDFFF) = self.hex(self.at + 2) {
                self.at += 6;
                let code = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                return char::from_u32(code).unwrap_or('\0');
            }
        }
        char::from_u32(unit).unwrap_or('\0')
    }

    fn hex(&self, at: usize) -> Option<u32> {
        let digits = self.bytes.get(at..at + 4)?;
        digits.iter().try_fold(0, |value, digit| {
            Some(value * 16 + char::from(*digit).to_digit(16)?)
        })
    }
}

/// Returns the number of bytes before the first quote, backslash or control character. Compares eight bytes at a time.
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let mut length = 0;
    while let Some(chunk) = bytes
        .get(length..length + 8)
        .and_then(|chunk| chunk.try_into().ok())
    {
        let word = u64::from_le_bytes(chunk);
        let has_zero = |word: u64| word.wrapping_sub(ONES) & !word;
        let quote = has_zero(word ^ (ONES * u64::from(b'"')));
        let backslash = has_zero(word ^ (ONES * u64::from(b'\\')));
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        let found = (quote | backslash | control) & HIGH;
        if found != 0 {
            // The lowest marked byte is always a match; only higher bytes can be marked by mistake, by a borrow of
            // the subtraction.
            return length + found.trailing_zeros() as usize / 8;
        }
        length += 8;
    }
    let is_plain = |byte: &&u8| **byte >= 0x20 && !matches!(byte, b'"' | b'\\');
    length + bytes[length..].iter().take_while(is_plain).count()
}
