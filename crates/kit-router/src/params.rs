//! Values of the parameters in a path that matches a route.

use std::borrow::Cow;
use std::ops::Range;

use percent_encoding::percent_decode_str;

/// Parameters of the route that was found, as byte ranges of the request's path. The parameters have the order of
/// the route's path, with the wildcard last.
///
/// Use a buffer for many requests: it allocates memory only while it grows.
#[derive(Debug, Default, Clone)]
pub struct ParamBuffer {
    pub(crate) ranges: Vec<Range<usize>>,
    /// Nodes at which the search continues if the current branch leads to no route.
    pub(crate) pending: Vec<Pending>,
    /// True if the value of a parameter may contain an escape.
    pub(crate) escaped: bool,
    /// Number of nodes that the last search has visited.
    #[cfg(test)]
    pub(crate) steps: usize,
}

/// A parameter or wildcard that the search has postponed. `start` is the position of its segment in the path.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pending {
    pub(crate) node: u32,
    pub(crate) start: usize,
    pub(crate) params: usize,
}

impl ParamBuffer {
    /// Creates an empty buffer.
    ///
    /// ```
    /// use kit_router::ParamBuffer;
    ///
    /// assert!(ParamBuffer::new().is_empty());
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the number of parameters of the route.
    ///
    /// ```
    /// use kit_router::{ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/users/:user/notes/:id")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// router.find("GET", "/users/1/notes/2", &mut params);
    /// assert_eq!(params.len(), 2);
    /// ```
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Returns true if the route has no parameters.
    ///
    /// ```
    /// use kit_router::{ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// router.find("GET", "/notes", &mut params);
    /// assert!(params.is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Returns the byte range of each parameter in the path. The bytes are not decoded.
    ///
    /// ```
    /// use kit_router::{ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// router.find("GET", "/notes/42", &mut params);
    /// assert_eq!(&"/notes/42"[params.ranges()[0].clone()], "42");
    /// ```
    pub fn ranges(&self) -> &[Range<usize>] {
        &self.ranges
    }

    /// Returns true if a value may contain a percent-escape. If it returns false, the bytes in the ranges are
    /// the values.
    ///
    /// ```
    /// use kit_router::{ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// router.find("GET", "/notes/a%20b", &mut params);
    /// assert!(params.needs_decoding());
    /// ```
    pub fn needs_decoding(&self) -> bool {
        self.escaped
    }

    /// Returns the percent-decoded values. `path` is the path that was passed to [`Router::find`](crate::Router::find).
    ///
    /// # Panics
    ///
    /// Panics if `path` is not the path of the last search.
    ///
    /// ```
    /// use kit_router::{ParamBuffer, RouteSpec, RouteTree};
    ///
    /// let router = RouteTree::compile([RouteSpec::new("GET", "/notes/:id")]).unwrap().router();
    /// let mut params = ParamBuffer::new();
    /// router.find("GET", "/notes/a%20b", &mut params);
    /// assert_eq!(params.values("/notes/a%20b").collect::<Vec<_>>(), ["a b"]);
    /// ```
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

    /// Converts ranges of the normal form of a path to ranges of the path as the client sent it.
    pub(crate) fn locate_in(&mut self, path: &str, normal: &str) {
        let (path, normal) = (path.as_bytes(), normal.as_bytes());
        let length = |byte: u8| if byte == b'%' { 3 } else { 1 };
        let (mut from, mut to) = (0, 0);
        let mut locate = |place: usize| {
            while from < place {
                // In both forms, each byte of the decoded path is written as it is or as an escape of three bytes.
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

/// Decodes the percent-escapes in a text. Returns `None` if an escape is invalid or if the result is not UTF-8.
///
/// ```text
/// a%2Fb -> a/b        a+b -> a+b        100% -> None
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
    fn decodes_valid_escapes_and_refuses_invalid_escapes() {
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
            // A path must have a normal form exactly if its values can be decoded.
            assert_eq!(normal_path(text).is_some(), expected.is_some(), "{text}");
        }
    }
}
