//! Answers that the engine gives itself, because the bytes never became a request.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::time::SystemTime;

use kit_guard::Rejection;

use crate::envelope::error_body;
use crate::own_headers::NO_SNIFF_LINE;

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

/// The whole answer on the wire.
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
