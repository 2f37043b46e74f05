//! Tests of WebSockets, with a server in its own process.
//!
//! tidy: long because all tests use the routes of one server
#![cfg(feature = "sockets")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpStream;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use crate::process::Server;
use kit_runtime::shape::Shape;
use kit_runtime::{
    Application, Contract, Cors, Error, Request, RequestLog, Response, Routes, Segment, Socket,
    SocketOptions, StatusCode,
};

#[derive(serde::Deserialize, serde::Serialize)]
struct Text(String);

impl Contract for Text {
    const NAME: &'static str = "Text";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::TEXT.max_length(2000);
        &SHAPE
    }
}

#[derive(serde::Deserialize, serde::Serialize)]
struct Count(usize);

impl Contract for Count {
    const NAME: &'static str = "Count";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::NUMBER;
        &SHAPE
    }
}

/// Number of messages that a handler has sent or that were left when its client left.
static COUNT: AtomicUsize = AtomicUsize::new(0);

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

async fn handle(socket: Socket<Text, Text>, path: String) -> Result<(), Error> {
    match path.as_str() {
        "/echo" | "/quick" => {
            while let Some(Text(text)) = socket.recv().await {
                match text.as_str() {
                    "leave" => return Ok(()),
                    "fail" => return Err(Error::internal("a failure")),
                    "panic" => panic!("a panic"),
                    "close" => socket.close(4001, "closed by the handler"),
                    _ => socket.send(&Text(text)).await?,
                }
            }
            COUNT.fetch_add(1, Ordering::Relaxed);
        }
        "/flood" => loop {
            socket.send(&Text("x".repeat(1000))).await?;
            COUNT.fetch_add(1, Ordering::Relaxed);
        },
        "/unwritten" => return Err(Error::not_implemented("WS /unwritten", "src/handlers/chats.rs")),
        _ => std::future::pending().await,
    }
    Ok(())
}

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let options = SocketOptions {
        message_bytes: Some(3000),
        compression: true,
        ping_after: Duration::from_secs(30),
    };
    let mut routes = Routes::new(App)
        .cors(Cors::origins(&["https://*.example.com"]))
        .request_log(RequestLog::new());
    for (reference, segments) in [
        ("WS /echo", &[Segment::Static("echo")] as &'static [Segment]),
        ("WS /quick", &[Segment::Static("quick")]),
        ("WS /flood", &[Segment::Static("flood")]),
        ("WS /idle", &[Segment::Static("idle")]),
        ("WS /unwritten", &[Segment::Static("unwritten")]),
        ("WS /status", &[Segment::Static("status")]),
        ("GET /plain", &[Segment::Static("plain")]),
    ] {
        routes = routes.route(reference, segments, move |_: App, request: Request| async move {
            let context = request.into_context()?;
            let path = context.path().to_owned();
            if path == "/status" {
                context.set_status(StatusCode::CREATED);
            }
            let options = if path == "/quick" {
                SocketOptions {
                    ping_after: Duration::from_millis(50),
                    ..options
                }
            } else {
                options
            };
            Response::socket(&context, options, |socket| handle(socket, path))
        });
    }
    let router = routes
        .route(
            "GET /count",
            &[Segment::Static("count")],
            |_: App, request: Request| async move {
                let context = request.into_context()?;
                Response::json(&context, StatusCode::OK, &Count(COUNT.load(Ordering::Relaxed)))
            },
        )
        .into_router();
    kit_runtime::run(async { kit_runtime::serve(router).await });
}

fn handshake(path: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nhost: a\r\nconnection: Upgrade\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

fn connect(server: &Server) -> TcpStream {
    let stream = TcpStream::connect(&server.address).unwrap();
    stream.set_nodelay(true).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    stream
}

/// Sends a handshake and returns the connection after the head of the response.
fn open(server: &Server, path: &str) -> TcpStream {
    let mut stream = connect(server);
    stream.write_all(handshake(path).as_bytes()).unwrap();
    let head = read_head(&mut stream);
    assert!(head.starts_with("HTTP/1.1 101 Switching Protocols\r\n"), "{head}");
    assert!(
        head.contains("\r\nsec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nx-content-type-options: nosniff\r\n"), "{head}");
    stream
}

fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// Returns a frame of a client, with a mask of zeros.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first];
    if let Ok(length @ ..126) = u8::try_from(payload.len()) {
        frame.push(0x80 | length);
    } else {
        frame.push(0xff);
        frame.extend((payload.len() as u64).to_be_bytes());
    }
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// Reads the next frame of the server: its first byte and its payload.
fn next(stream: &mut TcpStream) -> (u8, Vec<u8>) {
    let mut head = [0; 2];
    stream.read_exact(&mut head).unwrap();
    let mut length = usize::from(head[1]);
    if length == 126 {
        let mut bytes = [0; 2];
        stream.read_exact(&mut bytes).unwrap();
        length = usize::from(u16::from_be_bytes(bytes));
    }
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload).unwrap();
    (head[0], payload)
}

/// Asserts that the server sends a close frame with a code and a reason, and ends the connection after that of the client.
fn expect_close(stream: &mut TcpStream, code: u16, reason: &str) {
    let (first, payload) = next(stream);
    assert_eq!(first, 0x88, "{payload:?}");
    assert_eq!(u16::from_be_bytes([payload[0], payload[1]]), code);
    assert_eq!(std::str::from_utf8(&payload[2..]).unwrap(), reason);
    // The server may have ended the connection already.
    let _ = stream.write_all(&frame(0x88, &code.to_be_bytes()));
    assert!(matches!(stream.read(&mut [0]), Ok(0)), "the connection has ended");
}

fn count(server: &Server) -> usize {
    server
        .get("/count", "")
        .rsplit_once("\r\n\r\n")
        .unwrap()
        .1
        .parse()
        .unwrap()
}

#[test]
fn moves_typed_messages_in_both_directions() {
    let server = Server::start(module_path!(), &[]);
    let mut client = open(&server, "/echo");
    client
        .write_all(
            &[
                frame(0x81, b"\"one\""),
                frame(0x89, b"p"),
                frame(0x01, b"\"tw"),
                frame(0x80, b"o\""),
            ]
            .concat(),
        )
        .unwrap();
    let received = [next(&mut client), next(&mut client), next(&mut client)];
    assert!(received.contains(&(0x8a, b"p".to_vec())), "{received:?}");
    let texts: Vec<_> = received
        .iter()
        .filter(|(first, _)| *first == 0x81)
        .map(|(_, text)| text.as_slice())
        .collect();
    assert_eq!(texts, [&b"\"one\""[..], b"\"two\""]);
    client.write_all(&frame(0x88, b"\x0f\xa1bye")).unwrap();
    assert_eq!(next(&mut client), (0x88, b"\x0f\xa1".to_vec()));
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
    // The handler continues after the last message.
    while count(&server) == 0 {}
    let log = server.stop();
    assert!(!log.contains("error"), "{log}");
}

#[test]
fn closes_if_a_message_is_invalid() {
    let server = Server::start(module_path!(), &[]);
    let long = format!("\"{}\"", "x".repeat(2001));
    let cases: [(&[u8], u16, &str); 6] = [
        (&frame(0x81, b"{"), 1007, "$: expected JSON"),
        (&frame(0x82, b"\"a\""), 1003, "$: expected JSON in a text message"),
        (
            &frame(0x81, b"1"),
            1008,
            "$: expected string, at most 2000 characters",
        ),
        (
            &frame(0x81, long.as_bytes()),
            1008,
            "$: expected string, at most 2000 characters",
        ),
        (&frame(0x82, &[0; 3001]), 1009, "the message is too large"),
        (b"\x81\x01a", 1002, "a frame of a client must be masked"),
    ];
    for (bytes, code, reason) in cases {
        let mut client = open(&server, "/echo");
        client.write_all(bytes).unwrap();
        expect_close(&mut client, code, reason);
    }
}

#[test]
fn closes_when_the_handler_ends() {
    let server = Server::start(module_path!(), &[("LOG_LEVEL", "error".to_owned())]);
    for (message, code, reason) in [
        ("\"leave\"", 1000, ""),
        ("\"close\"", 4001, "closed by the handler"),
        ("\"fail\"", 1011, "Internal error"),
        ("\"panic\"", 1011, "Internal error"),
    ] {
        let mut client = open(&server, "/echo");
        client
            .write_all(&[frame(0x81, b"\"last\""), frame(0x81, message.as_bytes())].concat())
            .unwrap();
        assert_eq!(next(&mut client), (0x81, b"\"last\"".to_vec()));
        expect_close(&mut client, code, reason);
    }
    let log = server.stop();
    assert!(log.contains("a failure") && log.contains("a panic"), "{log}");
}

#[test]
fn responds_with_an_error_if_the_handshake_is_invalid() {
    let server = Server::start(module_path!(), &[]);
    let handshake = handshake("/echo").replace("connection: Upgrade", "connection: Upgrade, close");
    for (from, to, status, header) in [
        (
            "upgrade: websocket\r\n",
            "",
            426,
            "upgrade: websocket\r\nconnection: upgrade",
        ),
        ("upgrade: websocket", "upgrade: h2c", 426, "upgrade: websocket"),
        ("GET", "HEAD", 426, "upgrade: websocket"),
        (
            "version: 13",
            "version: 8",
            426,
            "sec-websocket-version: 13\r\nupgrade: websocket\r\nconnection: upgrade, close\r\n",
        ),
        ("Q==\r\n", "Q=\r\n", 400, ""),
        ("host: a", "host: a\r\norigin: https://b", 403, ""),
        ("host: a", "host: a\r\norigin: null", 403, ""),
        ("GET", "POST", 405, "allow: GET, HEAD"),
    ] {
        let response = server.send(&handshake.replace(from, to));
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{to}: {response}"
        );
        assert!(response.contains(header), "{to}: {response}");
    }
    let cookie = "host: a\r\norigin: https://app.example.com\r\ncookie: a=b";
    let response = server.send(&handshake.replace("host: a", cookie));
    assert!(response.starts_with("HTTP/1.1 403 "), "{response}");
    for origin in ["http://A", "https://app.example.com"] {
        let mut client = connect(&server);
        let request = handshake.replace("host: a", &format!("host: a\r\norigin: {origin}"));
        client.write_all(request.as_bytes()).unwrap();
        assert!(read_head(&mut client).starts_with("HTTP/1.1 101 "), "{origin}");
    }
}

#[test]
fn responds_with_501_if_the_handler_is_not_written_and_with_500_if_the_route_cannot_open_a_socket() {
    let server = Server::start(module_path!(), &[]);
    for (path, status) in [("/unwritten", 501), ("/status", 500), ("/plain", 500)] {
        let request = handshake(path).replace("connection: Upgrade", "connection: Upgrade, close");
        let response = server.send(&request);
        assert!(
            response.starts_with(&format!("HTTP/1.1 {status} ")),
            "{path}: {response}"
        );
    }
    let log = server.stop();
    assert!(log.contains("`GET /plain` accepts no WebSockets"), "{log}");
    assert!(
        log.contains("`WS /status` accepts a WebSocket, so `set_status` cannot change its status"),
        "{log}"
    );
}

#[test]
fn logs_a_request_when_its_socket_has_ended() {
    let server = Server::start(module_path!(), &[]);
    let mut client = open(&server, "/echo");
    client.write_all(&frame(0x81, "\"é\"".as_bytes())).unwrap();
    assert_eq!(next(&mut client).1, "\"é\"".as_bytes());
    client.write_all(&frame(0x88, &[])).unwrap();
    assert_eq!(client.read(&mut [0; 2]).unwrap(), 2);
    let mut left = open(&server, "/echo");
    left.write_all(&frame(0x81, b"\"leave\"")).unwrap();
    next(&mut left);
    drop(left);
    while count(&server) < 1 {}
    let log = server.stop();
    let entries: Vec<_> = log
        .lines()
        .filter(|line| line.contains("\"status\":101"))
        .collect();
    assert_eq!(entries.len(), 2, "{log}");
    assert!(
        entries
            .iter()
            .any(|line| line.contains("\"bytes\":4") && !line.contains("\"cut\"")),
        "{log}"
    );
    assert!(
        entries
            .iter()
            .any(|line| line.contains("\"bytes\":0") && line.contains("\"cut\":true")),
        "{log}"
    );
}

#[test]
fn compresses_messages_if_client_and_route_agree() {
    let server = Server::start(module_path!(), &[]);
    let mut client = connect(&server);
    let offer = "host: a\r\nsec-websocket-extensions: permessage-deflate; client_max_window_bits";
    client
        .write_all(handshake("/echo").replace("host: a", offer).as_bytes())
        .unwrap();
    assert!(read_head(&mut client).contains("\r\nsec-websocket-extensions: permessage-deflate; "));
    let text = format!("\"{}\"", "x".repeat(2000));
    client.write_all(&frame(0x81, text.as_bytes())).unwrap();
    let (first, payload) = next(&mut client);
    assert_eq!(first, 0xc1);
    assert!(payload.len() < 100, "{}", payload.len());
}

#[test]
fn ends_a_connection_whose_client_has_sent_data_before_the_response() {
    let server = Server::start(module_path!(), &[]);
    for early in [
        &frame(0x81, b"\"a\"")[..],
        b"GET /count HTTP/1.1\r\nhost: a\r\n\r\n",
    ] {
        let mut client = connect(&server);
        client
            .write_all(&[handshake("/echo").as_bytes(), early].concat())
            .unwrap();
        let mut received = Vec::new();
        // The server may reset the connection.
        let _ = client.read_to_end(&mut received);
        let received = String::from_utf8_lossy(&received);
        assert_eq!(received.matches("HTTP/1.1").count(), 1, "{received}");
        assert!(!received.contains("\"a\""), "{received}");
    }
}

#[test]
fn pings_a_silent_client_and_ends_its_connection() {
    let server = Server::start(module_path!(), &[]);
    let mut client = open(&server, "/quick");
    for _ in 0..2 {
        assert_eq!(next(&mut client), (0x89, Vec::new()));
        client.write_all(&frame(0x8a, b"")).unwrap();
    }
    assert_eq!(next(&mut client), (0x89, Vec::new()));
    assert_eq!(client.read(&mut [0]).unwrap(), 0);
}

#[test]
fn waits_for_a_client_that_does_not_read_and_for_a_handler_that_does_not_receive() {
    let server = Server::start(module_path!(), &[]);
    let mut client = open(&server, "/flood");
    let settled = || {
        let mut before = usize::MAX;
        loop {
            let now = count(&server);
            if now == before {
                return now;
            }
            before = now;
            std::thread::sleep(Duration::from_millis(100));
        }
    };
    let sent = settled();
    assert!((60..20_000).contains(&sent), "{sent}");
    // All messages that were sent arrive.
    for _ in 0..sent {
        assert_eq!(next(&mut client).1.len(), 1002);
    }
    drop(client);

    let mut client = open(&server, "/idle");
    client.set_nonblocking(true).unwrap();
    let message = frame(0x81, format!("\"{}\"", "x".repeat(1000)).as_bytes()).repeat(100);
    let (mut written, mut last) = (0, Instant::now());
    while last.elapsed() < Duration::from_millis(500) {
        match client.write(&message) {
            Ok(bytes) => (written, last) = (written + bytes, Instant::now()),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(error) => panic!("{error}"),
        }
        assert!(written < 64 * 1024 * 1024, "the server reads everything");
    }
}

#[test]
fn closes_sockets_with_1001_when_the_server_shuts_down() {
    let server = Server::start(module_path!(), &[]);
    let mut client = open(&server, "/echo");
    let mut idle = open(&server, "/idle");
    let id = server.child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    for client in [&mut client, &mut idle] {
        expect_close(client, 1001, "The server is closing");
    }
    let mut server = server;
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn counts_sockets_as_connections() {
    let server = Server::start(module_path!(), &[("MAX_CONNECTIONS", "1".to_owned())]);
    let client = open(&server, "/echo");
    let mut waiting = connect(&server);
    waiting.write_all(handshake("/echo").as_bytes()).unwrap();
    waiting
        .set_read_timeout(Some(Duration::from_millis(300)))
        .unwrap();
    assert!(waiting.read(&mut [0]).is_err(), "the connection waits");
    drop(client);
    waiting.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    assert!(read_head(&mut waiting).starts_with("HTTP/1.1 101 "));
}
