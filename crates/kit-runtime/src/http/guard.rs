//! Requests that hyper takes and two parties could read differently, or that are larger than kit's other servers take. What hyper refuses by itself
//! it answers without a body.

use axum::http::request::Parts;
use axum::http::{HeaderValue, StatusCode, Version, header};

use super::Error;

const TARGET: usize = 8 * 1024;
const HEAD: usize = 16 * 1024;

/// What is wrong with the head of a request. Such a connection is closed.
pub(super) fn check(parts: &Parts) -> Result<(), Error> {
    let refused = |status, code: &'static str, message: &str| {
        Err(Error::new(status, code, message)
            .with_header(header::CONNECTION, HeaderValue::from_static("close")))
    };
    let bad = |message: &str| refused(StatusCode::BAD_REQUEST, "BAD_REQUEST", message);
    let target = parts
        .uri
        .path_and_query()
        .map_or(0, |target| target.as_str().len());
    if target > TARGET {
        return refused(
            StatusCode::URI_TOO_LONG,
            "URI_TOO_LONG",
            "the request target is too long",
        );
    }
    let lines = parts
        .headers
        .iter()
        .map(|(name, value)| name.as_str().len() + value.len() + 4);
    if target + lines.sum::<usize>() > HEAD {
        let message = "the request's header fields are too large or too many";
        let status = StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE;
        return refused(status, "REQUEST_HEADER_FIELDS_TOO_LARGE", message);
    }
    for name in [
        header::HOST,
        header::CONTENT_TYPE,
        header::AUTHORIZATION,
        header::CONTENT_LENGTH,
    ] {
        // Whoever stands before this server may have looked at the other one.
        if parts.headers.get_all(&name).iter().nth(1).is_some() {
            return bad(&format!("the header `{name}` is repeated"));
        }
    }
    match parts.headers.get(header::HOST) {
        None if parts.version == Version::HTTP_11 => return bad("the header `host` is missing"),
        Some(host) if !host.as_bytes().iter().all(|byte| is_of_host(*byte)) => {
            return bad("the header `host` is invalid");
        }
        _ => {}
    }
    let expects = parts.headers.get(header::EXPECT);
    if expects.is_some_and(|expected| !expected.as_bytes().eq_ignore_ascii_case(b"100-continue")) {
        let message = "only the expectation `100-continue` is supported";
        return refused(StatusCode::EXPECTATION_FAILED, "EXPECTATION_FAILED", message);
    }
    let codings = parts.headers.get(header::TRANSFER_ENCODING);
    if codings.is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        let message = "only the transfer encoding `chunked` is supported";
        return refused(StatusCode::NOT_IMPLEMENTED, "NOT_IMPLEMENTED", message);
    }
    let target = parts.uri.path_and_query().map_or("", |target| target.as_str());
    if target
        .bytes()
        .any(|byte| !byte.is_ascii_graphic() || b"\"<>#`".contains(&byte))
    {
        return bad("the request target has characters that must be percent-encoded");
    }
    Ok(())
}

fn is_of_host(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.~%!$&'()*+,;=:[]".contains(&byte)
}
