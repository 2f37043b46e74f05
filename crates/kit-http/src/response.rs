//! Responses and the rules for their content.

use std::cell::RefCell;

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, UPGRADE};
use http::{HeaderMap, StatusCode};
use kit_guard::Rejection;

use crate::body::Body;
use crate::error_bodies::{ErrorBodies, INTERNAL_ERROR, OVERLOADED, trace_id};
use crate::response_error::ResponseError;
use crate::server_headers::{DefaultHeaders, is_reserved};

/// Values of `connection` in a response with the status 426.
const UPGRADE_ONLY: &[u8] = b"upgrade";
const UPGRADE_AND_CLOSE: &[u8] = b"upgrade, close";

/// A response to a request. The engine adds the headers `content-length`, `date` and `connection`.
///
/// ```
/// use kit_http::Response;
///
/// let mut response = Response::json(200, "{}".into())?;
/// response.add_header("cache-control", b"no-store")?;
/// # Ok::<(), kit_http::ResponseError>(())
/// ```
#[derive(Debug)]
pub struct Response {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

/// Status, headers and body of a response, for the fast path.
pub(crate) struct View<'a> {
    pub(crate) status: StatusCode,
    pub(crate) content_type: Option<&'a HeaderValue>,
    /// All headers except for `content-type`, in order.
    pub(crate) headers: &'a [(HeaderName, HeaderValue)],
    pub(crate) body: &'a [u8],
}

impl Response {
    /// Creates a response without a body.
    ///
    /// # Errors
    ///
    /// Returns an error if the status is not between 200 and 599.
    pub fn new(status: u32) -> Result<Self, ResponseError> {
        let code = u16::try_from(status)
            .ok()
            .filter(|code| (200..600).contains(code));
        let status = code
            .and_then(|code| StatusCode::from_u16(code).ok())
            .ok_or(ResponseError::Status(status))?;
        Ok(Self::empty(status))
    }

    /// Creates a response with JSON text.
    ///
    /// # Errors
    ///
    /// Returns an error if the status is not between 200 and 599.
    pub fn json(status: u32, body: Bytes) -> Result<Self, ResponseError> {
        let mut response = Self::new(status)?;
        response.set_json();
        response.body = body;
        Ok(response)
    }

    /// Creates the response for a request that the engine cannot accept, because too many requests wait for
    /// their response.
    pub(crate) fn overloaded(bodies: &ErrorBodies) -> Self {
        Self::error(OVERLOADED, bodies)
    }

    /// Creates a response with the status 500, for code that could not create another response.
    pub(crate) fn internal_error(bodies: &ErrorBodies) -> Self {
        Self::error(INTERNAL_ERROR, bodies)
    }

    /// Creates an error that the engine sends without the application.
    pub(crate) fn error(error: Rejection, bodies: &ErrorBodies) -> Self {
        Self::refusal(error, trace_id(), bodies)
    }

    /// Creates the response to a request that the engine refuses. `trace_id` is the trace id in the response.
    pub(crate) fn refusal(refused: Rejection, trace_id: u128, bodies: &ErrorBodies) -> Self {
        let status = StatusCode::from_u16(refused.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let (content_type, body) = bodies.of(refused, trace_id);
        let mut response = Self::empty(status);
        response.content_type = Some(content_type);
        response.body = body.into();
        response
    }

    fn empty(status: StatusCode) -> Self {
        Self {
            status,
            content_type: None,
            headers: Vec::new(),
            body: Bytes::new(),
        }
    }

    /// Sets the body. In the response to HEAD, only the length of the body is sent.
    pub fn set_body(&mut self, body: Bytes) {
        self.body = body;
    }

    /// Sets `content-type` to `application/json`.
    pub fn set_json(&mut self) {
        self.content_type = Some(HeaderValue::from_static("application/json"));
    }

    /// Adds a header. Keeps other headers with the same name.
    ///
    /// ```
    /// use kit_http::{Response, ResponseError};
    ///
    /// let mut response = Response::new(200).unwrap();
    /// response.add_header("x-id", b"1").unwrap();
    /// // HTTP/2 has no headers of connections.
    /// let refused = ResponseError::Reserved("proxy-connection".to_owned());
    /// assert_eq!(response.add_header("proxy-connection", b"close"), Err(refused));
    /// ```
    ///
    /// # Errors
    ///
    /// Returns an error if the name or the value is invalid, or if the engine sets the header
    /// itself.
    pub fn add_header(&mut self, name: &str, value: &[u8]) -> Result<(), ResponseError> {
        let (name, value) = parse_header(name, value)?;
        // A 426 response must name the protocol (RFC 9110, 15.5.22), and `connection` must name the header (7.8).
        let asks_for_upgrade = self.status == StatusCode::UPGRADE_REQUIRED
            && (name == UPGRADE
                || (name == CONNECTION && [UPGRADE_ONLY, UPGRADE_AND_CLOSE].contains(&value.as_bytes())));
        let is_framing = is_reserved(name.as_str())
            || (name == CONNECTION && !value.as_bytes().eq_ignore_ascii_case(b"close"));
        if is_framing && !asks_for_upgrade {
            return Err(ResponseError::Reserved(name.as_str().to_owned()));
        }
        self.headers.push((name, value));
        Ok(())
    }

    pub(crate) fn view(&self) -> View<'_> {
        View {
            status: self.status,
            content_type: self.content_type.as_ref(),
            headers: &self.headers,
            body: &self.body,
        }
    }

    /// Makes the connection close after this response.
    pub(crate) fn close(&mut self) {
        if self.closes() {
            return;
        }
        self.headers.push((CONNECTION, HeaderValue::from_static("close")));
    }

    /// Returns true if the connection closes after this response.
    pub(crate) fn closes(&self) -> bool {
        // A 426 response may only have the value `upgrade`.
        let mut headers = self.headers.iter();
        headers.any(|(name, value)| name == CONNECTION && value.as_bytes() != UPGRADE_ONLY)
    }

    /// Returns true if responses with this status may have a body.
    pub(crate) fn may_have_body(&self) -> bool {
        !matches!(self.status.as_u16(), 204 | 205 | 304)
    }

    /// Converts the response to hyper's type. `headers` is an empty map for its headers.
    pub(crate) fn into_http(mut self, headers: HeaderMap, defaults: &DefaultHeaders) -> http::Response<Body> {
        let body = Body::Full(std::mem::take(&mut self.body).into());
        self.with_body(headers, defaults, body)
    }

    /// Converts the response to hyper's type. `body` replaces the body of the response.
    pub(crate) fn with_body(
        self,
        mut headers: HeaderMap,
        defaults: &DefaultHeaders,
        body: Body,
    ) -> http::Response<Body> {
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, content_type);
        }
        defaults.add_to(&mut headers, &self.headers);
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        let mut response = http::Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }
}

/// Maximum number of header names that are kept. A handler may make names from what clients send.
const MAX_NAMES: usize = 32;
/// Maximum length of a header name that is kept.
const MAX_NAME_BYTES: usize = 100;

thread_local! {
    /// Header names of earlier responses. An application sets the same few names again and again, and a copy of a known name needs
    /// no memory.
    static NAMES: RefCell<Vec<HeaderName>> = const { RefCell::new(Vec::new()) };
}

/// Parses the name of a header. Returns `None` if the name is invalid.
fn parse_name(name: &str) -> Option<HeaderName> {
    NAMES.with_borrow_mut(|names| {
        if let Some(known) = names.iter().find(|known| known.as_str() == name) {
            return Some(known.clone());
        }
        let parsed = HeaderName::from_bytes(name.as_bytes()).ok()?;
        // `HeaderName` is in lower case: a name with upper case would never be found again.
        let is_findable = parsed.as_str() == name;
        if is_findable && name.len() <= MAX_NAME_BYTES && names.len() < MAX_NAMES {
            names.push(parsed.clone());
        }
        Some(parsed)
    })
}

/// Parses the name and value of a header.
pub(crate) fn parse_header(name: &str, value: &[u8]) -> Result<(HeaderName, HeaderValue), ResponseError> {
    let Some(parsed) = parse_name(name) else {
        return Err(ResponseError::HeaderName(name.to_owned()));
    };
    let value =
        HeaderValue::from_bytes(value).map_err(|_| ResponseError::HeaderValue(parsed.as_str().to_owned()))?;
    Ok((parsed, value))
}

#[cfg(test)]
mod tests {
    use super::{MAX_NAME_BYTES, MAX_NAMES, NAMES, parse_name};

    #[test]
    fn parses_header_names_that_occurred_before_and_more_names_than_are_kept() {
        for _ in 0..2 {
            for number in 0..=MAX_NAMES {
                let name = format!("x-name-{number}");
                assert_eq!(parse_name(&name).expect("valid").as_str(), name);
                let upper = format!("X-Name-{number}");
                assert_eq!(parse_name(&upper).expect("valid").as_str(), name);
            }
            assert!(parse_name("x name").is_none());
            assert!(parse_name("").is_none());
        }
    }

    #[test]
    fn keeps_no_header_names_with_upper_case_and_no_long_ones() {
        let long = "x".repeat(MAX_NAME_BYTES + 1);
        for name in ["X-Id", &long, "x-id", "x-id"] {
            assert!(parse_name(name).is_some());
        }
        assert_eq!(NAMES.with_borrow(Clone::clone), ["x-id"]);
    }
}
