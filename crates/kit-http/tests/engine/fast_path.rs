//! Tests that requests on the fast path get the same responses as requests through hyper.

use std::io::{Read, Write};
use std::time::Duration;

use kit_http::{Config, DefaultHeaders};

use crate::support::{Command, Server, get};

/// Bytes before a request that prevent the fast path: an empty line, which the engine ignores.
const FOR_HYPER: &[u8] = b"\r\n";

/// Sends requests one after the other, and returns the exact bytes of all responses without their dates. The
/// last request closes the connection.
fn exchange(server: &Server, prefix: &[u8], requests: &[String]) -> String {
    let mut client = server.connect();
    let mut text = Vec::new();
    for request in requests {
        client.send(&[prefix, request.as_bytes()].concat());
        // Wait for each response, because several requests in one read prevent the fast path.
        read_answer(&mut client.stream, &mut text, request.starts_with("HEAD"));
    }
    let text = String::from_utf8(text).expect("text");
    text.lines()
        .map(|line| {
            if line.starts_with("date: ") {
                assert_eq!(line.len(), "date: Sun, 06 Nov 1994 08:49:37 GMT".len());
                "date\n".to_owned()
            } else {
                format!("{line}\n")
            }
        })
        .collect()
}

fn read_answer(stream: &mut impl Read, text: &mut Vec<u8>, to_head: bool) {
    let start = text.len();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let answer = &text[start..];
        if let Some(at) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&answer[..at]);
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("content-length: "))
                .map_or(0, |length| length.parse().expect("a length"));
            if to_head || answer.len() >= at + 4 + length {
                return;
            }
        }
        match stream.read(&mut buffer).expect("an answer") {
            0 => panic!("cut off: {}", String::from_utf8_lossy(&text[start..])),
            count => text.extend_from_slice(&buffer[..count]),
        }
    }
}

fn requests() -> Vec<String> {
    let fields =
        "Host: a\r\nX-A:  1 \r\ncookie: a=1\r\nX-a: 2\r\nCookie: b=2\r\nConnection: keep-alive\r\nX-B:\r\n";
    let get = |path: &str| format!("GET {path} HTTP/1.1\r\n{fields}\r\n");
    let post = |path: &str, body: &str| {
        let length = body.len();
        format!("POST {path} HTTP/1.1\r\n{fields}Content-Length: {length}\r\n\r\n{body}")
    };
    vec![
        get("/describe?a=1&b=%20"),
        get("/a//b?"),
        get("/empty"),
        get("/reset"),
        get("/unchanged"),
        get("/fields"),
        get("/dated"),
        get("/medium"),
        post("/echo", "hello"),
        post("/echo", ""),
        post("/describe", "hello"),
        post("/empty", "hello"),
        post("/teapot", "hello"),
        // hyper writes the responses to these requests, although the fast path has read them.
        post("/dated", "hello"),
        post("/large", "hello"),
        get("/large"),
        get("/later"),
        get("/describe").replace("GET", "HEAD"),
        get("/empty").replace("GET", "HEAD"),
        get("/unchanged").replace("GET", "HEAD"),
        get("/describe").replace("GET", "OPTIONS"),
        get("/describe").replace("GET", "X-OWN"),
        get("/closing"),
    ]
}

#[test]
fn fast_path_writes_the_same_bytes_as_hyper() {
    assert_same_bytes(&Server::start());
}

#[test]
fn fast_path_writes_the_same_default_headers_as_hyper_and_none_that_the_handler_sets() {
    let defaults = [
        ("x-frame-options", "DENY"),
        ("x-a", "default"),
        ("referrer-policy", "no-referrer"),
    ];
    let config = Config {
        default_headers: DefaultHeaders::new(defaults).expect("valid headers"),
        ..Config::default()
    };
    let server = Server::with(&config);
    assert_same_bytes(&server);
    for (path, expected) in [("/empty", "default"), ("/fields", "")] {
        let mut client = server.connect();
        client.send(&get(path));
        let answer = client.answer();
        let names = [
            "x-content-type-options",
            "x-frame-options",
            "x-a",
            "referrer-policy",
        ];
        let values = names.map(|name| answer.header(name));
        let expected = ["nosniff", "DENY", expected, "no-referrer"].map(Some);
        assert_eq!(values, expected, "{path}");
    }
    let mut client = server.connect();
    client.send(b"hello\r\n\r\n");
    let answer = client.answer();
    assert_eq!(answer.status, 400);
    assert_eq!(answer.header("x-frame-options"), Some("DENY"));
}

fn assert_same_bytes(server: &Server) {
    for request in requests() {
        let (short, long) = (
            exchange(server, b"", std::slice::from_ref(&request)),
            exchange(server, FOR_HYPER, std::slice::from_ref(&request)),
        );
        assert!(short == long, "{request}\n{short:.600}\n{long:.600}");
    }
    // Send all requests on one connection, so that it changes between the fast path and hyper.
    let all = requests();
    let (short, long) = (exchange(server, b"", &all), exchange(server, FOR_HYPER, &all));
    assert!(short == long);
}

#[test]
fn fast_path_writes_a_response_that_the_socket_does_not_accept_at_once() {
    const COUNT: usize = 1500;
    let server = Server::start();
    let mut client = server.connect();
    let mut writer = client.stream.try_clone().expect("a descriptor");
    // This is more data than the buffers of both sides can contain. Meanwhile, the client does not read.
    let sending = std::thread::spawn(move || {
        for _ in 0..COUNT {
            writer
                .write_all(b"GET /medium HTTP/1.1\r\nhost: a\r\n\r\n")
                .expect("writes");
            std::thread::sleep(Duration::from_micros(20));
        }
    });
    std::thread::sleep(Duration::from_millis(200));
    for _ in 0..COUNT {
        let answer = client.answer();
        assert_eq!((answer.status, answer.body.len()), (200, 12_000));
    }
    sending.join().expect("everything is sent");
    assert_eq!(server.join().requests, COUNT as u64);
}

#[test]
fn fast_path_completes_a_request_during_a_shutdown_and_announces_the_close() {
    for path in ["/later", "/later-large"] {
        let server = Server::start();
        let mut client = server.connect();
        client.send(format!("GET {path} HTTP/1.1\r\nhost: a\r\n\r\n").as_bytes());
        server.await_requests(1);
        server.send(Command::Close(Duration::from_secs(5)));
        let answer = client.answer();
        assert_eq!(answer.status, 200);
        if path == "/later" {
            assert_eq!(answer.header("connection"), Some("close"));
        }
        assert!(client.is_at_end());
        // This returns long before the grace period ends.
        server.wait();
    }
}
