//! Listener from which Prometheus reads the metrics. It is not the port of the application, so clients of the application do
//! not reach it.

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use super::{process, prometheus};
use crate::settings::Settings;
use crate::{Error, start_error};

/// Maximum duration of a connection. Prometheus opens a new one if necessary.
const MAX_CONNECTION: Duration = Duration::from_secs(300);

/// Listens on `METRICS_PORT`, if it is set. The listener ends with the process.
///
/// # Errors
///
/// If the address cannot be bound.
pub(crate) async fn serve(settings: &'static Settings) -> Result<(), Error> {
    process::started();
    let Some(port) = settings.metrics_port else {
        return Ok(());
    };
    let host = settings
        .metrics_host
        .trim_start_matches('[')
        .trim_end_matches(']');
    let listener = TcpListener::bind((host, port)).await.map_err(|error| {
        start_error::failure(
            &format!("the server cannot listen for Prometheus: {error}"),
            &format!("at {host}, port {port}"),
            "set METRICS_PORT to a free port and METRICS_HOST to an address of this machine",
        )
    })?;
    super::start();
    let address = listener.local_addr()?;
    tracing::info!("Prometheus metrics are at http://{address}/metrics");
    tokio::spawn(async move {
        loop {
            match listener.accept().await {
                Ok((socket, _)) => drop(tokio::spawn(answer(socket))),
                // The process ran out of file descriptors, or the peer left.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        }
    });
    Ok(())
}

async fn answer(socket: TcpStream) {
    let connection = http1::Builder::new().serve_connection(TokioIo::new(socket), service_fn(respond));
    // A broken connection needs no answer.
    let _ = tokio::time::timeout(MAX_CONNECTION, connection).await;
}

async fn respond(request: Request<Incoming>) -> Result<Response<Body>, Infallible> {
    let (status, text) = match (request.uri().path(), request.method()) {
        ("/metrics", &Method::GET | &Method::HEAD) => (StatusCode::OK, prometheus::text(&service_name())),
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
    Ok(response)
}

/// Returns `OTEL_SERVICE_NAME`, or the name of the program.
fn service_name() -> String {
    let named = std::env::var("OTEL_SERVICE_NAME")
        .ok()
        .filter(|name| !name.is_empty());
    named.unwrap_or_else(|| {
        let program = std::env::current_exe().ok();
        let name = program.as_ref().and_then(|path| path.file_stem()?.to_str());
        name.unwrap_or("unknown_service").to_owned()
    })
}
