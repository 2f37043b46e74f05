//! A connection: hyper, with kit's guard between it and the socket.
//!
//! hyper takes messages that two parties could read differently (a length beside chunks, equal lengths, bare LF), and refuses others without
//! a body. The guard follows the framing itself, so that hyper sees only what is beyond doubt, and the rest is refused with the envelope of
//! all errors and a close.

mod ending;
mod headers;
mod patience;
mod refusal;
mod stream;
mod wire;

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

use crate::Answering;
use crate::listener::Place;

pub(crate) use patience::{Patience, Timeouts};
pub(crate) use refusal::flush as flush_refusals;
use stream::Stream;
use wire::{Flight, Wire};

/// Answers the requests of a connection, in a task of its own.
pub(crate) fn serve(
    socket: TcpStream,
    peer: SocketAddr,
    router: impl Answering,
    timeouts: Timeouts,
    connections: &GracefulShutdown,
    place: Place,
) {
    // Answers are written whole.
    let _ = socket.set_nodelay(true);
    let wire = Arc::new(Wire::new());
    let stream = Stream::new(socket, timeouts, Arc::clone(&wire));
    let patience = Arc::new(Patience::default());
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        headers::apply_target_host(&mut request);
        let flight = wire.begin();
        let is_old = request.version() == Version::HTTP_10;
        let (router, patience) = (router.clone(), Arc::clone(&patience));
        async move {
            let response = router.answer(request, peer.ip(), &patience).await;
            let mut response = match flight.refusal() {
                Some(rejection) => refusal::to_response(rejection),
                None => response,
            };
            headers::add_no_sniff(&mut response);
            // Without chunks only the end of the connection tells the end of the body, whatever the client asks for.
            if is_old && response.body().size_hint().exact().is_none() {
                let close = HeaderValue::from_static("close");
                response.headers_mut().insert(header::CONNECTION, close);
                // Else hyper would answer as the client asks.
                *response.version_mut() = Version::HTTP_10;
            }
            Ok::<_, Infallible>(response.map(|body| Answer {
                body,
                _flight: flight,
            }))
        }
    });
    // Copying an answer behind its head costs less than handing the system two pieces.
    // A client may close its sending side once its request is out. It looks like one that has left, and is answered all the same: a client
    // that is gone is noticed when writing to it fails.
    let connection = http1::Builder::new()
        .writev(false)
        .half_close(true)
        .serve_connection(TokioIo::new(stream), service);
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("A connection broke: {error}");
        }
        drop(place);
    });
}

/// The body of an answer, which is under way until it is dropped.
struct Answer {
    body: Body,
    _flight: Flight,
}

impl hyper::body::Body for Answer {
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
