//! Requests, which handlers receive when they are complete.

use std::borrow::Cow;
use std::net::SocketAddr;

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CONNECTION, COOKIE, HeaderName, UPGRADE};
use http::request::Parts;

use crate::raw_request::RawRequest;
use crate::server_headers::apply_target_host;

/// Id of a request. The id is valid until the request has its response. An engine never uses an id twice, so a
/// late response to an old request cannot reach a new request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestId {
    pub(crate) slot: u32,
    pub(crate) serial: u32,
}

/// Number of bits in [`RequestId::as_number`] for the index of the request in the engine's list.
const SLOT_BITS: u32 = 20;

impl RequestId {
    /// Maximum number of requests without a response.
    pub(crate) const MAX_SLOTS: usize = 1 << SLOT_BITS;

    /// Returns the id as a number with 52 bits, which fits exactly into a JavaScript number.
    pub fn as_number(self) -> u64 {
        (u64::from(self.serial) << SLOT_BITS) | u64::from(self.slot)
    }

    /// Converts a number back to an id; `None` if it is out of range.
    pub fn from_number(number: u64) -> Option<Self> {
        let slot = u32::try_from(number & (Self::MAX_SLOTS as u64 - 1)).ok()?;
        let serial = u32::try_from(number >> SLOT_BITS).ok()?;
        Some(Self { slot, serial })
    }
}

/// A request with its body.
#[derive(Debug)]
pub struct Request {
    content: Content,
    body_state: BodyState,
    remote: Option<SocketAddr>,
}

/// Form in which the handler gets the body of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyState {
    /// The request contains the body.
    Whole,
    /// The body exceeds the limit and is not stored.
    TooLarge,
    /// The handler reads the body in chunks.
    Streamed {
        /// Length that the client has declared.
        length: Option<u64>,
    },
}

#[derive(Debug)]
enum Content {
    /// The bytes of a request on the fast path, which the guard accepted.
    Raw(RawRequest),
    /// A request that hyper has read and parsed.
    Parsed { parts: Box<Parts>, body: Bytes },
}

impl Request {
    pub(crate) fn new(
        mut parts: Parts,
        body: Bytes,
        body_state: BodyState,
        remote: Option<SocketAddr>,
    ) -> Self {
        apply_target_host(&mut parts);
        let parts = Box::new(parts);
        Self {
            content: Content::Parsed { parts, body },
            body_state,
            remote,
        }
    }

    pub(crate) fn raw(raw: RawRequest, remote: Option<SocketAddr>) -> Self {
        Self {
            content: Content::Raw(raw),
            body_state: BodyState::Whole,
            remote,
        }
    }

    /// Returns a request of the fast path; `None` if hyper has read the request.
    pub(crate) fn as_raw(&self) -> Option<&RawRequest> {
        match &self.content {
            Content::Raw(raw) => Some(raw),
            Content::Parsed { .. } => None,
        }
    }

    /// Returns an empty header map. Reuses the memory of the request's header map, if possible.
    pub(crate) fn into_headers(self) -> HeaderMap {
        let Content::Parsed { parts, .. } = self.content else {
            return HeaderMap::new();
        };
        let mut headers = parts.headers;
        headers.clear();
        headers
    }

    /// Returns true if the request is HTTP/1.0.
    pub(crate) fn is_http_10(&self) -> bool {
        matches!(&self.content, Content::Parsed { parts, .. } if parts.version == http::Version::HTTP_10)
    }

    /// Returns the method as the client has sent it. Methods are case-sensitive, so the standard methods are in
    /// upper case.
    pub fn method(&self) -> &str {
        match &self.content {
            Content::Raw(raw) => raw.method(),
            Content::Parsed { parts, .. } => parts.method.as_str(),
        }
    }

    /// Returns the path and query exactly as the client has sent them.
    pub fn target(&self) -> &str {
        match &self.content {
            Content::Raw(raw) => raw.target(),
            Content::Parsed { parts, .. } => parts
                .uri
                .path_and_query()
                .map_or("/", http::uri::PathAndQuery::as_str),
        }
    }

    /// Returns the path as the client has sent it, with escapes.
    pub fn path(&self) -> &str {
        match &self.content {
            Content::Raw(raw) => raw.path(),
            Content::Parsed { parts, .. } => parts.uri.path(),
        }
    }

    /// Returns a header, or `None` if it is absent. The values of a repeated header are joined with a comma, but the
    /// values of `cookie` with a semicolon. `name` is not case-sensitive.
    pub fn header(&self, name: &str) -> Option<Cow<'_, [u8]>> {
        match &self.content {
            Content::Raw(raw) => joined(name, raw.values(name)),
            Content::Parsed { parts, .. } => {
                // A header name is a token, so no request contains any other name.
                let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
                let values = parts.headers.get_all(&name);
                joined(name.as_str(), values.iter().map(http::HeaderValue::as_bytes))
            }
        }
    }

    /// Returns all headers in the order in which their names first occurred. Names are in lower case, and values are
    /// joined as in [`Request::header`].
    pub fn headers(&self) -> Vec<(Cow<'_, str>, Cow<'_, [u8]>)> {
        match &self.content {
            Content::Raw(raw) => {
                let mut headers: Vec<(Cow<'_, str>, Cow<'_, [u8]>)> = Vec::with_capacity(16);
                for (name, value) in raw.fields() {
                    match headers.iter_mut().find(|(known, _)| *known == name) {
                        Some((_, values)) => append(values, &name, value),
                        None => headers.push((name, Cow::Borrowed(value))),
                    }
                }
                headers
            }
            Content::Parsed { parts, .. } => {
                let headers = &parts.headers;
                let joined = |name: &HeaderName| {
                    let values = headers.get_all(name);
                    joined(name.as_str(), values.iter().map(http::HeaderValue::as_bytes))
                };
                headers
                    .keys()
                    .filter_map(|name| Some((Cow::Borrowed(name.as_str()), joined(name)?)))
                    .collect()
            }
        }
    }

    /// Returns true if a header is present. Faster than [`Request::header`] for the names that the `http` crate
    /// defines.
    pub fn has_header(&self, name: &HeaderName) -> bool {
        match &self.content {
            Content::Raw(raw) => raw.values(name.as_str()).next().is_some(),
            Content::Parsed { parts, .. } => parts.headers.contains_key(name),
        }
    }

    /// Returns true if the content type of the body is exactly `application/json`, as in nearly all requests
    /// with a body.
    pub fn is_plain_json(&self) -> bool {
        self.header("content-type").as_deref() == Some(b"application/json")
    }

    /// Returns the body. The body is empty if the body is too large.
    pub fn body(&self) -> &[u8] {
        match &self.content {
            Content::Raw(raw) => raw.body(),
            Content::Parsed { body, .. } => body,
        }
    }

    /// Returns true if the body exceeds the limit, so that it was not stored. If so, the connection closes
    /// after the response.
    pub fn body_too_large(&self) -> bool {
        self.body_state == BodyState::TooLarge
    }

    /// Returns true if the handler reads the body in chunks, with [`crate::Engine::read_body`]. For such a
    /// request, [`Request::body`] is empty.
    pub fn is_streamed(&self) -> bool {
        matches!(self.body_state, BodyState::Streamed { .. })
    }

    /// Returns the number of bytes of the body. `None` if the handler reads the body in chunks and the client has not
    /// declared its length.
    pub fn body_length(&self) -> Option<u64> {
        match self.body_state {
            BodyState::Streamed { length } => length,
            BodyState::Whole | BodyState::TooLarge => Some(self.body().len() as u64),
        }
    }

    /// Returns true if the client asks to change the connection to a WebSocket: a GET request of HTTP/1.1 without a body,
    /// with `connection: upgrade` and `upgrade: websocket`.
    pub fn wants_socket(&self) -> bool {
        // The fast path takes no requests with these headers.
        let Content::Parsed { parts, body } = &self.content else {
            return false;
        };
        parts.method == http::Method::GET
            && parts.version == http::Version::HTTP_11
            && self.body_state == BodyState::Whole
            && body.is_empty()
            && has_token(&parts.headers, &UPGRADE, b"websocket")
            && has_token(&parts.headers, &CONNECTION, b"upgrade")
    }

    /// Returns the address of the client; `None` for a Unix socket.
    pub fn remote_address(&self) -> Option<SocketAddr> {
        self.remote
    }
}

/// Returns true if a list of tokens in a header contains a token.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &[u8]) -> bool {
    headers.get_all(name).iter().any(|value| {
        let mut items = value.as_bytes().split(|byte| *byte == b',');
        items.any(|item| item.trim_ascii().eq_ignore_ascii_case(token))
    })
}

fn joined<'a>(name: &str, mut values: impl Iterator<Item = &'a [u8]>) -> Option<Cow<'a, [u8]>> {
    let mut joined = Cow::Borrowed(values.next()?);
    for value in values {
        append(&mut joined, name, value);
    }
    Some(joined)
}

fn append(values: &mut Cow<'_, [u8]>, name: &str, value: &[u8]) {
    let separator: &[u8] = if name.eq_ignore_ascii_case(COOKIE.as_str()) {
        b"; "
    } else {
        b", "
    };
    let text = values.to_mut();
    text.extend_from_slice(separator);
    text.extend_from_slice(value);
}
