//! Headers that the server sets by itself, on requests and on answers.

use axum::http::{HeaderValue, Request, Response, header};

/// Keeps browsers from taking an answer for something else than its `content-type` says (WHATWG Fetch, 3.6).
pub(super) const NO_SNIFF: &str = "nosniff";

/// Adds `x-content-type-options: nosniff` to an answer, unless its handler has set the header.
pub(super) fn add_no_sniff<B>(response: &mut Response<B>) {
    response
        .headers_mut()
        .entry(header::X_CONTENT_TYPE_OPTIONS)
        .or_insert(HeaderValue::from_static(NO_SNIFF));
}

/// Replaces `host` by the host that a target of the absolute form names (RFC 9112, 3.2.2): `GET http://a/b` is a request to `a`, whatever
/// its `Host` says. The guard has checked both.
pub(super) fn apply_target_host<B>(request: &mut Request<B>) {
    let Some(authority) = request.uri().authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        request.headers_mut().insert(header::HOST, host);
    }
}
