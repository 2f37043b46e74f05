//! Converts responses to the form of HTTP/2.

use http::header::{CONNECTION, CONTENT_LENGTH, DATE, HeaderValue, UPGRADE};
use http::{HeaderMap, StatusCode};
use http_body::Body as _;

use crate::body::Body;
use crate::date;
use crate::response::Response;
use crate::server_headers::DefaultHeaders;

/// Returns the response to a request. `body` replaces the body of the response. `is_head` is true if the method of the request is HEAD.
/// `headers` is an empty map for the headers of the response.
pub(crate) fn to_http2(
    response: Response,
    body: Option<Body>,
    is_head: bool,
    headers: HeaderMap,
    defaults: &DefaultHeaders,
) -> http::Response<Body> {
    let may_have_body = response.may_have_body();
    let mut response = match body {
        None => response.into_http(headers, defaults),
        Some(body) => response.with_body(headers, defaults, body),
    };
    let length = response.body().size_hint().exact();
    if !may_have_body || is_head {
        *response.body_mut() = Body::Absent(None);
    }
    let status = response.status();
    let headers = response.headers_mut();
    // Connections of HTTP/2 have no such headers (RFC 9113, 8.2.2).
    headers.remove(CONNECTION);
    headers.remove(UPGRADE);
    // A handler of HEAD may not know the length that the response to GET has.
    let length = length.filter(|length| may_declare(status) && (*length > 0 || !is_head));
    if let Some(length) = length {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    if !headers.contains_key(DATE)
        && let Some(date) = date::value()
    {
        headers.insert(DATE, date);
    }
    response
}

/// Returns true if responses with this status may have the header `content-length` with the length of their body (RFC 9110, 8.6).
fn may_declare(status: StatusCode) -> bool {
    !matches!(status.as_u16(), 204 | 205 | 304)
}
