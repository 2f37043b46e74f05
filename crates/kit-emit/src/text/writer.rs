//! Writes indented lines of text.

use std::fmt::{Display, Write as _};

use memchr::{memchr, memchr_iter};

/// Initial capacity in bytes. Most texts are longer than a few lines, and each later increase copies the
/// text.
const USUAL: usize = 1024;

/// Indents nested JSON: adds `indent` to every line except the first.
pub(crate) fn nested(json: &str, indent: &str) -> String {
    // JSON escapes line breaks in strings, so every line break ends a line.
    let breaks = memchr_iter(b'\n', json.as_bytes());
    let mut text = String::with_capacity(json.len() + breaks.clone().count() * indent.len());
    let mut start = 0;
    for end in breaks {
        text.push_str(&json[start..=end]);
        text.push_str(indent);
        start = end + 1;
    }
    text.push_str(&json[start..]);
    text
}

/// Text that grows by lines.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Adds a line with the current indentation. If the text has several lines, all lines are indented.
    pub(crate) fn line(&mut self, text: impl Display) {
        if self.text.capacity() == 0 {
            self.text.reserve(USUAL);
        }
        let start = self.text.len();
        self.indent();
        let content = self.text.len();
        write!(self.text, "{text}").expect("writing to a String does not fail");
        if self.text.len() == content {
            self.text.truncate(start);
        } else if self.depth > 0 && memchr(b'\n', &self.text.as_bytes()[content..]).is_some() {
            let lines = self.text.split_off(content);
            self.text.truncate(start);
            self.indented(&lines);
            return;
        }
        self.text.push('\n');
    }

    fn indented(&mut self, lines: &str) {
        let breaks = memchr_iter(b'\n', lines.as_bytes()).count() + 1;
        self.text.reserve(lines.len() + breaks * (2 * self.depth + 1));
        let mut start = 0;
        for end in memchr_iter(b'\n', lines.as_bytes()).chain([lines.len()]) {
            if start < end {
                self.indent();
                self.text.push_str(&lines[start..end]);
            }
            self.text.push('\n');
            start = end + 1;
        }
    }

    fn indent(&mut self) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
    }

    /// Adds an empty line, unless the text is empty or already ends with an empty line.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds `opening`, the content with one more level of indentation, then `closing`.
    pub(crate) fn block(
        &mut self,
        opening: impl Display,
        closing: impl Display,
        content: impl FnOnce(&mut Self),
    ) {
        self.line(opening);
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.line(closing);
    }

    /// Adds lines with one more level of indentation.
    pub(crate) fn deeper(&mut self, content: impl FnOnce(&mut Self)) {
        self.depth += 1;
        content(self);
        self.depth -= 1;
    }

    /// Adds a `JSDoc` comment. Adds nothing if the text is empty.
    pub(crate) fn doc(&mut self, text: &str) {
        // `*/` in the text would end the comment.
        let text = text.replace("*/", "*\\/");
        let lines: Vec<_> = text.trim().lines().map(str::trim_end).collect();
        match lines.as_slice() {
            [] => {}
            [line] => self.line(format_args!("/** {line} */")),
            lines => {
                self.line("/**");
                for line in lines {
                    self.line(format!(" * {line}").trim_end());
                }
                self.line(" */");
            }
        }
    }

    /// Returns the text without the final line break, so that it can be an argument of [`Writer::line`].
    pub(crate) fn inner(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    /// Returns the text.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
