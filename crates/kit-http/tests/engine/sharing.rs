//! Tests of several engines that listen on one port, and of reservations of a port.

use std::io;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use kit_http::{Config, Engine, Reservation};

use crate::support::{Command, Server, get};

const HOST: &str = "127.0.0.1";

fn config(port: u16, share_port: bool) -> Config {
    Config {
        host: Some(HOST.into()),
        port,
        share_port,
        ..Config::default()
    }
}

fn is_taken<T>(result: io::Result<T>) -> bool {
    result.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
}

#[test]
fn only_engines_that_share_the_port_can_listen_on_a_reserved_port() {
    let reservation = Reservation::new(Some(HOST), 0).unwrap();
    let port = reservation.local_addr().port();
    assert_ne!(port, 0);
    assert!(
        is_taken(Reservation::new(Some(HOST), port)),
        "before anybody listens"
    );
    assert!(
        is_taken(Engine::bind(config(port, false))),
        "for an engine that does not share"
    );

    let workers = [
        Engine::bind(config(port, true)).unwrap(),
        Engine::bind(config(port, true)).unwrap(),
    ];
    assert!(
        is_taken(Reservation::new(Some(HOST), port)),
        "while others listen"
    );
    assert!(is_taken(Reservation::new(None, port)), "on every address either");
    assert!(is_taken(Engine::bind(config(port, false))));

    drop(workers);
    assert!(
        is_taken(Engine::bind(config(port, false))),
        "while no worker is there"
    );
    Engine::bind(config(port, true)).unwrap();

    drop(reservation);
    Engine::bind(config(port, false)).unwrap();
}

#[test]
fn fails_to_reserve_a_port_on_which_a_server_listens() {
    let alone = TcpListener::bind((HOST, 0)).unwrap();
    assert!(is_taken(Reservation::new(
        Some(HOST),
        alone.local_addr().unwrap().port()
    )));
    let sharing = Engine::bind(config(0, true)).unwrap();
    assert!(is_taken(Reservation::new(
        Some(HOST),
        sharing.local_addr().unwrap().port()
    )));
}

#[test]
fn reserves_a_port_that_still_has_closed_connections_but_not_a_second_time() {
    let earlier = TcpListener::bind((HOST, 0)).unwrap();
    let address = earlier.local_addr().unwrap();
    let client = TcpStream::connect(address).unwrap();
    // The side that closes first keeps the closed connection for a while.
    drop(earlier.accept().unwrap());
    let mut end = Vec::new();
    (&client).read_to_end(&mut end).unwrap();
    drop((client, earlier));

    let reservation = Reservation::new(Some(HOST), address.port()).unwrap();
    assert!(is_taken(Reservation::new(Some(HOST), address.port())));
    Engine::bind(config(address.port(), true)).unwrap();
    drop(reservation);
}

/// The socket of the reservation is bound, but does not listen.
#[test]
fn reservation_of_a_port_gets_no_connections() {
    let reservation = Reservation::new(Some(HOST), 0).unwrap();
    let address = reservation.local_addr();
    let refused = TcpStream::connect(address).unwrap_err();
    assert_eq!(refused.kind(), io::ErrorKind::ConnectionRefused);
    let server = Server::with(&config(address.port(), true));
    for _ in 0..50 {
        assert!(ask(address).starts_with("HTTP/1.1 200"));
    }
    drop(server);
}

fn ask(address: SocketAddr) -> String {
    let mut stream = TcpStream::connect(address).expect("connects");
    stream.write_all(&get("/")).expect("is sent");
    let mut answer = [0; 12];
    stream.read_exact(&mut answer).expect("is answered");
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn connections_are_not_refused_while_a_socket_moves_from_one_engine_to_the_next() {
    let held = TcpListener::bind((HOST, 0)).unwrap();
    let address = held.local_addr().unwrap();
    let adopt = |held: TcpListener| Engine::adopt(held, config(0, false)).unwrap();
    let first = adopt(held.try_clone().unwrap());
    assert_eq!(first.local_addr(), Some(address));
    first.close(std::time::Duration::ZERO);
    drop(first);

    // No engine accepts connections at the moment, but they are not refused.
    let mut early = TcpStream::connect(address).unwrap();
    early.write_all(&get("/early")).unwrap();
    let next = Server::of(move || adopt(held));
    let mut text = [0; 12];
    early.read_exact(&mut text).unwrap();
    assert_eq!(&text, b"HTTP/1.1 200");
    drop(next);
}

/// The client may have expected the next process. So the process that accepted its connection must serve it.
#[test]
fn serves_open_connections_after_an_adopted_socket_was_released() {
    let held = TcpListener::bind((HOST, 0)).unwrap();
    let adopted = held.try_clone().unwrap();
    let server = Server::of(move || Engine::adopt(adopted, config(0, false)).unwrap());
    let mut used = server.connect();
    used.send(&get("/"));
    assert_eq!(used.answer().status, 200);
    // Connections are accepted in order, so this one is accepted before the last one.
    let mut silent = server.connect();
    let mut last = server.connect();
    last.send(&get("/"));
    assert_eq!(last.answer().status, 200);

    server.send(Command::Close(Duration::from_secs(5)));
    assert!(used.is_at_end(), "an idle connection is closed");
    std::thread::sleep(Duration::from_millis(500));
    silent.send(&get("/"));
    let answer = silent.answer();
    assert_eq!((answer.status, answer.header("connection")), (200, Some("close")));
    assert!(silent.is_at_end(), "its answer was the last");
    server.wait();
}
