//! Tests of a server with TLS behind `kit dev`.
#![cfg(feature = "tls")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::io::{Read as _, Write as _};

use crate::authority::Authority;
use crate::process::Server;
use crate::tls::{Files, client, open};

/// Module with the server of these tests.
const SERVER: &str = "suite::tls";

#[test]
fn answers_over_tls_behind_kit_dev() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let mut variables = files.variables();
    variables.extend([
        ("KIT_DEV_TOKEN", "secret".to_owned()),
        ("NODE_ENV", "development".to_owned()),
    ]);
    let server = Server::start(SERVER, &variables);
    let mut stream = open(&server.address, &client(&authority, None));
    stream.sock.write_all(b"KIT-DEV secret 192.0.2.7 80\n").unwrap();
    stream
        .write_all(b"GET /origin HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    assert!(response.ends_with("\r\n\r\nhttps://localhost"), "{response}");
    server.stop();
}
