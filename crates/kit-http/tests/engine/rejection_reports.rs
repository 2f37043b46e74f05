//! Tests that the handler is notified of requests that the engine rejects.

use std::time::Duration;

use kit_http::{Config, Limits, Pause, Timeouts};

use crate::support::{Server, get};

#[test]
fn reports_a_rejection_once_with_the_trace_id_of_the_response() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"GET / HTTP/1.1\r\n\r\n");
    let answer = client.answer();
    assert!(client.is_at_end());
    let refusal = server.refusal();
    assert_eq!(
        (
            refusal.rejection.status,
            refusal.rejection.code,
            refusal.rejection.message
        ),
        (400, "BAD_REQUEST", "the header `host` is missing")
    );
    assert_eq!(
        refusal.remote,
        Some(client.stream.local_addr().expect("an address"))
    );
    assert!(
        answer.text().contains(&format!("{:032x}", refusal.trace_id)),
        "{}",
        answer.text()
    );
    assert_eq!(server.refusals.try_recv().ok(), None);
}

#[test]
fn reports_a_rejection_for_a_request_that_times_out() {
    let server = Server::with(&Config {
        timeouts: Timeouts {
            head: Duration::from_millis(30),
            ..Timeouts::default()
        },
        ..Config::default()
    });
    let mut client = server.connect();
    client.send(b"GET / HTT");
    assert_eq!(client.answer().status, 408);
    assert_eq!(server.refusal().rejection.code, "REQUEST_TIMEOUT");
}

#[test]
fn reports_a_body_whose_extensions_or_trailers_exceed_a_limit() {
    let server = Server::start();
    let extensions = format!("1;{}\r\nx\r\n", "a".repeat(240)).repeat(70);
    let trailers = format!("0\r\n{}\r\n", "a:1\r\n".repeat(101));
    for (body, status) in [(extensions, 400), (trailers, 431)] {
        let mut client = server.connect();
        let head = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        client.send(format!("{head}{body}").as_bytes());
        assert_eq!(client.answer().status, status);
        assert!(client.is_at_end());
        assert_eq!(server.refusal().rejection.status, status);
    }
}

#[test]
fn reports_no_rejection_for_valid_requests_and_disconnects() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/a"));
    assert_eq!(client.answer().status, 200);
    drop(client);
    let mut half = server.connect();
    half.send(b"GET / HTTP/1.1\r\nHo");
    drop(half);
    server.connect().send(&get("/b"));
    server.await_requests(2);
    assert_eq!(server.refusals.try_recv().ok(), None);
}

#[test]
fn reports_once_that_the_connection_limit_is_reached() {
    let server = Server::with(&Config {
        limits: Limits {
            connections: 2,
            ..Limits::default()
        },
        ..Config::default()
    });
    let mut clients: Vec<_> = (0..5).map(|_| server.connect()).collect();
    for client in &mut clients {
        client.send(&get("/a"));
    }
    // Each waiting connection is served after another one has closed.
    for mut client in clients {
        assert_eq!(client.answer().status, 200);
    }
    let pauses: Vec<Pause> = server.pauses.try_iter().collect();
    assert!(
        !pauses.is_empty() && pauses.iter().all(|pause| *pause == Pause::ConnectionLimit),
        "{pauses:?}"
    );
    assert!(pauses.len() <= 3, "{pauses:?}");
}
