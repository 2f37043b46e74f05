//! A request as its bytes: head and body in one piece, read where they lie.
//!
//! Most requests arrive whole, in one read, and have nothing unusual about them. The guard has checked each of their lines,
//! so there is nothing left to parse: a place for the method, the target and the end of the head is all that has to be kept.
//! What a handler asks for is looked up when it asks, and most handlers ask for one header or none.

use std::borrow::Cow;

use kit_guard::{Layout, Lines, trim};

/// The bytes of a request that the guard took.
#[derive(Debug)]
pub(crate) struct Whole {
    bytes: Box<[u8]>,
    layout: Layout,
}

impl Whole {
    /// The bytes must be those that the layout was made of.
    pub(crate) fn new(bytes: &[u8], layout: Layout) -> Self {
        Self {
            bytes: bytes.into(),
            layout,
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(crate) fn method(&self) -> &str {
        self.text(0, self.layout.method_end)
    }

    pub(crate) fn target(&self) -> &str {
        self.text(self.layout.method_end + 1, self.layout.target_end)
    }

    pub(crate) fn path(&self) -> &str {
        self.text(self.layout.method_end + 1, self.layout.path_end)
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.bytes.get(self.layout.head_end..).unwrap_or_default()
    }

    /// Every value of a field, in order.
    pub(crate) fn values<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        self.lines().filter_map(move |line| {
            let (found, value) = line.split_at_checked(name.len())?;
            let value = value.strip_prefix(b":")?;
            found.eq_ignore_ascii_case(name.as_bytes()).then(|| trim(value))
        })
    }

    /// Every field in order, its name in lower case.
    pub(crate) fn fields(&self) -> impl Iterator<Item = (Cow<'_, str>, &[u8])> {
        self.lines().filter_map(|line| {
            let colon = memchr::memchr(b':', line)?;
            let name = std::str::from_utf8(&line[..colon]).ok()?;
            let name = if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
                Cow::Owned(name.to_ascii_lowercase())
            } else {
                Cow::Borrowed(name)
            };
            Some((name, trim(&line[colon + 1..])))
        })
    }

    fn lines(&self) -> Lines<'_> {
        let (start, end) = (self.layout.fields, self.layout.head_end);
        // Without the empty line at the end.
        Lines::of(self.bytes.get(start..end.saturating_sub(2)).unwrap_or_default())
    }

    /// The guard lets nothing but ASCII into a request line.
    fn text(&self, start: usize, end: usize) -> &str {
        let bytes = self.bytes.get(start..end).unwrap_or_default();
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> Whole {
        let guard = kit_guard::Guard::new(kit_guard::Limits::default());
        let layout = guard.admit_whole(text.as_bytes(), 1024);
        Whole::new(text.as_bytes(), layout.expect("a request"))
    }

    #[test]
    fn parts_are_read_where_they_lie() {
        let request = whole("POST /notes/7?a=1&b=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
        assert_eq!(request.method(), "POST");
        assert_eq!(request.target(), "/notes/7?a=1&b=2");
        assert_eq!(request.path(), "/notes/7");
        assert_eq!(request.body(), b"body");
        let bare = whole("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!((bare.target(), bare.path(), bare.body()), ("/", "/", &b""[..]));
    }

    #[test]
    fn fields_are_found_by_name_in_any_case() {
        let request = whole(
            "GET / HTTP/1.1\r\nHost: a\r\nX-Long: \t b c \t\r\nx: 1\r\nX:2\r\nempty:\r\nAuthorization: Bearer x\r\n\r\n",
        );
        let values = |name| request.values(name).collect::<Vec<_>>();
        assert_eq!(values("x"), [&b"1"[..], b"2"]);
        assert_eq!(values("x-long"), [&b"b c"[..]]);
        assert_eq!(values("empty"), [&b""[..]]);
        assert_eq!(values("authorization"), [&b"Bearer x"[..]]);
        // The beginning of a name, a value, and what is no name are no fields.
        for absent in ["x-", "long", "b c", "", "host: a", "get / http/1.1"] {
            assert!(values(absent).is_empty(), "{absent}");
        }
        let names: Vec<_> = request.fields().map(|(name, _)| name.into_owned()).collect();
        assert_eq!(names, ["host", "x-long", "x", "x", "empty", "authorization"]);
    }
}
