//! Tests of connections that become WebSockets.

use std::io::{ErrorKind, Write as _};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use kit_http::{
    Config, RequestId, Response, ResponseError, SocketMessage, SocketOptions, Timeouts, WriteResult,
};

use crate::same_thread::{Client, Server};

const HANDSHAKE: &str = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n\
    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
    Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n";
const END_OF_HEAD: &str = "\r\n\r\n";

fn options() -> SocketOptions {
    SocketOptions::new(100_000, Duration::from_mins(1))
}

/// Returns a frame of a client, with a mask. `first` contains the opcode and flags.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [0x12, 0x34, 0x56, 0x78];
    let mut frame = vec![first];
    match payload.len() {
        length @ ..126 => frame.push(0x80 | u8::try_from(length).expect("short")),
        length => {
            frame.push(0x80 | 127);
            frame.extend_from_slice(&(length as u64).to_be_bytes());
        }
    }
    frame.extend_from_slice(&mask);
    frame.extend(
        payload
            .iter()
            .enumerate()
            .map(|(index, byte)| byte ^ mask[index % 4]),
    );
    frame
}

fn text(payload: &str) -> Vec<u8> {
    frame(0x81, payload.as_bytes())
}

fn close(code: u16) -> Vec<u8> {
    frame(0x88, &code.to_be_bytes())
}

/// Opens a WebSocket and discards the head of the response.
fn open(server: &mut Server, options: &SocketOptions) -> (Client, RequestId) {
    let mut client = server.connect();
    client.send(HANDSHAKE);
    let id = server.request();
    assert_eq!(server.engine.accept_socket(id, options), Ok(true));
    client.expect(server, END_OF_HEAD);
    (client, id)
}

fn write(client: &mut Client, bytes: &[u8]) {
    client.stream.write_all(bytes).expect("writes");
}

fn expect_bytes(client: &mut Client, server: &mut Server, bytes: &[u8]) {
    server.until(|_| {
        client.take();
        client.received.len() >= bytes.len()
    });
    assert_eq!(client.received, bytes);
    client.received.clear();
}

fn send(server: &Server, id: RequestId, text: &str) -> WriteResult {
    server
        .engine
        .send_to_socket(id, &SocketMessage::Text(text.into()))
}

#[test]
fn responds_to_a_handshake_with_its_headers() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.send(HANDSHAKE);
    let id = server.request();
    let mut options = options();
    options.compression = true;
    options.set_protocol("chat.v1").expect("valid");
    options.add_header("set-cookie", b"a=1").expect("valid");
    for name in [
        "upgrade",
        "connection",
        "sec-websocket-accept",
        "content-length",
        "proxy-connection",
    ] {
        let refused = Err(ResponseError::Reserved(name.to_owned()));
        assert_eq!(options.add_header(name, b"x"), refused);
    }
    assert_eq!(server.engine.accept_socket(id, &options), Ok(true));
    let head = client.expect(&mut server, END_OF_HEAD);
    assert_eq!(
        head,
        "HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\n\
         sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\
         sec-websocket-extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n\
         sec-websocket-protocol: chat.v1\r\nset-cookie: a=1\r\nx-content-type-options: nosniff\r\n\r\n"
    );
    assert_eq!(server.engine.connection_count(), 1);
    assert_eq!(server.engine.pending_count(), 0);
}

#[test]
fn moves_messages_in_both_directions() {
    let mut server = Server::start();
    let (mut client, id) = open(&mut server, &options());
    let mut bytes = [text("one"), text(""), frame(0x82, b"two")].concat();
    bytes.extend([frame(0x01, b"thr"), frame(0x89, b"p"), frame(0x80, b"ee")].concat());
    write(&mut client, &bytes);
    server.until(|server| server.log.messages.len() == 4);
    assert_eq!(server.log.messages, ["one", "", "binary:two", "three"]);
    expect_bytes(&mut client, &mut server, b"\x8a\x01p");
    assert_eq!(send(&server, id, "a"), WriteResult::Ready);
    let binary = SocketMessage::Binary(b"b".into());
    assert_eq!(server.engine.send_to_socket(id, &binary), WriteResult::Ready);
    expect_bytes(&mut client, &mut server, b"\x81\x01a\x82\x01b");
}

#[test]
fn assembles_messages_from_any_parts() {
    let mut server = Server::start();
    let (mut client, _) = open(&mut server, &options());
    let large = "é".repeat(40_000);
    let bytes = [text("one"), text(&large), text("two")].concat();
    for part in bytes.chunks(9973).chain(text("end").chunks(1)) {
        write(&mut client, part);
        server.turn();
    }
    server.until(|server| server.log.messages.len() == 4);
    assert_eq!(server.log.messages, ["one", &large, "two", "end"]);
}

#[test]
fn accepts_a_handshake_after_other_requests_and_in_parts() {
    let mut server = Server::start();
    let mut client = server.connect();
    // The first request takes the fast path, the second one is read by hyper.
    for request in [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n",
    ] {
        client.send(request);
        let id = server.request();
        let response = Response::json(200, "{}".into()).expect("valid");
        server.engine.respond(id, response).expect("open");
        client.expect(&mut server, "{}");
    }
    let (start, end) = HANDSHAKE.split_at(50);
    client.send(start);
    server.turn();
    client.send(end);
    let id = server.request();
    assert_eq!(server.engine.accept_socket(id, &options()), Ok(true));
    client.expect(&mut server, END_OF_HEAD);
    write(&mut client, &text("hi"));
    server.until(|server| server.log.messages == ["hi"]);
}

#[test]
fn refuses_clients_that_send_data_before_the_response_to_their_handshake() {
    for early in [&text("hi")[..], b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"G"] {
        let mut server = Server::start();
        let mut client = server.connect();
        write(&mut client, &[HANDSHAKE.as_bytes(), early].concat());
        let id = server.request();
        assert_eq!(server.engine.accept_socket(id, &options()), Ok(false));
        let response = server.rest(&mut client);
        assert!(response.starts_with("HTTP/1.1 400 "), "{response}");
        assert!(response.contains("before the end of the handshake"), "{response}");
        assert_eq!(response.matches("HTTP/1.1").count(), 1, "{response}");
        assert!(server.log.messages.is_empty() && server.log.closed.is_empty());
    }
}

#[test]
fn does_not_accept_requests_that_do_not_ask_for_a_socket() {
    for (from, to) in [
        ("GET", "HEAD"),
        ("Upgrade: WebSocket\r\n", ""),
        ("Upgrade: WebSocket", "Upgrade: h2c"),
        ("keep-alive, Upgrade", "keep-alive"),
        ("Host: a\r\n", "Host: a\r\nContent-Length: 2\r\n"),
        ("HTTP/1.1", "HTTP/1.0"),
    ] {
        let mut server = Server::start();
        let mut client = server.connect();
        client.send(&HANDSHAKE.replace(from, to));
        if to.contains("Length") {
            client.send("{}");
        }
        let id = server.request();
        let refused = Err(ResponseError::NoHandshake);
        assert_eq!(server.engine.accept_socket(id, &options()), refused, "{to}");
        let response = Response::json(426, "{}".into()).expect("valid");
        server.engine.respond(id, response).expect("open");
        client.expect(&mut server, END_OF_HEAD.trim_end_matches("\r\n\r\n"));
    }
}

#[test]
fn compresses_messages_if_the_handshake_agreed_on_compression() {
    let mut server = Server::start();
    let mut options = options();
    options.compression = true;
    let (mut client, id) = open(&mut server, &options);
    // "Hello", as in RFC 7692, section 7.2.3.1.
    write(
        &mut client,
        &frame(0xc1, &[0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00]),
    );
    server.until(|server| server.log.messages == ["Hello"]);
    send(&server, id, &"a".repeat(10_000));
    server.until(|_| {
        client.take();
        client.received.len() > 2 && client.received.len() == 2 + usize::from(client.received[1])
    });
    assert_eq!(client.received[0], 0xc1);
    client.received.clear();
    // A small message gains nothing.
    send(&server, id, "a");
    expect_bytes(&mut client, &mut server, b"\x81\x01a");
}

#[test]
fn closes_the_socket_with_the_code_for_the_broken_rule_of_the_protocol() {
    let large = frame(0x82, &vec![0; 100_001]);
    let cases: [(&[u8], u16, &str); 4] = [
        (b"\x81\x01a", 1002, "a frame of a client must be masked"),
        (&frame(0xc1, b"a"), 1002, "a reserved bit is set"),
        (&frame(0x81, b"\xff"), 1007, "the text is not valid UTF-8"),
        (&large, 1009, "the message is too large"),
    ];
    for (bytes, code, reason) in cases {
        let mut server = Server::start();
        let (mut client, id) = open(&mut server, &options());
        write(&mut client, bytes);
        let received = server.rest(&mut client);
        let expected = [
            &[0x88, 2 + u8::try_from(reason.len()).expect("short")],
            &code.to_be_bytes()[..],
        ];
        assert_eq!(
            client.received,
            [&expected.concat(), reason.as_bytes()].concat(),
            "{received}"
        );
        assert_eq!(server.log.closed, [(code, reason.to_owned())]);
        assert_eq!(send(&server, id, "a"), WriteResult::Closed);
        drop(client);
        server.until(|server| server.engine.connection_count() == 0);
    }
}

#[test]
fn answers_the_close_frame_of_the_client_and_ends_the_connection() {
    let mut server = Server::start();
    let (mut client, id) = open(&mut server, &options());
    send(&server, id, "last");
    write(&mut client, &frame(0x88, b"\x0f\xa1bye"));
    write(&mut client, &text("ignored"));
    server.rest(&mut client);
    assert_eq!(client.received, b"\x81\x04last\x88\x02\x0f\xa1");
    assert_eq!(server.log.closed, [(4001, "bye".to_owned())]);
    assert!(server.log.messages.is_empty());

    let (mut client, _) = open(&mut server, &options());
    write(&mut client, &frame(0x88, b""));
    server.rest(&mut client);
    assert_eq!(client.received, b"\x88\x00");
    assert_eq!(server.log.closed[1], (1005, String::new()));
}

#[test]
fn sends_all_messages_before_the_close_frame_and_ignores_later_messages() {
    let mut server = Server::start();
    let (mut client, id) = open(&mut server, &options());
    send(&server, id, "last");
    server.engine.pause_socket(id);
    server.engine.close_socket(id, 4000, "done");
    server.engine.close_socket(id, 4001, "again");
    assert_eq!(send(&server, id, "late"), WriteResult::Closed);
    expect_bytes(&mut client, &mut server, b"\x81\x04last\x88\x06\x0f\xa0done");
    write(&mut client, &[text("ignored"), close(4000)].concat());
    server.rest(&mut client);
    assert!(client.received.is_empty());
    assert!(server.log.messages.is_empty());
    assert_eq!(server.log.closed, [(4000, String::new())]);
}

#[test]
fn ends_the_connection_of_a_client_that_does_not_answer_the_close_frame() {
    let mut server = Server::with(Timeouts {
        socket_close: Duration::from_millis(50),
        ..Timeouts::default()
    });
    let (mut client, id) = open(&mut server, &options());
    server.engine.close_socket(id, 1000, "");
    let start = Instant::now();
    server.until(|server| {
        // Further messages do not extend the time.
        client.stream.write_all(&text("more")).ok();
        !server.log.closed.is_empty()
    });
    assert!(start.elapsed() >= Duration::from_millis(50));
    assert_eq!(server.log.closed, [(1006, String::new())]);
    assert_eq!(server.engine.connection_count(), 0);
}

#[test]
fn reports_clients_that_disconnect_and_sockets_that_the_handler_terminates() {
    let mut server = Server::start();
    let (client, _) = open(&mut server, &options());
    drop(client);
    server.until(|server| server.log.closed.len() == 1);
    let (client, _) = open(&mut server, &options());
    client.stream.shutdown(Shutdown::Write).expect("shuts down");
    server.until(|server| server.log.closed.len() == 2);
    let (mut client, id) = open(&mut server, &options());
    server.engine.terminate_socket(id);
    assert_eq!(server.log.closed.len(), 2, "not during the call");
    server.rest(&mut client);
    assert!(client.received.is_empty());
    assert_eq!(server.log.closed, vec![(1006, String::new()); 3]);
    assert_eq!(server.engine.connection_count(), 0);
    // The id no longer exists.
    server.engine.resume_socket(id);
    server.engine.close_socket(id, 1000, "");
    server.turn();
}

#[test]
fn pings_a_silent_client_and_closes_the_connection_if_it_stays_silent() {
    let mut server = Server::start();
    let quick = SocketOptions::new(1000, Duration::from_millis(40));
    let (mut client, _) = open(&mut server, &quick);
    for _ in 0..3 {
        let start = Instant::now();
        expect_bytes(&mut client, &mut server, b"\x89\x00");
        assert!(start.elapsed() >= Duration::from_millis(20));
        write(&mut client, &frame(0x8a, b""));
    }
    expect_bytes(&mut client, &mut server, b"\x89\x00");
    let start = Instant::now();
    server.until(|server| !server.log.closed.is_empty());
    assert!(start.elapsed() >= Duration::from_millis(30));
    assert_eq!(server.log.closed, [(1006, String::new())]);
    assert!(server.rest(&mut client).is_empty());
}

#[test]
fn reads_no_messages_while_the_handler_has_paused_the_socket() {
    let mut server = Server::start();
    let (mut client, id) = open(&mut server, &SocketOptions::new(1000, Duration::from_millis(10)));
    server.engine.pause_socket(id);
    client.stream.set_nonblocking(true).expect("an option");
    let message = text(&"x".repeat(100));
    let bytes = message.repeat(100_000);
    let mut sent = 0;
    let mut last = Instant::now();
    // Fills the buffers of the operating system. Pings would end the connection meanwhile, because nobody reads the pongs.
    while last.elapsed() < Duration::from_millis(100) && sent < bytes.len() {
        match client.stream.write(&bytes[sent..]) {
            Ok(count) => {
                sent += count;
                last = Instant::now();
            }
            Err(error) if error.kind() == ErrorKind::WouldBlock => server.turn(),
            Err(error) => panic!("{error}"),
        }
    }
    server.turn();
    assert!(server.log.messages.is_empty());
    assert!(server.log.closed.is_empty());
    server.engine.resume_socket(id);
    server.until(|server| server.log.messages.len() == sent / message.len());
}

#[test]
fn asks_the_sender_to_wait_while_the_client_does_not_read() {
    let mut server = Server::start();
    let (mut client, id) = open(&mut server, &options());
    let mut sent = 0;
    loop {
        let drained = server.log.drained;
        let start = sent;
        while send(&server, id, &"y".repeat(1000)) == WriteResult::Ready {
            sent += 1;
        }
        sent += 1;
        assert!(sent - start <= 66, "{}", sent - start);
        for _ in 0..10 {
            std::thread::sleep(Duration::from_millis(1));
            server.turn();
        }
        if server.log.drained == drained {
            break;
        }
    }
    // Only the last of many pings gets a pong, so that pings cannot fill the memory.
    write(&mut client, &frame(0x89, b"a").repeat(10_000));
    write(&mut client, &frame(0x89, b"z"));
    write(&mut client, &text("read"));
    server.until(|server| server.log.messages == ["read"]);
    server.until(|_| {
        client.take();
        client.received.ends_with(b"\x8a\x01z")
    });
    let pongs = client.received.len() - sent * 1004;
    assert!(pongs <= 66_000, "{pongs} bytes");
    server.until(|server| server.log.drained > 0);
    assert_eq!(send(&server, id, "a"), WriteResult::Ready);
}

#[test]
fn closes_the_connection_of_a_client_that_does_not_read() {
    let mut server = Server::with(Timeouts {
        write: Duration::from_millis(100),
        ..Timeouts::default()
    });
    let (client, id) = open(&mut server, &options());
    while server.log.closed.is_empty() {
        send(&server, id, &"y".repeat(10_000));
        server.turn();
        if send(&server, id, "") == WriteResult::Wait {
            server.until(|server| server.log.drained > 0 || !server.log.closed.is_empty());
            server.log.drained = 0;
        }
    }
    assert_eq!(server.log.closed, [(1006, String::new())]);
    drop(client);
}

#[test]
fn closes_sockets_with_1001_when_the_server_shuts_down() {
    let mut server = Server::start();
    let (mut polite, _) = open(&mut server, &options());
    let (mut silent, id) = open(&mut server, &options());
    send(&server, id, "last");
    server.engine.close(Duration::from_millis(100));
    let going_away = b"\x88\x17\x03\xe9the server shuts down";
    expect_bytes(&mut polite, &mut server, going_away);
    write(&mut polite, &close(1001));
    server.rest(&mut polite);
    drop(polite);
    assert_eq!(server.log.closed, [(1001, String::new())]);
    expect_bytes(
        &mut silent,
        &mut server,
        &[b"\x81\x04last", &going_away[..]].concat(),
    );
    let start = Instant::now();
    server.until(|server| server.engine.is_closed());
    assert!(start.elapsed() < Duration::from_secs(2), "the grace period ends");
    assert_eq!(server.log.closed[1], (1006, String::new()));
}

#[test]
fn counts_sockets_as_connections() {
    let mut config = Config::default();
    config.limits.connections = 1;
    let mut server = Server::of(config);
    let (client, _) = open(&mut server, &options());
    let mut waiting = server.connect();
    waiting.get();
    for _ in 0..20 {
        server.turn();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(server.log.requests.len(), 1);
    drop(client);
    server.request();
}
