//! Tests that a shutdown loses no request that the operating system has received, even if the engine has not read
//! it. Engine and clients share one thread, so that the test controls what the engine has seen.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use kit_http::{Config, Engine, Handler, Request, RequestId, Response};

struct Answer<'a>(&'a Engine, usize);

impl Handler for Answer<'_> {
    fn request(&mut self, id: RequestId, _: &Request) {
        self.1 += 1;
        let response = Response::json(200, "{}".into()).expect("a valid answer");
        self.0.respond(id, response).expect("an open request");
    }
    fn aborted(&mut self, _: RequestId) {}
}

fn bind() -> Engine {
    let config = Config {
        host: Some("127.0.0.1".into()),
        ..Config::default()
    };
    Engine::bind(config).expect("binds")
}

fn connect(engine: &Engine) -> TcpStream {
    let stream = TcpStream::connect(engine.local_addr().expect("a TCP address")).expect("connects");
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .expect("an option");
    stream
}

/// Runs one turn of the event loop. Returns the number of requests that the handler received.
fn turn(engine: &Engine) -> usize {
    engine.poll().expect("polls");
    let mut answer = Answer(engine, 0);
    while engine.has_work() {
        engine.drive(&mut answer);
    }
    answer.1
}

fn rest(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("a proper end");
    text
}

fn assert_answered_and_closed(stream: TcpStream) {
    let text = rest(stream);
    assert!(text.starts_with("HTTP/1.1 200 OK\r\n"), "{text:?}");
    assert!(text.contains("connection: close\r\n"), "{text:?}");
}

const REQUEST: &[u8] = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";

#[test]
fn shutdown_responds_to_requests_that_the_engine_has_not_read_yet() {
    let engine = bind();
    let mut used = connect(&engine);
    let mut fresh = connect(&engine);
    turn(&engine);
    used.write_all(REQUEST).expect("writes");
    assert_eq!(turn(&engine), 1);
    let mut buffer = [0; 512];
    let count = used.read(&mut buffer).expect("an answer");
    assert!(buffer[..count].starts_with(b"HTTP/1.1 200"));

    used.write_all(REQUEST).expect("writes");
    fresh.write_all(REQUEST).expect("writes");
    let mut unaccepted = connect(&engine);
    unaccepted.write_all(REQUEST).expect("writes");
    let silent = connect(&engine);
    engine.close(Duration::from_secs(5));
    assert_eq!(turn(&engine), 3);
    assert!(engine.is_closed());
    for stream in [used, fresh, unaccepted] {
        assert_answered_and_closed(stream);
    }
    assert_eq!(rest(silent), "");
}

/// A handler that stores the ids of requests, to respond later.
struct Keep(Vec<RequestId>);

impl Handler for Keep {
    fn request(&mut self, id: RequestId, _: &Request) {
        self.0.push(id);
    }
    fn aborted(&mut self, _: RequestId) {}
}

#[test]
fn shutdown_announces_the_close_in_the_last_response_with_and_without_hyper() {
    // A response with the second length is too long for the fast path.
    for length in [2, 100_000] {
        let engine = bind();
        let mut stream = connect(&engine);
        stream.write_all(REQUEST).expect("writes");
        let mut keep = Keep(Vec::new());
        while keep.0.is_empty() {
            engine.poll().expect("polls");
            engine.drive(&mut keep);
        }
        engine.close(Duration::from_secs(5));
        turn(&engine);
        let response = Response::json(200, "x".repeat(length).into()).expect("a valid answer");
        engine.respond(keep.0[0], response).expect("an open request");
        let reader = std::thread::spawn(move || assert_answered_and_closed(stream));
        while !engine.is_closed() {
            turn(&engine);
        }
        reader
            .join()
            .unwrap_or_else(|_| panic!("an answer of {length} bytes"));
    }
}

#[test]
fn shutdown_completes_requests_whose_heads_or_bodies_have_begun_to_arrive() {
    let chunked = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n";
    for (begun, rest) in [
        ("GET / HT", "TP/1.1\r\nHost: a\r\n\r\n"),
        ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nab", "cd"),
        (chunked, "2\r\ncd\r\n0\r\n\r\n"),
        // hyper takes these bodies over from the fast path.
        (chunked, "2;a\r\ncd\r\n0\r\n\r\n"),
        (chunked, "2\r\ncd\r\n0\r\nt: v\r\n\r\n"),
    ] {
        let engine = bind();
        let mut stream = connect(&engine);
        stream.write_all(begun.as_bytes()).expect("writes");
        assert_eq!(turn(&engine), 0);
        engine.close(Duration::from_secs(5));
        assert_eq!(turn(&engine), 0);
        assert_eq!(engine.connection_count(), 1, "{begun:?}");
        stream.write_all(rest.as_bytes()).expect("writes");
        assert_eq!(turn(&engine), 1, "{rest:?}");
        assert!(engine.is_closed(), "{rest:?}");
        assert_answered_and_closed(stream);
    }
}

#[test]
fn shutdown_responds_to_pipelined_requests_until_the_connection_closes() {
    let engine = bind();
    let mut stream = connect(&engine);
    turn(&engine);
    stream.write_all(&REQUEST.repeat(3)).expect("writes");
    engine.close(Duration::from_secs(5));
    let seen = turn(&engine);
    assert!(engine.is_closed());
    // Each request that the handler received has a response, and the last response announces that the connection
    // closes.
    let text = rest(stream);
    assert_eq!(text.matches("HTTP/1.1 200 OK\r\n").count(), seen);
    assert_eq!(text.matches("connection: close\r\n").count(), 1);
    assert!(text.rfind("HTTP/1.1") < text.find("connection: close"));
}
