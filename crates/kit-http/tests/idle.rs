//! Measures the memory of an idle connection. The operating system reports the memory of a whole process, so this test
//! is a program of its own.
//!
//! A connection that waits for its next request must not keep the memory of a request in progress: ten thousand open
//! clients are common, and buffers of 8 KiB or more for each would exhaust the memory of a server.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods)] // the memory is read from /proc

use std::cell::RefCell;
use std::io::{Read, Write};
use std::net::TcpStream;

use kit_http::{Config, Engine, Handler, Request, RequestId, Response};

const CONNECTIONS: usize = 4000;
/// Maximum number of bytes per idle connection. The limit for a complete server is 5 KiB, so the engine must stay far
/// below.
const MOST_BYTES: usize = 2048;

#[derive(Default)]
struct Answer(RefCell<Vec<RequestId>>);

impl Handler for &Answer {
    fn request(&mut self, id: RequestId, _: &Request) {
        self.0.borrow_mut().push(id);
    }
    fn aborted(&mut self, _: RequestId) {}
}

fn turn(engine: &Engine, answer: &Answer) {
    engine.poll().expect("polls");
    while engine.has_work() {
        engine.drive(&mut &*answer);
        for id in answer.0.borrow_mut().drain(..) {
            let response = Response::json(200, "{}".into()).expect("a valid answer");
            engine.respond(id, response).expect("an open request");
        }
    }
}

fn exchange(engine: &Engine, answer: &Answer, stream: &mut TcpStream, bytes: &[u8]) {
    stream.write_all(bytes).expect("writes");
    turn(engine, answer);
    let mut buffer = [0; 512];
    let count = stream.read(&mut buffer).expect("an answer");
    assert!(buffer[..count].starts_with(b"HTTP/1.1 200 OK\r\n"));
}

/// Returns the resident memory of this process in bytes, rounded to pages.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    let pages: usize = text
        .split(' ')
        .nth(1)
        .and_then(|pages| pages.parse().ok())
        .expect("numbers");
    pages * 4096
}

#[test]
fn keeps_little_memory_for_an_idle_connection() {
    let engine = Engine::bind(Config {
        host: Some("127.0.0.1".into()),
        ..Config::default()
    })
    .expect("binds");
    let address = engine.local_addr().expect("a TCP address");
    let answer = Answer::default();
    let mut clients = Vec::with_capacity(CONNECTIONS);
    let mut connect = |count: usize| {
        for index in 0..count {
            let mut stream = TcpStream::connect(address).expect("connects");
            // Each client sends a head as browsers do, and every other client a body of 4000 bytes.
            let body = "x".repeat(4000 * (index % 2));
            let head = format!(
                "POST /notes?a=b HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\nCookie: {}\r\nContent-Length: {}\r\n\r\n",
                "c".repeat(600),
                body.len()
            );
            exchange(&engine, &answer, &mut stream, (head + &body).as_bytes());
            clients.push(stream);
        }
    };
    // The first connections allocate memory that later ones reuse.
    connect(200);
    let before = resident();
    connect(CONNECTIONS - 200);
    let each = resident().saturating_sub(before) / (CONNECTIONS - 200);
    println!("{each} bytes for an idle connection");
    assert_eq!(engine.connection_count(), CONNECTIONS);
    assert!(each < MOST_BYTES, "{each} bytes for an idle connection");
    // All connections still serve requests.
    for client in &mut clients {
        exchange(
            &engine,
            &answer,
            client,
            b"GET /again HTTP/1.1\r\nHost: localhost\r\n\r\n",
        );
    }
    let after = resident().saturating_sub(before) / (CONNECTIONS - 200);
    assert!(after < MOST_BYTES, "{after} bytes after another request");
    drop(clients);
    // The poller reports at most a thousand events in one turn.
    for _ in 0..10 {
        turn(&engine, &answer);
    }
    assert_eq!(engine.connection_count(), 0);
}
