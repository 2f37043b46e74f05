//! Responses of the engine itself, to bytes that never became a request.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::SystemTime;

use kit_guard::Rejection;

use crate::envelope::error_body;
use crate::server_headers::NO_SNIFF_LINE;

/// A rejection for the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Reason of the rejection.
    pub rejection: Rejection,
    /// Trace id in the response, so that the log entry can be found for an error that a client reports.
    pub trace_id: u128,
    /// Address of the peer; `None` for a Unix socket.
    pub remote: Option<SocketAddr>,
}

/// Formats the complete response.
pub(crate) fn to_bytes(rejection: Rejection, trace_id: u128) -> Vec<u8> {
    let body = error_body(rejection.code, rejection.message, trace_id);
    let date = httpdate::fmt_http_date(SystemTime::now());
    let reason = http::StatusCode::from_u16(rejection.status)
        .ok()
        .and_then(|status| status.canonical_reason())
        .unwrap_or("Error");
    let mut text = String::with_capacity(240 + body.len());
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\n{NO_SNIFF_LINE}content-length: {}\r\nconnection: close\r\ndate: {date}\r\n\r\n{body}",
        rejection.status,
        body.len(),
    );
    text.into_bytes()
}
