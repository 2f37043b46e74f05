//! Responses that the engine itself gives to bytes that are not a valid request.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::SystemTime;

use kit_guard::Rejection;

use crate::error_bodies::ErrorBodies;
use crate::server_headers::DefaultHeaders;

/// A rejection by the engine, for the log of the application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Reason why the bytes were rejected.
    pub rejection: Rejection,
    /// Trace id in the response. An operator can find the log entry by the trace id that a client reports.
    pub trace_id: u128,
    /// Address of the client; `None` for a Unix socket.
    pub remote: Option<SocketAddr>,
}

/// Formats the complete response.
pub(crate) fn to_bytes(
    rejection: Rejection,
    trace_id: u128,
    defaults: &DefaultHeaders,
    bodies: &ErrorBodies,
) -> Vec<u8> {
    let (content_type, body) = bodies.of(rejection, trace_id);
    // The value was created from text.
    let content_type = content_type.to_str().unwrap_or("application/json");
    let date = httpdate::fmt_http_date(SystemTime::now());
    let reason = http::StatusCode::from_u16(rejection.status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error");
    let lines: String = defaults.lines(&[]).collect();
    let mut text = String::with_capacity(240 + lines.len() + body.len());
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "HTTP/1.1 {} {reason}\r\ncontent-type: {content_type}\r\n{lines}content-length: {}\r\nconnection: close\r\ndate: {date}\r\n\r\n{body}",
        rejection.status,
        body.len(),
    );
    text.into_bytes()
}
