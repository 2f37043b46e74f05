//! An answer, and what may be in it.

use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, StatusCode};

use crate::body::Body;
use crate::envelope::{error_body, trace_id};
use crate::own_headers::add_no_sniff;

/// An answer to a request. Length, date and connection headers are the engine's business.
#[derive(Debug)]
pub struct Response {
    status: StatusCode,
    content_type: Option<HeaderValue>,
    headers: Vec<(HeaderName, HeaderValue)>,
    body: Bytes,
}

/// What an answer consists of.
pub(crate) struct View<'a> {
    pub(crate) status: StatusCode,
    pub(crate) content_type: Option<&'a HeaderValue>,
    /// The others, in order.
    pub(crate) headers: &'a [(HeaderName, HeaderValue)],
    pub(crate) body: &'a [u8],
}

/// Why an answer cannot be sent. The request is still unanswered then.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum ResponseError {
    /// No such request, or it has been answered.
    #[error("the request is unknown or already answered")]
    UnknownRequest,
    /// Not a final status.
    #[error("the status {0} is no final HTTP status (200 to 599)")]
    Status(u32),
    /// Not a token.
    #[error("the header name `{0}` is invalid")]
    HeaderName(String),
    /// Control characters, a line break above all.
    #[error("the value of the header `{0}` has characters that HTTP does not allow")]
    HeaderValue(String),
    /// A header that decides where the message ends.
    #[error("the header `{0}` is set by the server itself")]
    Reserved(String),
    /// A body that is longer or shorter than its head said.
    #[error("the body has {found} bytes, and its head said {said}")]
    Length {
        /// As [`crate::Engine::respond_stream`] was told.
        said: u64,
        /// With the piece that is too much, where it is too long.
        found: u64,
    },
}

impl Response {
    /// An empty answer.
    pub fn new(status: u32) -> Result<Self, ResponseError> {
        let code = u16::try_from(status)
            .ok()
            .filter(|code| (200..600).contains(code));
        let status = code
            .and_then(|code| StatusCode::from_u16(code).ok())
            .ok_or(ResponseError::Status(status))?;
        Ok(Self::empty(status))
    }

    /// An answer of JSON text.
    pub fn json(status: u32, body: Bytes) -> Result<Self, ResponseError> {
        let mut response = Self::new(status)?;
        response.set_json();
        response.body = body;
        Ok(response)
    }

    /// The answer when there is no room for a request.
    pub(crate) fn overloaded() -> Self {
        Self::error(
            StatusCode::SERVICE_UNAVAILABLE,
            "SERVICE_UNAVAILABLE",
            "too many requests are unanswered",
        )
    }

    /// The answer where the code that should give one cannot.
    pub fn internal_error() -> Self {
        Self::error(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL_SERVER_ERROR",
            "Internal Server Error",
        )
    }

    fn error(status: StatusCode, code: &'static str, message: &'static str) -> Self {
        let mut response = Self::empty(status);
        response.set_json();
        response.body = error_body(code, message, trace_id()).into();
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

    /// Sets the body. On HEAD it is counted and left out.
    pub fn set_body(&mut self, body: Bytes) {
        self.body = body;
    }

    /// Sets `content-type` to JSON without looking at text.
    pub fn set_json(&mut self) {
        self.content_type = Some(HeaderValue::from_static("application/json"));
    }

    /// Adds a header; one that is there already is repeated.
    pub fn add_header(&mut self, name: &str, value: &[u8]) -> Result<(), ResponseError> {
        let Ok(parsed) = HeaderName::from_bytes(name.as_bytes()) else {
            return Err(ResponseError::HeaderName(name.to_owned()));
        };
        if is_reserved(parsed.as_str()) || (parsed == CONNECTION && !value.eq_ignore_ascii_case(b"close")) {
            return Err(ResponseError::Reserved(parsed.as_str().to_owned()));
        }
        let value = HeaderValue::from_bytes(value)
            .map_err(|_| ResponseError::HeaderValue(parsed.as_str().to_owned()))?;
        self.headers.push((parsed, value));
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

    /// Closes the connection after this answer.
    pub(crate) fn close(&mut self) {
        if self.closes() {
            return;
        }
        self.headers.push((CONNECTION, HeaderValue::from_static("close")));
    }

    /// Whether the connection ends with it.
    pub(crate) fn closes(&self) -> bool {
        // No other value is taken.
        self.headers.iter().any(|(name, _)| name == CONNECTION)
    }

    /// Whether answers of this status have a body.
    pub(crate) fn may_have_body(&self) -> bool {
        !matches!(self.status.as_u16(), 204 | 205 | 304)
    }

    /// The answer as hyper takes it, its headers in the given empty map.
    pub(crate) fn into_http(mut self, headers: HeaderMap) -> http::Response<Body> {
        let body = Body::Full(std::mem::take(&mut self.body).into());
        self.with_body(headers, body)
    }

    /// The same with another body.
    pub(crate) fn with_body(self, mut headers: HeaderMap, body: Body) -> http::Response<Body> {
        if let Some(content_type) = self.content_type {
            headers.insert(CONTENT_TYPE, content_type);
        }
        if !sets_sniffing(&self.headers) {
            add_no_sniff(&mut headers);
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        let mut response = http::Response::new(body);
        *response.status_mut() = self.status;
        *response.headers_mut() = headers;
        response
    }
}

/// Returns true if a handler has said by itself how browsers may read the answer.
pub(crate) fn sets_sniffing(headers: &[(HeaderName, HeaderValue)]) -> bool {
    headers.iter().any(|(name, _)| name == X_CONTENT_TYPE_OPTIONS)
}

fn is_reserved(name: &str) -> bool {
    matches!(
        name,
        "content-length" | "transfer-encoding" | "keep-alive" | "te" | "trailer" | "upgrade"
    )
}
