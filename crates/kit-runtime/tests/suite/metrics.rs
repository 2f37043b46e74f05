//! Tests of the metrics for Prometheus.

#![cfg(unix)]
// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

use crate::process::Server;
use kit_runtime::{Application, Error, Request, Response, Routes, Segment, StatusCode};

#[derive(Clone)]
struct App;

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Not a test: runs the server that the tests start as a separate process.
#[test]
fn server() {
    if std::env::var_os("KIT_TEST_SERVER").is_none() {
        return;
    }
    let path: &[Segment] = &[Segment::Static("items"), Segment::Parameter("id")];
    let router = Routes::new(App)
        .route("GET /items/:id", path, async |_app, request: Request| {
            let context = request.into_context()?;
            if context.path().ends_with("/none") {
                return Err(Error::internal("an item is lost"));
            }
            Ok(Response::empty(&context, StatusCode::NO_CONTENT))
        })
        .into_router();
    let _ = kit_runtime::run(kit_runtime::serve(router));
}

/// Sends a request to the port of the metrics, and returns the response.
fn ask(address: &str, method: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

/// Returns the address of the metrics, which the server logs before it listens.
fn address_of(server: &Server) -> String {
    let (_, rest) = server
        .before
        .split_once("Prometheus metrics are at http://")
        .unwrap();
    rest.split('/').next().unwrap().to_owned()
}

#[test]
fn prometheus_reads_requests_by_route_from_a_port_of_its_own() {
    let server = Server::start(
        module_path!(),
        &[
            ("METRICS_PORT", "0".to_owned()),
            ("OTEL_SERVICE_NAME", "items".to_owned()),
        ],
    );
    let address = address_of(&server);
    for path in ["/items/1", "/items/2", "/items/none", "/nowhere"] {
        server.get(path, "");
    }
    let answer = ask(&address, "GET", "/metrics");
    assert!(
        answer.starts_with("HTTP/1.1 200 OK\r\ncontent-type: text/plain; version=0.0.4; charset=utf-8\r\n"),
        "{answer}"
    );
    let good = "http_request_method=\"GET\",http_response_status_code=\"204\",http_route=\"/items/:id\"";
    let bad = "error_type=\"500\",http_request_method=\"GET\",http_response_status_code=\"500\",http_route=\"/items/:id\"";
    let unknown = "http_request_method=\"GET\",http_response_status_code=\"404\"";
    for line in [
        "target_info{service_name=\"items\"} 1".to_owned(),
        "# TYPE http_server_request_duration_seconds histogram".to_owned(),
        format!("http_server_request_duration_seconds_bucket{{{good},le=\"0.005\"}} "),
        format!("http_server_request_duration_seconds_bucket{{{good},le=\"+Inf\"}} 2\n"),
        format!("http_server_request_duration_seconds_count{{{good}}} 2\n"),
        format!("http_server_errors_total{{{bad}}} 1\n"),
        format!("http_server_errors_total{{{unknown}}} 1\n"),
        "http_server_active_requests 0\n".to_owned(),
        "kit_server_connections ".to_owned(),
        "process_uptime_seconds ".to_owned(),
    ] {
        assert!(answer.contains(&line), "{line} of {answer}");
    }
    if cfg!(target_os = "linux") {
        for name in [
            "process_cpu_time_seconds_total{cpu_mode=\"user\"} ",
            "process_memory_usage_bytes ",
            "process_open_file_descriptor_count ",
        ] {
            assert!(answer.contains(name), "{name} of {answer}");
        }
    }
    let head = ask(&address, "HEAD", "/metrics");
    assert!(
        head.starts_with("HTTP/1.1 200 OK\r\n") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    assert!(ask(&address, "POST", "/metrics").starts_with("HTTP/1.1 405 "));
    assert!(ask(&address, "GET", "/items/1").starts_with("HTTP/1.1 404 "));
    // The port of the application has no metrics.
    assert!(server.get("/metrics", "").starts_with("HTTP/1.1 404 "));
}

#[test]
fn has_no_metrics_without_their_port() {
    let server = Server::start(module_path!(), &[]);
    assert!(!server.before.contains("Prometheus"), "{}", server.before);
    assert!(server.get("/items/1", "").starts_with("HTTP/1.1 204 "));
}

#[test]
fn serves_requests_while_another_program_has_the_port_of_the_metrics() {
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = other.local_addr().unwrap();
    let mut server = Server::start(module_path!(), &[("METRICS_PORT", address.port().to_string())]);
    assert!(server.get("/items/1", "").starts_with("HTTP/1.1 204 "));
    drop(other);
    // The server tries again until the port is free.
    server.wait_for_line("Prometheus metrics are at");
    let answer = ask(&address.to_string(), "GET", "/metrics");
    assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
}

#[test]
fn refuses_a_request_from_a_page_whose_name_leads_to_this_machine() {
    let server = Server::start(module_path!(), &[("METRICS_PORT", "0".to_owned())]);
    let mut stream = TcpStream::connect(address_of(&server)).unwrap();
    write!(
        stream,
        "GET /metrics HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
}
