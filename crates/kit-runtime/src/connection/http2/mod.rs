//! Serves one HTTP/2 connection with hyper and h2 (RFC 9113).
//!
//! h2 checks frames, header compression and flow control. `kit-http2` bounds what h2 does not bound, and applies the rules of
//! HTTP/1.1 to requests.

mod body;
mod stream;

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Body;
use axum::http::{HeaderValue, Method, header};
use hyper::body::{Body as _, Incoming};
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use kit_guard::Limits;
pub(crate) use kit_http2::ALPN;
use kit_http2::{
    CONNECTION_WINDOW, HEADER_LIST_BYTES, MAX_STREAMS, PENDING_RESETS, SEND_BUFFER, STREAM_WINDOW,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

use super::{ConnectionState, Peer, Timeouts, headers, refusal};
use crate::Serve;
use crate::listener::ConnectionPermit;
use crate::shutdown::{self, Shutdown};
use body::TimedBody;
use stream::MeteredStream;
pub(crate) use stream::flush;

/// Serves the connection until it is closed. When the server shuts down, the connection closes after the requests in
/// progress.
pub(crate) async fn connect<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    socket: S,
    peer: Peer,
    router: impl Serve,
    timeouts: Timeouts,
    permit: Option<ConnectionPermit>,
) -> Result<(), hyper::Error> {
    let mut shutdown = Shutdown::of_server();
    let is_closing = Arc::new(AtomicBool::new(false));
    let answered_at_end = Arc::new(Notify::new());
    let stream = MeteredStream::new(
        socket,
        peer.address.ip(),
        timeouts,
        Arc::clone(&is_closing),
        permit,
    );
    let notify = Arc::clone(&answered_at_end);
    let service = service_fn(move |request: hyper::Request<Incoming>| {
        let (router, notify, peer) = (router.clone(), Arc::clone(&notify), peer.clone());
        async move {
            let response = respond(request, &peer, router, timeouts).await;
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
        .max_pending_accept_reset_streams(PENDING_RESETS)
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
    request: hyper::Request<Incoming>,
    peer: &Peer,
    router: impl Serve,
    timeouts: Timeouts,
) -> axum::response::Response {
    let state = Arc::new(ConnectionState::new(peer));
    let address = peer.address.ip();
    let is_head = *request.method() == Method::HEAD;
    let (mut parts, body) = request.into_parts();
    let mut response = if let Err(rejection) = kit_http2::convert(&mut parts, &Limits::default()) {
        refusal::to_response(rejection, address)
    } else {
        let in_progress = state.begin();
        // The router recognizes a body of unknown length by this header.
        if !body.is_end_stream() && !parts.headers.contains_key(header::CONTENT_LENGTH) {
            let chunked = HeaderValue::from_static("chunked");
            parts.headers.insert(header::TRANSFER_ENCODING, chunked);
        }
        let body = TimedBody::new(body, Arc::clone(&state), timeouts);
        let request = hyper::Request::from_parts(parts, body);
        let response = router.respond(request, &state).await;
        match in_progress.refusal() {
            Some(rejection) => refusal::to_response(rejection, address),
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
