//! Headers that the engine sets by itself, on requests and on answers.

use http::HeaderMap;
use http::header::{HOST, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;

/// Keeps browsers from taking an answer for something else than its `content-type` says (WHATWG Fetch, 3.6). Every answer has it unless
/// the handler sets the header itself.
pub(crate) const NO_SNIFF_LINE: &str = "x-content-type-options: nosniff\r\n";

/// Adds the same header to the map of an answer.
pub(crate) fn add_no_sniff(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Replaces `host` by the host that a target of the absolute form names (RFC 9112, 3.2.2): `GET http://a/b` is a request to `a`, whatever
/// its `Host` says. The guard has checked both.
pub(crate) fn apply_target_host(parts: &mut Parts) {
    let Some(authority) = parts.uri.authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        parts.headers.insert(HOST, host);
    }
}
