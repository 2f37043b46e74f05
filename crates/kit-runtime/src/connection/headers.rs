//! Headers that the server itself adds or replaces, in requests and in responses.

use std::sync::OnceLock;

use axum::http::{HeaderName, HeaderValue, Request, Response, header};

/// Headers of the connection and of the framing of HTTP/1.1. HTTP/2 has no such headers (RFC 9113, 8.2.2).
pub(crate) const OF_CONNECTIONS: [&str; 6] = [
    "connection",
    "keep-alive",
    "proxy-connection",
    "te",
    "transfer-encoding",
    "upgrade",
];

/// Headers of every response, unless the handler has set a header of the same name. They belong to the
/// process and not to a router, because a server also responds to bytes that reach no router.
static DEFAULTS: OnceLock<Vec<(HeaderName, HeaderValue)>> = OnceLock::new();

/// Prevents browsers from guessing another type than the `content-type` of a response (WHATWG Fetch, 3.6).
static NO_SNIFF: [(HeaderName, HeaderValue); 1] = [(
    header::X_CONTENT_TYPE_OPTIONS,
    HeaderValue::from_static("nosniff"),
)];

/// Adds headers to all responses of the process. Only the first call has an effect.
pub(crate) fn set_defaults(headers: &[(&str, &str)]) {
    // `kit build` refuses values that cannot be a header.
    let headers = headers.iter().filter_map(|(name, value)| {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_str(value).ok()?))
    });
    DEFAULTS.get_or_init(|| NO_SNIFF.iter().cloned().chain(headers).collect());
}

fn defaults() -> &'static [(HeaderName, HeaderValue)] {
    DEFAULTS.get().map_or(&NO_SNIFF, Vec::as_slice)
}

/// Adds the default headers to a response, except headers that the response already has.
pub(crate) fn add_defaults<B>(response: &mut Response<B>) {
    let headers = response.headers_mut();
    for (name, value) in defaults() {
        headers.entry(name).or_insert_with(|| value.clone());
    }
}

/// Returns the headers of every response as lines, each with its line break.
pub(super) fn default_lines() -> String {
    let lines = defaults().iter().filter_map(|(name, value)| {
        let value = value.to_str().ok()?;
        Some(format!("{name}: {value}\r\n"))
    });
    lines.collect()
}

/// Replaces `host` with the host of a request target in absolute form (RFC 9112, 3.2.2): `GET http://a/b` is a request
/// to `a`, and its `Host` header does not count. The guard has validated both hosts.
pub(super) fn apply_target_host<B>(request: &mut Request<B>) {
    let Some(authority) = request.uri().authority() else {
        return;
    };
    if let Ok(host) = HeaderValue::from_str(authority.as_str()) {
        request.headers_mut().insert(header::HOST, host);
    }
}
