//! Tests the closing of connections, by the client and by the server.

use std::time::{Duration, Instant};

use crate::support::{Command, Server, get};

#[test]
fn reports_a_client_that_leaves() {
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
fn reports_a_half_closed_client_and_still_responds() {
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
    // The second request began when the client already seemed gone.
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/second")
    );
    assert!(server.aborted.try_recv().is_err());
}

#[test]
fn accepts_a_response_for_a_client_that_left() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/later"));
    drop(client);
    assert_eq!(
        server.aborted.recv_timeout(Duration::from_secs(2)).as_deref(),
        Ok("/later")
    );
    // The handler responds 50 ms after the request; the driver asserts that the response is accepted.
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
    ] {
        let mut client = server.connect();
        client.send(bytes);
        client.stream.shutdown(std::net::Shutdown::Write).expect("open");
        assert!(client.is_at_end());
    }
    assert_eq!(server.join().requests, 0);
}

#[test]
fn completes_requests_in_progress_when_closing() {
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
fn cuts_requests_that_exceed_the_grace_period() {
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
fn writes_responses_that_are_ready_before_it_cuts_connections() {
    let server = Server::start();
    let mut client = server.connect();
    client.send(&get("/later"));
    server.await_requests(1);
    // The response, which is due after 50 ms, and the end of the grace period become due while the loop is blocked.
    server.send(Command::CloseAndBlock(
        Duration::from_millis(40),
        Duration::from_millis(120),
    ));
    assert_eq!(client.answer().text(), "\"later\"");
    assert!(client.is_at_end());
    server.wait();
}

#[test]
fn refuses_to_bind_a_port_in_use() {
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
fn binds_all_addresses_by_default() {
    let engine = kit_http::Engine::bind(kit_http::Config::default()).expect("binds");
    let port = engine.local_addr().expect("a TCP address").port();
    assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());
    if engine.local_addr().expect("a TCP address").is_ipv6() {
        assert!(std::net::TcpStream::connect(("::1", port)).is_ok());
    }
}
