//! Hides values in the output of `Debug`: fields of structs, and entries of maps.

use super::{REDACTED, Redactor, length_of_string, path_of};

/// Reads the output of `Debug` and replaces hidden values. Only words within braces count as field names. String and
/// character literals are skipped, because their content may come from a client.
pub(super) struct DebugText<'t> {
    redactor: &'t Redactor,
    text: &'t str,
    at: usize,
    /// Names of the fields that contain the current position.
    path: Vec<String>,
    /// Brackets that are open at the current position, each with the length of `path` outside of it.
    open: Vec<(u8, usize)>,
    redacted: String,
}

impl<'t> DebugText<'t> {
    pub(super) fn new(redactor: &'t Redactor, name: &str, text: &'t str) -> Self {
        Self {
            redactor,
            text,
            at: 0,
            path: path_of(name),
            open: Vec::new(),
            redacted: String::with_capacity(text.len()),
        }
    }

    /// Returns the text with `[redacted]` in place of hidden values.
    pub(super) fn redact(mut self) -> String {
        while let Some(byte) = self.peek() {
            let start = self.at;
            let name = match byte {
                b'"' => {
                    self.skip_literal();
                    let text = &self.text[start..self.at];
                    Some(text.trim_matches('"'))
                }
                byte if byte == b'_' || byte.is_ascii_alphabetic() => {
                    self.skip_while(|byte| byte == b'_' || byte.is_ascii_alphanumeric());
                    Some(&self.text[start..self.at])
                }
                _ => {
                    self.skip_one();
                    None
                }
            };
            self.redacted.push_str(&self.text[start..self.at]);
            if let Some(name) = name {
                self.enter(name);
            }
        }
        self.redacted
    }

    /// Moves behind a word. If the word names a hidden field, writes `[redacted]` in place of the value of
    /// the field.
    fn enter(&mut self, name: &str) {
        let is_name = self.text[self.at..].starts_with(": ");
        let Some((b'{', around)) = self.open.last().copied().filter(|_| is_name) else {
            return;
        };
        self.path.truncate(around);
        self.path.push(name.to_lowercase());
        if !self.redactor.hides(&self.path) {
            return;
        }
        self.at += 2;
        self.redacted.push_str(": \"");
        self.redacted.push_str(REDACTED);
        self.redacted.push('"');
        let depth = self.open.len();
        while let Some(byte) = self.peek() {
            let is_end = self.open.len() == depth && matches!(byte, b',' | b'}' | b']' | b')');
            if is_end {
                return;
            }
            self.skip_one();
        }
    }

    /// Moves behind the next character, or behind a string or character literal. Updates `open` at brackets.
    fn skip_one(&mut self) {
        match self.peek() {
            Some(b'"' | b'\'') => return self.skip_literal(),
            Some(byte @ (b'{' | b'[' | b'(')) => self.open.push((byte, self.path.len())),
            Some(b'}' | b']' | b')') => {
                if let Some((_, around)) = self.open.pop() {
                    self.path.truncate(around);
                }
            }
            _ => {}
        }
        let next = self.text[self.at..].chars().next();
        self.at += next.map_or(0, char::len_utf8);
    }

    /// Moves behind a string or character literal. An apostrophe that begins no literal counts as one character.
    fn skip_literal(&mut self) {
        let rest = &self.text[self.at..];
        if rest.starts_with('\'') {
            let mut characters = rest.char_indices().skip(1);
            let end = match characters.next() {
                // The longest escape is `\u{10ffff}`.
                Some((_, '\\')) => characters.skip(1).take(9).find(|(_, end)| *end == '\''),
                Some(_) => characters.next().filter(|(_, end)| *end == '\''),
                None => None,
            };
            self.at += end.map_or(1, |(at, _)| at + 1);
            return;
        }
        self.at += length_of_string(rest).unwrap_or(rest.len());
    }

    fn skip_while(&mut self, is_part: impl Fn(u8) -> bool) {
        let rest = self.text[self.at..].bytes();
        self.at += rest.take_while(|byte| is_part(*byte)).count();
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }
}
