//! Tests of clients that send several requests in a row without waiting for responses.

use std::io::Read as _;
use std::net::Shutdown;
use std::time::Duration;

use kit_http::{SocketOptions, WriteResult};

use crate::same_thread;
use crate::support::{Command, Server, get, post};

/// Bytes before a request that prevent the fast path: an empty line, which the engine ignores.
const FOR_HYPER: &[u8] = b"\r\n";

fn head(path: &str) -> Vec<u8> {
    format!("HEAD {path} HTTP/1.1\r\nHost: a\r\n\r\n").into_bytes()
}

/// Sends all requests at once, and returns the bytes that the client receives until the server closes the connection, without
/// dates.
fn send(server: &Server, parts: &[&[u8]], pause: Duration) -> String {
    let mut client = server.connect();
    for part in parts {
        client.send(part);
        std::thread::sleep(pause);
    }
    let mut bytes = Vec::new();
    client.stream.read_to_end(&mut bytes).expect("an end");
    let text = String::from_utf8(bytes).expect("text");
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !line.starts_with("date: ")).collect()
}

fn requests() -> Vec<Vec<u8>> {
    vec![
        get("/describe?a=1"),
        post("hello"),
        // Without the fast path:
        head("/describe"),
        get("/a"),
        post(""),
        get("/medium"),
        get("/medium"),
        // hyper writes the responses to these requests, although the fast path has read them:
        get("/dated"),
        get("/fields"),
        get("/empty"),
        get("/b"),
        // These handlers respond later:
        get("/later"),
        get("/c"),
        get("/later-large"),
        get("/d"),
        [FOR_HYPER, &get("/e")].concat(),
        get("/f"),
        get("/closing"),
        get("/g"),
    ]
}

#[test]
fn responses_to_requests_in_a_row_are_the_same_as_to_single_requests() {
    let server = Server::start();
    let requests = requests();
    let singles: Vec<&[u8]> = requests.iter().map(Vec::as_slice).collect();
    // Each request waits until the response before was sent, at the latest after 50 ms.
    let expected = send(&server, &singles[..18], Duration::from_millis(60));
    assert_eq!(expected.matches("HTTP/1.1 200 OK").count(), 17, "{expected:.300}");
    let all = requests.concat();
    assert!(send(&server, &[&all], Duration::ZERO) == expected);
    for cut in (1..all.len()).step_by(41) {
        let text = send(&server, &[&all[..cut], &all[cut..]], Duration::from_micros(300));
        assert!(text == expected, "cut at {cut}");
    }
}

#[test]
fn responds_to_requests_in_a_row_after_the_client_has_closed_its_sending_side() {
    let server = Server::start();
    for path in ["/a", "/later"] {
        let mut client = server.connect();
        client.send(&[get("/first"), get(path), get("/last")].concat());
        client.stream.shutdown(Shutdown::Write).expect("open");
        let texts = [(); 3].map(|()| client.answer().text().to_owned());
        assert_eq!(
            (texts[0].as_str(), texts[2].as_str()),
            ("\"/first\"", "\"/last\"")
        );
        assert!(client.is_at_end());
    }
}

#[test]
fn sends_a_rejection_after_responses_that_were_held_back() {
    let server = Server::start();
    let mut client = server.connect();
    let invalid = b"GET /c HTTP/1.1\r\n\r\n".to_vec();
    client.send(&[get("/a"), get("/b"), invalid, get("/d")].concat());
    assert_eq!(client.answer().text(), "\"/a\"");
    assert_eq!(client.answer().text(), "\"/b\"");
    assert_eq!(client.answer().status, 400);
    assert!(client.is_at_end());
    assert_eq!(server.refusal().rejection.status, 400);
    assert_eq!(server.join().requests, 2);
}

#[test]
fn sends_responses_before_it_waits_for_the_rest_of_a_body() {
    let server = Server::start();
    let chunked =
        "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n";
    for last in [post("hello"), chunked.into()] {
        let mut client = server.connect();
        let (begun, rest) = last.split_at(last.len() - 13);
        client.send(&[&get("/a"), &get("/b"), begun].concat());
        assert_eq!(client.answer().text(), "\"/a\"");
        assert_eq!(client.answer().text(), "\"/b\"");
        client.send(&[rest, &get("/c")].concat());
        assert_eq!(client.answer().text(), "hello");
        assert_eq!(client.answer().text(), "\"/c\"");
    }
}

#[test]
fn notifies_the_handler_once_if_a_client_disconnects_after_requests_in_a_row() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&[get("/a"), get("/never"), get("/b")].concat());
    assert_eq!(client.answer().text(), "\"/a\"");
    server.await_requests(2);
    drop(client);
    let aborted = server.aborted.recv_timeout(Duration::from_secs(2));
    assert_eq!(aborted.as_deref(), Ok("/never"));
    assert!(server.aborted.recv_timeout(Duration::from_millis(50)).is_err());
    assert_eq!(server.join().requests, 2);
}

#[test]
fn closes_after_the_request_in_progress_during_a_shutdown() {
    for path in ["/later", "/later-large"] {
        let server = Server::start();
        let mut client = server.connect();
        client.send(&[get("/a"), get(path), get("/b"), get("/c")].concat());
        server.await_requests(2);
        server.send(Command::Close(Duration::from_secs(5)));
        assert_eq!(client.answer().text(), "\"/a\"");
        let last = client.answer();
        assert_eq!(last.status, 200);
        if path == "/later" {
            assert_eq!(last.header("connection"), Some("close"));
        }
        // A reset would show as an error.
        let mut rest = Vec::new();
        client
            .stream
            .read_to_end(&mut rest)
            .expect("an end without a reset");
        assert_eq!(rest, b"");
        drop(client);
        assert_eq!(server.wait().requests, 2);
    }
}

#[test]
fn sends_a_response_before_a_stream_that_follows() {
    let mut server = same_thread::Server::start();
    let mut client = server.connect();
    client.send(&"GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(3));
    let first = server.request();
    let response = kit_http::Response::json(200, "first".into()).expect("a response");
    server.engine.respond(first, response).expect("an open request");
    let stream = server.stream(None);
    assert_eq!(server.engine.write(stream, "one".into()), Ok(WriteResult::Ready));
    let text = client.expect(&mut server, "3\r\none\r\n");
    assert!(text.contains("\r\n\r\nfirstHTTP/1.1 200 OK\r\n"), "{text}");
    server.engine.end(stream).expect("a whole body");
    let last = server.request();
    let response = kit_http::Response::json(200, "last".into()).expect("a response");
    server.engine.respond(last, response).expect("an open request");
    let text = client.expect(&mut server, "last");
    assert!(text.starts_with("0\r\n\r\nHTTP/1.1 200 OK\r\n"), "{text}");
}

#[test]
fn sends_a_response_before_a_web_socket_that_follows() {
    let mut server = same_thread::Server::start();
    let mut client = server.connect();
    client.send(
        "GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    let first = server.request();
    let response = kit_http::Response::json(200, "first".into()).expect("a response");
    server.engine.respond(first, response).expect("an open request");
    let socket = server.request();
    let options = SocketOptions::new(1000, Duration::from_mins(1));
    assert_eq!(server.engine.accept_socket(socket, &options), Ok(true));
    let text = client.expect(&mut server, "\r\n\r\n");
    assert!(text.contains("\r\n\r\nfirstHTTP/1.1 101 "), "{text}");
}
