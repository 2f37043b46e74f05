//! Positions in texts. The protocol counts lines from 0, and columns in UTF-16 code units from 0.

use std::borrow::Cow;
use std::ops::Range;

use lsp_types::Position;

/// A text with the offsets at which its lines start.
pub(crate) struct Lines<'t> {
    text: Cow<'t, str>,
    starts: Vec<usize>,
}

/// Returns the offsets in a range of a text at which lines start, after a line break in the range.
fn starts_in(text: &str, range: Range<usize>) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    range
        .filter(|index| {
            bytes[*index] == b'\n' || (bytes[*index] == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
        })
        .map(|index| index + 1)
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: impl Into<Cow<'t, str>>) -> Self {
        let text = text.into();
        let starts = std::iter::once(0)
            .chain(starts_in(&text, 0..text.len()))
            .collect();
        Self { text, starts }
    }

    /// Replaces a part of the text. Looks only for line breaks near the part, because an editor may send thousands of edits of
    /// a long text.
    pub(crate) fn replace(&mut self, bytes: Range<usize>, by: &str) {
        // A line break before the part may change too: `\r` before `\n` is one line break.
        let kept = self.starts.partition_point(|start| *start < bytes.start).max(1);
        let from = self.starts[kept - 1];
        let later = self.starts.partition_point(|start| *start <= bytes.end + 1);
        let removed = bytes.len();
        self.text.to_mut().replace_range(bytes.clone(), by);
        let rest: Vec<usize> = self.starts[later..]
            .iter()
            .map(|start| start - removed + by.len())
            .collect();
        let to = rest.first().map_or(self.text.len(), |start| start - 1);
        self.starts.truncate(kept);
        self.starts.extend(starts_in(&self.text, from..to));
        self.starts.extend(rest);
    }

    pub(crate) fn into_text(self) -> String {
        self.text.into_owned()
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
    fn replacing_parts_gives_the_lines_of_the_new_text() {
        let pieces = ["", "a", "\n", "\r", "\r\n", "é\n\rb"];
        let mut state = 7_u64;
        let mut roll = |sides: usize| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % sides
        };
        let mut lines = Lines::new("one\r\ntwo\rthree\n");
        for _ in 0..5_000 {
            let places: Vec<usize> = lines
                .text
                .char_indices()
                .map(|(at, _)| at)
                .chain([lines.text.len()])
                .collect();
            let (a, b) = (places[roll(places.len())], places[roll(places.len())]);
            let (from, to) = if lines.text.len() > 200 {
                (0, lines.text.len() / 2)
            } else {
                (a.min(b), a.max(b))
            };
            let to = lines.text.ceil_char_boundary(to);
            lines.replace(from..to, pieces[roll(pieces.len())]);
            let text = lines.text.to_string();
            assert_eq!(lines.starts, Lines::new(text.as_str()).starts, "{text:?}");
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
