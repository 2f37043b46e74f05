//! Converts a request of HTTP/2 to the form that the rest of the server expects, and refuses what HTTP/1.1 would refuse.

use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri, header, uri};
use kit_guard::{Limits, Rejection, check_parts};

const HOSTS: Rejection = Rejection::bad_request("the header `host` differs from `:authority`");
const SCHEME: Rejection = Rejection::bad_request("`:scheme` is neither `http` nor `https`");

/// Applies the rules of HTTP/1.1 to the head of a request, and converts the head:
///
/// - `host` has the value of `:authority`.
/// - The target is a path.
/// - Several `cookie` fields become one (RFC 9113, 8.2.3).
///
/// The library for HTTP/2 has refused pseudo headers in a wrong order or number, headers of connections, upper case names, and a
/// length that the body does not have.
///
/// ```
/// use http::{Request, header};
/// use kit_guard::Limits;
/// use kit_http2::convert;
///
/// let (mut parts, ()) = Request::get("https://a/b?c").body(()).unwrap().into_parts();
/// convert(&mut parts, &Limits::default()).unwrap();
/// assert_eq!(parts.uri.to_string(), "/b?c");
/// assert_eq!(parts.headers[header::HOST], "a");
///
/// let (mut parts, ()) = Request::get("https://a/").header("host", "b").body(()).unwrap().into_parts();
/// assert_eq!(convert(&mut parts, &Limits::default()).unwrap_err().status, 400);
/// ```
///
/// # Errors
///
/// The reason why the same request is refused over HTTP/1.1.
pub fn convert(parts: &mut Parts, limits: &Limits) -> Result<(), Rejection> {
    apply_authority(parts)?;
    join_cookies(&mut parts.headers);
    let target = match parts.uri.path_and_query() {
        Some(target) => target.as_str(),
        // Only CONNECT has no path.
        None => parts.uri.authority().map_or("", uri::Authority::as_str),
    };
    let fields = parts.headers.iter();
    let fields = fields.map(|(name, value)| (name.as_str().as_bytes(), value.as_bytes()));
    check_parts(
        parts.method.as_str().as_bytes(),
        target.as_bytes(),
        fields,
        limits,
    )?;
    if let Some(target) = parts.uri.path_and_query().cloned() {
        parts.uri = Uri::from(target);
    }
    Ok(())
}

fn apply_authority(parts: &mut Parts) -> Result<(), Rejection> {
    let Some(authority) = parts.uri.authority() else {
        return Ok(());
    };
    if !matches!(parts.uri.scheme_str(), None | Some("http" | "https")) {
        return Err(SCHEME);
    }
    let has_other = |host: &HeaderValue| {
        !host
            .as_bytes()
            .eq_ignore_ascii_case(authority.as_str().as_bytes())
    };
    if parts.headers.get_all(header::HOST).iter().any(has_other) {
        return Err(HOSTS);
    }
    let host = HeaderValue::from_str(authority.as_str()).map_err(|_| HOSTS)?;
    // `check_parts` refuses a repeated `host`.
    parts.headers.entry(header::HOST).or_insert(host);
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

#[cfg(test)]
mod tests {
    use http::request::Parts;
    use http::{Request, header};
    use kit_guard::Limits;

    use super::convert;

    fn request(method: &str, uri: &str, headers: &[(&str, &str)]) -> Parts {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.body(()).expect("a request").into_parts().0
    }

    #[test]
    fn refuses_what_http_1_1_refuses() {
        let long = "a".repeat(17_000);
        for (method, uri, headers, status) in [
            ("GET", "https://a/", &[][..], None),
            ("GET", "https://a/?q", &[("host", "A")], None),
            ("GET", "https://a/", &[("host", "a"), ("host", "a")], Some(400)),
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
            let refused = convert(&mut request(method, uri, headers), &Limits::default()).err();
            assert_eq!(
                refused.map(|refused| refused.status),
                status,
                "{method} {uri} {headers:?}"
            );
        }
    }

    #[test]
    fn converts_authority_target_and_cookies() {
        let mut given = request("GET", "https://a:1/b?c", &[("cookie", "a=1"), ("cookie", "b=2")]);
        convert(&mut given, &Limits::default()).expect("a valid request");
        assert_eq!(given.uri.to_string(), "/b?c");
        assert_eq!(given.headers[header::HOST], "a:1");
        assert_eq!(given.headers[header::COOKIE], "a=1; b=2");
        assert!(!given.headers.contains_key(header::TRANSFER_ENCODING));
    }

    #[test]
    fn applies_the_limits_of_the_server() {
        let limits = Limits {
            target_bytes: 3,
            ..Limits::default()
        };
        assert!(convert(&mut request("GET", "https://a/bc", &[]), &limits).is_ok());
        let refused = convert(&mut request("GET", "https://a/bcd", &[]), &limits).unwrap_err();
        assert_eq!(refused.status, 414);
    }
}
