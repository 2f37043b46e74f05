//! Errors that the engine reports itself, in the common format of kit's errors.

/// Formats `{"error":{"code","message","traceId"}}`. Code and message are constants without quotes, backslashes and
/// control characters, so they need no JSON escapes.
pub(crate) fn error_body(code: &'static str, message: &'static str, trace_id: u128) -> String {
    format!(r#"{{"error":{{"code":"{code}","message":"{message}","traceId":"{trace_id:032x}"}}}}"#)
}

/// Returns a random trace id of W3C Trace Context: 16 bytes, not all zero.
pub(crate) fn trace_id() -> u128 {
    fastrand::u128(1..)
}
