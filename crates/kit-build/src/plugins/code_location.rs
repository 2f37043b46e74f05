//! Locations in the JavaScript code of plugins and configurations. Diagnostics show them as labels.

use std::path::Path;

use kit_diagnostics::Label;
use serde::Deserialize;

use crate::disk;

/// Location in a source file, as in a stack trace.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CodeLocation {
    /// Path of the file: absolute, or relative to the project's root.
    pub path: String,
    /// Line, from 1; 0 if the location is the whole file.
    pub line: u32,
    /// Column, from 1, in UTF-16 code units; 0 if the location is the whole line.
    pub column: u32,
}

impl CodeLocation {
    /// Returns the location as a label, and the text of the file if it can be read.
    ///
    /// ```
    /// use kit_build::CodeLocation;
    ///
    /// let place = CodeLocation { path: "/app/kit.config.ts".to_owned(), line: 0, column: 0 };
    /// let (label, text) = place.label("/app".as_ref());
    /// assert_eq!((label.path.as_str(), text), ("kit.config.ts", None));
    /// ```
    pub fn label(&self, root: &Path) -> (Label, Option<String>) {
        let full = root.join(&self.path);
        let shown = match full.strip_prefix(root) {
            Ok(_) => crate::globs::relative(root, &full),
            Err(_) => self.path.clone(),
        };
        let text = disk::read_text(&full).ok();
        let range = text.as_deref().map_or(0..0, |text| self.range(text));
        (Label::primary(shown, range).at(self.line, self.column), text)
    }

    /// Returns the range of bytes that a diagnostic marks: the word at the location, or the line without
    /// spaces at its ends.
    fn range(&self, text: &str) -> std::ops::Range<usize> {
        let Some(index) = self.line.checked_sub(1) else {
            return 0..0;
        };
        let mut start = 0;
        for (number, line) in text.split_inclusive('\n').enumerate() {
            if number == index as usize {
                let line = line.trim_end();
                let Some(column) = self.column.checked_sub(1) else {
                    let indent = line.len() - line.trim_start().len();
                    return start + indent..start + line.len();
                };
                let from = offset(line, column as usize);
                let rest = &line[from..];
                // Mark a string literal with its quotes.
                let quoted = rest
                    .strip_prefix(['"', '\''])
                    .and_then(|text| text.find(['"', '\'']));
                let word = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
                let length = match (quoted, word) {
                    (Some(end), _) => end + 2,
                    (None, Some(end)) => end.max(1),
                    (None, None) => rest.len(),
                };
                return start + from..start + (from + length).min(line.len());
            }
            start += line.len();
        }
        0..0
    }
}

/// Converts a column from UTF-16 code units to bytes.
fn offset(line: &str, column: usize) -> usize {
    let mut units = 0;
    for (offset, letter) in line.char_indices() {
        if units >= column {
            return offset;
        }
        units += letter.len_utf16();
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::CodeLocation;

    #[test]
    fn label_marks_the_word_at_the_column_or_the_whole_line_if_there_is_no_column() {
        let text = "let 名 = 1;\n  /* 🦀 */ throw new Error();\r\nimport \"./none.js\";\n";
        for (line, column, expected) in [
            (2, 12, "throw"),
            (2, 0, "/* 🦀 */ throw new Error();"),
            (1, 7, "="),
            (1, 99, ""),
            (3, 8, "\"./none.js\""),
            (9, 1, ""),
            (0, 0, ""),
        ] {
            let place = CodeLocation {
                path: String::new(),
                line,
                column,
            };
            assert_eq!(&text[place.range(text)], expected, "{line}:{column}");
        }
    }
}
