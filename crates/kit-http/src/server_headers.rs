//! Headers that the engine sets or changes itself, in requests and in responses.

use std::sync::Arc;

use http::HeaderMap;
use http::header::{HOST, HeaderName, HeaderValue};
use http::request::Parts;

use crate::response_error::ResponseError;

/// Prevents browsers from guessing another type than the `content-type` of a response (WHATWG Fetch, 3.6).
const NO_SNIFF: (&str, &str) = ("x-content-type-options", "nosniff");

/// Headers of every response, including responses to bytes that are not a valid request. If a handler sets a
/// header of the same name, the response has only the header of the handler. `x-content-type-options:
/// nosniff` is always one of these headers.
///
/// ```
/// use kit_http::DefaultHeaders;
///
/// let headers = DefaultHeaders::new([("referrer-policy", "no-referrer")])?;
/// # let _ = headers;
/// assert!(DefaultHeaders::new([("proxy-connection", "close")]).is_err());
/// # Ok::<(), kit_http::ResponseError>(())
/// ```
#[derive(Debug, Clone)]
pub struct DefaultHeaders(Arc<[DefaultHeader]>);

#[derive(Debug)]
struct DefaultHeader {
    name: HeaderName,
    value: HeaderValue,
    /// Name and value as a line of a response head, with its line break.
    line: String,
}

impl DefaultHeaders {
    /// Creates the headers from names and values.
    ///
    /// # Errors
    ///
    /// Returns an error if a name or a value is invalid, or if only the engine may set the header (`connection` is
    /// permitted).
    pub fn new<'a>(headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<Self, ResponseError> {
        let list = std::iter::once(NO_SNIFF).chain(headers).map(|(name, value)| {
            let parsed = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| ResponseError::HeaderName(name.to_owned()))?;
            if is_reserved(parsed.as_str()) {
                return Err(ResponseError::Reserved(name.to_owned()));
            }
            Ok(DefaultHeader {
                name: parsed,
                value: HeaderValue::from_str(value)
                    .map_err(|_| ResponseError::HeaderValue(name.to_owned()))?,
                line: format!("{name}: {value}\r\n"),
            })
        });
        list.collect::<Result<_, _>>().map(Self)
    }

    /// Returns the number of bytes of all lines.
    pub(crate) fn length(&self) -> usize {
        self.0.iter().map(|header| header.line.len()).sum()
    }

    /// Returns the lines of the server's headers that are missing in `own`, the headers of a response.
    pub(crate) fn lines<'a>(&'a self, own: &'a [(HeaderName, HeaderValue)]) -> impl Iterator<Item = &'a str> {
        self.missing(own).map(|header| header.line.as_str())
    }

    /// Adds the server's headers that are missing in `own`, the headers of a response, to a map.
    pub(crate) fn add_to(&self, headers: &mut HeaderMap, own: &[(HeaderName, HeaderValue)]) {
        for DefaultHeader { name, value, .. } in self.missing(own) {
            headers.insert(name.clone(), value.clone());
        }
    }

    fn missing<'a>(
        &'a self,
        own: &'a [(HeaderName, HeaderValue)],
    ) -> impl Iterator<Item = &'a DefaultHeader> {
        let is_missing = |header: &&DefaultHeader| own.iter().all(|(name, _)| *name != header.name);
        self.0.iter().filter(is_missing)
    }
}

impl Default for DefaultHeaders {
    fn default() -> Self {
        let (name, value) = NO_SNIFF;
        Self(Arc::new([DefaultHeader {
            name: HeaderName::from_static(name),
            value: HeaderValue::from_static(value),
            line: format!("{name}: {value}\r\n"),
        }]))
    }
}

/// Replaces the header `host` by the host in the request target if the target is a complete URL (RFC 9112,
/// 3.2.2): `GET http://a/b` is a request to `a`, even if the header `host` names another host. The guard has
/// validated the two hosts.
pub(crate) fn apply_target_host(parts: &mut Parts) {
    let Some(authority) = parts.uri.authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        parts.headers.insert(HOST, host);
    }
}

/// Returns true for headers of the framing of messages and of the connection, which only the engine may set. Callers check
/// `connection` themselves.
pub(crate) fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "content-length"
            | "transfer-encoding"
            | "keep-alive"
            | "proxy-connection"
            | "te"
            | "trailer"
            | "upgrade"
    )
}
