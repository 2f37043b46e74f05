//! Tests of routes of axum over HTTP/2.
#![cfg(feature = "http2")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use kit_runtime::axum::{self, routing::get};
use kit_test_http2::{Outcome, Target};

use crate::authority::Authority;
use crate::process::Server;
use crate::tls::{self, Files};

/// Headers of connections of HTTP/1.1.
const HEADERS: [(&str, &str); 4] = [
    ("connection", "close"),
    ("keep-alive", "timeout=5"),
    ("proxy-connection", "close"),
    ("te", "gzip"),
];

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = axum::Router::new().route("/own", get(async || (HEADERS, "own")));
    let ended = kit_runtime::run(async { kit_runtime::serve(router).await });
    assert_eq!(
        format!("{ended:?}"),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
}

#[test]
fn removes_headers_of_connections_that_a_route_of_axum_sets() {
    let authority = Authority::new();
    let files = Files::new(&authority);
    let server = Server::start(module_path!(), &files.variables());
    let target = Target {
        address: server.address.clone(),
        config: tls::client(&authority, None),
    };
    let mut client = target.open();
    client.get(1, "/own");
    assert_eq!(client.outcome(1), (Outcome::Response(200), b"own".to_vec()));
    server.stop();
}
