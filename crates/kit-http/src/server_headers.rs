//! Headers that the engine sets or changes itself, in requests and in responses.

use http::HeaderMap;
use http::header::{HOST, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;

/// Prevents browsers from guessing another type than the `content-type` of a response (WHATWG Fetch, 3.6). Every
/// response has this header unless the handler sets it.
pub(crate) const NO_SNIFF_LINE: &str = "x-content-type-options: nosniff\r\n";

/// Adds the header of [`NO_SNIFF_LINE`] to a map.
pub(crate) fn add_no_sniff(headers: &mut HeaderMap) {
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
}

/// Replaces the header `host` by the host in the request target, if the target is a complete URL (RFC 9112, 3.2.2).
/// `GET http://a/b` is a request to `a`, whatever `Host` says. The guard has validated both.
pub(crate) fn apply_target_host(parts: &mut Parts) {
    let Some(authority) = parts.uri.authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        parts.headers.insert(HOST, host);
    }
}
