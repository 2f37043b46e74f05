//! Tests of connections that the client or the server closes.

use std::time::{Duration, Instant};

use crate::support::{Command, Server, get};

#[test]
fn handler_is_notified_if_a_client_disconnects_before_its_response() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/never"));
    server.await_requests(1);
    assert!(server.aborted.try_recv().is_err());
    drop(client);
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/never")
    );
}

#[test]
fn client_that_closes_its_sending_side_still_gets_its_response() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/later"));
    client.send(&get("/second"));
    client.stream.shutdown(std::net::Shutdown::Write).expect("open");
    assert_eq!(client.answer().text(), "\"later\"");
    assert_eq!(client.answer().text(), "\"/second\"");
    assert!(client.is_at_end());
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/later")
    );
    // When the second request began, the client already seemed to have disconnected.
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/second")
    );
    assert!(server.aborted.try_recv().is_err());
}

#[test]
fn accepts_a_response_for_a_client_that_has_disconnected() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/later"));
    drop(client);
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/later")
    );
    // The handler responds after 50 ms. The test server asserts that the engine accepts the response.
    std::thread::sleep(Duration::from_millis(120));
    let mut client = server.connect();
    client.send(&get("/a"));
    assert_eq!(client.answer().status, 200);
}

#[test]
fn drops_a_connection_that_closes_in_the_middle_of_a_request() {
    let server = Server::start();
    for bytes in [
        &b"GET / HT"[..],
        b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nab",
        b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n",
    ] {
        let mut client = server.connect();
        client.send(bytes);
        client.stream.shutdown(std::net::Shutdown::Write).expect("open");
        assert!(client.is_at_end());
    }
    assert_eq!(server.join().requests, 0);
}

#[test]
fn shutdown_completes_requests_in_progress() {
    let server = Server::start();
    let mut idle = server.connect();
    idle.send(&get("/a"));
    assert_eq!(idle.answer().status, 200);
    let mut fresh = server.connect();
    let mut busy = server.connect();
    busy.send(&get("/later"));
    server.await_requests(2);
    server.send(Command::Close(Duration::from_secs(5)));
    let answer = busy.answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(busy.is_at_end());
    assert!(idle.is_at_end());
    assert!(fresh.is_at_end());
    let address = server.address;
    server.wait();
    assert!(std::net::TcpStream::connect(address).is_err());
}

#[test]
fn closes_connections_whose_requests_exceed_the_grace_period() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/never"));
    server.await_requests(1);
    let start = Instant::now();
    server.send(Command::Close(Duration::from_millis(100)));
    assert!(client.is_at_end());
    assert!(
        start.elapsed() >= Duration::from_millis(95),
        "{:?}",
        start.elapsed()
    );
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/never")
    );
    server.wait();
}

#[test]
fn shutdown_writes_responses_that_are_ready_before_it_closes_connections() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/later"));
    server.await_requests(1);
    // While the loop is blocked, the response (after 50 ms) and the end of the grace period both become due.
    server.send(Command::CloseAndBlock(
        Duration::from_millis(40),
        Duration::from_millis(120),
    ));
    assert_eq!(client.answer().text(), "\"later\"");
    assert!(client.is_at_end());
    server.wait();
}

#[test]
fn fails_to_listen_on_a_port_in_use() {
    let server = Server::start();
    let config = kit_http::Config {
        host: Some("127.0.0.1".into()),
        port: server.address.port(),
        ..kit_http::Config::default()
    };
    let error = kit_http::Engine::bind(config).err().expect("the port is taken");
    assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse);
}

#[test]
fn listens_on_all_addresses_if_no_host_is_configured() {
    let engine = kit_http::Engine::bind(kit_http::Config::default()).expect("binds");
    let port = engine.local_addr().expect("a TCP address").port();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    if engine.local_addr().expect("a TCP address").is_ipv6() {
        assert!(std::net::TcpStream::connect(("::1", port)).is_ok());
    }
}
