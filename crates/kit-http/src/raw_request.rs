//! A request as raw bytes: head and body in one buffer. A header is only parsed when a handler reads it.
//!
//! Most requests contain nothing unusual. The guard has validated each of their lines, so no
//! more parsing is needed: only the offsets of the method, the target and the end of the head are stored. Header fields
//! are searched when a handler reads them, and most handlers read one header or none.

use std::borrow::Cow;

use kit_guard::{Layout, Lines, PlainChunks, PlainEnd, trim};

/// Bytes of a request that the guard accepted. The bytes of a chunked body are only its data.
#[derive(Debug)]
pub(crate) struct RawRequest {
    bytes: Box<[u8]>,
    layout: Layout,
}

impl RawRequest {
    /// Creates a request from its bytes. `layout` must be the layout of these bytes, and the body must not be chunked.
    pub(crate) fn new(bytes: impl Into<Box<[u8]>>, layout: Layout) -> Self {
        let bytes = bytes.into();
        Self { bytes, layout }
    }

    /// Creates a request with a chunked body from its bytes. [`PlainChunks`] must have read the body, which has `length` bytes.
    pub(crate) fn with_chunks(bytes: &[u8], layout: Layout, length: usize) -> Self {
        let (head, body) = bytes.split_at_checked(layout.head_end).unwrap_or((bytes, &[]));
        let mut joined = Vec::with_capacity(head.len() + length);
        joined.extend_from_slice(head);
        let end = PlainChunks::default().read(body, length, &mut |data| joined.extend_from_slice(data));
        debug_assert!(matches!(end, PlainEnd::At(_)), "the body was complete: {end:?}");
        Self::new(joined, layout)
    }

    /// Appends the bytes of the request. A chunked body is one chunk, however many the client has sent.
    pub(crate) fn write_to(&self, out: &mut Vec<u8>) {
        let body = self.body();
        if !self.layout.is_chunked {
            return out.extend_from_slice(&self.bytes);
        }
        out.extend_from_slice(self.bytes.get(..self.layout.head_end).unwrap_or_default());
        if !body.is_empty() {
            out.extend_from_slice(format!("{:x}\r\n", body.len()).as_bytes());
            out.extend_from_slice(body);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"0\r\n\r\n");
    }

    pub(crate) fn method(&self) -> &str {
        method_of(&self.bytes, &self.layout)
    }

    pub(crate) fn target(&self) -> &str {
        text(&self.bytes, self.layout.method_end + 1, self.layout.target_end)
    }

    pub(crate) fn path(&self) -> &str {
        path_of(&self.bytes, &self.layout)
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.bytes.get(self.layout.head_end..).unwrap_or_default()
    }

    /// Returns all values of a header field, in order.
    pub(crate) fn values<'a, 'n>(&'a self, name: &'n str) -> impl Iterator<Item = &'a [u8]> + use<'a, 'n> {
        // Most headers that the engine looks for are absent.
        let lines = self.layout.may_have_field(name).then(|| self.lines());
        lines.into_iter().flatten().filter_map(move |line| {
            let (found, value) = line.split_at_checked(name.len())?;
            let value = value.strip_prefix(b":")?;
            found.eq_ignore_ascii_case(name.as_bytes()).then(|| trim(value))
        })
    }

    /// Returns all header fields in order, with their names in lower case.
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
        // Leave out the line break of the empty line at the end.
        Lines::of(self.bytes.get(start..end.saturating_sub(2)).unwrap_or_default())
    }
}

/// Returns the method of the request at the beginning of some bytes.
pub(crate) fn method_of<'a>(bytes: &'a [u8], layout: &Layout) -> &'a str {
    text(bytes, 0, layout.method_end)
}

/// Returns the path of the request at the beginning of some bytes.
pub(crate) fn path_of<'a>(bytes: &'a [u8], layout: &Layout) -> &'a str {
    text(bytes, layout.method_end + 1, layout.path_end)
}

/// Returns a part of the request line as a string. The guard accepts only ASCII there.
fn text(bytes: &[u8], start: usize, end: usize) -> &str {
    std::str::from_utf8(bytes.get(start..end).unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> RawRequest {
        let mut guard = kit_guard::Guard::new(kit_guard::Limits::default());
        let layout = guard.simple_head(text.as_bytes(), 1024);
        RawRequest::new(text.as_bytes(), layout.expect("a request"))
    }

    #[test]
    fn reads_method_target_path_and_body() {
        let request = parse("POST /notes/7?a=1&b=2 HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody");
        assert_eq!(request.method(), "POST");
        assert_eq!(request.target(), "/notes/7?a=1&b=2");
        assert_eq!(request.path(), "/notes/7");
        assert_eq!(request.body(), b"body");
        let bare = parse("GET / HTTP/1.1\r\nhost: a\r\n\r\n");
        assert_eq!((bare.target(), bare.path(), bare.body()), ("/", "/", &b""[..]));
    }

    #[test]
    fn finds_header_fields_regardless_of_the_case_of_their_names() {
        let request = parse(
            "GET / HTTP/1.1\r\nHost: a\r\nX-Long: \t b c \t\r\nx: 1\r\nX:2\r\nempty:\r\nAuthorization: Bearer x\r\n\r\n",
        );
        let values = |name| request.values(name).collect::<Vec<_>>();
        assert_eq!(values("x"), [&b"1"[..], b"2"]);
        assert_eq!(values("x-long"), [&b"b c"[..]]);
        assert_eq!(values("empty"), [&b""[..]]);
        assert_eq!(values("authorization"), [&b"Bearer x"[..]]);
        // A prefix of a name, a value, and other parts of the head are not field names.
        for absent in [
            "x-",
            "long",
            "b c",
            "",
            "host: a",
            "get / http/1.1",
            "authorizatiom",
            "y",
        ] {
            assert!(values(absent).is_empty(), "{absent}");
        }
        let long = format!("x-{}", "long".repeat(30));
        let request_of_long = parse(&format!("GET / HTTP/1.1\r\nhost: a\r\n{long}: 7\r\n\r\n"));
        assert_eq!(request_of_long.values(&long).collect::<Vec<_>>(), [&b"7"[..]]);
        assert_eq!(request_of_long.values(&long[..100]).count(), 0);
        let names: Vec<_> = request.fields().map(|(name, _)| name.into_owned()).collect();
        assert_eq!(names, ["host", "x-long", "x", "x", "empty", "authorization"]);
    }
}
