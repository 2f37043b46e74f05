//! Lines with indentation.

/// Text that grows line by line.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// Adds a line at the current indentation. A text of several lines is indented as a whole.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) {
        for line in text.as_ref().split('\n') {
            if !line.is_empty() {
                self.text.extend(std::iter::repeat_n("  ", self.depth));
                self.text.push_str(line);
            }
            self.text.push('\n');
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
        opening: impl AsRef<str>,
        closing: impl AsRef<str>,
        content: impl FnOnce(&mut Self),
    ) {
        self.line(opening);
        self.depth += 1;
        content(self);
        self.depth -= 1;
        self.line(closing);
    }

    /// Adds a `JSDoc` comment; nothing for an empty text.
    pub(crate) fn doc(&mut self, text: &str) {
        // A comment's end inside of the text would end the comment.
        let text = text.replace("*/", "*\\/");
        let lines: Vec<_> = text.trim().lines().map(str::trim_end).collect();
        match lines.as_slice() {
            [] => {}
            [line] => self.line(format!("/** {line} */")),
            lines => {
                self.line("/**");
                for line in lines {
                    self.line(format!(" * {line}").trim_end());
                }
                self.line(" */");
            }
        }
    }

    /// Everything that was written.
    pub(crate) fn finish(self) -> String {
        self.text
    }
}
