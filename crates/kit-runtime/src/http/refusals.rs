//! Errors with which the runtime itself refuses requests.

use axum::http::{HeaderValue, StatusCode, header};

use super::Error;

/// Returns the error for a path that no route matches.
pub(super) fn not_found() -> Error {
    Error::not_found("NOT_FOUND", "No route matches this path")
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

/// Returns the error for a request whose precondition, such as `if-match`, does not hold.
pub(super) fn precondition_failed() -> Error {
    let message = "The resource has changed, or is not in the state that the request requires";
    Error::new(StatusCode::PRECONDITION_FAILED, "PRECONDITION_FAILED", message)
}
