//! Cases of requests (RFC 9113, 8 and 10).

use crate::cases::{Case, PROTOCOL_ERROR, answered, case, ignored, only, post, reset, with};
use crate::client::Outcome::{Reset, Response};
use crate::client::{CONTINUATION, DATA, END_STREAM, HEADERS, fields, frame, request};

pub(crate) fn all() -> Vec<Case> {
    let body = |flags, text: &str| frame(DATA, flags, 1, text.as_bytes());
    let without = |name: &str| {
        let all: Vec<_> = request("GET", "/origin")
            .into_iter()
            .filter(|field| field.0 != name)
            .collect();
        only(&all)
    };
    let trailers = |flags, all: &[(&str, &str)]| frame(HEADERS, flags, 1, &fields(all));
    let many = "a".repeat(20_000);
    let most = "a".repeat(15_000);
    let sections = |count: usize| {
        let all = [&request("GET", "/origin")[..], &vec![("x", most.as_str()); count]].concat();
        let block = fields(&all);
        let mut pieces = block.chunks(16_000);
        let mut bytes = frame(HEADERS, END_STREAM, 1, pieces.next().unwrap_or_default());
        for piece in pieces {
            bytes.extend(frame(CONTINUATION, 0, 1, piece));
        }
        bytes.extend(frame(CONTINUATION, 4, 1, &[]));
        bytes
    };
    vec![
        case(
            "8.1",
            "trailers without the end of the stream",
            &[post(&[]), trailers(4, &[("x", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.1",
            "trailers",
            &[post(&[]), body(0, "\"text\""), trailers(5, &[("x", "1")])],
            answered(200),
        ),
        case(
            "8.1",
            "a pseudo header in trailers",
            &[post(&[]), body(0, "\"text\""), trailers(5, &[(":path", "/")])],
            ignored(PROTOCOL_ERROR),
        ),
        case(
            "8.1.1",
            "a body longer than its length",
            &[post(&[("content-length", "3")]), body(1, "\"text\"")],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.1.1",
            "a body shorter than its length",
            &[post(&[("content-length", "9")]), body(1, "\"text\"")],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.1.1",
            "a length without a body",
            &[with(&[("content-length", "9")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.1.1",
            "two lengths",
            &[
                post(&[("content-length", "6"), ("content-length", "6")]),
                body(1, "\"text\""),
            ],
            vec![Response(400), Reset(PROTOCOL_ERROR)],
        ),
        case(
            "8.1.1",
            "a length with a sign",
            &[post(&[("content-length", "+6")]), body(1, "\"text\"")],
            vec![Response(400), Reset(PROTOCOL_ERROR)],
        ),
        case(
            "8.2",
            "an upper case name",
            &[with(&[("X-A", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.1",
            "a name with a space",
            &[with(&[("x a", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.1",
            "an empty name",
            &[with(&[("", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.1",
            "a value with NUL",
            &[with(&[("x", "\0")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.1",
            "a value with a line break",
            &[with(&[("x", "a\r\nb: c")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "connection",
            &[with(&[("connection", "keep-alive")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "proxy-connection",
            &[with(&[("proxy-connection", "keep-alive")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "keep-alive",
            &[with(&[("keep-alive", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "transfer-encoding",
            &[with(&[("transfer-encoding", "chunked")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "upgrade",
            &[with(&[("upgrade", "websocket")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "te with another value than trailers",
            &[with(&[("te", "gzip")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.2.2",
            "te: trailers",
            &[with(&[("te", "trailers")])],
            answered(200),
        ),
        case(
            "8.3",
            "an unknown pseudo header",
            &[with(&[(":a", "1")])],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3",
            "a pseudo header of responses",
            &[only(&[&[(":status", "200")], &request("GET", "/")[..]].concat())],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3",
            "a pseudo header after a header",
            &[only(&[&[("x", "1")], &request("GET", "/")[..]].concat())],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3",
            "a repeated pseudo header",
            &[only(&[&[(":path", "/")], &request("GET", "/")[..]].concat())],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3.1",
            "no :method",
            &[without(":method")],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3.1",
            "no :scheme",
            &[without(":scheme")],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3.1",
            "no :path",
            &[without(":path")],
            vec![Reset(PROTOCOL_ERROR), Response(400)],
        ),
        case(
            "8.3.1",
            "an empty :path",
            &[only(&request("GET", ""))],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.3.1",
            "neither :authority nor host",
            &[without(":authority")],
            answered(400),
        ),
        case(
            "8.3.1",
            "another host than :authority",
            &[with(&[("host", "other")])],
            answered(400),
        ),
        case(
            "8.3.1",
            "the same host as :authority",
            &[with(&[("host", "localhost")])],
            answered(200),
        ),
        case(
            "8.3.1",
            "a user in :authority",
            &[only(&[
                (":method", "GET"),
                (":scheme", "https"),
                (":authority", "u@localhost"),
                (":path", "/origin"),
            ])],
            answered(400),
        ),
        case(
            "8.3.1",
            "another scheme",
            &[only(&[
                (":method", "GET"),
                (":scheme", "ftp"),
                (":authority", "localhost"),
                (":path", "/origin"),
            ])],
            answered(400),
        ),
        case(
            "8.3.1",
            "the path * of GET",
            &[only(&request("GET", "*"))],
            answered(400),
        ),
        case(
            "8.3.1",
            "a path that does not begin with a slash",
            &[only(&request("GET", "origin"))],
            vec![Response(400), Reset(PROTOCOL_ERROR)],
        ),
        case(
            "8.3.1",
            "a path with a dot segment",
            &[only(&request("GET", "/a/../origin"))],
            answered(400),
        ),
        case(
            "8.3.1",
            "a path with a space",
            &[only(&request("GET", "/a b"))],
            vec![Response(400), Reset(PROTOCOL_ERROR)],
        ),
        case(
            "8.3.1",
            "a path with a fragment",
            &[only(&request("GET", "/origin#a"))],
            ignored(PROTOCOL_ERROR),
        ),
        case(
            "8.5",
            "CONNECT",
            &[only(&[(":method", "CONNECT"), (":authority", "localhost:1")])],
            answered(501),
        ),
        case(
            "8.5",
            "CONNECT with a path",
            &[only(&request("CONNECT", "/"))],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "8.5",
            "CONNECT with :protocol, which the server did not offer",
            &[only(
                &[&[(":protocol", "websocket")], &request("CONNECT", "/")[..]].concat(),
            )],
            reset(PROTOCOL_ERROR),
        ),
        case(
            "10.5.1",
            "one header above the maximum",
            &[
                frame(
                    HEADERS,
                    END_STREAM,
                    1,
                    &fields(&[&request("GET", "/origin")[..], &[("x", many.as_str())]].concat())[..16_000],
                ),
                frame(
                    CONTINUATION,
                    4,
                    1,
                    &fields(&[&request("GET", "/origin")[..], &[("x", many.as_str())]].concat())[16_000..],
                ),
            ],
            answered(431),
        ),
        case("10.5.1", "headers of 45,000 bytes", &[sections(3)], answered(431)),
        case(
            "10.5.1",
            "more than 100 headers",
            &[with(&[("x", "1"); 101])],
            answered(431),
        ),
        case(
            "10.3",
            "an unknown expectation",
            &[with(&[("expect", "200-ok")])],
            answered(417),
        ),
        case(
            "10.3",
            "a repeated authorization",
            &[with(&[("authorization", "a"), ("authorization", "b")])],
            answered(400),
        ),
    ]
}
