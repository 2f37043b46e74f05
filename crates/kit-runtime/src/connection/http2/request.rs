//! Converts a request of HTTP/2 to the form that the rest of the server expects, and refuses what HTTP/1.1 would refuse.

use axum::http::{HeaderMap, HeaderValue, Request, Uri, header, uri};
use hyper::body::Body;
use kit_guard::{Limits, Rejection, check_head};

const HOSTS: Rejection = Rejection::bad_request("the header `host` differs from `:authority`");
const SCHEME: Rejection = Rejection::bad_request("`:scheme` is neither `http` nor `https`");

/// Applies the rules of HTTP/1.1 to a request, and converts it:
///
/// - `host` has the value of `:authority`.
/// - The target is a path.
/// - Several `cookie` fields become one (RFC 9113, 8.2.3).
/// - A body of unknown length has the header `transfer-encoding`, by which the server recognizes a body.
///
/// h2 has refused pseudo headers in a wrong order or number, headers of connections, upper case names, and a length that the
/// body does not have.
pub(super) fn convert<B: Body>(request: &mut Request<B>) -> Result<(), Rejection> {
    apply_authority(request)?;
    join_cookies(request.headers_mut());
    let target = match request.uri().path_and_query() {
        Some(target) => target.as_str(),
        // Only CONNECT has no path.
        None => request.uri().authority().map_or("", uri::Authority::as_str),
    };
    let head = head_of(request.method().as_str(), target, request.headers());
    check_head(&head, &Limits::default())?;
    if let Some(target) = request.uri().path_and_query().cloned() {
        *request.uri_mut() = Uri::from(target);
    }
    if !request.body().is_end_stream() && !request.headers().contains_key(header::CONTENT_LENGTH) {
        let chunked = HeaderValue::from_static("chunked");
        request.headers_mut().insert(header::TRANSFER_ENCODING, chunked);
    }
    Ok(())
}

fn apply_authority<B>(request: &mut Request<B>) -> Result<(), Rejection> {
    let Some(authority) = request.uri().authority() else {
        return Ok(());
    };
    if !matches!(request.uri().scheme_str(), None | Some("http" | "https")) {
        return Err(SCHEME);
    }
    let has_other = |host: &HeaderValue| {
        !host
            .as_bytes()
            .eq_ignore_ascii_case(authority.as_str().as_bytes())
    };
    if request.headers().get_all(header::HOST).iter().any(has_other) {
        return Err(HOSTS);
    }
    let host = HeaderValue::from_str(authority.as_str()).map_err(|_| HOSTS)?;
    request.headers_mut().insert(header::HOST, host);
    Ok(())
}

fn join_cookies(headers: &mut HeaderMap) {
    if headers.get_all(header::COOKIE).iter().nth(1).is_none() {
        return;
    }
    let all = headers.get_all(header::COOKIE).iter();
    let joined = all
        .map(HeaderValue::as_bytes)
        .collect::<Vec<_>>()
        .join(&b"; "[..]);
    if let Ok(joined) = HeaderValue::from_bytes(&joined) {
        headers.insert(header::COOKIE, joined);
    }
}

/// Returns the request as a head of HTTP/1.1. Names and values of a [`HeaderMap`] and targets of a [`Uri`] have no line breaks,
/// and targets have no spaces.
fn head_of(method: &str, target: &str, headers: &HeaderMap) -> Vec<u8> {
    let mut head = Vec::with_capacity(512);
    for part in [method, " ", target, " HTTP/1.1\r\n"] {
        head.extend_from_slice(part.as_bytes());
    }
    for (name, value) in headers {
        for part in [name.as_ref(), b": ".as_slice(), value.as_bytes(), b"\r\n"] {
            head.extend_from_slice(part);
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::http::{Request, header};

    use super::convert;

    fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> Request<Body> {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(Body::empty()).expect("a request")
    }

    #[test]
    fn refuses_what_http_1_1_refuses() {
        let long = "a".repeat(17_000);
        for (method, uri, headers, status) in [
            ("GET", "https://a/", &[][..], None),
            ("GET", "https://a/?q", &[("host", "A")], None),
            ("OPTIONS", "*", &[("host", "a")], None),
            ("GET", "https://a/", &[("host", "b")], Some(400)),
            ("GET", "https://u@a/", &[], Some(400)),
            ("GET", "ftp://a/", &[], Some(400)),
            ("GET", "/", &[], Some(400)),
            ("GET", "/", &[("host", "a"), ("host", "a")], Some(400)),
            ("GET", "https://a/b/../c", &[], Some(400)),
            ("GET", "https://a/\u{e4}", &[], Some(400)),
            ("GET", "*", &[("host", "a")], Some(400)),
            ("CONNECT", "a:80", &[], Some(501)),
            ("GET", "https://a/", &[("expect", "200-ok")], Some(417)),
            (
                "GET",
                "https://a/",
                &[("authorization", "a"), ("authorization", "b")],
                Some(400),
            ),
            ("GET", "https://a/", &[("content-length", "+1")], Some(400)),
            ("GET", "https://a/", &[("x", &long)], Some(431)),
            ("GET", "https://a/", &[("x", "1"); 100], Some(431)),
        ] {
            let refused = convert(&mut request(method, uri, headers)).err();
            assert_eq!(
                refused.map(|refused| refused.status),
                status,
                "{method} {uri} {headers:?}"
            );
        }
    }

    #[test]
    fn converts_authority_target_cookies_and_bodies_without_length() {
        let mut given = request("GET", "https://a:1/b?c", &[("cookie", "a=1"), ("cookie", "b=2")]);
        convert(&mut given).expect("a valid request");
        assert_eq!(given.uri().to_string(), "/b?c");
        assert_eq!(given.headers()[header::HOST], "a:1");
        assert_eq!(given.headers()[header::COOKIE], "a=1; b=2");
        assert!(!given.headers().contains_key(header::TRANSFER_ENCODING));
        let mut given = request("POST", "https://a/", &[]).map(|_| Body::from("text"));
        convert(&mut given).expect("a valid request");
        assert_eq!(given.headers()[header::TRANSFER_ENCODING], "chunked");
    }
}
