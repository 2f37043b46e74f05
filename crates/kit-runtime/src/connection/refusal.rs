//! The answers to bytes that never became a request.

use std::time::SystemTime;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use kit_guard::Rejection;
use serde_json::json;

use crate::http::random_trace_id;

/// The whole answer on the wire.
pub(super) fn to_bytes(rejection: Rejection) -> Vec<u8> {
    let body = body(rejection);
    let reason = status(rejection).canonical_reason().unwrap_or("Error");
    let date = httpdate::fmt_http_date(SystemTime::now());
    let length = body.len();
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\ndate: {date}\r\n\r\n{body}",
        rejection.status
    )
    .into_bytes()
}

/// The answer to a request whose body is refused.
pub(super) fn to_response(rejection: Rejection) -> axum::response::Response {
    let mut response = axum::response::Response::new(Body::from(body(rejection)));
    *response.status_mut() = status(rejection);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn status(rejection: Rejection) -> StatusCode {
    StatusCode::from_u16(rejection.status).unwrap_or(StatusCode::BAD_REQUEST)
}

/// The envelope. It is logged under its trace id, so that what the peer reports is found again, and only for who wants to know: whoever sends
/// rubbish must not be able to fill the log.
fn body(rejection: Rejection) -> String {
    let Rejection {
        status,
        code,
        message,
    } = rejection;
    let trace = random_trace_id();
    tracing::debug!(code, status, trace, "Bytes were refused: {message}");
    json!({ "error": { "code": code, "message": message, "traceId": trace } }).to_string()
}
