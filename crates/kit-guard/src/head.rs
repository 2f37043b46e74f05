//! Validates a complete request head strictly, before hyper sees it.
//!
//! hyper accepts heads that a server should reject (see [`crate::guard`]). The rules are the rules of RFC 9112 without
//! its tolerances. If a server tolerates an error, a proxy in front may interpret the same bytes differently.

use crate::authority::is_authority;
use crate::characters::{PATH, QUERY, TOKEN, VALUE, all, trim};
use crate::lines::Lines;
use crate::path::has_dot_segment;
use crate::rejection::Rejection;
use crate::transfer_coding::{self, TransferCoding};

/// Limits for the head of a request: the request line and the headers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum size of request line and header section together in bytes.
    pub head_bytes: usize,
    /// Maximum number of header fields, and of trailer fields.
    pub header_fields: usize,
    /// Maximum length of the request target in bytes.
    pub target_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            head_bytes: 16 * 1024,
            header_fields: 100,
            target_bytes: 8 * 1024,
        }
    }
}

/// Byte offsets in a request whose head is complete. No offset is less than the offset in the field before it.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// End of the method.
    pub method_end: usize,
    /// End of the path.
    pub path_end: usize,
    /// End of the target.
    pub target_end: usize,
    /// Start of the header fields.
    pub fields: usize,
    /// End of the head, after the empty line.
    pub head_end: usize,
    /// End of the request, after its body. Lies behind the bytes that have arrived if the body is incomplete. If the body is chunked,
    /// the end of the head: the next request begins only after the chunks.
    pub end: usize,
    /// True if the body is chunked. [`crate::PlainChunks`] then finds the end of the request.
    pub is_chunked: bool,
    /// Lengths of the names of the header fields, see [`Layout::may_have_field`].
    pub(crate) name_lengths: u64,
}

impl Layout {
    /// Returns false if the request has no header field whose name has this length, so that a search would find nothing.
    ///
    /// ```
    /// use kit_guard::{Guard, Limits};
    ///
    /// let mut guard = Guard::new(Limits::default());
    /// let layout = guard.simple_head(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n", 0).unwrap();
    /// assert!(layout.may_have_field("host"));
    /// assert!(!layout.may_have_field("traceparent"));
    /// ```
    #[must_use]
    pub fn may_have_field(&self, name: &str) -> bool {
        self.name_lengths & length_bit(name.len()) != 0
    }
}

/// Returns the bit for names with this length. Long names share a bit.
fn length_bit(length: usize) -> u64 {
    1 << length.min(63)
}

/// Method that determines where the body of a request ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Number of bytes of the body; 0 for no body.
    Length(u64),
    /// The body has the chunked transfer coding, which marks its own end.
    Chunked,
}

/// A valid head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    pub(crate) framing: Framing,
    pub(crate) layout: Layout,
    /// True for an HTTP/1.1 request whose target is a path, without `expect`, `upgrade`, or a `connection` other than
    /// `keep-alive`.
    pub(crate) is_plain: bool,
}

/// Maximum body length that is accepted: integers up to this bound are exact as a JavaScript number.
const MAX_LENGTH: u64 = 1 << 53;

/// Maximum length of a method in bytes.
const MAX_METHOD: usize = 32;

const METHOD: Rejection = Rejection::bad_request("the method is invalid");

/// Returns a rejection if a head begins with a method that is longer than [`MAX_METHOD`], and the number of
/// bytes after which the error is detectable. Returns `None` if the line ends within these bytes, because
/// [`check`] validates such a line.
pub(crate) fn endless_method(head: &[u8]) -> Option<(usize, Rejection)> {
    let start = head.get(..=MAX_METHOD)?;
    memchr::memchr2(b' ', b'\n', start)
        .is_none()
        .then_some((MAX_METHOD + 1, METHOD))
}

/// Returns true if a request may begin with this byte.
pub(crate) fn starts_request(byte: u8) -> bool {
    byte == b'\r' || all(&[byte], TOKEN)
}

/// Validates the head of a request that arrived in another form, such as HTTP/2: method, target, and names and values of its fields.
/// The limits apply to the same head in HTTP/1.1.
///
/// # Errors
///
/// The reason why the same request is rejected over HTTP/1.1.
///
/// ```
/// use kit_guard::{Limits, check_parts};
///
/// let limits = Limits::default();
/// let host: (&[u8], &[u8]) = (b"host", b"a");
/// assert!(check_parts(b"GET", b"/", [host], &limits).is_ok());
/// assert_eq!(check_parts(b"GET", b"/", [], &limits).unwrap_err().status, 400);
/// ```
pub fn check_parts<'a>(
    method: &[u8],
    target: &[u8],
    fields: impl IntoIterator<Item = (&'a [u8], &'a [u8])>,
    limits: &Limits,
) -> Result<(), Rejection> {
    let mut bytes = method.len() + target.len() + b"  HTTP/1.1\r\n\r\n".len();
    let mut checked = check_method(method).and_then(|()| check_target(method, target, limits).map(drop));
    let mut noted = Fields::default();
    for (index, (name, value)) in fields.into_iter().enumerate() {
        bytes += name.len() + value.len() + b": \r\n".len();
        if checked.is_ok() {
            checked = if index < limits.header_fields {
                check_field(name, value).and_then(|value| noted.note(name, value))
            } else {
                Err(Rejection::HEADERS_TOO_LARGE)
            };
        }
    }
    if bytes > limits.head_bytes {
        return Err(Rejection::HEADERS_TOO_LARGE);
    }
    checked?;
    noted.framing(true).map(drop)
}

/// Validates a head that ends with its empty line. The caller has checked that all lines end with CRLF.
pub(crate) fn check(head: &[u8], limits: &Limits) -> Result<Checked, Rejection> {
    if head.len() > limits.head_bytes {
        return Err(Rejection::HEADERS_TOO_LARGE);
    }
    let mut lines = Lines::of(head);
    let Some(request_line) = lines.next() else {
        return Err(Rejection::bad_request("the request is empty"));
    };
    let line = check_request_line(request_line, limits)?;
    let mut fields = Fields::default();
    let mut count = 0;
    let mut name_lengths = 0;
    for line in lines {
        if line.is_empty() {
            break;
        }
        count += 1;
        if count > limits.header_fields {
            return Err(Rejection::HEADERS_TOO_LARGE);
        }
        let (name, value) = split_field(line)?;
        name_lengths |= length_bit(name.len());
        fields.note(name, value)?;
    }
    let framing = fields.framing(line.is_http_11)?;
    Ok(Checked {
        framing,
        layout: Layout {
            method_end: line.method,
            path_end: line.method + 1 + line.path,
            target_end: line.method + 1 + line.target,
            fields: request_line.len() + 2,
            head_end: head.len(),
            end: head.len(),
            is_chunked: framing == Framing::Chunked,
            name_lengths,
        },
        is_plain: line.is_http_11 && line.is_origin_form && !fields.special,
    })
}

/// Splits a header line into name and value, and validates them. Trailers have the same form.
pub(crate) fn split_field(line: &[u8]) -> Result<(&[u8], &[u8]), Rejection> {
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Err(Rejection::bad_request("header lines must not be folded"));
    }
    let Some(colon) = memchr::memchr(b':', line) else {
        return Err(Rejection::bad_request("a header line has no colon"));
    };
    let name = &line[..colon];
    Ok((name, check_field(name, &line[colon + 1..])?))
}

/// Validates the name and value of a field. Returns the value without the spaces around it.
fn check_field<'a>(name: &[u8], value: &'a [u8]) -> Result<&'a [u8], Rejection> {
    if name.is_empty() || !all(name, TOKEN) {
        return Err(Rejection::bad_request("a header name has invalid characters"));
    }
    let value = trim(value);
    if !all(value, VALUE) {
        return Err(Rejection::bad_request("a header value has invalid characters"));
    }
    Ok(value)
}

/// A valid request line.
struct RequestLine {
    is_http_11: bool,
    /// True if the target is a path, with or without a query.
    is_origin_form: bool,
    /// Length of the method in bytes. `target` and `path` are lengths in bytes too.
    method: usize,
    target: usize,
    path: usize,
}

fn check_request_line(line: &[u8], limits: &Limits) -> Result<RequestLine, Rejection> {
    const SHAPE: Rejection = Rejection::bad_request("the request line must be: method, target, version");
    let mut parts = line.split(|&byte| byte == b' ');
    let (Some(method), Some(target), Some(version), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        // A long target with a space would also end here; its length is the clearer message.
        return Err(if line.len() > limits.target_bytes {
            Rejection::TARGET_TOO_LONG
        } else {
            SHAPE
        });
    };
    check_method(method)?;
    let is_http_11 = match version {
        b"HTTP/1.1" => true,
        b"HTTP/1.0" => false,
        [b'H', b'T', b'T', b'P', b'/', major, b'.', minor]
            if major.is_ascii_digit() && minor.is_ascii_digit() =>
        {
            return Err(Rejection::VERSION);
        }
        _ => return Err(SHAPE),
    };
    Ok(RequestLine {
        is_http_11,
        is_origin_form: target.first() == Some(&b'/'),
        method: method.len(),
        target: target.len(),
        path: check_target(method, target, limits)?,
    })
}

fn check_method(method: &[u8]) -> Result<(), Rejection> {
    if method.is_empty() || method.len() > MAX_METHOD || !all(method, TOKEN) {
        return Err(METHOD);
    }
    Ok(())
}

/// Validates the target. Returns the length of the part before the query.
fn check_target(method: &[u8], target: &[u8], limits: &Limits) -> Result<usize, Rejection> {
    if target.len() > limits.target_bytes {
        return Err(Rejection::TARGET_TOO_LONG);
    }
    if method == b"CONNECT" {
        return Err(Rejection::not_implemented("this server is not a proxy"));
    }
    if method == b"OPTIONS" && target == b"*" {
        return Ok(target.len());
    }
    let path_and_query = if target.first() == Some(&b'/') {
        target
    } else {
        // The absolute form. Only proxies receive it from clients, but every server must accept it.
        let rest = target
            .strip_prefix(b"http://")
            .or_else(|| target.strip_prefix(b"https://"))
            .ok_or(Rejection::bad_request(
                "the request target must begin with a slash",
            ))?;
        let end = rest
            .iter()
            .position(|byte| matches!(byte, b'/' | b'?'))
            .unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        if !is_authority(authority) {
            return Err(Rejection::bad_request(
                "the host in the request target is invalid",
            ));
        }
        path
    };
    let (path, query) = match memchr::memchr(b'?', path_and_query) {
        Some(mark) => path_and_query.split_at(mark),
        None => (path_and_query, &[][..]),
    };
    if !all(path, PATH) || !all(query, QUERY) {
        return Err(Rejection::bad_request(
            "the request target has characters that must be percent-encoded",
        ));
    }
    if has_dot_segment(path) {
        return Err(Rejection::bad_request(
            "the request target has a dot segment, `.` or `..`; send the resolved path",
        ));
    }
    Ok(target.len() - query.len())
}

/// The header fields that determine the framing, and the header fields that must not be repeated.
#[derive(Default)]
struct Fields {
    hosts: u32,
    authorized: bool,
    typed: bool,
    length: Option<u64>,
    coding: Option<TransferCoding>,
    /// True for `expect`, `upgrade`, or a `connection` other than `keep-alive`.
    special: bool,
}

impl Fields {
    fn note(&mut self, name: &[u8], value: &[u8]) -> Result<(), Rejection> {
        // Compare the length of the name first: for most fields, this comparison is the only one.
        match name.len() {
            4 if name.eq_ignore_ascii_case(b"host") => {
                self.hosts += 1;
                if !is_authority(value) {
                    return Err(Rejection::bad_request("the header `host` is invalid"));
                }
            }
            6 if name.eq_ignore_ascii_case(b"expect") => {
                if !value.eq_ignore_ascii_case(b"100-continue") {
                    return Err(Rejection::EXPECTATION_FAILED);
                }
                self.special = true;
            }
            7 if name.eq_ignore_ascii_case(b"upgrade") => self.special = true,
            10 if name.eq_ignore_ascii_case(b"connection") => {
                self.special |= !value.eq_ignore_ascii_case(b"keep-alive");
            }
            // With two tokens or two types, a proxy in front may have used the other one (RFC 9110, 5.3).
            12 if name.eq_ignore_ascii_case(b"content-type") && std::mem::replace(&mut self.typed, true) => {
                return Err(Rejection::bad_request("the header `content-type` is repeated"));
            }
            13 if name.eq_ignore_ascii_case(b"authorization")
                && std::mem::replace(&mut self.authorized, true) =>
            {
                return Err(Rejection::bad_request("the header `authorization` is repeated"));
            }
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                if self.length.is_some() {
                    return Err(Rejection::bad_request("the header `content-length` is repeated"));
                }
                self.length = Some(parse_length(value)?);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                if self.coding.is_some() {
                    return Err(Rejection::bad_request(
                        "the header `transfer-encoding` is repeated",
                    ));
                }
                self.coding = Some(transfer_coding::parse(value)?);
            }
            _ => {}
        }
        Ok(())
    }

    fn framing(&self, is_http_11: bool) -> Result<Framing, Rejection> {
        if self.hosts > 1 {
            return Err(Rejection::bad_request("the header `host` is repeated"));
        }
        if is_http_11 && self.hosts == 0 {
            return Err(Rejection::bad_request("the header `host` is missing"));
        }
        match (self.coding, self.length) {
            (Some(_), Some(_)) => Err(Rejection::bad_request(
                "`content-length` and `transfer-encoding` exclude each other",
            )),
            (Some(_), None) if !is_http_11 => {
                Err(Rejection::bad_request("HTTP/1.0 has no `transfer-encoding`"))
            }
            (Some(TransferCoding::Unsupported), None) => Err(Rejection::not_implemented(
                "only the transfer encoding `chunked` is supported",
            )),
            (Some(TransferCoding::Chunked), None) => Ok(Framing::Chunked),
            (None, length) => Ok(Framing::Length(length.unwrap_or(0))),
        }
    }
}

fn parse_length(value: &[u8]) -> Result<u64, Rejection> {
    const INVALID: Rejection = Rejection::bad_request("the header `content-length` is invalid");
    if value.is_empty() || value.len() > 16 || !value.iter().all(u8::is_ascii_digit) {
        return Err(INVALID);
    }
    let length = value
        .iter()
        .fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    if length > MAX_LENGTH {
        Err(INVALID)
    } else {
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::{Limits, check, check_parts};

    #[test]
    fn checks_parts_as_it_checks_the_same_head_in_one_piece() {
        let limits = Limits {
            head_bytes: 200,
            header_fields: 2,
            target_bytes: 40,
        };
        let long = "a".repeat(120);
        let slashes = "/".repeat(41);
        let methods = ["GET", "OPTIONS", "CONNECT", "", "G(T", &long];
        let targets = [
            "/",
            "/a/b?c=%20",
            "*",
            "http://a/b",
            "/a/../b",
            "/\u{e4}",
            "",
            &slashes,
        ];
        let fields = [
            ("host", "a"),
            ("host", "a b"),
            ("content-length", "7"),
            ("content-length", "+7"),
            ("transfer-encoding", "chunked"),
            ("authorization", " b\t"),
            ("x", "1\u{1}"),
            ("x y", "1"),
            ("x", &long),
        ];
        let mut accepted = 0;
        for method in methods {
            for target in targets {
                // Each number chooses up to three fields.
                for choice in 0..1000_usize {
                    let chosen = [choice / 100, choice / 10 % 10, choice % 10];
                    let chosen: Vec<_> = chosen.iter().filter_map(|index| fields.get(*index)).collect();
                    let mut head = format!("{method} {target} HTTP/1.1\r\n");
                    for (name, value) in &chosen {
                        head.extend([name, ": ", value, "\r\n"]);
                    }
                    head.push_str("\r\n");
                    let parts = chosen
                        .iter()
                        .map(|(name, value)| (name.as_bytes(), value.as_bytes()));
                    let checked = check_parts(method.as_bytes(), target.as_bytes(), parts, &limits);
                    let expected = check(head.as_bytes(), &limits).map(drop);
                    assert_eq!(checked, expected, "{head}");
                    accepted += usize::from(checked.is_ok());
                }
            }
        }
        assert!(accepted > 100, "{accepted}");
    }
}
