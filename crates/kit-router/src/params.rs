//! The values of a matched path's parameters.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

/// Where a match leaves the parameters: byte ranges into the path, in the order of the route's path, a wildcard's last.
///
/// Reuse one for many requests; it allocates only while it grows.
#[derive(Debug, Default, Clone)]
pub struct ParamBuffer {
    pub(crate) ranges: Vec<Range<usize>>,
    /// Places where the search may go on when the current one fails.
    pub(crate) pending: Vec<Pending>,
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

    /// Turns ranges of the normal form of a path into ranges of that path.
    pub(crate) fn locate_in(&mut self, path: &str, normal: &str) {
        let (path, normal) = (path.as_bytes(), normal.as_bytes());
        let length = |byte: u8| if byte == b'%' { 3 } else { 1 };
        let (mut from, mut to) = (0, 0);
        let mut locate = |place: usize| {
            while from < place {
                // A character is raw or an escape on either side.
                to += length(path[to]);
                from += length(normal[from]);
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
    use kit_guard::normal_path;

    use super::decode;

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
            // A path has a normal form exactly if its values decode.
            assert_eq!(normal_path(text).is_some(), expected.is_some(), "{text}");
        }
    }
}
