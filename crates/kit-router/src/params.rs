//! The values of a matched path's parameters.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

use crate::radix::{PERCENT_IN_TEXT, SLASH_IN_TEXT};

/// Where a match leaves the parameters: byte ranges into the path, in the order of the route's path, a wildcard's last.
///
/// Reuse one for many requests; it allocates only while it grows.
#[derive(Debug, Default, Clone)]
pub struct ParamBuffer {
    pub(crate) ranges: Vec<Range<usize>>,
    /// Places where the search may go on when the current one fails.
    pub(crate) pending: Vec<Pending>,
    /// A path with escapes as it is searched.
    pub(crate) decoded: Vec<u8>,
    /// Whether any range may hold an escape.
    pub(crate) escaped: bool,
    /// Nodes that the last search looked at.
    #[cfg(test)]
    pub(crate) steps: usize,
}

/// An alternative that a search has passed by: a parameter or wildcard, at the segment that begins at `start`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub(crate) node: u32,
    pub(crate) start: usize,
    pub(crate) params: usize,
}

impl ParamBuffer {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many parameters the matched route has.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Whether the matched route has no parameters.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The raw, undecoded ranges of `path`.
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Whether [`values`](Self::values) has anything to decode. Where it is false, the ranges are the values.
    pub fn needs_decoding(&self) -> bool {
        self.escaped
    }

    /// The percent-decoded values.
    ///
    /// # Panics
    ///
    /// Where `path` is not the one that was matched.
    pub fn values<'p>(&self, path: &'p str) -> impl ExactSizeIterator<Item = Cow<'p, str>> {
        self.ranges.iter().map(move |range| {
            let raw = &path[range.clone()];
            if self.escaped {
                decode(raw).expect("the path was checked when it was matched")
            } else {
                Cow::Borrowed(raw)
            }
        })
    }

    pub(crate) fn clear(&mut self) {
        self.ranges.clear();
        self.pending.clear();
        self.escaped = false;
        #[cfg(test)]
        {
            self.steps = 0;
        }
    }

    /// Decodes the path for a search, keeping what splits apart from what is text; false where it does not decode.
    ///
    /// ```text
    /// /a%2Fb/50%25 -> /a b/50 with SLASH_IN_TEXT for the first gap and PERCENT_IN_TEXT behind 50
    /// ```
    pub(crate) fn decode_path(&mut self, path: &str) -> bool {
        self.escaped = true;
        self.decoded.clear();
        let mut rest = path.as_bytes();
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if byte != b'%' {
                self.decoded.push(byte);
                continue;
            }
            let Some((Some(high), Some(low))) = rest
                .first_chunk::<2>()
                .map(|[high, low]| (hex_digit(*high), hex_digit(*low)))
            else {
                return false;
            };
            rest = &rest[2..];
            self.decoded.push(match high << 4 | low {
                b'/' => SLASH_IN_TEXT,
                b'%' => PERCENT_IN_TEXT,
                // Bytes that UTF-8 never has.
                SLASH_IN_TEXT | PERCENT_IN_TEXT => return false,
                other => other,
            });
        }
        // Both stand for characters of one byte, so the whole is UTF-8 where all between them is.
        self.decoded
            .split(|byte| matches!(*byte, SLASH_IN_TEXT | PERCENT_IN_TEXT))
            .all(|text| std::str::from_utf8(text).is_ok())
    }

    /// Whether all values decode.
    pub(crate) fn ranges_decode(&mut self, path: &str) -> bool {
        (0..self.ranges.len()).all(|index| {
            let range = self.ranges[index].clone();
            self.decode_path(&path[range])
        })
    }

    /// Turns ranges of the decoded path into ranges of the path it was made of.
    pub(crate) fn locate_in(&mut self, path: &str) {
        let bytes = path.as_bytes();
        let (mut from, mut to) = (0, 0);
        let mut locate = |place: usize| {
            while from < place {
                from += 1;
                to += if bytes[to] == b'%' { 3 } else { 1 };
            }
            to
        };
        for range in &mut self.ranges {
            *range = locate(range.start)..locate(range.end);
        }
    }

    #[cfg(test)]
    pub(crate) fn count_step(&mut self) {
        self.steps += 1;
    }
}

/// Percent-decodes; nothing where an escape is invalid or the bytes are not UTF-8.
///
/// ```text
/// a%2Fb -> a/b        a+b -> a+b        100% -> nothing
/// ```
pub(crate) fn decode(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    has_valid_escapes(text)
        .then(|| percent_decode_str(text).decode_utf8().ok())
        .flatten()
}

#[inline]
fn hex_digit(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        b'A'..=b'F' => Some(digit - b'A' + 10),
        _ => None,
    }
}

fn has_valid_escapes(text: &str) -> bool {
    let mut rest = text.as_bytes();
    while let Some(at) = rest.iter().position(|&byte| byte == b'%') {
        match rest.get(at + 1..at + 3) {
            Some(digits) if digits.iter().all(u8::is_ascii_hexdigit) => rest = &rest[at + 3..],
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::{ParamBuffer, decode};

    #[test]
    fn decodes_valid_escapes_and_refuses_the_rest() {
        for (text, expected) in [
            ("", Some("")),
            ("plain", Some("plain")),
            ("a%2Fb", Some("a/b")),
            ("a%2fb", Some("a/b")),
            ("a+b", Some("a+b")),
            ("%25", Some("%")),
            ("%2525", Some("%25")),
            ("%00", Some("\0")),
            ("caf%C3%A9", Some("café")),
            ("%F0%9F%8D%B0", Some("🍰")),
            ("%", None),
            ("a%", None),
            ("%4", None),
            ("%zz", None),
            ("%+1", None),
            ("%é", None),
            ("%C3", None),
            ("%C3/%A9", None),
            ("%C0%80", None),
            ("%ED%A0%80", None),
            ("%F5%80%80%80", None),
        ] {
            assert_eq!(decode(text).as_deref(), expected, "{text}");
            // A path is decodable exactly where its values are.
            assert_eq!(ParamBuffer::new().decode_path(text), expected.is_some(), "{text}");
        }
    }
}
