//! Tests that a client receives the same bytes with the fast path and with hyper, wherever its requests are split.

use std::fmt::Write as _;

use kit_http::{Config, Limits};

use crate::case;
use crate::peer::{Peer, Server};

/// Bytes before a request that prevent the fast path: an empty line, which the engine ignores.
const FOR_HYPER: &[u8] = b"\r\n";
/// Request that follows a body.
const NEXT: &str = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

/// Bodies in chunks after their heads. The limit of the server is 20 bytes.
const CHUNKS: [&str; 50] = [
    "0\r\n\r\n",
    "5\r\nhello\r\n0\r\n\r\n",
    "A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
    "1\r\na\r\n1\r\nb\r\n1\r\nc\r\n01\r\nd\r\n001\r\ne\r\n000\r\n\r\n",
    "0000000000005\r\nhello\r\n0\r\n\r\n",
    "00000000000005\r\nhello\r\n0\r\n\r\n",
    "000000000000000000005\r\nhello\r\n0\r\n\r\n",
    "7\r\n0\r\n\r\nab\r\n0\r\n\r\n",
    "2\r\n\r\n\r\n0\r\n\r\n",
    "14\r\n01234567890123456789\r\n0\r\n\r\n",
    "15\r\n012345678901234567890\r\n0\r\n\r\n",
    "14\r\n01234567890123456789\r\n1\r\na\r\n0\r\n\r\n",
    "fff\r\nabc",
    "5;a\r\nhello\r\n0\r\n\r\n",
    "5 ; a = \"x\\\"y\"\r\nhello\r\n0;b=c\r\n\r\n",
    "5\r\nhello\r\n0\r\nt: v\r\nu:\r\n\r\n",
    "5;\r\nhello\r\n0\r\n\r\n",
    "5;a=\u{1}\r\nhello\r\n0\r\n\r\n",
    "5;aaaaaaaaaaaaaaaaaaaaaa\nhello\r\n0\r\n\r\n",
    "\r\n",
    "\n",
    "x\r\nhello\r\n",
    "g\r\nhello\r\n",
    "-5\r\nhello\r\n0\r\n\r\n",
    "+5\r\nhello\r\n0\r\n\r\n",
    "0x5\r\nhello\r\n0\r\n\r\n",
    "5h\r\nhello\r\n0\r\n\r\n",
    "5_0\r\nhello\r\n0\r\n\r\n",
    " 5\r\nhello\r\n0\r\n\r\n",
    "5 \r\nhello\r\n0\r\n\r\n",
    "5\t\r\nhello\r\n0\r\n\r\n",
    "5\nhello\r\n0\r\n\r\n",
    "5\rhello\r\n0\r\n\r\n",
    "5\r\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\n0\r\n\r\n",
    "5\r\nhello\r0\r\n\r\n",
    "5\r\nhello0\r\n\r\n",
    "4\r\nhello\r\n0\r\n\r\n",
    "6\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n0\r\n\n",
    "5\r\nhello\r\n0\n\r\n",
    "5\r\nhello\r\n0\r\n\r\r\n",
    "5\r\nhello\r\n0\r\n",
    "5\r\nhello\r\n\r\n",
    "0\r\n\r\n\r\n",
    "fffffffffffff\r\nhello\r\n",
    "ffffffffffffffff\r\nhello\r\n0\r\n\r\n",
    "10000000000000005\r\nhello\r\n0\r\n\r\n",
    "5\r\nhello\r\n0\r\nbad trailer\r\n\r\n",
    "5\r\nhello\r\n0\r\n t: v\r\n\r\n",
];

/// Header fields of a request with a body.
const FIELDS: [&str; 7] = [
    "",
    "Content-Type: application/json\r\n",
    "content-type: text/plain\r\nX-A: 1\r\nx-a: 2\r\n",
    "Connection: keep-alive\r\n",
    "Connection: close\r\n",
    "Expect: 100-continue\r\n",
    "Content-Encoding: gzip\r\n",
];

fn server() -> Server {
    Server::start(Config {
        limits: Limits {
            body_bytes: 20,
            ..Limits::default()
        },
        ..Config::default()
    })
}

/// Sends the parts of a stream, then closes the sending side if `is_closed` is true. Returns what the client receives, and true if
/// the connection has ended.
fn send(server: &Server, parts: &[&[u8]], is_closed: bool) -> (String, bool) {
    let mut peer = Peer::connect(server);
    for part in parts {
        peer.send(server, part);
    }
    if is_closed {
        peer.stop_sending(server);
    }
    peer.all()
}

fn for_hyper(bytes: &[u8]) -> Vec<u8> {
    [FOR_HYPER, bytes].concat()
}

/// Compares both ways for a stream in one part, split at up to `most_cuts` positions, and byte by byte.
fn compare(server: &Server, bytes: &[u8], most_cuts: usize) {
    let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned();
    let step = bytes.len().div_ceil(most_cuts);
    let expected = send(server, &[&for_hyper(bytes)], false);
    let seen = send(server, &[bytes], false);
    assert!(seen == expected, "{shown:?}: {seen:.900?}, not {expected:.900?}");
    for cut in (1..bytes.len()).step_by(step) {
        let seen = send(server, &[&bytes[..cut], &bytes[cut..]], false);
        assert!(
            seen == expected,
            "{shown:?}, cut at {cut}: {seen:.900?}, not {expected:.900?}"
        );
        let begun = for_hyper(&bytes[..cut]);
        let seen = send(server, &[&begun, &bytes[cut..]], false);
        assert!(
            seen == expected,
            "{shown:?}, cut at {cut} for hyper: {seen:.900?}"
        );
    }
    let parts: Vec<&[u8]> = bytes.chunks(1).collect();
    let seen = send(server, &parts, false);
    assert!(seen == expected, "{shown:?}, byte by byte: {seen:.900?}");
    // The client stops sending before the end.
    for cut in (1..=bytes.len()).step_by(step) {
        let expected = send(server, &[&for_hyper(&bytes[..cut])], true);
        let seen = send(server, &[&bytes[..cut]], true);
        assert!(
            seen == expected,
            "{shown:?}, ends at {cut}: {seen:.900?}, not {expected:.900?}"
        );
    }
}

fn streams() -> Vec<String> {
    let mut streams = Vec::new();
    for body in CHUNKS {
        let head = "POST /echo?a=1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        streams.push(format!("{head}{body}{NEXT}"));
    }
    for fields in FIELDS {
        let chunked = "Transfer-Encoding: Chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
        for rest in [
            chunked,
            "Content-Length: 5\r\n\r\nhello",
            "Content-Length: 21\r\n\r\n012345678901234567890",
        ] {
            for line in ["POST /echo HTTP/1.1", "POST /long HTTP/1.1", "HEAD / HTTP/1.1"] {
                streams.push(format!("{line}\r\nHost: a\r\n{fields}{rest}{NEXT}"));
            }
        }
    }
    for length in [
        "0",
        "20",
        "000020",
        "21",
        "+5",
        "0x5",
        "5 5",
        "",
        "9007199254740992",
        "99999999999999999999",
    ] {
        let head = format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n");
        streams.push(format!("{head}01234567890123456789{NEXT}"));
    }
    let pair = "POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n\
                POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    streams.push(format!("{pair}{NEXT}{pair}"));
    for smuggled in [
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding:\tchunked \r\n\r\n1\r\na\r\n0\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 1\r\n\r\na",
    ] {
        streams.push(format!("POST /echo HTTP/1.1\r\nHost: a\r\n{smuggled}{NEXT}"));
    }
    streams
}

#[test]
fn bodies_get_the_same_bytes_on_the_fast_path_and_from_hyper_wherever_they_are_split() {
    let server = server();
    for stream in streams() {
        compare(&server, stream.as_bytes(), 300);
    }
}

#[test]
fn cases_of_the_corpus_get_the_same_bytes_on_the_fast_path_and_from_hyper() {
    let server = Server::start(Config::default());
    for case in case::all() {
        compare(&server, &case.bytes, 60);
    }
}

#[test]
fn extensions_of_many_chunks_get_the_same_bytes_on_the_fast_path_and_from_hyper() {
    let server = Server::start(Config::default());
    for count in [100, 2000] {
        let chunks = "1;aaaaaaaaaa\r\nb\r\n".repeat(count);
        let stream = format!(
            "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n{chunks}0\r\n\r\n{NEXT}"
        );
        let expected = send(&server, &[&for_hyper(stream.as_bytes())], false);
        // hyper refuses 16 KiB of extensions.
        assert_eq!(expected.0.matches("HTTP/1.1 200 OK").count() == 2, count == 100);
        assert!(send(&server, &[stream.as_bytes()], false) == expected, "{count}");
    }
}

#[test]
fn large_bodies_get_the_same_bytes_on_the_fast_path_and_from_hyper() {
    let server = Server::start(Config::default());
    for length in [1000, 16_000, 64 * 1024, 130_000, 131_072, 140_000, 200_000] {
        let body = "0123456789abcdef\r\n".repeat(length / 18 + 1);
        let body = &body[..length];
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\n";
        let mut chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
        for piece in body.as_bytes().chunks(1 + length / 7) {
            let text = String::from_utf8_lossy(piece);
            write!(chunked, "{:x}\r\n{text}\r\n", piece.len()).expect("a string");
        }
        let counted = format!("{head}Content-Length: {length}\r\n\r\n{body}{NEXT}");
        for stream in [format!("{chunked}0\r\n\r\n{NEXT}"), counted] {
            let bytes = stream.as_bytes();
            let begun = for_hyper(&bytes[..200]);
            let parts: Vec<&[u8]> = bytes[200..].chunks(50_000).collect();
            let expected = send(&server, &[&[&begun[..]], &parts[..]].concat(), false);
            assert_eq!(expected.0.matches("HTTP/1.1 200 OK").count(), 2, "{length}");
            for size in [200, 3000, 50_000] {
                let (first, rest) = bytes.split_at(200);
                let parts: Vec<&[u8]> = std::iter::once(first).chain(rest.chunks(size)).collect();
                assert!(
                    send(&server, &parts, false) == expected,
                    "{length} in parts of {size}"
                );
            }
        }
    }
}
