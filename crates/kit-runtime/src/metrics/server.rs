//! Listener from which Prometheus reads the metrics. It is not the port of the application, so clients of the application do
//! not reach it.

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::{process, prometheus};
use crate::host::{without_brackets, without_port};
use crate::settings::Settings;
use crate::variables::{given_service_name, program_name, variable};

/// Maximum duration of a connection. Prometheus opens a new one if necessary.
const MAX_CONNECTION: Duration = Duration::from_secs(300);
/// Maximum number of connections. Few programs read metrics.
const MOST_CONNECTIONS: usize = 64;
/// Pause before the next attempt to listen at a port in use.
const RETRY: Duration = Duration::from_millis(250);
/// Time to wait for a port in use before the warning. While a version replaces another one, the previous process uses the port a
/// little longer.
const PATIENCE: Duration = Duration::from_secs(6);

/// Listens on `METRICS_PORT`, if it is set, immediately or as soon as the port is free. A failure is logged, and the server serves
/// its requests. The listener ends with the process.
pub(crate) async fn serve(settings: &'static Settings) {
    process::started();
    let Some(port) = settings.metrics_port else {
        return;
    };
    super::start();
    let host = without_brackets(&settings.metrics_host);
    // The first attempt ends before the server listens, so that its log says so early.
    match TcpListener::bind((host, port)).await {
        Ok(listener) => {
            log_address(&listener);
            tokio::spawn(accept(listener));
        }
        Err(error) => {
            tokio::spawn(listen_later(host, port, error));
        }
    }
}

/// Listens as soon as the port is free.
async fn listen_later(host: &'static str, port: u16, mut error: io::Error) {
    let warn_at = Instant::now() + PATIENCE;
    let mut has_warned = false;
    loop {
        if error.kind() != ErrorKind::AddrInUse {
            tracing::error!(
                "Prometheus cannot read the metrics, because {host}, port {port}, cannot be used: {error}; set METRICS_HOST and \
                 METRICS_PORT to another address"
            );
            return;
        }
        if !has_warned && Instant::now() >= warn_at {
            has_warned = true;
            tracing::warn!(
                "Prometheus cannot read the metrics while another program uses port {port}; set METRICS_PORT to another port"
            );
        }
        tokio::time::sleep(RETRY).await;
        match TcpListener::bind((host, port)).await {
            Ok(listener) => {
                log_address(&listener);
                return accept(listener).await;
            }
            Err(next) => error = next,
        }
    }
}

fn log_address(listener: &TcpListener) {
    if let Ok(address) = listener.local_addr() {
        tracing::info!("Prometheus metrics are at http://{address}/metrics");
    }
}

/// Answers the requests of a listener.
async fn accept(listener: TcpListener) {
    let is_loopback = listener
        .local_addr()
        .is_ok_and(|address| address.ip().is_loopback());
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // No code closes the semaphore.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((socket, _)) => {
                tokio::spawn(async move {
                    answer(socket, is_loopback).await;
                    drop(permit);
                });
            }
            // The process ran out of file descriptors, or the peer left.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

async fn answer(socket: TcpStream, is_loopback: bool) {
    let service =
        service_fn(move |request| async move { Ok::<_, Infallible>(respond(&request, is_loopback)) });
    let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service);
    // A broken connection needs no answer.
    let _ = tokio::time::timeout(MAX_CONNECTION, connection).await;
}

/// Returns true if a header `host` is localhost or an IP address. Otherwise, the request may come from a web page whose name an
/// attacker has pointed to this machine (DNS rebinding).
fn is_local_host(host: Option<&str>) -> bool {
    let Some(host) = host else { return true };
    let name = without_brackets(without_port(host));
    name == "localhost" || name.parse::<IpAddr>().is_ok() || host.parse::<IpAddr>().is_ok()
}

fn respond(request: &Request<Incoming>, is_loopback: bool) -> Response<Body> {
    let host = request
        .headers()
        .get(header::HOST)
        .map(|host| host.to_str().unwrap_or_default());
    let (status, text) = match (request.uri().path(), request.method()) {
        _ if is_loopback && !is_local_host(host) => (
            StatusCode::FORBIDDEN,
            "The host must be localhost or an IP address.\n".to_owned(),
        ),
        ("/metrics", &Method::GET | &Method::HEAD) => {
            (StatusCode::OK, prometheus::text(&service_name(variable)))
        }
        ("/metrics", _) => (StatusCode::METHOD_NOT_ALLOWED, "Use GET.\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, "The metrics are at /metrics.\n".to_owned()),
    };
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let plain = if status == StatusCode::OK {
        prometheus::CONTENT_TYPE
    } else {
        "text/plain; charset=utf-8"
    };
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(plain));
    if status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

/// Returns `OTEL_SERVICE_NAME`, the `service.name` of `OTEL_RESOURCE_ATTRIBUTES`, or the name of the program.
fn service_name(variable: impl Fn(&str) -> Option<String>) -> String {
    given_service_name(variable)
        .or_else(program_name)
        .unwrap_or_else(|| "unknown_service".to_owned())
}

#[cfg(test)]
mod tests {
    use super::{is_local_host, service_name};

    #[test]
    fn accepts_localhost_and_addresses_as_the_host_of_a_request() {
        for host in [
            "localhost",
            "localhost:9464",
            "127.0.0.1:9464",
            "[::1]:9464",
            "[::1]",
            "10.0.0.7",
        ] {
            assert!(is_local_host(Some(host)), "{host}");
        }
        assert!(is_local_host(None));
        for host in ["evil.example", "evil.example:9464", "localhost.evil.example", ""] {
            assert!(!is_local_host(Some(host)), "{host}");
        }
    }

    #[test]
    fn takes_the_name_of_the_service_from_the_same_variables_as_the_export() {
        let attributes = (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment=blue, service.name = todos",
        );
        let name = |variables: &[(&str, &str)]| {
            service_name(|wanted| {
                let found = variables.iter().find(|(known, _)| *known == wanted);
                found.map(|(_, value)| (*value).to_owned())
            })
        };
        assert_eq!(name(&[attributes]), "todos");
        assert_eq!(name(&[attributes, ("OTEL_SERVICE_NAME", "notes")]), "notes");
        assert!(name(&[("OTEL_RESOURCE_ATTRIBUTES", "deployment=blue")]).starts_with("kit_runtime"));
    }
}
