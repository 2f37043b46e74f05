//! Lines with indentation.

use std::fmt::{Display, Write as _};

/// Text that grows line by line.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Adds a line at the current indentation. A text of several lines is indented as a whole.
    pub(crate) fn line(&mut self, text: impl Display) {
        let start = self.text.len();
        self.indent();
        let content = self.text.len();
        write!(self.text, "{text}").expect("writing to a String does not fail");
        if self.text.len() == content {
            self.text.truncate(start);
        } else if self.depth > 0 && self.text.as_bytes()[content..].contains(&b'\n') {
            let lines = self.text.split_off(content);
            self.text.truncate(start);
            self.indented(&lines);
            return;
        }
        self.text.push('\n');
    }

    fn indented(&mut self, lines: &str) {
        let breaks = lines.bytes().filter(|byte| *byte == b'\n').count() + 1;
        self.text.reserve(lines.len() + breaks * (2 * self.depth + 1));
        for line in lines.split('\n') {
            if !line.is_empty() {
                self.indent();
                self.text.push_str(line);
            }
            self.text.push('\n');
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
