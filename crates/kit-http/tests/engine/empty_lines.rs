//! Tests of empty lines before requests, which the engine ignores up to a limit.

use kit_http::Response;

use crate::same_thread::Server;

#[test]
fn counts_the_empty_lines_before_each_request_alone() {
    let mut server = Server::start();
    let mut client = server.connect();
    for _ in 0..20 {
        // The line arrives alone, and the request after it qualifies for the fast path.
        client.send("\r\n");
        server.turn();
        client.get();
        let id = server.request();
        let response = Response::json(200, "1".into()).expect("a valid status");
        server.engine.respond(id, response).expect("an open request");
        client.expect(&mut server, "\r\n\r\n1");
    }
    assert_eq!(server.log.refused, [0; 0]);
}

#[test]
fn refuses_empty_lines_that_arrive_one_by_one() {
    let mut server = Server::start();
    let mut client = server.connect();
    for _ in 0..9 {
        client.send("\r\n");
        server.turn();
    }
    client.stream.shutdown(std::net::Shutdown::Write).expect("open");
    let answer = server.rest(&mut client);
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    assert_eq!(server.log.refused, [400]);
}
