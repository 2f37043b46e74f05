//! Tests of routes of axum over HTTP/2.
#![cfg(feature = "http2")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::future::poll_fn;
use std::pin::Pin;

use kit_runtime::axum::body::{Body, HttpBody as _};
use kit_runtime::axum::{self, routing::get, routing::post};
use kit_test_http2::{DATA, END_HEADERS, END_STREAM, HEADERS as HEAD, Outcome, Target, fields, request};

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

/// Reads a part of the body. Returns the lengths of the body before and after.
async fn lengths(mut body: Body) -> String {
    let before = body.size_hint().exact();
    let _ = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await;
    format!("{before:?} {:?}", body.size_hint().exact())
}

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let router = axum::Router::new()
        .route("/own", get(async || (HEADERS, "own")))
        .route("/rest", post(lengths));
    let ended = kit_runtime::run(async { kit_runtime::serve(router).await });
    assert_eq!(
        format!("{ended:?}"),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
}

/// Starts the server, and returns it with the target of clients.
fn start() -> (Server, Target) {
    let authority = Authority::new();
    let server = Server::start(module_path!(), &Files::new(&authority).variables());
    let target = Target {
        address: server.address.clone(),
        config: tls::client(&authority, None),
    };
    (server, target)
}

#[test]
fn a_route_of_axum_sees_the_length_that_is_left_of_a_body() {
    let (server, target) = start();
    for (body, lengths) in [("abc", "Some(6) Some(3)"), ("abcdef", "Some(6) Some(0)")] {
        let mut client = target.open();
        let mut head = request("POST", "/rest");
        head.push(("content-length", "6"));
        client.send(HEAD, END_HEADERS, 1, &fields(&head));
        let is_whole = body.len() == 6;
        client.send(DATA, if is_whole { END_STREAM } else { 0 }, 1, body.as_bytes());
        let expected = (Outcome::Response(200), lengths.as_bytes().to_vec());
        assert_eq!(client.outcome(1), expected);
    }
    server.stop();
}

#[test]
fn removes_headers_of_connections_that_a_route_of_axum_sets() {
    let (server, target) = start();
    let mut client = target.open();
    client.get(1, "/own");
    assert_eq!(client.outcome(1), (Outcome::Response(200), b"own".to_vec()));
    server.stop();
}
