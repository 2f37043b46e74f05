//! Positions in texts. The protocol counts lines from 0, and columns in UTF-16 code units from 0.

use std::ops::Range;

use lsp_types::Position;

/// A text with the offsets at which its lines start.
pub(crate) struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (index, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
                starts.push(index + 1);
            }
        }
        Self { text, starts }
    }

    /// Returns the byte offset of a position. A position after the end of a line or of the text counts as the end, and a
    /// position inside a character as the start of the character.
    pub(crate) fn offset(&self, position: Position) -> usize {
        let line = position.line as usize;
        let Some(start) = self.starts.get(line).copied() else {
            return self.text.len();
        };
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let text = self.text[start..end].trim_end_matches(['\r', '\n']);
        let mut units = position.character as usize;
        let mut offset = start;
        for letter in text.chars() {
            let width = letter.len_utf16();
            if units < width {
                break;
            }
            units -= width;
            offset += letter.len_utf8();
        }
        offset
    }

    /// Returns the position of a byte offset. An offset after the end of the text counts as the end.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let offset = self.text.floor_char_boundary(offset.min(self.text.len()));
        let line = self.starts.partition_point(|start| *start <= offset).max(1) - 1;
        let column = self.text[self.starts[line]..offset].encode_utf16().count();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position::new(number(line), number(column))
    }

    pub(crate) fn range(&self, range: &Range<usize>) -> lsp_types::Range {
        lsp_types::Range::new(
            self.position(range.start),
            self.position(range.end.max(range.start)),
        )
    }

    /// Returns the bytes of a range. If the end is before the start, the range is empty.
    pub(crate) fn bytes(&self, range: lsp_types::Range) -> Range<usize> {
        let start = self.offset(range.start);
        start..self.offset(range.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use lsp_types::Position;

    use super::Lines;

    #[test]
    fn positions_count_utf_16_code_units() {
        let text = "a\n\"😀\" x\r\ny\rz";
        let lines = Lines::new(text);
        for (line, column, rest) in [
            (0, 0, "a\n\"😀\" x\r\ny\rz"),
            (1, 5, "x\r\ny\rz"),
            (2, 0, "y\rz"),
            (3, 0, "z"),
        ] {
            let offset = lines.offset(Position::new(line, column));
            assert_eq!(&text[offset..], rest);
            assert_eq!(lines.position(offset), Position::new(line, column));
        }
    }

    #[test]
    fn wrong_positions_count_as_the_nearest_correct_position() {
        let text = "é😀\nx";
        let lines = Lines::new(text);
        assert_eq!(&text[lines.offset(Position::new(0, 2))..], "😀\nx");
        assert_eq!(&text[lines.offset(Position::new(0, 99))..], "\nx");
        assert_eq!(&text[lines.offset(Position::new(9, 0))..], "");
        assert_eq!(lines.position(999), Position::new(1, 1));
        assert_eq!(lines.position(1), Position::new(0, 0));
    }
}
