//! Lines with indentation.

use std::fmt::{Display, Write as _};

use memchr::{memchr, memchr_iter};

/// Most texts get longer than a few lines; growing to this step by step would copy them several times.
const USUAL: usize = 1024;

/// A JSON text as it stands within another one: every line but the first one begins with `indent`.
pub(crate) fn nested(json: &str, indent: &str) -> String {
    // A line break inside of a text is escaped, so every one that there is ends a line.
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

/// Text that grows line by line.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Adds a line at the current indentation. A text of several lines is indented as a whole.
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

    /// Adds an empty line, but never two, and none at the beginning.
    pub(crate) fn blank(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// Adds `opening`, the block's lines one step further in, and `closing`.
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

    /// Adds lines one level further in.
    pub(crate) fn deeper(&mut self, content: impl FnOnce(&mut Self)) {
        self.depth += 1;
        content(self);
        self.depth -= 1;
    }

    /// Adds a `JSDoc` comment; nothing for an empty text.
    pub(crate) fn doc(&mut self, text: &str) {
        // A comment's end inside of the text would end the comment.
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

    /// Everything that was written, without the last line's end: what [`Writer::line`] takes as the inside of a block.
    pub(crate) fn inner(mut self) -> String {
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    /// Everything that was written.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
