//! The errors that the engine tells by itself, in the form that all of kit's errors have.

/// `{"error":{"code","message","traceId"}}`. Code and message are constants without quotes, backslashes or control
/// characters, so that they are JSON text as they stand.
pub(crate) fn error_body(code: &'static str, message: &'static str, trace_id: u128) -> String {
    format!(r#"{{"error":{{"code":"{code}","message":"{message}","traceId":"{trace_id:032x}"}}}}"#)
}

/// A trace id of W3C Trace Context: 16 bytes, not all of them zero.
pub(crate) fn trace_id() -> u128 {
    fastrand::u128(1..)
}
