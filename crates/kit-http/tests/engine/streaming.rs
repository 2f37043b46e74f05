//! Tests of responses whose bodies are written in chunks.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

use kit_http::{Engine, Handler, Request, RequestId, Response, ResponseError, WriteResult};

use crate::same_thread::Server;

#[test]
fn sends_the_head_of_a_stream_before_the_first_chunk_and_its_chunks_in_order() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    let head = client.expect(&mut server, "\r\n\r\n");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("transfer-encoding: chunked\r\n"), "{head}");
    server.write(id, "one");
    client.expect(&mut server, "3\r\none\r\n");
    server.write(id, "two");
    server.write(id, "three");
    client.expect(&mut server, "8\r\ntwothree\r\n");
    server.engine.end(id).expect("a whole body");
    client.expect(&mut server, "0\r\n\r\n");
    // The connection serves further requests, even after a stream without chunks.
    client.get();
    let id = server.stream(None);
    server.engine.end(id).expect("a whole body");
    let empty = client.expect(&mut server, "\r\n\r\n");
    assert!(empty.contains("content-length: 0\r\n"), "{empty}");
    client.get();
    server.request();
    assert!(server.log.aborted.is_empty());
}

#[test]
fn sends_the_first_chunk_of_a_turn_at_once_and_the_others_together_in_the_next_turn() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    client.expect(&mut server, "\r\n\r\n");
    for _ in 0..3 {
        server.write(id, "first");
        server.write(id, "second");
        server.write(id, "third");
        let start = Instant::now();
        while client.text() != "5\r\nfirst\r\n" {
            client.take();
            assert!(start.elapsed() < Duration::from_secs(5), "{}", client.text());
        }
        client.expect(&mut server, "5\r\nfirst\r\nB\r\nsecondthird\r\n");
    }
    server.write(id, "last");
    server.engine.end(id).expect("a whole body");
    client.expect(&mut server, "4\r\nlast\r\n0\r\n\r\n");
}

#[test]
fn delays_pipelined_requests_until_the_end_of_a_stream() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /b HTTP/1.1\r\nHost: a\r\n\r\n");
    let id = server.stream(None);
    server.write(id, "first");
    client.expect(&mut server, "first\r\n");
    assert_eq!(server.log.requests.len(), 1);
    server.engine.end(id).expect("a whole body");
    let second = server.stream(Some(6));
    client.expect(&mut server, "\r\n\r\n");
    server.write(second, "second");
    client.expect(&mut server, "second");
}

#[test]
fn rejects_invalid_bytes_after_the_end_of_a_stream() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\nGET /\n\r\n");
    let id = server.stream(None);
    server.write(id, "first");
    client.expect(&mut server, "first\r\n");
    server.engine.end(id).expect("a whole body");
    client.stream.shutdown(Shutdown::Write).expect("open");
    let rest = server.rest(&mut client);
    assert!(
        rest.starts_with("0\r\n\r\nHTTP/1.1 400 Bad Request\r\n"),
        "{rest}"
    );
}

#[test]
fn refuses_a_streamed_body_that_is_longer_or_shorter_than_declared() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(Some(5));
    server.write(id, "abc");
    let long = server.engine.write(id, "def".into());
    assert_eq!(
        long,
        Err(ResponseError::Length {
            declared: 5,
            found: 6
        })
    );
    server.write(id, "de");
    let answer = client.expect(&mut server, "abcde");
    assert!(answer.contains("content-length: 5\r\n"), "{answer}");
    assert!(!answer.contains("chunked"), "{answer}");
    // The body has its declared length, so it is complete although the handler has not ended the stream.
    client.get();
    let short = server.stream(Some(5));
    assert_eq!(server.engine.write(id, "x".into()), Ok(WriteResult::Closed));
    assert_eq!(server.engine.end(id), Ok(()));
    server.write(short, "abc");
    client.expect(&mut server, "abc");
    assert_eq!(
        server.engine.end(short),
        Err(ResponseError::Length {
            declared: 5,
            found: 3
        })
    );
    assert_eq!(server.rest(&mut client), "");
    assert!(server.log.aborted.is_empty());
    assert_eq!(server.engine.connection_count(), 0);
}

#[test]
fn sends_only_the_head_of_responses_without_a_body() {
    let mut server = Server::start();
    let mut client = server.connect();
    for (length, said) in [(Some(7), Some("content-length: 7\r\n")), (None, None)] {
        client.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n");
        let id = server.stream(length);
        assert_eq!(server.engine.write(id, "ignored".into()), Ok(WriteResult::Closed));
        server.engine.end(id).expect("nothing to end");
        let head = client.expect(&mut server, "\r\n\r\n");
        assert_eq!(head.contains("content-length"), said.is_some(), "{head}");
        assert!(said.is_none_or(|said| head.contains(said)), "{head}");
    }
    client.get();
    let id = server.request();
    let head = Response::new(204).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head, None), Ok(true));
    let head = client.expect(&mut server, "\r\n\r\n");
    assert!(
        !head.contains("content-length") && !head.contains("chunked"),
        "{head}"
    );
    client.get();
    server.request();
}

#[test]
fn stream_to_an_http_10_client_ends_with_the_connection() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    let id = server.stream(None);
    server.write(id, "all of it");
    server.engine.end(id).expect("a whole body");
    let answer = server.rest(&mut client);
    assert!(!answer.contains("chunked"), "{answer}");
    assert!(answer.contains("connection: close\r\n"), "{answer}");
    assert!(answer.ends_with("\r\n\r\nall of it"), "{answer}");

    // With HTTP/1.0, a client can recognize an incomplete body only by a reset.
    let mut client = server.connect();
    client.send("GET / HTTP/1.0\r\n\r\n");
    let id = server.stream(None);
    server.write(id, "a part");
    client.expect(&mut server, "a part");
    server.engine.destroy(id);
    server.until(|_| client.take() == Some(ErrorKind::ConnectionReset));
}

#[test]
fn reports_only_once_that_the_client_of_a_stream_has_disconnected() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "abc");
    client.expect(&mut server, "abc\r\n");
    // The engine notices a reset immediately. A client that closes only its sending side may still read.
    socket2::SockRef::from(&client.stream)
        .set_linger(Some(Duration::ZERO))
        .expect("an option");
    drop(client);
    server.until(|server| !server.log.aborted.is_empty());
    assert_eq!(server.log.aborted, [id]);
    assert_eq!(server.engine.write(id, "abc".into()), Ok(WriteResult::Closed));
    assert_eq!(server.engine.end(id), Ok(()));
    server.engine.destroy(id);
    server.turn();
    assert_eq!(
        (server.log.aborted.len(), server.engine.connection_count()),
        (1, 0)
    );
}

#[test]
fn starting_a_stream_returns_false_if_the_client_has_disconnected() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.request();
    socket2::SockRef::from(&client.stream)
        .set_linger(Some(Duration::ZERO))
        .expect("an option");
    drop(client);
    server.until(|server| server.engine.connection_count() == 0);
    let head = || Response::new(200).expect("a status");
    assert_eq!(server.engine.respond_stream(id, head(), None), Ok(false));
    assert_eq!(
        server.engine.respond_stream(id, head(), None),
        Err(ResponseError::UnknownRequest)
    );
    server.turn();
    assert!(server.log.aborted.is_empty());
}

#[test]
fn closes_the_connection_of_a_stream_that_is_aborted() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "a part");
    client.expect(&mut server, "a part\r\n");
    server.engine.destroy(id);
    assert_eq!(server.rest(&mut client), "");
    // A stream that is aborted before its first chunk still sends its head. Clients would repeat the request if they
    // got no byte of a response.
    let mut client = server.connect();
    client.get();
    let id = server.stream(None);
    server.write(id, "a part");
    server.engine.destroy(id);
    let answer = server.rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    assert!(answer.ends_with("a part\r\n"), "{answer}");
    assert!(server.log.aborted.is_empty());
}

#[test]
fn shutdown_waits_for_a_stream_until_the_grace_period_ends() {
    let mut server = Server::start();
    let (mut finished, mut cut) = (server.connect(), server.connect());
    finished.get();
    let first = server.stream(None);
    cut.get();
    let second = server.stream(None);
    server.write(second, "a part");
    server.engine.close(Duration::from_millis(200));
    server.turn();
    server.write(first, "all of it");
    server.engine.end(first).expect("a whole body");
    let answer = server.rest(&mut finished);
    assert!(answer.ends_with("9\r\nall of it\r\n0\r\n\r\n"), "{answer}");
    assert!(!server.engine.is_closed());
    let answer = server.rest(&mut cut);
    assert!(answer.ends_with("a part\r\n"), "{answer}");
    assert!(server.engine.is_closed());
    assert_eq!(server.log.aborted, [second]);
}

#[test]
fn asks_the_writer_to_continue_after_the_last_chunk_of_a_declared_length() {
    let mut server = Server::start();
    let mut client = server.connect();
    client.get();
    let id = server.stream(Some(100_000));
    let last = vec![b'x'; 100_000].into();
    assert_eq!(server.engine.write(id, last), Ok(WriteResult::Wait));
    client.expect(&mut server, "xxx");
    // A writer that waits for the callback could never end the stream.
    server.until(|server| server.log.drained == 1);
    assert_eq!(server.engine.end(id), Ok(()));
    client.get();
    server.request();
}

/// Starts a stream while the engine passes a request to the handler.
struct Immediate<'a> {
    engine: &'a Engine,
    /// Lengths that the streams declare.
    lengths: &'a [Option<u64>],
    ids: Vec<RequestId>,
    drained: Vec<RequestId>,
}

impl Handler for Immediate<'_> {
    fn request(&mut self, id: RequestId, _: &Request) {
        let head = Response::new(200).expect("a status");
        let length = self.lengths[self.ids.len()];
        self.ids.push(id);
        assert_eq!(self.engine.respond_stream(id, head, length), Ok(true));
    }
    fn aborted(&mut self, _: RequestId) {}
    fn drained(&mut self, id: RequestId) {
        self.drained.push(id);
    }
}

#[test]
fn end_of_a_complete_stream_does_not_affect_the_next_stream_of_the_connection() {
    let Server { engine, .. } = Server::start();
    let address = engine.local_addr().expect("a TCP address");
    let mut client = TcpStream::connect(address).expect("connects");
    let patience = Some(Duration::from_millis(5));
    client.set_read_timeout(patience).expect("an option");
    let requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    client.write_all(requests.as_bytes()).expect("writes");
    let mut handler = Immediate {
        engine: &engine,
        lengths: &[Some(5), None],
        ids: Vec::new(),
        drained: Vec::new(),
    };
    let start = Instant::now();
    let mut until = |handler: &mut Immediate<'_>, is_so: &dyn Fn(&Immediate<'_>) -> bool| {
        while !is_so(handler) {
            engine.poll().expect("polls");
            while engine.has_work() {
                engine.drive(handler);
            }
            assert!(start.elapsed() < Duration::from_secs(10), "it does not happen");
            // A timeout only means that nothing has arrived.
            let _ = client.read(&mut vec![0; 64 * 1024]);
        }
    };
    until(&mut handler, &|handler| handler.ids.len() == 1);
    let first = handler.ids[0];
    assert_eq!(engine.write(first, "whole".into()), Ok(WriteResult::Ready));
    until(&mut handler, &|handler| handler.ids.len() == 2);
    // The first body was complete when the second request arrived, and its handler ends it only now.
    assert_eq!(engine.end(first), Ok(()));
    let second = handler.ids[1];
    let piece = vec![b'x'; 100_000].into();
    assert_eq!(engine.write(second, piece), Ok(WriteResult::Wait));
    until(&mut handler, &|handler| handler.drained == [second]);
}
