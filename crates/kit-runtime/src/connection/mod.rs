//! Serves one connection: hyper, with kit's guard between hyper and the socket.
//!
//! hyper accepts messages that two parties can interpret differently (a length next to chunks, repeated equal lengths,
//! bare LF), and rejects others without a body. The guard parses the framing itself, so hyper sees only unambiguous
//! messages. The server rejects all others with the envelope of all errors, then closes the connection.

mod headers;
mod lingering;
mod refusal;
mod shared;
mod stream;
mod timeouts;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, Version, header};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpStream;

use crate::Serve;
use crate::listener::ConnectionPermit;

pub(crate) use refusal::flush as flush_refusals;
use shared::{ConnectionState, ResponseInProgress};
use stream::Stream;
pub(crate) use timeouts::{ReusableTimeout, Timeouts};

/// Answers the requests of a connection in its own task.
pub(crate) fn serve(
    socket: TcpStream,
    peer: SocketAddr,
    router: impl Serve,
    timeouts: Timeouts,
    connections: &GracefulShutdown,
    permit: ConnectionPermit,
) {
    // Responses are written in one piece, so Nagle's algorithm would only delay them.
    let _ = socket.set_nodelay(true);
    let shared = Arc::new(ConnectionState::new());
    let stream = Stream::new(socket, timeouts, Arc::clone(&shared));
    let timeout = Arc::new(ReusableTimeout::default());
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        headers::apply_target_host(&mut request);
        let in_progress = shared.begin();
        let is_old = request.version() == Version::HTTP_10;
        let (router, timeout) = (router.clone(), Arc::clone(&timeout));
        async move {
            let response = router.respond(request, peer.ip(), &timeout).await;
            let mut response = match in_progress.refusal() {
                Some(rejection) => refusal::to_response(rejection),
                None => response,
            };
            headers::add_no_sniff(&mut response);
            // HTTP/1.0 has no chunks: without a length, the end of the connection marks the end of the body. So the
            // connection closes even if the client asks to keep it alive.
            if is_old && response.body().size_hint().exact().is_none() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
                // Without this line, hyper would keep the connection alive if the client asks for it.
                *response.version_mut() = Version::HTTP_10;
            }
            Ok::<_, Infallible>(response.map(|body| ResponseBody {
                body,
                _in_progress: in_progress,
            }))
        }
    });
    // `writev(false)`: copying a body behind its head costs less than a vectored write of two buffers.
    // `half_close(true)`: a client may close its sending side after its request. Such a client looks like one that has
    // left, but it gets its response: the server notices a client that is gone when a write fails.
    let connection = http1::Builder::new()
        .writev(false)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("A connection broke: {error}");
        }
        drop(permit);
    });
}

/// Body of a response. The response counts as in progress until this value is dropped.
struct ResponseBody {
    body: Body,
    _in_progress: ResponseInProgress,
}

impl hyper::body::Body for ResponseBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
