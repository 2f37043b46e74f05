//! Headers that the server itself adds or replaces, in requests and in responses.

use axum::http::{HeaderValue, Request, Response, header};

/// Prevents browsers from guessing another type than the `content-type` of a response (WHATWG Fetch, 3.6).
pub(super) const NO_SNIFF: &str = "nosniff";

/// Adds `x-content-type-options: nosniff` to a response, unless its handler has set the header.
pub(super) fn add_no_sniff<B>(response: &mut Response<B>) {
    response
        .headers_mut()
        .entry(header::X_CONTENT_TYPE_OPTIONS)
        .or_insert(HeaderValue::from_static(NO_SNIFF));
}

/// Replaces `host` with the host of a request target in absolute form (RFC 9112, 3.2.2): `GET http://a/b` is a request
/// to `a`, and its `Host` header does not count. The guard has validated both.
pub(super) fn apply_target_host<B>(request: &mut Request<B>) {
    let Some(authority) = request.uri().authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        request.headers_mut().insert(header::HOST, host);
    }
}
