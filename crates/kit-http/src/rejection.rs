//! Answers that the engine gives itself, because the bytes never became a request.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::SystemTime;

use crate::envelope::error_body;

/// One refusal, for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub rejection: Rejection,
    /// The trace id that the peer was told, so that what it reports is found again.
    pub trace_id: u128,
    /// The peer; nothing where it came through a Unix socket.
    pub remote: Option<SocketAddr>,
}

/// Why the engine refuses a connection's bytes, and what it tells the peer before it closes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rejection {
    /// HTTP status.
    pub status: u16,
    /// Machine-readable code of the error envelope.
    pub code: &'static str,
    /// What is wrong, for a person.
    pub message: &'static str,
}

impl Rejection {
    /// A message whose syntax or framing is wrong.
    pub(crate) const fn bad_request(message: &'static str) -> Self {
        Self {
            status: 400,
            code: "BAD_REQUEST",
            message,
        }
    }

    /// The peer took too long to send its request.
    pub(crate) const TIMEOUT: Self = Self {
        status: 408,
        code: "REQUEST_TIMEOUT",
        message: "the request was not received in time",
    };

    /// The request target is longer than the limit.
    pub(crate) const TARGET_TOO_LONG: Self = Self {
        status: 414,
        code: "URI_TOO_LONG",
        message: "the request target is too long",
    };

    /// An `Expect` that is not `100-continue`.
    pub(crate) const EXPECTATION_FAILED: Self = Self {
        status: 417,
        code: "EXPECTATION_FAILED",
        message: "only the expectation `100-continue` is supported",
    };

    /// The header section is larger than the limit, in bytes or in fields.
    pub(crate) const HEADERS_TOO_LARGE: Self = Self {
        status: 431,
        code: "REQUEST_HEADER_FIELDS_TOO_LARGE",
        message: "the request's header fields are too large or too many",
    };

    /// Something HTTP defines and this server does not do.
    pub(crate) const fn not_implemented(message: &'static str) -> Self {
        Self {
            status: 501,
            code: "NOT_IMPLEMENTED",
            message,
        }
    }

    /// Neither HTTP/1.1 nor HTTP/1.0.
    pub(crate) const VERSION: Self = Self {
        status: 505,
        code: "HTTP_VERSION_NOT_SUPPORTED",
        message: "only HTTP/1.1 and HTTP/1.0 are supported",
    };

    /// The whole answer on the wire.
    pub(crate) fn to_bytes(self, trace_id: u128) -> Vec<u8> {
        let body = error_body(self.code, self.message, trace_id);
        let date = httpdate::fmt_http_date(SystemTime::now());
        let reason = http::StatusCode::from_u16(self.status)
            .ok()
            .and_then(|status| status.canonical_reason())
            .unwrap_or("Error");
        let mut text = String::with_capacity(200 + body.len());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\ndate: {date}\r\n\r\n{body}",
            self.status,
            body.len(),
        );
        text.into_bytes()
    }
}
