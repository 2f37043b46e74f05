//! Serves one HTTP/2 connection with hyper and h2 (RFC 9113).
//!
//! h2 checks frames, header compression and flow control. [`meter`] bounds what h2 does not bound, and [`request`] applies the
//! rules of HTTP/1.1 to requests.

mod body;
mod bucket;
mod end;
mod frames;
mod meter;
mod request;
mod stream;
mod windows;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::http::{HeaderValue, Method, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

use super::{ConnectionState, Timeouts, headers, refusal};
use crate::Serve;
use crate::listener::ConnectionPermit;
use crate::shutdown::{self, Shutdown};
use body::TimedBody;
use meter::MAX_STREAMS;
use stream::MeteredStream;
pub(crate) use stream::flush;

/// Protocol name in TLS handshakes (RFC 9113, 3.2).
pub(crate) const ALPN: &[u8] = b"h2";
/// Number of bytes of a request body that may arrive before the handler reads, and of all bodies of a connection.
const STREAM_WINDOW: u32 = 256 * 1024;
const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// Maximum size of a header section. [`request`] refuses a smaller size with an error response that has a body.
const HEADER_LIST_BYTES: u32 = 32 * 1024;
/// Number of bytes of a response that wait for the client, for each stream.
const SEND_BUFFER: usize = 64 * 1024;

/// Serves the connection until it is closed. When the server shuts down, the connection closes after the requests in
/// progress.
pub(crate) async fn connect<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    socket: S,
    peer: SocketAddr,
    router: impl Serve,
    timeouts: Timeouts,
    permit: Option<ConnectionPermit>,
) -> Result<(), hyper::Error> {
    let mut shutdown = Shutdown::of_server();
    let is_closing = Arc::new(AtomicBool::new(false));
    let answered_at_end = Arc::new(Notify::new());
    let stream = MeteredStream::new(socket, peer.ip(), timeouts, Arc::clone(&is_closing), permit);
    let notify = Arc::clone(&answered_at_end);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (router, notify) = (router.clone(), Arc::clone(&notify));
        async move {
            let response = respond(request, peer, router, timeouts).await;
            // The shutdown was announced. As with `connection: close` in HTTP/1.1, the client uses a new connection.
            if shutdown::is_closing() {
                notify.notify_one();
            }
            Ok::<_, Infallible>(response)
        }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .max_concurrent_streams(MAX_STREAMS)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(HEADER_LIST_BYTES)
        .max_send_buf_size(SEND_BUFFER)
        .max_pending_accept_reset_streams(20)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    tokio::select! {
        biased;
        result = connection.as_mut() => return result,
        () = answered_at_end.notified() => {}
        () = shutdown.begun() => is_closing.store(true, Ordering::Relaxed),
    }
    connection.as_mut().graceful_shutdown();
    tokio::select! {
        biased;
        result = connection.as_mut() => return result,
        () = shutdown.begun() => is_closing.store(true, Ordering::Relaxed),
    }
    connection.await
}

/// Responds to a request. Each request has its own state, because several are in progress at the same time.
async fn respond(
    mut request: hyper::Request<Incoming>,
    peer: SocketAddr,
    router: impl Serve,
    timeouts: Timeouts,
) -> axum::response::Response {
    let state = Arc::new(ConnectionState::new(peer.ip()));
    let is_head = *request.method() == Method::HEAD;
    let mut response = if let Err(rejection) = request::convert(&mut request) {
        refusal::to_response(rejection, peer.ip())
    } else {
        let in_progress = state.begin();
        let request = request.map(|body| TimedBody::new(body, Arc::clone(&state), timeouts));
        let response = router.respond(request, &state).await;
        match in_progress.refusal() {
            Some(rejection) => refusal::to_response(rejection, peer.ip()),
            None => response,
        }
    };
    headers::add_defaults(&mut response);
    // Connections of HTTP/2 have no such headers (RFC 9113, 8.2.2).
    response.headers_mut().remove(header::CONNECTION);
    response.headers_mut().remove(header::UPGRADE);
    if is_head {
        let length = response.body().size_hint().exact().filter(|length| *length > 0);
        if let Some(length) = length.map(HeaderValue::from) {
            response
                .headers_mut()
                .entry(header::CONTENT_LENGTH)
                .or_insert(length);
        }
        *response.body_mut() = Body::empty();
    }
    response
}
