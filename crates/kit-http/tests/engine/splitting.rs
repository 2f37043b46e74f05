//! Tests that responses do not depend on the division of a stream into packets.

use crate::support::{Client, Server};

const STREAM: &[u8] = b"POST /echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello\
POST /echo HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x\r\nde\r\n0\r\nT: v\r\n\r\n\
GET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

fn check(mut client: Client) {
    assert_eq!(client.answer().text(), "hello");
    assert_eq!(client.answer().text(), "abcde");
    assert_eq!(client.answer().text(), "\"/a\"");
    assert!(client.is_at_end());
}

#[test]
fn responds_to_requests_that_are_split_at_any_byte() {
    let server = Server::start();
    for cut in 1..STREAM.len() {
        let mut client = server.connect();
        client.send(&STREAM[..cut]);
        // This is usually enough time for the server to read the first part alone.
        std::thread::sleep(std::time::Duration::from_micros(300));
        client.send(&STREAM[cut..]);
        check(client);
    }
}

#[test]
fn responds_to_requests_that_arrive_byte_by_byte() {
    let server = Server::start();
    let mut client = server.connect();
    for byte in STREAM {
        client.send(&[*byte]);
        std::thread::sleep(std::time::Duration::from_micros(200));
    }
    check(client);
}

#[test]
fn sends_a_rejection_after_the_responses_to_earlier_requests() {
    let server = Server::start();
    let bytes =
        b"GET /later HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\nGET /c HTTP/1.1\r\n\r\n";
    for cut in [bytes.len(), bytes.len() - 2, bytes.len() - 10, 40] {
        let mut client = server.connect();
        client.send(&bytes[..cut]);
        std::thread::sleep(std::time::Duration::from_millis(2));
        client.send(&bytes[cut..]);
        assert_eq!(client.answer().text(), "\"later\"");
        assert_eq!(client.answer().text(), "\"/b\"");
        assert_eq!(client.answer().status, 400);
        assert!(client.is_at_end());
    }
}
