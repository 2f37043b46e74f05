//! Bodies of the engine's own error responses, in the same format as kit's other errors.

/// Formats `{"error":{"code","message","traceId"}}`. Code and message are constants that need no JSON escapes.
pub(crate) fn error_body(code: &'static str, message: &'static str, trace_id: u128) -> String {
    format!(r#"{{"error":{{"code":"{code}","message":"{message}","traceId":"{trace_id:032x}"}}}}"#)
}

/// Returns a random trace id of W3C Trace Context: 16 bytes, not all zero.
pub(crate) fn trace_id() -> u128 {
    fastrand::u128(1..)
}
