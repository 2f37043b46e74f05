//! Checks one complete request head, strictly, before hyper sees it.
//!
//! hyper takes what a server had better refuse (see [`crate::guard`]). The rules here are those of RFC 9112 without its
//! tolerances, since every tolerance is a chance that a proxy in front reads the same bytes differently.

use crate::authority::is_authority;
use crate::coding::{self, Coding};
use crate::path::has_dot_segment;
use crate::rejection::Rejection;

/// Bounds on a head.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Greatest request line plus header section in bytes.
    pub head_bytes: usize,
    /// Greatest number of header fields.
    pub header_fields: usize,
    /// Greatest request target in bytes.
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

/// Where the parts of a whole request lie. Each part is bounded by the one before.
#[derive(Debug, Clone, Copy)]
pub struct Layout {
    /// Where the method ends.
    pub method_end: usize,
    /// Where the path ends.
    pub path_end: usize,
    /// Where the target ends.
    pub target_end: usize,
    /// Where the fields begin.
    pub fields: usize,
    /// Behind the empty line.
    pub head_end: usize,
}

/// How the body of a request is delimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// Exactly this many bytes follow; 0 for no body.
    Length(u64),
    /// Chunks follow.
    Chunked,
}

/// A head that passed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Checked {
    pub(crate) framing: Framing,
    pub(crate) layout: Layout,
    /// HTTP/1.1 with a path as its target, and no field that says how to go on with the connection or the body.
    pub(crate) is_plain: bool,
}

/// Greatest body length that is believed: what a JavaScript number holds exactly.
const MAX_LENGTH: u64 = 1 << 53;

/// Characters of a token (RFC 9110, 5.6.2).
pub(crate) const TOKEN: u8 = 1;
const PATH: u8 = 2;
const QUERY: u8 = 4;
/// Characters of a host's name, without brackets, colon and percent sign.
pub(crate) const HOST: u8 = 8;
/// Characters of a field's value.
pub(crate) const VALUE: u8 = 16;

/// Character classes by byte.
static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        #[allow(clippy::cast_possible_truncation)] // index is below 256
        let byte = index as u8;
        let alphanumeric = byte.is_ascii_alphanumeric();
        let mut class = 0;
        if alphanumeric || contains(b"!#$%&'*+-.^_`|~", byte) {
            class |= TOKEN;
        }
        // Characters that clients send raw, browsers among them: every visible character except those that the URL standard
        // encodes everywhere, and except the backslash, which no URI has (RFC 3986) and which some parsers take for a slash.
        // The path follows `http::Uri`, which would refuse the rest behind our back.
        if byte > b' ' && byte < 0x7f && !contains(b"\"<>#\\", byte) {
            class |= QUERY;
            if !contains(b"`", byte) {
                class |= PATH;
            }
        }
        if alphanumeric || contains(b"-._~!$&'()*+,;=", byte) {
            class |= HOST;
        }
        if byte == b'\t' || (byte >= b' ' && byte != 0x7f) {
            class |= VALUE;
        }
        table[index] = class;
        index += 1;
    }
    table
}

const fn contains(set: &[u8], byte: u8) -> bool {
    let mut index = 0;
    while index < set.len() {
        if set[index] == byte {
            return true;
        }
        index += 1;
    }
    false
}

/// Returns true if every byte is in the class.
pub(crate) fn all(bytes: &[u8], class: u8) -> bool {
    bytes.iter().all(|&byte| CLASSES[usize::from(byte)] & class != 0)
}

/// Longest method.
const MAX_METHOD: usize = 32;

const METHOD: Rejection = Rejection::bad_request("the method is invalid");

/// Reason why the beginning of a head cannot become a request line, if its first bytes are too many for a method, and the number of bytes
/// after which that is known. A line that ends earlier is judged as a whole.
pub(crate) fn endless_method(head: &[u8]) -> Option<(usize, Rejection)> {
    let start = head.get(..=MAX_METHOD)?;
    memchr::memchr2(b' ', b'\n', start)
        .is_none()
        .then_some((MAX_METHOD + 1, METHOD))
}

/// Whether a request may begin with this byte.
pub(crate) fn starts_request(byte: u8) -> bool {
    byte == b'\r' || CLASSES[usize::from(byte)] & TOKEN != 0
}

/// Checks a head that ends with its empty line. Every line is known to end in CRLF.
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
    for line in lines {
        if line.is_empty() {
            break;
        }
        count += 1;
        if count > limits.header_fields {
            return Err(Rejection::HEADERS_TOO_LARGE);
        }
        let (name, value) = split_field(line)?;
        fields.note(name, value)?;
    }
    Ok(Checked {
        framing: fields.framing(line.is_http_11)?,
        layout: Layout {
            method_end: line.method,
            path_end: line.method + 1 + line.path,
            target_end: line.method + 1 + line.target,
            fields: request_line.len() + 2,
            head_end: head.len(),
        },
        is_plain: line.is_http_11 && line.is_origin_form && !fields.special,
    })
}

/// Splits and checks one header line; trailers pass through here too.
pub(crate) fn split_field(line: &[u8]) -> Result<(&[u8], &[u8]), Rejection> {
    if matches!(line.first(), Some(b' ' | b'\t')) {
        return Err(Rejection::bad_request("header lines must not be folded"));
    }
    let Some(colon) = memchr::memchr(b':', line) else {
        return Err(Rejection::bad_request("a header line has no colon"));
    };
    let (name, value) = (&line[..colon], trim(&line[colon + 1..]));
    if name.is_empty() || !all(name, TOKEN) {
        return Err(Rejection::bad_request("a header name has invalid characters"));
    }
    if !all(value, VALUE) {
        return Err(Rejection::bad_request("a header value has invalid characters"));
    }
    Ok((name, value))
}

/// Without the spaces and tabs around it, which are no part of a value. Whatever else a library takes for white space is.
pub fn trim(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// A request line that passed.
struct RequestLine {
    is_http_11: bool,
    /// The target is a path, with or without a query.
    is_origin_form: bool,
    /// Lengths.
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
        // A target may be too long and hold a space; the length is the clearer message.
        return Err(if line.len() > limits.target_bytes {
            Rejection::TARGET_TOO_LONG
        } else {
            SHAPE
        });
    };
    if method.is_empty() || method.len() > MAX_METHOD || !all(method, TOKEN) {
        return Err(METHOD);
    }
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
    if target.len() > limits.target_bytes {
        return Err(Rejection::TARGET_TOO_LONG);
    }
    Ok(RequestLine {
        is_http_11,
        is_origin_form: target.first() == Some(&b'/'),
        method: method.len(),
        target: target.len(),
        path: check_target(method, target)?,
    })
}

/// Answers how long the part before the query is.
fn check_target(method: &[u8], target: &[u8]) -> Result<usize, Rejection> {
    if method == b"CONNECT" {
        return Err(Rejection::not_implemented("this server is no proxy"));
    }
    if method == b"OPTIONS" && target == b"*" {
        return Ok(target.len());
    }
    let path_and_query = if target.first() == Some(&b'/') {
        target
    } else {
        // The absolute form, which only a proxy is sent but every server must take.
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
            return Err(Rejection::bad_request("the request target names no valid host"));
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
            "the request target has a dot segment, `.` or `..`; send the path that it stands for",
        ));
    }
    Ok(target.len() - query.len())
}

/// What the framing depends on.
#[derive(Default)]
struct Fields {
    hosts: u32,
    authorized: bool,
    typed: bool,
    length: Option<u64>,
    coding: Option<Coding>,
    /// A field asks for more than an answer.
    special: bool,
}

impl Fields {
    fn note(&mut self, name: &[u8], value: &[u8]) -> Result<(), Rejection> {
        // The length decides almost always, so that most fields cost one comparison.
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
            // Of two tokens or two types, whoever stands before this server may have looked at the other one (RFC 9110, 5.3).
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
                self.coding = Some(coding::read(value)?);
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
            (Some(Coding::Unsupported), None) => Err(Rejection::not_implemented(
                "only the transfer encoding `chunked` is supported",
            )),
            (Some(Coding::Chunked), None) => Ok(Framing::Chunked),
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

/// Lines without their CRLF.
#[derive(Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Lines<'a> {
    /// The lines of a text whose lines all end.
    pub fn of(rest: &'a [u8]) -> Self {
        Self { rest }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(b'\n', self.rest)?;
        let line = &self.rest[..end];
        self.rest = &self.rest[end + 1..];
        Some(line.strip_suffix(b"\r").unwrap_or(line))
    }
}
