//! Tests that a client can read the response to a rejected request, even if it is still sending.

use std::io::Write;
use std::time::{Duration, Instant};

use kit_http::{Config, Limits, Timeouts};

use crate::support::{Client, Server, get};

const MIB: usize = 1024 * 1024;

fn announce(length: usize) -> Vec<u8> {
    format!("POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: {length}\r\n\r\n").into_bytes()
}

/// Connects a client whose request was rejected with 413 before it has sent its body.
fn refused(server: &Server) -> Client {
    let mut client = server.connect();
    client.send(&announce(1024 * MIB));
    assert_eq!(client.answer().status, 413);
    client
}

/// Sends bytes until the server resets the connection. Returns their number.
fn send_until_reset(client: &mut Client, pause: Duration, piece: usize) -> usize {
    let bytes = vec![b'x'; piece];
    let start = Instant::now();
    let mut sent = 0;
    while client.stream.write_all(&bytes).is_ok() {
        sent += piece;
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "the server reads for ever"
        );
        std::thread::sleep(pause);
    }
    sent
}

#[test]
fn client_can_read_the_response_after_sending_the_whole_request() {
    let server = Server::start();
    for size in [MIB + 1, 4 * MIB, 16 * MIB, 40 * MIB] {
        let mut client = server.connect();
        client.send(&announce(size));
        // `send` panics if the server resets the connection.
        client.send(&vec![b'x'; size]);
        let answer = client.answer();
        assert_eq!(
            (answer.status, answer.header("connection")),
            (413, Some("close")),
            "{size}"
        );
        assert!(client.is_at_end(), "{size}");
    }
}

#[test]
fn client_can_read_the_response_after_sending_all_chunks() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    let chunk = [&b"100000\r\n"[..], &vec![b'x'; MIB], b"\r\n"].concat();
    for _ in 0..16 {
        client.send(&chunk);
    }
    client.send(b"0\r\n\r\n");
    assert_eq!(client.answer().status, 413);
    assert!(client.is_at_end());
}

#[test]
fn client_can_read_the_response_to_a_rejected_head() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 16777216\r\n\r\n");
    client.send(&vec![b'x'; 16 * MIB]);
    assert_eq!(client.answer().status, 400);
    assert!(client.is_at_end());
}

#[test]
fn responds_to_a_request_with_a_too_large_body_before_the_body_arrives() {
    let server = Server::start();
    let mut client = refused(&server);
    assert!(client.is_at_end(), "the server has closed its half");
    client.send(&vec![b'x'; 4 * MIB]);
}

#[test]
fn immediately_rejects_a_client_that_waits_for_100_continue() {
    let server = Server::start();
    let mut client = server.connect();
    let start = Instant::now();
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 4194304\r\nExpect: 100-continue\r\n\r\n");
    // This is the first response, so the server has not sent `100 Continue`.
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("connection")), (413, Some("close")));
    assert!(client.is_at_end());
    assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
}

#[test]
fn resets_the_connection_of_a_rejected_client_that_sends_more_bytes_than_the_limit() {
    let server = Server::with(&Config {
        limits: Limits {
            discarded_bytes: MIB,
            ..Limits::default()
        },
        ..Config::default()
    });
    let mut client = refused(&server);
    let sent = send_until_reset(&mut client, Duration::ZERO, 64 * 1024);
    // The kernels of both sides buffer some more bytes.
    assert!((MIB..32 * MIB).contains(&sent), "{sent}");
}

fn impatient() -> Server {
    Server::with(&Config {
        timeouts: Timeouts {
            discard: Duration::from_millis(150),
            discard_total: Duration::from_millis(600),
            ..Timeouts::default()
        },
        ..Config::default()
    })
}

#[test]
fn disconnects_a_rejected_client_that_stops_sending() {
    let server = impatient();
    let mut client = refused(&server);
    std::thread::sleep(Duration::from_millis(400));
    assert!(
        send_until_reset(&mut client, Duration::from_millis(10), 1) < 5,
        "the connection was still open"
    );
}

#[test]
fn disconnects_a_rejected_client_that_keeps_sending_after_the_total_timeout() {
    let server = impatient();
    let mut client = refused(&server);
    let start = Instant::now();
    send_until_reset(&mut client, Duration::from_millis(20), 1);
    let time = start.elapsed();
    let expected = Duration::from_millis(500)..Duration::from_secs(3);
    assert!(expected.contains(&time), "{time:?}");
}

#[test]
fn disconnects_the_first_of_too_many_rejected_clients_that_still_send() {
    let server = Server::with(&Config {
        limits: Limits {
            discarding: 2,
            ..Limits::default()
        },
        ..Config::default()
    });
    // Connections that have closed by themselves do not count.
    for _ in 0..8 {
        drop(refused(&server));
    }
    std::thread::sleep(Duration::from_millis(50));
    let mut clients: Vec<_> = (0..3).map(|_| refused(&server)).collect();
    std::thread::sleep(Duration::from_millis(50));
    assert!(send_until_reset(&mut clients[0], Duration::from_millis(10), 1) < 5);
    for client in &mut clients[1..] {
        client.send(&vec![b'x'; 16 * MIB]);
    }
}

#[test]
fn serves_other_clients_while_it_discards_bytes_of_a_rejected_client() {
    let server = Server::start();
    let mut uploads: Vec<_> = (0..4).map(|_| refused(&server)).collect();
    let mut other = server.connect();
    std::thread::scope(|scope| {
        for client in &mut uploads {
            scope.spawn(|| client.send(&vec![b'x'; 40 * MIB]));
        }
        for _ in 0..50 {
            let start = Instant::now();
            other.send(&get("/a"));
            assert_eq!(other.answer().status, 200);
            assert!(start.elapsed() < Duration::from_secs(1), "{:?}", start.elapsed());
        }
    });
}
