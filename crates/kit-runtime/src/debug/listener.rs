//! HTTP server of the sidecar, on a port of its own.

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

use super::answer::Refusal;
use super::dashboard::{Dashboard, is_for_file};
use super::endpoints;
use super::guard::{Guarded, Purpose};
use super::history::{self, now_ms};
use super::replay;
use super::settings::DebugSettings;
use super::state::State;
use crate::Error;
use crate::http::header_text;
use crate::json::to_text;

/// Maximum number of connections. A sidecar has few clients.
const MOST_CONNECTIONS: usize = 256;
/// Maximum time between two requests of a connection, and for the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Maximum duration of a connection. A client opens a new one if necessary.
const MAX_CONNECTION: Duration = Duration::from_secs(300);
/// Pause before the next attempt to listen at a port in use.
const RETRY: Duration = Duration::from_millis(250);
/// Time to wait for a port in use before the warning. Under `kit dev`, the previous process uses the port a little longer.
const PATIENCE: Duration = Duration::from_secs(6);

/// Starts the sidecar, if the program has one and the environment variables turn it on. `address` is the address of the
/// application. The sidecar listens immediately, or as soon as its port is free. It ends with the process.
///
/// # Errors
///
/// If a setting is invalid, or if a required key is missing.
pub(crate) async fn serve(address: SocketAddr) -> Result<(), Error> {
    let (Some((sidecar, openapi)), Some(settings)) = (super::declared(), DebugSettings::load()?) else {
        return Ok(());
    };
    history::start(settings.keep, settings.is_production);
    let Some(history) = history::history() else {
        return Ok(());
    };
    let (host, port) = (settings.host.clone(), settings.port);
    let sources = Arc::new(Sources {
        dashboard: Dashboard::new(sidecar.dashboard),
        state: State::new(settings, sidecar, openapi, history, address)?,
    });
    match TcpListener::bind((host.as_str(), port)).await {
        Ok(listener) => {
            log_address(&listener);
            tokio::spawn(accept(listener, sources));
        }
        Err(error) => {
            tokio::spawn(listen_later(host, port, error, sources));
        }
    }
    Ok(())
}

/// Data and files that the sidecar sends.
struct Sources {
    dashboard: Dashboard,
    state: State,
}

/// Listens as soon as the port is free.
async fn listen_later(host: String, port: u16, mut error: io::Error, sources: Arc<Sources>) {
    let warn_at = Instant::now() + PATIENCE;
    let mut has_warned = false;
    loop {
        if error.kind() != ErrorKind::AddrInUse {
            tracing::warn!(
                "The debug sidecar cannot listen at {host}, port {port}; the server goes on without it: {error}"
            );
            return;
        }
        if !has_warned && Instant::now() >= warn_at {
            has_warned = true;
            tracing::warn!(
                "The debug sidecar waits for port {port}, which another program uses: set DEBUG_PORT to another port, or to 0 for a free one"
            );
        }
        tokio::time::sleep(RETRY).await;
        match TcpListener::bind((host.as_str(), port)).await {
            Ok(listener) => {
                log_address(&listener);
                return accept(listener, sources).await;
            }
            Err(next) => error = next,
        }
    }
}

fn log_address(listener: &TcpListener) {
    let Ok(address) = listener.local_addr() else {
        return;
    };
    let url = if address.ip().is_unspecified() {
        format!("http://localhost:{}", address.port())
    } else {
        format!("http://{address}")
    };
    tracing::info!("The debug sidecar listens on {url}");
}

/// Answers the requests of a listener.
async fn accept(listener: TcpListener, sources: Arc<Sources>) {
    let permits = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        // No code closes the semaphore.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((socket, peer)) => {
                let sources = Arc::clone(&sources);
                tokio::spawn(async move {
                    answer(socket, peer.ip(), sources).await;
                    drop(permit);
                });
            }
            // The process ran out of file descriptors, or the peer left.
            Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
        }
    }
}

async fn answer(socket: TcpStream, peer: IpAddr, sources: Arc<Sources>) {
    let service = service_fn(move |request| {
        let sources = Arc::clone(&sources);
        async move { Ok::<_, Infallible>(respond(request, peer, &sources).await.map(Body::from)) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(socket), service);
    // A broken connection needs no answer.
    let _ = tokio::time::timeout(MAX_CONNECTION, connection).await;
}

async fn respond(request: Request<Incoming>, peer: IpAddr, sources: &Arc<Sources>) -> Response<Bytes> {
    let (parts, body) = request.into_parts();
    let (method, headers) = (&parts.method, &parts.headers);
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    let accept = header_text(headers, "accept").unwrap_or_default();
    let is_file = is_for_file(method, path, query, &accept);
    let is_replay = *method == Method::POST
        && path == replay::PATH
        && parts.uri.query().is_none()
        && sources.state.can_replay();
    let purpose = match (is_file, is_replay) {
        (true, _) => Purpose::File,
        (false, true) => Purpose::Action,
        (false, false) => Purpose::Read,
    };
    let asked = Guarded {
        method,
        headers,
        address: peer,
        purpose,
    };
    let mut response = match sources.state.guard.check(&asked, now_ms()) {
        Err(refusal) => refused(&refusal),
        Ok(()) if is_file => sources.dashboard.respond(path, headers),
        Ok(()) if is_replay => match send_again(&sources.state, body, peer).await {
            Ok(value) => send(StatusCode::OK, &value),
            Err(refusal) => refused(&refusal),
        },
        Ok(()) => data(sources, path, query).await,
    };
    if has_body(headers) {
        // A part of the body may not be read, so the connection cannot be used again.
        let close = HeaderValue::from_static("close");
        response.headers_mut().insert(header::CONNECTION, close);
    }
    if *method == Method::HEAD {
        let length = HeaderValue::from(response.body().len());
        response.headers_mut().insert(header::CONTENT_LENGTH, length);
        *response.body_mut() = Bytes::new();
    }
    response
}

/// Returns the response of an endpoint. Its JSON can have megabytes, so the response is created on a thread that requests to the
/// application do not need.
async fn data(sources: &Arc<Sources>, path: &str, query: &str) -> Response<Bytes> {
    let (sources, path, query) = (Arc::clone(sources), path.to_owned(), query.to_owned());
    let create = move || match endpoints::respond(&sources.state, &path, &query) {
        Ok(value) => send(StatusCode::OK, &value),
        Err(refusal) => refused(&refusal),
    };
    tokio::task::spawn_blocking(create).await.unwrap_or_else(|_| {
        refused(&Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "INTERNAL_SERVER_ERROR",
            "the debug sidecar could not create this response",
        ))
    })
}

/// Reads the body of a request to send a recorded request again, and sends it. Refuses a long body before it has arrived
/// completely.
async fn send_again(state: &State, body: Incoming, peer: IpAddr) -> Result<Value, Refusal> {
    let body = tokio::time::timeout(HEAD, Limited::new(body, replay::GREATEST_REQUEST).collect()).await;
    match body {
        Ok(Ok(body)) => replay::replay(state, &body.to_bytes(), peer).await,
        _ => Err(Refusal::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            "PAYLOAD_TOO_LARGE",
            format!(
                "the body may have at most {} KiB, and must arrive quickly",
                replay::GREATEST_REQUEST / 1024
            ),
        )),
    }
}

fn has_body(headers: &HeaderMap) -> bool {
    let length = header_text(headers, "content-length");
    headers.contains_key(header::TRANSFER_ENCODING) || length.is_some_and(|length| length != "0")
}

fn refused(refusal: &Refusal) -> Response<Bytes> {
    let error = json!({ "error": { "code": refusal.code, "message": refusal.message } });
    let mut response = send(refusal.status, &error);
    let headers = response.headers_mut();
    if let Some(seconds) = refusal.retry_after {
        headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    if refusal.status == StatusCode::METHOD_NOT_ALLOWED {
        headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
    }
    response
}

fn send(status: StatusCode, value: &Value) -> Response<Bytes> {
    // The responses are trees of JSON values, whose serialization cannot fail.
    let mut response = Response::new(Bytes::from(to_text(value).unwrap_or_default()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let mut set = |name: HeaderName, value| headers.insert(name, HeaderValue::from_static(value));
    set(header::CONTENT_TYPE, "application/json; charset=utf-8");
    // The response is current and is meant for this client only, so nothing may store it.
    set(header::CACHE_CONTROL, "no-store");
    set(
        HeaderName::from_static("cross-origin-resource-policy"),
        "same-origin",
    );
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    response
}
