//! Tests of request bodies that handlers read in chunks.
//!
//! tidy: long because every test needs the same server and client

use std::io::{ErrorKind, Read, Write};
use std::net::Shutdown;
use std::time::{Duration, Instant};

use kit_http::{BodyRule, BodyRules, Config, RequestId, Response, Timeouts, UploadFailure};

use crate::same_thread::{Client, Server};

/// Returns a server that reads all bodies in chunks, of at most `limit` bytes.
fn server(limit: usize, timeouts: Timeouts) -> Server {
    let rule_of = move |_: &str, _: &str| BodyRule {
        limit: Some(limit),
        is_streamed: true,
        rate: None,
    };
    Server::of(Config {
        body_rules: Some(BodyRules::new(limit, rule_of)),
        timeouts,
        ..Config::default()
    })
}

fn uploads() -> Server {
    server(usize::MAX, Timeouts::default())
}

fn post(client: &mut Client, field: &str) {
    client.send(&format!("POST / HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n"));
}

/// Asks for the next part of a body, and waits for it.
fn read(server: &mut Server, id: RequestId) {
    let before = server.log.parts;
    assert!(server.engine.read_body(id));
    server.until(|server| server.log.parts > before);
}

/// Reads a body until it ends or fails.
fn read_all(server: &mut Server, id: RequestId) {
    while server.log.ended == 0 && server.log.failed.is_empty() {
        read(server, id);
    }
}

fn respond(server: &Server, id: RequestId) {
    let response = Response::json(200, "1".into()).expect("a status");
    server.engine.respond(id, response).expect("an open request");
}

/// Runs turns for some time.
fn wait(server: &mut Server, milliseconds: u64) {
    let start = Instant::now();
    server.until(|_| start.elapsed() > Duration::from_millis(milliseconds));
}

#[test]
fn calls_the_handler_before_the_body_arrives_and_passes_each_chunk_when_the_handler_asks() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Content-Length: 6");
    let id = server.request();
    assert_eq!(server.log.declared, [Some(6)]);
    client.send("abc");
    wait(&mut server, 20);
    assert_eq!(server.log.parts, 0, "the handler has not asked");
    read(&mut server, id);
    assert_eq!(server.log.body, b"abc");
    assert!(server.engine.read_body(id));
    wait(&mut server, 20);
    assert_eq!(server.log.parts, 1, "nothing has arrived");
    client.send("def");
    server.until(|server| server.log.parts == 2);
    read(&mut server, id);
    assert_eq!(
        (server.log.body.as_slice(), server.log.ended),
        (&b"abcdef"[..], 1)
    );
    assert!(!server.engine.read_body(id), "the body has ended");
    respond(&server, id);
    let answer = client.expect(&mut server, "\r\n\r\n1");
    assert!(!answer.contains("connection: close"), "{answer}");
    // The connection serves further requests.
    post(&mut client, "Transfer-Encoding: chunked");
    let id = server.request();
    assert_eq!(server.log.declared, [Some(6), None]);
    client.send("3\r\nghi\r\n0\r\n\r\n");
    server.log.ended = 0;
    read_all(&mut server, id);
    assert_eq!(server.log.body, b"abcdefghi");
    respond(&server, id);
    client.expect(&mut server, "\r\n\r\n1");
    assert!(server.log.failed.is_empty());
}

#[test]
fn calls_the_handler_with_the_whole_body_if_head_and_body_arrive_together() {
    let mut server = uploads();
    let mut client = server.connect();
    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc");
    let id = server.request();
    assert_eq!(
        (server.log.declared.len(), server.log.body.as_slice()),
        (0, &b"abc"[..])
    );
    assert!(!server.engine.read_body(id));
    respond(&server, id);
    client.expect(&mut server, "\r\n\r\n1");
}

#[test]
fn serves_pipelined_requests_after_an_upload() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Transfer-Encoding: chunked");
    let id = server.request();
    client.send("3\r\nabc\r\n0\r\n\r\nPOST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\ndefGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    read_all(&mut server, id);
    assert_eq!(server.log.requests.len(), 1);
    respond(&server, id);
    server.until(|server| server.log.requests.len() == 2);
    let second = server.log.requests[1];
    if server.log.declared.len() == 2 {
        server.log.ended = 0;
        read_all(&mut server, second);
    }
    assert_eq!(server.log.body, b"abcdef");
    respond(&server, second);
    server.until(|server| server.log.requests.len() == 3);
    respond(&server, server.log.requests[2]);
    server.until(|_| {
        client.take();
        client.text().matches("HTTP/1.1 200").count() == 3
    });
}

/// Sends as much as the operating system takes without waiting.
fn push(client: &mut Client, bytes: &[u8]) -> usize {
    client.stream.set_nonblocking(true).expect("an option");
    let mut sent = 0;
    while sent < bytes.len() {
        match client.stream.write(&bytes[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    client.stream.set_nonblocking(false).expect("an option");
    sent
}

#[test]
fn reads_at_most_one_chunk_ahead_while_the_handler_does_not_read() {
    let mut server = uploads();
    let mut client = server.connect();
    let size = 64 * 1024 * 1024;
    post(&mut client, &format!("Content-Length: {size}"));
    let id = server.request();
    let bytes = vec![b'x'; size];
    let mut sent = push(&mut client, &bytes);
    read(&mut server, id);
    // Without reading, nothing moves, however often the engine runs.
    for _ in 0..20 {
        wait(&mut server, 5);
        sent += push(&mut client, &bytes[sent..]);
    }
    assert!(sent < 16 * 1024 * 1024, "{sent} bytes were taken");
    assert!(server.log.body.len() <= 64 * 1024);
    while server.log.ended == 0 {
        let before = server.log.parts;
        assert!(server.engine.read_body(id));
        server.until(|server| {
            sent += push(&mut client, &bytes[sent..]);
            server.log.parts > before
        });
    }
    assert_eq!(server.log.body.len(), size);
    respond(&server, id);
    client.expect(&mut server, "\r\n\r\n1");
}

#[test]
fn fails_with_too_large_as_soon_as_a_chunked_body_exceeds_the_limit() {
    let mut server = server(5, Timeouts::default());
    let mut client = server.connect();
    post(&mut client, "Transfer-Encoding: chunked");
    let id = server.request();
    client.send("3\r\nabc\r\n");
    read(&mut server, id);
    client.send("3\r\ndef\r\n");
    read(&mut server, id);
    assert_eq!(server.log.failed, [UploadFailure::TooLarge]);
    assert!(!server.engine.read_body(id));
    respond(&server, id);
    let answer = client.expect(&mut server, "\r\n\r\n1");
    assert!(answer.contains("connection: close"), "{answer}");
    client.stream.shutdown(Shutdown::Write).expect("open");
    server.rest(&mut client);
}

#[test]
fn closes_the_connection_and_discards_the_rest_of_the_body_if_the_handler_responds_early() {
    for reads in [0, 1] {
        let mut server = uploads();
        let mut client = server.connect();
        post(&mut client, "Content-Length: 1000000");
        let id = server.request();
        client.send("abc");
        if reads == 1 {
            read(&mut server, id);
        }
        respond(&server, id);
        let answer = client.expect(&mut server, "\r\n\r\n1");
        assert!(answer.contains("connection: close"), "{answer}");
        // The client can still send without a reset.
        for _ in 0..10 {
            client.send(&"x".repeat(10_000));
            server.turn();
        }
        client.stream.shutdown(Shutdown::Write).expect("open");
        assert_eq!(server.rest(&mut client), "");
        server.until(|server| server.engine.connection_count() == 0);
    }
}

#[test]
fn stops_reading_the_body_without_a_callback_if_the_handler_cancels_or_responds() {
    for cancels in [true, false] {
        let mut server = uploads();
        let mut client = server.connect();
        post(&mut client, "Content-Length: 9");
        let id = server.request();
        assert!(server.engine.read_body(id));
        server.turn();
        if cancels {
            server.engine.cancel_body(id);
            assert!(!server.engine.read_body(id));
        }
        respond(&server, id);
        assert!(!server.engine.read_body(id));
        client.send("abc");
        assert!(server.rest(&mut client).contains("connection: close"));
        assert_eq!(server.log.parts, 0);
    }
}

#[test]
fn fails_with_aborted_if_the_client_disconnects() {
    for field in ["Content-Length: 9", "Transfer-Encoding: chunked"] {
        for is_reading in [true, false] {
            let mut server = uploads();
            let mut client = server.connect();
            post(&mut client, field);
            let id = server.request();
            if is_reading {
                assert!(server.engine.read_body(id));
                server.turn();
            }
            drop(client);
            wait(&mut server, 20);
            if !is_reading {
                read(&mut server, id);
            }
            assert_eq!(server.log.failed, [UploadFailure::Aborted], "{field}");
            assert!(!server.engine.read_body(id));
            server.until(|server| server.log.left == 1);
            respond(&server, id);
            server.until(|server| server.engine.connection_count() == 0);
            assert_eq!(server.engine.pending_count(), 0);
        }
    }
}

#[test]
fn reads_the_whole_body_of_a_client_that_closes_its_sending_side_after_the_body() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Content-Length: 200000");
    let id = server.request();
    client.send(&"x".repeat(200_000));
    client.stream.shutdown(Shutdown::Write).expect("open");
    wait(&mut server, 20);
    assert_eq!(server.log.left, 0, "only reading shows if the body is complete");
    read_all(&mut server, id);
    assert_eq!((server.log.body.len(), server.log.ended), (200_000, 1));
    respond(&server, id);
    assert!(server.rest(&mut client).ends_with("\r\n\r\n1"));
}

#[test]
fn responds_with_400_to_invalid_chunks() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Transfer-Encoding: chunked");
    let id = server.request();
    client.send("3\r\nabc\r\n");
    read(&mut server, id);
    client.send("nonsense\r\n");
    read(&mut server, id);
    assert_eq!(server.log.failed, [UploadFailure::Invalid]);
    client.stream.shutdown(Shutdown::Write).expect("open");
    let answer = server.rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!((server.log.refused.as_slice(), server.log.left), (&[400][..], 1));
    // The late response of the handler has no effect.
    respond(&server, id);
    server.turn();
    assert_eq!(
        (server.engine.connection_count(), server.engine.pending_count()),
        (0, 0)
    );
}

#[test]
fn responds_with_408_if_the_client_sends_more_slowly_than_the_rate() {
    let mut server = server(
        10_000,
        Timeouts {
            body_idle: Duration::from_millis(200),
            body_rate: 1000,
            ..Timeouts::default()
        },
    );
    let mut client = server.connect();
    post(&mut client, "Content-Length: 5000");
    let id = server.request();
    // Twice as fast as the rate.
    for _ in 0..8 {
        client.send(&"x".repeat(100));
        read(&mut server, id);
        wait(&mut server, 50);
    }
    assert!(server.log.failed.is_empty());
    // The handler waits, and each byte arrives well before the end of the idle time.
    let start = Instant::now();
    while server.log.failed.is_empty() {
        assert!(start.elapsed() < Duration::from_secs(5), "the client is refused");
        assert!(server.engine.read_body(id));
        wait(&mut server, 40);
        client.send("xx");
        wait(&mut server, 10);
    }
    assert_eq!(server.log.failed, [UploadFailure::TimedOut]);
    assert!(
        start.elapsed() >= Duration::from_millis(180),
        "{:?}",
        start.elapsed()
    );
    client.stream.shutdown(Shutdown::Write).expect("open");
    let answer = server.rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[test]
fn responds_with_408_if_the_client_sends_nothing_while_the_handler_reads() {
    let mut server = server(
        100,
        Timeouts {
            body: Duration::from_millis(1),
            body_idle: Duration::from_millis(100),
            body_rate: 0,
            ..Timeouts::default()
        },
    );
    let mut client = server.connect();
    post(&mut client, "Content-Length: 9");
    let id = server.request();
    // The time in which the handler does not read does not count.
    wait(&mut server, 200);
    // Each byte starts the time again.
    for _ in 0..3 {
        client.send("x");
        wait(&mut server, 60);
        read(&mut server, id);
    }
    let start = Instant::now();
    read(&mut server, id);
    assert!(
        start.elapsed() >= Duration::from_millis(90),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(server.log.failed, [UploadFailure::TimedOut]);
    client.stream.shutdown(Shutdown::Write).expect("open");
    let answer = server.rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    respond(&server, id);
    assert_eq!(server.engine.pending_count(), 0);
}

#[test]
fn sends_100_continue_when_the_body_is_read_for_the_first_time() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Content-Length: 3\r\nExpect: 100-continue");
    let id = server.request();
    wait(&mut server, 20);
    client.take();
    assert_eq!(client.text(), "");
    assert!(server.engine.read_body(id));
    client.expect(&mut server, "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    server.until(|server| server.log.parts == 1);
    respond(&server, id);
    client.expect(&mut server, "\r\n\r\n1");
    // No line is sent if the handler does not read.
    post(&mut client, "Content-Length: 3\r\nExpect: 100-continue");
    let id = server.request();
    respond(&server, id);
    let answer = server.rest(&mut client);
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.contains("connection: close"),
        "{answer}"
    );
}

#[test]
fn streams_a_response_while_the_body_arrives() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Content-Length: 4");
    let id = server.stream(None);
    client.send("ab");
    read(&mut server, id);
    server.write(id, "<ab>");
    client.expect(&mut server, "<ab>\r\n");
    client.send("cd");
    read_all(&mut server, id);
    assert_eq!(server.log.body, b"abcd");
    server.write(id, "<cd>");
    server.engine.end(id).expect("a whole body");
    assert!(server.rest(&mut client).ends_with("<cd>\r\n0\r\n\r\n"));
}

#[test]
fn stops_reading_the_body_when_a_streamed_response_ends() {
    let mut server = uploads();
    let mut client = server.connect();
    post(&mut client, "Content-Length: 400000");
    let id = server.stream(None);
    client.send(&"x".repeat(100_000));
    read(&mut server, id);
    server.write(id, "enough");
    server.engine.end(id).expect("a whole body");
    assert!(!server.engine.read_body(id));
    let text = server.rest(&mut client);
    assert!(
        text.contains("connection: close") && text.ends_with("0\r\n\r\n"),
        "{text}"
    );
}

#[test]
fn shutdown_waits_for_an_upload_and_aborts_the_upload_after_the_grace_period() {
    for is_in_time in [true, false] {
        let mut server = uploads();
        let mut client = server.connect();
        post(&mut client, "Content-Length: 6");
        let id = server.request();
        client.send("abc");
        read(&mut server, id);
        assert!(server.engine.read_body(id));
        server
            .engine
            .close(Duration::from_millis(if is_in_time { 5000 } else { 50 }));
        server.turn();
        if is_in_time {
            client.send("def");
            server.until(|server| server.log.parts == 2);
            respond(&server, id);
            assert!(server.rest(&mut client).contains("connection: close"));
        } else {
            server.until(|server| server.log.failed == [UploadFailure::Aborted]);
            respond(&server, id);
        }
        server.until(|server| server.engine.is_closed());
    }
}

#[test]
fn has_no_open_connections_or_requests_after_a_thousand_aborted_uploads() {
    let mut server = uploads();
    for index in 0..1000 {
        let mut client = server.connect();
        post(&mut client, "Content-Length: 100000");
        let id = server.request();
        if index % 2 == 0 {
            client.send("abc");
            read(&mut server, id);
        }
        if index % 3 == 0 {
            server.engine.read_body(id);
        }
        drop(client);
        server.turn();
        respond(&server, id);
        server.until(|server| server.engine.connection_count() == 0);
    }
    assert_eq!(server.engine.pending_count(), 0);
    assert!(!server.engine.has_work());
}

#[test]
fn read_body_does_nothing_without_a_body_and_after_the_response() {
    let mut server = uploads();
    let mut client = server.connect();
    client.get();
    let id = server.request();
    assert!(!server.engine.read_body(id));
    server.engine.cancel_body(id);
    respond(&server, id);
    client.expect(&mut server, "\r\n\r\n1");
    assert!(!server.engine.read_body(id));
    let mut rest = [0; 1];
    assert!(client.stream.read(&mut rest).is_err(), "nothing else is sent");
}
