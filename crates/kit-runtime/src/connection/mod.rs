//! Serves one connection with hyper. kit's guard checks the bytes before hyper reads them.
//!
//! hyper accepts some messages that two servers can interpret differently (a length next to chunks, repeated equal
//! lengths, bare LF), and rejects others with a response without a body. The guard finds the end of each message
//! itself, so hyper sees only unambiguous messages. All others get kit's error response, and the connection is
//! closed.

mod headers;
#[cfg(feature = "http2")]
pub(crate) mod http2;
mod lingering;
mod refusal;
mod shared;
mod stream;
mod timeouts;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::{HeaderValue, StatusCode, Version, header};
use hyper::body::{Body as _, Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

use crate::Serve;
use crate::listener::ConnectionPermit;
use crate::shutdown::Shutdown;

pub(crate) use headers::{OF_CONNECTIONS, add_defaults, set_defaults};
pub(crate) use refusal::flush as flush_refusals;
use shared::ResponseInProgress;
pub(crate) use shared::{ConnectionState, Peer};
use stream::Stream;
pub(crate) use timeouts::{ReusableTimeout, Timeouts};

/// Size of the read buffer and of the write buffer of a connection; a request head of the maximum size fits. hyper
/// reads a response body until the buffer is full, so a larger buffer would cost more memory for each client that
/// does not read.
const BUFFER: usize = 32 * 1024;

/// Starts a task that responds to the requests of a connection.
pub(crate) fn serve(
    socket: TcpStream,
    peer: SocketAddr,
    router: impl Serve,
    timeouts: Timeouts,
    permit: ConnectionPermit,
    shutdown: Shutdown,
) {
    // Responses are written in one piece, so Nagle's algorithm would only delay them.
    let _ = socket.set_nodelay(true);
    let connection = connect(socket, peer, router, timeouts, Some(permit), shutdown);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!("A connection broke: {error}");
        }
    });
}

/// Serves the connection until it is closed or a WebSocket. When the server shuts down, the connection closes after the
/// request in progress.
pub(crate) async fn connect<S: AsyncRead + AsyncWrite + Send + Unpin + 'static>(
    socket: S,
    peer: impl Into<Peer>,
    router: impl Serve,
    timeouts: Timeouts,
    permit: Option<ConnectionPermit>,
    mut shutdown: Shutdown,
) -> Result<(), hyper::Error> {
    let peer = peer.into();
    let shared = Arc::new(ConnectionState::new(&peer));
    let peer = peer.address;
    let stream = Stream::new(socket, timeouts, Arc::clone(&shared), permit);
    // Requests borrow the router: all connections share its reference count, so that a clone for each request would make the
    // processors wait for each other.
    let (router, shared) = (&router, &shared);
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        headers::apply_target_host(&mut request);
        let in_progress = shared.begin();
        let is_old = request.version() == Version::HTTP_10;
        async move {
            let response = router.respond(request, shared).await;
            let mut response = match in_progress.refusal() {
                Some(rejection) => refusal::to_response(rejection, peer.ip()),
                None => response,
            };
            if response.status() == StatusCode::SWITCHING_PROTOCOLS {
                shared.upgrade();
            }
            headers::add_defaults(&mut response);
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
    // `half_close(false)`: hyper reads during a response, so it notices at once if the client resets the connection. A
    // client that only closes its sending side gets its response, because the stream hides this end from hyper.
    let connection = http1::Builder::new()
        .writev(false)
        .half_close(false)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    tokio::select! {
        biased;
        result = connection.as_mut() => return result,
        () = shutdown.begun() => connection.as_mut().graceful_shutdown(),
    }
    connection.await
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

#[cfg(test)]
mod tests {
    use std::io;
    use std::net::SocketAddr;
    use std::pin::Pin;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::task::{Context, Poll};
    use std::time::Duration;

    use axum::http::StatusCode;
    use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, ReadBuf};

    use super::{Shutdown, Timeouts, connect};
    use crate::{Application, Error, Reply, Request, Response, Router, Routes, Segment};

    /// Application that counts the bytes that its streams have sent.
    #[derive(Clone, Default)]
    struct App(Arc<AtomicUsize>);

    impl Application for App {
        async fn ready(&self) -> Result<(), Error> {
            Ok(())
        }
    }

    /// Returns the router of a server whose streams send 4 MiB in chunks of this size.
    fn router(app: App, chunk: usize) -> Router<App> {
        Routes::new(app)
            .route(
                "GET /stream",
                &[Segment::Static("stream")],
                move |App(sent), request: Request| async move {
                    let context = request.into_context()?;
                    let reply = Reply::stream(async move |mut chunks| {
                        for number in 0..4 * 1024 * 1024 / chunk {
                            let byte = b'a' + u8::try_from(number % 26).unwrap_or(0);
                            chunks.send(vec![byte; chunk]).await?;
                            sent.fetch_add(chunk, Ordering::Relaxed);
                        }
                        Ok(())
                    });
                    Response::reply(&context, StatusCode::OK, reply)
                },
            )
            .into_router()
    }

    /// Waits until the handler of the stream stops sending. Returns the number of bytes that it sent.
    async fn settled(App(sent): &App) -> usize {
        let mut before = usize::MAX;
        loop {
            let now = sent.load(Ordering::Relaxed);
            if now == before && now > 0 {
                return now;
            }
            before = now;
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    #[tokio::test]
    async fn buffers_at_most_64_kib_of_a_stream_for_a_client_that_does_not_read() {
        const PIPE: usize = 1024;
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        for chunk in [1, 100, 4096, 16 * 1024, 64 * 1024, 1024 * 1024] {
            let app = App::default();
            // A pipe of a known size in place of a socket, because the operating system chooses the size of a
            // socket's buffers.
            let (mut client, socket) = tokio::io::duplex(PIPE);
            let connection = connect(
                socket,
                peer,
                router(app.clone(), chunk),
                Timeouts::default(),
                None,
                Shutdown::of_server(),
            );
            let served = tokio::spawn(connection);
            let request = b"GET /stream HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
            client.write_all(request).await.expect("the server reads");
            let sent = settled(&app).await;
            // `send` returned for these bytes. All of them are in buffers of the server or in the pipe.
            assert!(
                sent <= 64 * 1024 + chunk + PIPE,
                "chunks of {chunk}: {sent} bytes are buffered"
            );
            if chunk >= 4096 {
                // A client that reads gets everything.
                let mut received = Vec::new();
                client.read_to_end(&mut received).await.expect("a response");
                assert!(received.ends_with(b"\r\n0\r\n\r\n") && received.len() > 4 * 1024 * 1024);
            }
            served.abort();
        }
    }

    #[tokio::test]
    async fn ends_after_the_time_for_a_head_or_between_requests_if_the_client_sends_no_request() {
        let (short, long) = (Duration::from_millis(50), Duration::from_secs(60));
        for (begin, head, idle) in [("", short, long), ("\r\n", short, long), ("", long, short)] {
            let timeouts = Timeouts {
                head,
                idle,
                ..Timeouts::default()
            };
            let peer = SocketAddr::from(([127, 0, 0, 1], 1));
            let (mut client, socket) = tokio::io::duplex(1024);
            client.write_all(begin.as_bytes()).await.expect("a pipe");
            let router = router(App::default(), 1);
            let connection = connect(socket, peer, router, timeouts, None, Shutdown::of_server());
            let served = tokio::spawn(connection);
            let mut received = Vec::new();
            let ended = tokio::time::timeout(Duration::from_secs(20), client.read_to_end(&mut received));
            ended.await.expect("the connection ends").expect("a pipe");
            assert!(received.is_empty(), "{begin:?}");
            served.abort();
        }
    }

    /// Socket that accepts all bytes and never sends them, as a TLS connection does whose client reads nothing.
    struct Unsent(&'static [u8]);

    impl AsyncRead for Unsent {
        fn poll_read(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            buffer: &mut ReadBuf<'_>,
        ) -> Poll<io::Result<()>> {
            if self.0.is_empty() {
                return Poll::Pending;
            }
            buffer.put_slice(std::mem::take(&mut self.0));
            Poll::Ready(Ok(()))
        }
    }

    impl AsyncWrite for Unsent {
        fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
            Poll::Ready(Ok(bytes.len()))
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    #[tokio::test]
    async fn ends_after_the_write_timeout_if_the_socket_has_taken_bytes_and_does_not_send_them() {
        let peer = SocketAddr::from(([127, 0, 0, 1], 1));
        let socket = Unsent(b"GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n");
        let timeouts = Timeouts {
            write: Duration::from_millis(50),
            ..Timeouts::default()
        };
        let connection = connect(
            socket,
            peer,
            router(App::default(), 1),
            timeouts,
            None,
            Shutdown::of_server(),
        );
        let ended = tokio::time::timeout(Duration::from_secs(20), connection).await;
        ended
            .expect("the connection ends")
            .expect_err("the time has passed");
    }
}
