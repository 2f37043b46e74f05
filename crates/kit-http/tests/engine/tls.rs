//! Tests of connections with TLS.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use kit_http::{
    BodyRule, BodyRules, Config, RequestId, Response, SocketMessage, SocketOptions, Timeouts, UploadFailure,
};
use rustls::HandshakeKind;

use crate::same_thread::Server;
use crate::tls_client::{End, Files, TlsClient};

pub(crate) fn respond(server: &Server, id: RequestId, body: Vec<u8>) {
    let response = Response::json(200, body.into()).expect("a status");
    server.engine.respond(id, response).expect("an open request");
}

fn start() -> (Files, Server, TlsClient) {
    let files = Files::new();
    let server = files.server(Config::default());
    let client = files.connect(&server);
    (files, server, client)
}

/// Returns times for a server that waits only briefly for handshakes and heads, and for clients that do not read.
fn short() -> Timeouts {
    Timeouts {
        head: Duration::from_millis(60),
        write: Duration::from_millis(100),
        ..Timeouts::default()
    }
}

#[test]
fn serves_requests_on_one_connection_with_the_protocol_that_the_client_has_offered() {
    let (_files, mut server, mut client) = start();
    for _ in 0..3 {
        client.get();
        let id = client.request(&mut server);
        respond(&server, id, b"\"ok\"".to_vec());
        let answer = client.expect(&mut server, "\"ok\"");
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
    assert_eq!(client.connection.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(server.engine.connection_count(), 1);
}

#[test]
fn accepts_handshakes_and_requests_that_arrive_byte_by_byte() {
    let (_files, mut server, mut client) = start();
    client.packet = 1;
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    let id = client.request(&mut server);
    assert_eq!(server.log.body, b"abc");
    respond(&server, id, b"1".to_vec());
    client.expect(&mut server, "\r\n\r\n1");
}

#[test]
fn serves_pipelined_requests_of_one_record_without_further_bytes_of_the_client() {
    let (_files, mut server, mut client) = start();
    let one = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
    client.send(one.repeat(20));
    for index in 0..20 {
        client.until(&mut server, |_, server| server.log.requests.len() > index);
        let id = server.log.requests[index];
        respond(&server, id, b"1".to_vec());
        client.expect(&mut server, "\r\n\r\n1");
    }
}

#[test]
fn sends_large_responses_to_requests_in_a_row_in_order_to_a_client_that_reads_later() {
    const COUNT: usize = 1500;
    let (_files, mut server, mut client) = start();
    client.is_paused = true;
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(COUNT));
    let mut responded = 0;
    let start = Instant::now();
    client.until(&mut server, |client, server| {
        // The client begins to read when it has not read for a while.
        client.is_paused = start.elapsed() < Duration::from_millis(200);
        for id in server.log.requests.iter().skip(responded) {
            respond(server, *id, format!("{responded:0>10000}").into());
            responded += 1;
        }
        client
            .received
            .ends_with(format!("{:0>10000}", COUNT - 1).as_bytes())
    });
    let text = String::from_utf8_lossy(&client.received);
    let numbers: Vec<_> = text
        .split("\r\n\r\n")
        .skip(1)
        .map(|body| body[9990..10_000].parse::<usize>().expect("a number"))
        .collect();
    assert!(numbers.into_iter().eq(0..COUNT));
}

#[test]
fn receives_a_large_body_and_sends_a_large_response() {
    let files = Files::new();
    let limit = 16 * 1024 * 1024;
    let mut server = files.server(Config {
        limits: kit_http::Limits {
            body_bytes: limit,
            ..kit_http::Limits::default()
        },
        ..Config::default()
    });
    let mut client = files.connect(&server);
    let body: Vec<u8> = (0..5_000_000_u32).map(|number| (number % 251) as u8).collect();
    client.send(format!(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    ));
    client.send(&body);
    let id = client.request(&mut server);
    assert!(server.log.body == body);
    respond(&server, id, body.clone());
    client.until(&mut server, |client, _| client.received.ends_with(&body));
}

#[test]
fn completes_a_response_whose_client_reads_later_before_the_next_request_is_read() {
    let (_files, mut server, mut client) = start();
    client.get();
    let id = client.request(&mut server);
    client.is_paused = true;
    let body = vec![b'x'; 16 * 1024 * 1024];
    respond(&server, id, body.clone());
    client.get();
    let start = Instant::now();
    client.until(&mut server, |_, _| start.elapsed() > Duration::from_millis(100));
    assert_eq!(server.log.requests.len(), 1, "the response is not read yet");
    client.is_paused = false;
    client.until(&mut server, |client, _| client.received.ends_with(&body));
    client.until(&mut server, |_, server| server.log.requests.len() == 2);
}

#[test]
fn last_response_is_complete_although_a_part_waits_in_the_buffer_of_tls() {
    // Lengths around the size of the buffers, so that all of the response is encrypted while a part of it cannot be sent.
    let mut waited = 0;
    for step in 0..40 {
        let (_files, mut server, mut client) = start();
        client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        let id = client.request(&mut server);
        client.is_paused = true;
        let body = vec![b'x'; 2_400_000 + step * 100_000];
        respond(&server, id, body.clone());
        let start = Instant::now();
        client.until(&mut server, |_, _| start.elapsed() > Duration::from_millis(5));
        waited += usize::from(server.engine.connection_count() == 1);
        client.is_paused = false;
        assert_eq!(client.end(&mut server), End::Announced);
        assert!(client.received.ends_with(&body));
    }
    assert!(waited > 0, "no response had to wait");
}

#[test]
fn closes_the_connection_of_a_client_that_stops_reading() {
    let files = Files::new();
    let mut server = files.server(Config {
        timeouts: short(),
        ..Config::default()
    });
    let mut client = files.connect(&server);
    client.get();
    let id = client.request(&mut server);
    client.is_paused = true;
    respond(&server, id, vec![b'x'; 16 * 1024 * 1024]);
    client.until(&mut server, |_, server| server.engine.connection_count() == 0);
    client.is_paused = false;
    assert_eq!(client.end(&mut server), End::Cut, "the response is incomplete");
}

#[test]
fn closes_connections_whose_handshakes_take_longer_than_a_head() {
    let files = Files::new();
    let mut server = files.server(Config {
        timeouts: short(),
        ..Config::default()
    });
    let silent = TcpStream::connect(server.engine.local_addr().expect("an address")).expect("connects");
    let mut slow = files.connect(&server);
    slow.packet = 1;
    let mut sent = 0;
    server.until(|server| {
        if sent < 20 {
            slow.move_bytes();
            sent += 1;
        }
        server.turn();
        sent == 20 && server.engine.connection_count() == 0
    });
    assert!(server.log.handshakes.is_empty() && server.log.refused.is_empty());
    drop(silent);
    // A client that has completed its handshake has the whole time for its head.
    let mut client = files.connect(&server);
    client.complete_handshake(&mut server);
    client.get();
    client.request(&mut server);
}

#[test]
fn reports_a_client_that_sends_no_tls() {
    let (_files, mut server, _client) = start();
    let mut stream = TcpStream::connect(server.engine.local_addr().expect("an address")).expect("connects");
    stream
        // A ClientHello without content.
        .write_all(b"\x16\x03\x01\x00\x04\x01\x00\x00\x00")
        .expect("writes");
    server.until(|server| !server.log.handshakes.is_empty());
    assert_eq!(
        server.log.handshakes,
        ["the client has sent data that is not TLS"]
    );
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .expect("an option");
    let mut alert = Vec::new();
    stream.read_to_end(&mut alert).expect("the server closes");
    // A fatal alert (RFC 8446, 6).
    assert_eq!((alert.first(), alert.get(5)), (Some(&21), Some(&2)));
}

#[test]
fn responds_to_http_without_tls_with_the_status_400_and_continues_to_serve_others() {
    let (_files, mut server, mut other) = start();
    let mut plain = server.connect();
    plain.get();
    let answer = server.rest(&mut plain);
    assert!(answer.starts_with("HTTP/1.1 400 Bad Request\r\n"), "{answer}");
    assert!(answer.contains("HTTPS"), "{answer}");
    assert_eq!(server.log.refused, [400]);
    drop(plain);
    other.get();
    let id = other.request(&mut server);
    respond(&server, id, b"1".to_vec());
    other.expect(&mut server, "\r\n\r\n1");
    server.until(|server| server.engine.connection_count() == 1);
}

#[test]
fn announces_the_end_after_the_last_response_and_when_the_server_stops() {
    let (files, mut server, mut client) = start();
    client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let id = client.request(&mut server);
    respond(&server, id, b"1".to_vec());
    assert_eq!(client.end(&mut server), End::Announced);
    let mut idle = files.connect(&server);
    let mut busy = files.connect(&server);
    idle.complete_handshake(&mut server);
    busy.get();
    let id = busy.request(&mut server);
    server.engine.close(Duration::from_secs(5));
    assert_eq!(idle.end(&mut server), End::Announced);
    respond(&server, id, b"2".to_vec());
    assert_eq!(busy.end(&mut server), End::Announced);
    assert!(busy.received.ends_with(b"\r\n\r\n2"));
    server.until(|server| server.engine.is_closed());
}

#[test]
fn completes_a_handshake_that_has_begun_before_the_server_stops() {
    let (_files, mut server, mut client) = start();
    client.packet = 64;
    client.move_bytes();
    server.until(|server| server.engine.connection_count() == 1);
    client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    server.turn();
    server.engine.close(Duration::from_secs(5));
    let start = Instant::now();
    client.until(&mut server, |client, _| {
        !client.connection.is_handshaking() || start.elapsed() > Duration::from_secs(2)
    });
    assert!(!client.connection.is_handshaking());
    server.until(|server| {
        client.move_bytes();
        server.engine.is_closed() || !server.log.requests.is_empty()
    });
}

#[test]
fn does_not_announce_the_end_of_a_response_that_is_incomplete() {
    let (_files, mut server, mut client) = start();
    client.get();
    let id = client.request(&mut server);
    let head = Response::new(200).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head, None), Ok(true));
    server.write(id, "one");
    client.expect(&mut server, "3\r\none\r\n");
    server.engine.destroy(id);
    assert_eq!(client.end(&mut server), End::Cut);
}

#[test]
fn streams_chunks_and_ends_a_response_of_http_1_0_with_an_announcement() {
    let (files, mut server, mut client) = start();
    client.get();
    let id = client.request(&mut server);
    let head = Response::new(200).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head, None), Ok(true));
    for _ in 0..3 {
        server.write(id, "one");
        client.expect(&mut server, "3\r\none\r\n");
    }
    server.engine.end(id).expect("a whole body");
    client.expect(&mut server, "0\r\n\r\n");
    let mut old = files.connect(&server);
    old.send("GET / HTTP/1.0\r\n\r\n");
    let id = old.request(&mut server);
    let head = Response::new(200).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head, None), Ok(true));
    server.write(id, "all");
    server.engine.end(id).expect("a whole body");
    assert_eq!(old.end(&mut server), End::Announced);
    assert!(old.received.ends_with(b"\r\n\r\nall"));
}

/// Returns a server that reads all bodies in chunks.
fn uploads(files: &Files) -> Server {
    let rule_of = |_: &str, _: &str| BodyRule {
        limit: Some(usize::MAX),
        is_streamed: true,
        rate: None,
    };
    files.server(Config {
        body_rules: Some(BodyRules::new(usize::MAX, rule_of)),
        ..Config::default()
    })
}

#[test]
fn reads_a_body_in_chunks_and_stops_the_client_while_the_handler_does_not_read() {
    let files = Files::new();
    let mut server = uploads(&files);
    let mut client = files.connect(&server);
    let body = vec![b'u'; 24 * 1024 * 1024];
    client.send(format!(
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: {}\r\n\r\n",
        body.len()
    ));
    let id = client.request(&mut server);
    client.send(&body);
    let start = Instant::now();
    client.until(&mut server, |_, _| start.elapsed() > Duration::from_millis(200));
    assert!(
        client.connection.wants_write(),
        "the server has not read everything"
    );
    while server.log.ended == 0 && server.log.failed.is_empty() {
        let parts = server.log.parts;
        assert!(server.engine.read_body(id));
        client.until(&mut server, |_, server| server.log.parts > parts);
    }
    assert!(server.log.body == body);
    respond(&server, id, b"1".to_vec());
    client.expect(&mut server, "\r\n\r\n1");
}

#[test]
fn body_fails_if_its_client_disconnects_without_an_announcement() {
    let files = Files::new();
    let mut server = uploads(&files);
    let mut client = files.connect(&server);
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    let id = client.request(&mut server);
    assert!(server.engine.read_body(id));
    client.send("abc");
    client.until(&mut server, |_, server| server.log.parts == 1);
    assert!(server.engine.read_body(id));
    client.stream.shutdown(Shutdown::Write).expect("open");
    server.until(|server| server.log.parts == 2);
    assert_eq!(server.log.failed, [UploadFailure::Aborted]);
}

#[test]
fn closes_the_connection_if_an_encrypted_byte_is_changed() {
    let (_files, mut server, mut client) = start();
    client.complete_handshake(&mut server);
    let mut record = b"\x17\x03\x03\x00\x20".to_vec();
    record.extend([7; 32]);
    client.stream.write_all(&record).expect("writes");
    assert_eq!(client.end(&mut server), End::Refused);
    server.until(|server| server.engine.connection_count() == 0);
    assert!(server.log.handshakes.is_empty(), "the handshake was complete");
}

#[test]
fn serves_a_websocket() {
    let (_files, mut server, mut client) = start();
    client.send(
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    let id = client.request(&mut server);
    let options = SocketOptions::new(1 << 20, Duration::from_secs(30));
    assert_eq!(server.engine.accept_socket(id, &options), Ok(true));
    client.expect(&mut server, "\r\n\r\n");
    // A text of two masked bytes (RFC 6455, 5.2) with the mask 0.
    client.send(b"\x81\x82\0\0\0\0hi");
    client.until(&mut server, |_, server| server.log.messages == ["hi"]);
    server
        .engine
        .send_to_socket(id, &SocketMessage::Text("hello".into()));
    client.expect(&mut server, "hello");
    server.engine.close_socket(id, 1000, "");
    client.until(&mut server, |client, _| client.received.starts_with(b"\x88\x02"));
    client.send(b"\x88\x82\0\0\0\0\x03\xe8");
    assert_eq!(client.end(&mut server), End::Announced);
    assert_eq!(server.log.closed, [(1000, String::new())]);
}

#[test]
fn new_connections_use_new_certificates_while_open_connections_stay() {
    let mut files = Files::new();
    let certificates = files.certificates();
    let mut server = Server::of(Config {
        tls: Some(certificates.clone()),
        ..Config::default()
    });
    let mut old = files.connect(&server);
    old.complete_handshake(&mut server);
    let renewed = files.renew();
    certificates.reload().expect("valid files");
    let mut new = files.connect(&server);
    new.complete_handshake(&mut server);
    assert_eq!(new.connection.peer_certificates(), Some(&[renewed.clone()][..]));
    assert_ne!(old.connection.peer_certificates(), Some(&[renewed][..]));
    for client in [&mut old, &mut new] {
        client.get();
        let id = client.request(&mut server);
        respond(&server, id, b"1".to_vec());
        client.expect(&mut server, "\r\n\r\n1");
    }
}

#[test]
fn second_connection_of_a_client_resumes_its_session() {
    let files = Files::new();
    let mut server = files.server(Config::default());
    let config = files.client_config();
    let mut kinds = Vec::new();
    for _ in 0..2 {
        let mut client = TlsClient::connect(&server, config.clone());
        client.get();
        let id = client.request(&mut server);
        respond(&server, id, b"1".to_vec());
        client.expect(&mut server, "\r\n\r\n1");
        kinds.push(client.connection.handshake_kind());
    }
    assert_eq!(kinds, [Some(HandshakeKind::Full), Some(HandshakeKind::Resumed)]);
}
