//! Errors with which the runtime itself refuses requests.

use axum::http::{HeaderValue, StatusCode, header};
use serde_json::json;

use super::Error;

/// Returns the error for a path that no route matches.
pub(super) fn not_found() -> Error {
    Error::not_found("NOT_FOUND", "No route matches this path")
}

/// Returns the error for a download whose file does not exist.
pub(super) fn no_file() -> Error {
    Error::not_found("NOT_FOUND", "The file does not exist")
}

/// Returns the error for a path that has routes, but none with the method of the request.
pub(super) fn method_not_allowed(method: &str, allow: &str) -> Error {
    let message = format!("This path does not support {method}. It supports {allow}");
    let error = Error::new(StatusCode::METHOD_NOT_ALLOWED, "METHOD_NOT_ALLOWED", message);
    match HeaderValue::from_str(allow) {
        Ok(allow) => error.with_header(header::ALLOW, allow),
        Err(_) => error,
    }
}

/// Returns the error for a request of which no range is in the file. `size` is the number of bytes of the file.
pub(super) fn range_not_satisfiable(size: u64) -> Error {
    let unit = if size == 1 { "byte" } else { "bytes" };
    let message = format!("The file has {size} {unit}, and none of the requested ranges");
    let status = StatusCode::RANGE_NOT_SATISFIABLE;
    let error = Error::new(status, "RANGE_NOT_SATISFIABLE", message).with_details(json!({ "size": size }));
    match HeaderValue::from_str(&format!("bytes */{size}")) {
        Ok(range) => error.with_header(header::CONTENT_RANGE, range),
        Err(_) => error,
    }
}

/// Returns the error for a request whose precondition, such as `if-match`, does not hold.
pub(super) fn precondition_failed() -> Error {
    let message = "The resource has changed, or is not in the state that the request requires";
    Error::new(StatusCode::PRECONDITION_FAILED, "PRECONDITION_FAILED", message)
}
