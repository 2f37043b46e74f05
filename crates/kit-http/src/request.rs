//! A complete request as a handler sees it.

use std::borrow::Cow;
use std::net::SocketAddr;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONTENT_TYPE, COOKIE, HeaderName};
use http::request::Parts;

/// Names a request until it is answered. Numbers are never used twice within an engine's life, so that a late answer
/// to an old request cannot reach a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId {
    pub(crate) slot: u32,
    pub(crate) serial: u32,
}

/// Bits of [`RequestId::as_number`] that hold the slot.
const SLOT_BITS: u32 = 20;

impl RequestId {
    /// Greatest number of requests at one time.
    pub(crate) const MAX_SLOTS: usize = 1 << SLOT_BITS;

    /// The id as a number that a double holds exactly: 52 bits.
    pub fn as_number(self) -> u64 {
        (u64::from(self.serial) << SLOT_BITS) | u64::from(self.slot)
    }

    /// The id that [`RequestId::as_number`] made.
    pub fn from_number(number: u64) -> Option<Self> {
        let slot = u32::try_from(number & (Self::MAX_SLOTS as u64 - 1)).ok()?;
        let serial = u32::try_from(number >> SLOT_BITS).ok()?;
        Some(Self { slot, serial })
    }
}

/// A request with its body.
#[derive(Debug)]
pub struct Request {
    parts: Parts,
    body: Bytes,
    body_too_large: bool,
    remote: Option<SocketAddr>,
}

impl Request {
    pub(crate) fn new(parts: Parts, body: Bytes, body_too_large: bool, remote: Option<SocketAddr>) -> Self {
        Self {
            parts,
            body,
            body_too_large,
            remote,
        }
    }

    /// The emptied map of its headers.
    pub(crate) fn into_headers(self) -> HeaderMap {
        let mut headers = self.parts.headers;
        headers.clear();
        headers
    }

    /// Whether it was sent as HTTP/1.0.
    pub(crate) fn is_http_10(&self) -> bool {
        self.parts.version == http::Version::HTTP_10
    }

    /// The method as received; HTTP has it in upper case.
    pub fn method(&self) -> &str {
        self.parts.method.as_str()
    }

    /// Path and query exactly as received.
    pub fn target(&self) -> &str {
        self.parts
            .uri
            .path_and_query()
            .map_or("/", http::uri::PathAndQuery::as_str)
    }

    /// The path, not decoded.
    pub fn path(&self) -> &str {
        self.parts.uri.path()
    }

    /// One header; where it is repeated, the values joined with a comma, cookies with a semicolon.
    pub fn header(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        // A name that is no token is in no request.
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        joined(&self.parts.headers, &name)
    }

    /// All headers in the order in which their names first came, lower-case names, values joined as in
    /// [`Request::header`].
    pub fn headers(&self) -> impl Iterator<Item = (&str, Cow<'_, [u8]>)> {
        let headers = &self.parts.headers;
        headers
            .keys()
            .filter_map(|name| Some((name.as_str(), joined(headers, name)?)))
    }

    /// Whether a header is there; cheaper than [`Request::header`] for the names that the `http` crate knows.
    pub fn has_header(&self, name: &HeaderName) -> bool {
        self.parts.headers.contains_key(name)
    }

    /// Whether the body is declared as plain `application/json`, by far the most common case.
    pub fn is_plain_json(&self) -> bool {
        let mut values = self.parts.headers.get_all(CONTENT_TYPE).iter();
        matches!((values.next(), values.next()), (Some(value), None) if value == "application/json")
    }

    /// The body; empty where it is too large.
    pub fn body(&self) -> &Bytes {
        &self.body
    }

    /// The body exceeds the limit and was not kept; the connection is closed after the answer.
    pub fn body_too_large(&self) -> bool {
        self.body_too_large
    }

    /// The peer; nothing where it came through a Unix socket.
    pub fn remote_address(&self) -> Option<SocketAddr> {
        self.remote
    }
}

fn joined<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, [u8]>> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    let mut joined = Cow::Borrowed(first.as_bytes());
    let separator: &[u8] = if name == COOKIE { b"; " } else { b", " };
    for value in values {
        let text = joined.to_mut();
        text.extend_from_slice(separator);
        text.extend_from_slice(value.as_bytes());
    }
    Some(joined)
}
