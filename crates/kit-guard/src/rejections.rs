//! All reasons why bytes are rejected.

use crate::rejection::Rejection;

/// All reasons why bytes are rejected. Servers create their responses when they start, so a test checks that the list has
/// every reason in the sources of this crate.
pub const REJECTIONS: &[Rejection] = &[
    Rejection::TIMEOUT,
    Rejection::TARGET_TOO_LONG,
    Rejection::EXPECTATION_FAILED,
    Rejection::HEADERS_TOO_LARGE,
    Rejection::VERSION,
    Rejection::bad_request("HTTP/1.0 has no `transfer-encoding`"),
    Rejection::bad_request("`content-length` and `transfer-encoding` exclude each other"),
    Rejection::bad_request("a chunk is longer than its size says"),
    Rejection::bad_request("a chunk's extensions are invalid"),
    Rejection::bad_request("a chunk's size is invalid"),
    Rejection::bad_request("a header line has no colon"),
    Rejection::bad_request("a header name has invalid characters"),
    Rejection::bad_request("a header value has invalid characters"),
    Rejection::bad_request("a line of the chunked body is too long"),
    Rejection::bad_request("header lines must not be folded"),
    Rejection::bad_request("lines must end with CRLF"),
    Rejection::bad_request("the bytes are not an HTTP request"),
    Rejection::bad_request("the header `authorization` is repeated"),
    Rejection::bad_request("the header `content-length` is invalid"),
    Rejection::bad_request("the header `content-length` is repeated"),
    Rejection::bad_request("the header `content-type` is repeated"),
    Rejection::bad_request("the header `host` is invalid"),
    Rejection::bad_request("the header `host` is missing"),
    Rejection::bad_request("the header `host` is repeated"),
    Rejection::bad_request("the header `transfer-encoding` is invalid"),
    Rejection::bad_request("the header `transfer-encoding` is repeated"),
    Rejection::bad_request("the host in the request target is invalid"),
    Rejection::bad_request("the last transfer coding of a request must be `chunked`"),
    Rejection::bad_request("the method is invalid"),
    Rejection::bad_request("the request is empty"),
    Rejection::bad_request("the request line must be: method, target, version"),
    Rejection::bad_request("the request target has a dot segment, `.` or `..`; send the resolved path"),
    Rejection::bad_request("the request target has characters that must be percent-encoded"),
    Rejection::bad_request("the request target must begin with a slash"),
    Rejection::not_implemented("only the transfer encoding `chunked` is supported"),
    Rejection::not_implemented("this server is not a proxy"),
];
