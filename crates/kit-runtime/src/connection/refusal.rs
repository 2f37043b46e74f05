//! Responses to bytes that the guard rejects, so that no request reaches the router.

use std::net::IpAddr;
use std::sync::LazyLock;
use std::time::SystemTime;

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use kit_guard::Rejection;
use serde_json::{Value, json};
use tracing::Level;

use super::headers::default_lines;
use crate::http::{Written, chosen_error_format, log_refusal, random_trace_id};
use crate::log_level::is_enabled;
use crate::sampler::Sampler;

/// Returns the response as bytes, with its head, for a connection on which hyper writes nothing.
pub(super) fn to_bytes(rejection: Rejection, peer: IpAddr) -> Vec<u8> {
    let (content_type, body) = body(rejection, peer);
    // The value was created from text.
    let content_type = content_type.to_str().unwrap_or("application/json");
    let reason = status(rejection).canonical_reason().unwrap_or("Error");
    let date = httpdate::fmt_http_date(SystemTime::now());
    let length = body.len();
    let defaults = default_lines();
    format!(
        "HTTP/1.1 {} {reason}\r\ncontent-type: {content_type}\r\n{defaults}content-length: {length}\r\nconnection: close\r\ndate: {date}\r\n\r\n{body}",
        rejection.status
    )
    .into_bytes()
}

/// Creates the response to a request with a rejected body.
pub(super) fn to_response(rejection: Rejection, peer: IpAddr) -> axum::response::Response {
    let (content_type, body) = body(rejection, peer);
    let mut response = axum::response::Response::new(Body::from(body));
    *response.status_mut() = status(rejection);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, content_type);
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    response
}

fn status(rejection: Rejection) -> StatusCode {
    StatusCode::from_u16(rejection.status).unwrap_or(StatusCode::BAD_REQUEST)
}

/// Code, message and status of a rejection. All are constants, so the number of kinds is small.
type RejectionKind = (&'static str, &'static str, u16);

/// Logs the first rejection of each kind in a minute and counts the other rejections, so that a client that
/// sends garbage cannot flood the log.
static SAMPLER: LazyLock<Sampler<RejectionKind>> = LazyLock::new(|| Sampler::new(1, log_remaining));

/// Logs the numbers of rejections that were counted but not logged. Called when the server shuts down.
pub(crate) fn flush() {
    SAMPLER.flush();
}

fn log_remaining((code, message, status): &RejectionKind, count: u64) {
    tracing::warn!(
        code,
        status,
        count,
        "{count} more times within a minute: The server refused a request with {status} {code}: {message}"
    );
}

/// Returns the content type and the body of the error response. The first rejection of a kind in a minute is
/// logged with the trace id of the body, so that an operator can find the log entry that belongs to a
/// client's error.
fn body(rejection: Rejection, peer: IpAddr) -> (HeaderValue, String) {
    let Rejection {
        status,
        code,
        message,
    } = rejection;
    let trace = random_trace_id();
    log_refusal(status, code, trace.as_str(), peer);
    if is_enabled(Level::WARN) && SAMPLER.should_log((code, message, status)) {
        let trace = trace.as_str();
        tracing::warn!(
            code,
            status,
            count = 1,
            trace,
            "The server refused a request with {status} {code}: {message}"
        );
    }
    let error = json!({ "code": code, "message": message, "traceId": trace });
    match (chosen_error_format(), error) {
        (Some(chosen), Value::Object(error)) => {
            let Written {
                content_type, text, ..
            } = chosen.write(status, error);
            (content_type, text)
        }
        (_, error) => (
            HeaderValue::from_static("application/json"),
            json!({ "error": error }).to_string(),
        ),
    }
}
