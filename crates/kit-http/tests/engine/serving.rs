//! Tests of valid requests.

use std::time::Duration;

use crate::support::{Server, get, post};

#[test]
fn serves_several_requests_on_one_connection() {
    let server = Server::start();
    let mut client = server.connect();
    for number in 0..5 {
        client.send(&get(&format!("/{number}?a=b")));
        let answer = client.answer();
        assert_eq!(
            (answer.status, answer.text()),
            (200, format!("\"/{number}?a=b\"").as_str())
        );
        assert_eq!(answer.header("content-type"), Some("application/json"));
        assert!(answer.header("date").is_some_and(|date| date.ends_with("GMT")));
    }
    assert_eq!(server.join().requests, 5);
}

#[test]
fn answers_pipelined_requests_in_order() {
    let server = Server::start();
    let mut client = server.connect();
    let mut bytes = Vec::new();
    for path in ["/later", "/1", "/later", "/2"] {
        bytes.extend(get(path));
        bytes.extend(post(path));
    }
    client.send(&bytes);
    for path in ["/later", "/1", "/later", "/2"] {
        let expected = if path == "/later" {
            "\"later\"".to_owned()
        } else {
            format!("{path:?}")
        };
        assert_eq!(client.answer().text(), expected);
        assert_eq!(client.answer().text(), path);
    }
}

#[test]
fn answers_a_hundred_pipelined_requests_in_one_write() {
    let server = Server::start();
    let mut client = server.connect();
    let bytes: Vec<u8> = (0..100).flat_map(|number| get(&format!("/{number}"))).collect();
    client.send(&bytes);
    for number in 0..100 {
        assert_eq!(client.answer().text(), format!("\"/{number}\""));
    }
}

#[test]
fn passes_a_chunked_body_to_the_handler() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(
        b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\
          5\r\nhello\r\n6;name=value\r\n world\r\n0\r\nTrailer: x\r\n\r\n",
    );
    assert_eq!(client.answer().text(), "hello world");
    client.send(&get("/next"));
    assert_eq!(client.answer().text(), "\"/next\"");
}

#[test]
fn sends_100_continue_to_a_client_that_waits_for_it() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-Continue\r\n\r\n");
    assert_eq!(client.answer().status, 100);
    client.send(b"ok");
    assert_eq!(client.answer().text(), "ok");
}

#[test]
fn declares_the_length_of_the_body_in_a_response_to_head() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"HEAD /abc HTTP/1.1\r\nHost: a\r\n\r\n");
    let answer = client.answer_to_head();
    assert_eq!((answer.status, answer.header("content-length")), (200, Some("6")));
    client.send(&get("/empty"));
    let answer = client.answer();
    assert_eq!((answer.status, answer.header("content-length")), (204, None));
    client.send(&get("/after"));
    assert_eq!(client.answer().text(), "\"/after\"");
}

#[test]
fn closes_the_connection_after_an_http_10_request_or_a_connection_close_header() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"GET /old HTTP/1.0\r\n\r\n");
    assert_eq!(client.answer().text(), "\"/old\"");
    assert!(client.is_at_end());
    let mut client = server.connect();
    client.send(b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    assert_eq!(client.answer().text(), "\"/last\"");
    assert!(client.is_at_end());
}

#[test]
fn writes_large_responses_to_clients_that_read_slowly() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/large"));
    client.send(&get("/after"));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(client.answer().body.len(), 8 * 1024 * 1024);
    assert_eq!(client.answer().text(), "\"/after\"");
}

#[test]
fn joins_the_values_of_a_repeated_header() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(
        b"GET /describe?q HTTP/1.1\r\nHost: h:80\r\nX-A: 1\r\nCookie: a=1\r\nx-a:  2 \r\nCookie: b=2\r\n\r\n",
    );
    assert_eq!(
        client.answer().text(),
        "GET /describe?q\nhost=h:80\nx-a=1, 2\ncookie=a=1; b=2\n"
    );
}

#[test]
fn accepts_absolute_targets_and_leading_empty_lines() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(b"\r\n\r\nGET http://h:80/a?b HTTP/1.1\r\nHost: h:80\r\n\r\n");
    assert_eq!(client.answer().text(), "\"/a?b\"");
    client.send(b"\r");
    std::thread::sleep(Duration::from_millis(20));
    client.send(b"\nGET /c HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_eq!(client.answer().text(), "\"/c\"");
}

#[test]
fn serves_many_connections_at_the_same_time() {
    let server = Server::start();
    let mut clients: Vec<_> = (0..300).map(|_| server.connect()).collect();
    for round in 0..3 {
        for client in &mut clients {
            client.send(&post(&format!("round {round}")));
        }
        for client in &mut clients {
            assert_eq!(client.answer().text(), format!("round {round}"));
        }
    }
    drop(clients);
    assert_eq!(server.join().requests, 900);
}
