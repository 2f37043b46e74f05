//! Tests of HTTP/2. The cases of `kit-test-http2` follow the sections of RFC 9113.
#![cfg(feature = "http2")]
#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.

use std::time::Duration;

use kit_runtime::shape::Shape;
use kit_runtime::{Application, Contract, Error, Reply, Request, Response, Routes, Segment, StatusCode};
use kit_test_http2::{BIG, Target};

use crate::authority::Authority;
use crate::process::Server;
use crate::tls::{self, Files};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Body of `/echo`.
#[derive(serde::Deserialize, serde::Serialize)]
struct Text(String);

impl Contract for Text {
    const NAME: &'static str = "Text";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::TEXT;
        &SHAPE
    }
}

/// The server. [`Server::start`] runs it in its own process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let text = |request: Request, text: String| async move {
        let context = request.into_context()?;
        Response::reply(&context, StatusCode::OK, Reply::text(&text))
    };
    let router = Routes::new(App)
        .route(
            "GET /origin",
            &[Segment::Static("origin")],
            move |_: App, request: Request| async move {
                let origin = request.context().origin().unwrap_or_default();
                text(request, origin).await
            },
        )
        .route(
            "GET /cookie",
            &[Segment::Static("cookie")],
            move |_: App, request: Request| async move {
                let cookie = request.header("cookie").unwrap_or_default().into_owned();
                text(request, cookie).await
            },
        )
        .route(
            "GET /big",
            &[Segment::Static("big")],
            move |_: App, request: Request| async move { text(request, "a".repeat(BIG)).await },
        )
        .route(
            "GET /slow",
            &[Segment::Static("slow")],
            move |_: App, request: Request| async move {
                tokio::time::sleep(Duration::from_millis(600)).await;
                text(request, "slow".to_owned()).await
            },
        )
        .route(
            "POST /echo",
            &[Segment::Static("echo")],
            move |_: App, request: Request| async move {
                let Text(body) = request.body()?;
                let context = request.handler_context()?;
                Response::reply(&context, StatusCode::OK, Reply::text(&body))
            },
        )
        .into_router();
    let ended = kit_runtime::run(async { kit_runtime::serve(router).await });
    assert_eq!(
        format!("{ended:?}"),
        format!("{:?}", std::process::ExitCode::SUCCESS)
    );
}

/// A server, and what a client of it needs.
struct Running {
    server: Server,
    target: Target,
    _files: Files,
}

impl Running {
    fn start(variables: &[(&'static str, &str)]) -> Self {
        let authority = Authority::new();
        let files = Files::new(&authority);
        let mut all = files.variables();
        all.extend(variables.iter().map(|(name, value)| (*name, (*value).to_owned())));
        let server = Server::start(module_path!(), &all);
        let target = Target {
            address: server.address.clone(),
            config: tls::client(&authority, None),
        };
        Self {
            server,
            target,
            _files: files,
        }
    }
}

#[test]
fn reacts_to_frames_as_rfc_9113_requires() {
    let running = Running::start(&[]);
    kit_test_http2::reacts_to_frames_as_rfc_9113_requires(&running.target);
    running.server.stop();
}

#[test]
fn reacts_to_requests_as_rfc_9113_requires() {
    let running = Running::start(&[]);
    kit_test_http2::reacts_to_requests_as_rfc_9113_requires(&running.target);
    running.server.stop();
}

#[test]
fn begins_a_connection_with_settings_and_refuses_another_preface() {
    let running = Running::start(&[]);
    kit_test_http2::begins_a_connection_with_settings_and_refuses_another_preface(&running.target);
    running.server.stop();
}

#[test]
fn serves_others_after_random_frames() {
    let running = Running::start(&[]);
    kit_test_http2::serves_others_after_random_frames(&running.target);
    running.server.stop();
}

#[test]
fn refuses_streams_above_the_maximum_number_and_serves_the_others() {
    let running = Running::start(&[]);
    kit_test_http2::refuses_streams_above_the_maximum_number_and_serves_the_others(&running.target);
    running.server.stop();
}

#[test]
fn ends_connections_that_flood_with_control_frames_and_serves_the_others() {
    let running = Running::start(&[]);
    let process = running.server.child.id();
    kit_test_http2::ends_connections_that_flood_with_control_frames_and_serves_the_others(
        &running.target,
        process,
    );
    let log = running.server.stop();
    assert!(log.contains("HTTP2_LIMIT"), "{log}");
}

#[test]
fn frees_responses_that_no_client_reads() {
    let running = Running::start(&[("WRITE_TIMEOUT_MS", "1500")]);
    let process = running.server.child.id();
    kit_test_http2::frees_responses_that_no_client_reads(&running.target, process);
    running.server.stop();
}

#[test]
fn passes_origin_cookies_and_bodies_as_over_http_1_1() {
    let running = Running::start(&[]);
    kit_test_http2::passes_origin_cookies_and_bodies_as_over_http_1_1(&running.target);
    running.server.stop();
}

#[test]
fn answers_several_requests_of_a_connection_at_the_same_time() {
    let running = Running::start(&[]);
    kit_test_http2::answers_several_requests_of_a_connection_at_the_same_time(&running.target);
    running.server.stop();
}

#[test]
fn sends_no_more_of_a_response_than_the_client_accepts() {
    let running = Running::start(&[]);
    kit_test_http2::sends_no_more_of_a_response_than_the_client_accepts(&running.target);
    running.server.stop();
}

#[test]
fn limits_the_times_of_heads_bodies_reading_and_idle_connections() {
    let running = Running::start(&[
        ("HEADERS_TIMEOUT_MS", "3000"),
        ("BODY_TIMEOUT_MS", "3000"),
        ("WRITE_TIMEOUT_MS", "3000"),
        ("KEEP_ALIVE_TIMEOUT_MS", "5000"),
    ]);
    kit_test_http2::limits_the_times_of_heads_bodies_reading_and_idle_connections(&running.target);
    running.server.stop();
}

#[test]
fn ends_a_connection_without_a_request_after_the_time_for_a_head() {
    let running = Running::start(&[("HEADERS_TIMEOUT_MS", "300")]);
    kit_test_http2::ends_a_connection_without_a_request_after_the_time_for_a_head(&running.target);
    running.server.stop();
}

#[test]
fn sends_100_to_clients_that_wait_for_it_before_they_send_the_body() {
    let running = Running::start(&[]);
    kit_test_http2::sends_100_to_clients_that_wait_for_it_before_they_send_the_body(&running.target);
    running.server.stop();
}

#[test]
fn permits_clients_that_read_nothing_while_they_send_a_body() {
    let running = Running::start(&[("WRITE_TIMEOUT_MS", "1000")]);
    let write = Duration::from_secs(1);
    kit_test_http2::permits_clients_that_read_nothing_while_they_send_a_body(&running.target, write);
    running.server.stop();
}

#[test]
fn completes_requests_in_progress_after_goaway_when_the_server_stops() {
    let Running {
        server,
        target,
        _files,
    } = Running::start(&[("SHUTDOWN_DELAY_MS", "0")]);
    kit_test_http2::completes_requests_in_progress_after_goaway_when_the_server_stops(&target, || {
        server.stop();
    });
}

#[test]
fn serves_http_1_1_to_clients_that_do_not_choose_http_2() {
    let running = Running::start(&[]);
    let response = crate::tls::get(&running.server.address, &running.target.config, "/origin").unwrap();
    assert!(response.starts_with("HTTP/1.1 200 OK\r\n"), "{response}");
    running.server.stop();
}
