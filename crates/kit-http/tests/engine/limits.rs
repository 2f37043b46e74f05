//! Tests of the engine's limits and timeouts.

use std::io::Write;
use std::time::{Duration, Instant};

use kit_http::{BodyRule, BodyRules, Config, Limits, Timeouts};

use crate::support::{Server, get, post};

fn small_body() -> Server {
    Server::with(&Config {
        limits: Limits {
            body_bytes: 10,
            ..Limits::default()
        },
        ..Config::default()
    })
}

#[test]
fn accepts_a_body_at_the_limit_and_refuses_a_larger_body() {
    let server = small_body();
    let mut client = server.connect();
    client.send(&post("0123456789"));
    assert_eq!(client.answer().text(), "0123456789");
    client.send(&post("0123456789a"));
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("connection")), (413, Some("close")));
    assert!(client.is_at_end());
}

#[test]
fn refuses_a_chunked_body_above_the_limit() {
    let server = small_body();
    let mut client = server.connect();
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send(b"6\r\n012345\r\n6\r\n012345\r\n");
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("connection")), (413, Some("close")));
    assert!(client.is_at_end());
}

#[test]
fn refuses_heads_above_the_limits_of_bytes_header_fields_and_target_length() {
    let server = Server::start();
    let refused = |bytes: String, status: u16| {
        let mut client = server.connect();
        client.send(bytes.as_bytes());
        let answer = client.answer();
        assert_eq!(answer.status, status, "{}", answer.text());
        assert!(client.is_at_end());
    };
    let fields = |count: usize| "a: b\r\n".repeat(count);
    refused(format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", fields(100)), 431);
    refused(
        format!(
            "GET / HTTP/1.1\r\nHost: a\r\na: {}\r\n\r\n",
            "x".repeat(16 * 1024)
        ),
        431,
    );
    refused(
        format!("GET / HTTP/1.1\r\nHost: a\r\na: {}", "x".repeat(20 * 1024)),
        431,
    );
    refused(
        format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(8 * 1024)),
        414,
    );
    refused(format!("GET /{}", "x".repeat(9 * 1024)), 414);

    let mut client = server.connect();
    client.send(format!("GET / HTTP/1.1\r\nHost: a\r\n{}\r\n", fields(99)).as_bytes());
    assert_eq!(client.answer().status, 200);
    client.send(
        format!(
            "GET / HTTP/1.1\r\nHost: a\r\na: {}\r\n\r\n",
            "x".repeat(16 * 1024 - 40)
        )
        .as_bytes(),
    );
    assert_eq!(client.answer().status, 200);
    client.send(format!("GET /{} HTTP/1.1\r\nHost: a\r\n\r\n", "x".repeat(8 * 1024 - 1)).as_bytes());
    assert_eq!(client.answer().status, 200);
}

fn impatient() -> Server {
    let timeouts = Timeouts {
        head: Duration::from_millis(100),
        body: Duration::from_millis(100),
        idle: Duration::from_millis(200),
        write: Duration::from_millis(200),
        ..Timeouts::default()
    };
    Server::with(&Config {
        timeouts,
        ..Config::default()
    })
}

#[test]
fn responds_408_to_clients_that_send_too_slowly_and_closes_the_connection() {
    let server = impatient();
    for bytes in [
        &b"GET / HT"[..],
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nab",
    ] {
        let mut client = server.connect();
        let start = Instant::now();
        client.send(bytes);
        assert_eq!(client.answer().status, 408);
        assert!(client.is_at_end());
        assert!(
            start.elapsed() >= Duration::from_millis(90),
            "{:?}",
            start.elapsed()
        );
    }
}

#[test]
fn timeout_of_a_head_or_body_is_not_extended_by_single_bytes() {
    for begun in [
        "",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9000\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1000\r\n",
    ] {
        let server = impatient();
        let mut client = server.connect();
        client.send(begun.as_bytes());
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(2) {
            if client.stream.write_all(b"x").is_err() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
            let mut peek = [0];
            client
                .stream
                .set_read_timeout(Some(Duration::from_millis(1)))
                .expect("an option");
            if client.stream.peek(&mut peek).is_ok() {
                break;
            }
        }
        let elapsed = start.elapsed();
        assert!(
            (Duration::from_millis(90)..Duration::from_secs(1)).contains(&elapsed),
            "{begun:?}: {elapsed:?}"
        );
        client
            .stream
            .set_read_timeout(Some(Duration::from_secs(5)))
            .expect("an option");
        assert_eq!(client.answer().status, 408, "{begun:?}");
    }
}

#[test]
fn closes_idle_connections_without_a_response() {
    let server = impatient();
    let mut client = server.connect();
    client.send(&get("/a"));
    assert_eq!(client.answer().status, 200);
    let start = Instant::now();
    assert!(client.is_at_end());
    assert!(
        start.elapsed() >= Duration::from_millis(150),
        "{:?}",
        start.elapsed()
    );
}

#[test]
fn closes_connections_without_a_byte_after_the_time_for_a_head_or_between_requests() {
    let (short, long) = (Duration::from_millis(100), Duration::from_mins(1));
    for (begin, head, idle) in [("", short, long), ("\r\n", short, long), ("", long, short)] {
        let timeouts = Timeouts {
            head,
            idle,
            ..Timeouts::default()
        };
        let server = Server::with(&Config {
            timeouts,
            ..Config::default()
        });
        let mut client = server.connect();
        let start = Instant::now();
        client.send(begin.as_bytes());
        assert!(client.is_at_end());
        assert!(
            start.elapsed() >= Duration::from_millis(90),
            "{begin:?}: {:?}",
            start.elapsed()
        );
        assert!(
            start.elapsed() < Duration::from_secs(30),
            "{begin:?}: {:?}",
            start.elapsed()
        );
    }
}

#[test]
fn disconnects_a_client_that_never_reads_its_response() {
    let server = impatient();
    let mut client = server.connect();
    client.send(&get("/large"));
    std::thread::sleep(Duration::from_millis(600));
    let mut total = 0;
    let mut chunk = vec![0; 1024 * 1024];
    // Data that the kernel has buffered still arrives. The rest of the response is lost.
    while let Ok(count @ 1..) = std::io::Read::read(&mut client.stream, &mut chunk) {
        total += count;
    }
    assert!(total < 8 * 1024 * 1024, "{total}");
}

#[test]
fn connections_above_the_limit_wait_without_a_busy_loop_and_are_served_later() {
    let server = Server::with(&Config {
        limits: Limits {
            connections: 1,
            ..Limits::default()
        },
        ..Config::default()
    });
    let mut first = server.connect();
    first.send(&get("/1"));
    assert_eq!(first.answer().status, 200);
    let mut second = server.connect();
    second.send(&get("/2"));
    std::thread::sleep(Duration::from_millis(300));
    drop(first);
    assert_eq!(second.answer().text(), "\"/2\"");
    let turns = server.join().turns;
    assert!(turns < 2000, "{turns} turns in a third of a second");
}

/// A server with a limit of 10 bytes, of 20 bytes for `/large`, and of 5 bytes for `/small`.
fn limits_by_path() -> Server {
    let rule_of = |_: &str, path: &str| BodyRule {
        limit: match path {
            "/large" => Some(20),
            "/small" => Some(5),
            _ => None,
        },
        is_streamed: false,
        rate: None,
    };
    Server::with(&Config {
        limits: Limits {
            body_bytes: 10,
            ..Limits::default()
        },
        body_rules: Some(BodyRules::new(20, rule_of)),
        ..Config::default()
    })
}

#[test]
fn applies_the_limit_of_the_path_to_bodies_of_all_forms() {
    let server = limits_by_path();
    let status_of = |path: &str, length: usize, form: &str| {
        let body = "x".repeat(length);
        let (field, body) = match form {
            "chunked" => (
                "Transfer-Encoding: chunked".to_owned(),
                format!("{length:x}\r\n{body}\r\n0\r\n\r\n"),
            ),
            _ => (format!("Content-Length: {length}"), body),
        };
        let head = format!("POST {path} HTTP/1.1\r\nHost: a\r\n{field}\r\n\r\n");
        let mut client = server.connect();
        if form == "late" {
            client.send(head.as_bytes());
            std::thread::sleep(Duration::from_millis(20));
            client.send(body.as_bytes());
        } else {
            client.send(format!("{head}{body}").as_bytes());
        }
        client.answer().status
    };
    for form in ["whole", "late", "chunked"] {
        for (path, limit) in [("/large", 20), ("/small", 5), ("/other", 10), ("/large?a=1", 20)] {
            assert_eq!(status_of(path, limit, form), 200, "{path} {limit} {form}");
            assert_eq!(status_of(path, limit + 1, form), 413, "{path} {limit} {form}");
        }
    }
}

#[test]
fn sends_no_100_continue_for_a_body_above_the_limit_of_the_path() {
    let server = limits_by_path();
    let first_line = |path: &str| {
        let mut client = server.connect();
        let head =
            format!("POST {path} HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 15\r\n\r\n");
        client.send(head.as_bytes());
        client.answer().status
    };
    assert_eq!(first_line("/large"), 100);
    assert_eq!(first_line("/small"), 413);
}
