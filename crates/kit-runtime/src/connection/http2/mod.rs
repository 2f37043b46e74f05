//! Serves one HTTP/2 connection with h2 (RFC 9113).
//!
//! h2 checks frames, header compression and flow control. `kit-http2` bounds what h2 does not bound, and applies the rules of
//! HTTP/1.1 to requests. Each request has its own task.

mod body;
mod exchange;
mod sending;
mod stream;

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::body::Bytes;
use h2::server::{Builder, Connection};
pub(crate) use kit_http2::ALPN;
use kit_http2::{
    CONNECTION_WINDOW, HEADER_LIST_BYTES, MAX_STREAMS, PENDING_RESETS, SEND_BUFFER, STREAM_WINDOW,
};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;

use super::{Peer, Timeouts};
use crate::Serve;
use crate::listener::ConnectionPermit;
use crate::shutdown::Shutdown;
use exchange::Exchange;
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
    mut shutdown: Shutdown,
) -> Result<(), h2::Error> {
    let is_closing = Arc::new(AtomicBool::new(false));
    let stream = MeteredStream::new(
        socket,
        peer.address.ip(),
        timeouts,
        Arc::clone(&is_closing),
        permit,
    );
    let shared = Arc::new(Shared {
        peer,
        timeouts,
        answered_at_end: Notify::new(),
        interims: stream.interims(),
    });
    let handshake = Builder::new()
        .max_concurrent_streams(MAX_STREAMS)
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_header_list_size(HEADER_LIST_BYTES)
        .max_send_buffer_size(SEND_BUFFER)
        .max_pending_accept_reset_streams(PENDING_RESETS)
        .handshake::<_, Bytes>(stream);
    let mut handshake = pin!(handshake);
    let connection = tokio::select! {
        biased;
        connection = handshake.as_mut() => connection?,
        () = shutdown.begun() => {
            is_closing.store(true, Ordering::Relaxed);
            handshake.await?
        }
    };
    accept(connection, &shared, &router, shutdown, &is_closing).await
}

/// State of a connection that its requests share.
struct Shared {
    peer: Peer,
    timeouts: Timeouts,
    /// Notified when a response was made after the server had announced its shutdown.
    answered_at_end: Notify,
    interims: Arc<stream::Interims>,
}

/// Starts a task for each request until the connection is closed.
async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
    mut connection: Connection<MeteredStream<S>, Bytes>,
    shared: &Arc<Shared>,
    router: &impl Serve,
    mut shutdown: Shutdown,
    is_closing: &AtomicBool,
) -> Result<(), h2::Error> {
    let (mut is_leaving, mut is_ending) = (false, false);
    loop {
        tokio::select! {
            biased;
            accepted = connection.accept() => {
                let Some(accepted) = accepted else { return Ok(()) };
                let (request, send) = accepted?;
                tokio::spawn(Exchange::new(send, Arc::clone(shared)).respond(request, router.clone()));
                continue;
            }
            // As with `connection: close` in HTTP/1.1, the client uses a new connection.
            () = shared.answered_at_end.notified(), if !is_leaving => {}
            () = shutdown.begun(), if !is_ending => {
                is_ending = true;
                is_closing.store(true, Ordering::Relaxed);
            }
        }
        if !std::mem::replace(&mut is_leaving, true) {
            connection.graceful_shutdown();
        }
    }
}
