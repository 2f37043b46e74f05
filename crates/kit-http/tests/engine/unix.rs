//! Tests of servers that listen on Unix sockets, and of the files of these sockets.
#![allow(clippy::disallowed_methods)] // the files are under test

use std::io::{self, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::time::Duration;

use kit_http::{Config, Engine};

use crate::support::{Command, Server, get};

/// Returns a path that no other test uses.
fn path(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("kit-{name}-{}.sock", std::process::id()));
    let _ = std::fs::remove_file(&path);
    path
}

fn config(path: &std::path::Path) -> Config {
    Config {
        path: Some(path.to_owned()),
        ..Config::default()
    }
}

fn ask(path: &std::path::Path) -> String {
    let mut stream = UnixStream::connect(path).expect("somebody listens");
    stream
        .set_read_timeout(Some(Duration::from_secs(5)))
        .expect("an option");
    stream
        .write_all(b"POST /echo HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\nhi")
        .expect("writes");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the server closes");
    answer
}

#[test]
fn serves_a_unix_socket_and_removes_its_file_on_close() {
    let path = path("served");
    let server = Server::with(&config(&path));
    let answer = ask(&path);
    assert!(
        answer.starts_with("HTTP/1.1 200 ") && answer.ends_with("\r\n\r\nhi"),
        "{answer}"
    );
    server.send(Command::Close(Duration::ZERO));
    server.wait();
    assert!(!path.exists());
}

#[test]
fn replaces_a_file_that_a_killed_server_left_behind() {
    let path = path("stale");
    // Dropping this listener of the standard library does not remove its file, as if the server had
    // been killed.
    drop(UnixListener::bind(&path).expect("binds"));
    assert!(path.exists(), "the test shows nothing");
    let server = Server::with(&config(&path));
    assert!(ask(&path).starts_with("HTTP/1.1 200 "));
    drop(server);
}

#[test]
fn does_not_replace_a_socket_in_use_or_a_file_of_another_type() {
    let used = path("used");
    let server = Server::with(&config(&used));
    let error = Engine::bind(config(&used)).err().expect("an error");
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert!(ask(&used).starts_with("HTTP/1.1 200 "));
    drop(server);

    let file = path("file");
    std::fs::write(&file, "data").expect("writes");
    let error = Engine::bind(config(&file)).err().expect("an error");
    assert_eq!(error.kind(), io::ErrorKind::AddrInUse);
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), "data");
    std::fs::remove_file(&file).expect("removes");
}

#[test]
fn does_not_remove_a_socket_file_that_another_process_created_at_the_same_path() {
    let path = path("taken");
    let server = Server::with(&config(&path));
    std::fs::remove_file(&path).expect("removes");
    let other = UnixListener::bind(&path).expect("binds");
    drop(server);
    assert!(path.exists());
    drop(other);
    std::fs::remove_file(&path).expect("removes");
}

#[test]
fn responds_to_a_client_that_connects_over_ipv6() {
    let Ok(engine) = Engine::bind(Config {
        host: Some("::1".into()),
        ..Config::default()
    }) else {
        eprintln!("SKIPPED responds_to_a_client_that_connects_over_ipv6: this machine has no IPv6");
        return;
    };
    assert!(engine.local_addr().expect("a TCP address").is_ipv6());
    drop(engine);
    let server = Server::with(&Config {
        host: Some("::1".into()),
        ..Config::default()
    });
    let mut client = server.connect();
    client.send(&get("/a"));
    assert_eq!(client.answer().status, 200);
}
