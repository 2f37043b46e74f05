//! The socket as h2 sees it. The meter follows all bytes, and ends the connection if its limits are exceeded.

use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use kit_http2::{End, Meter};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use crate::connection::lingering::LingeringClose;
use crate::connection::timeouts::{Deadline, Timeouts, WriteTimeout};
use crate::listener::ConnectionPermit;
use crate::sampler::Sampler;

/// Logs the first end of each reason in a minute and counts the others, so that a client cannot flood the log.
static SAMPLER: LazyLock<Sampler<&'static str>> = LazyLock::new(|| Sampler::new(1, log_remaining));

fn log_remaining(message: &&'static str, count: u64) {
    tracing::warn!(
        code = "HTTP2_LIMIT",
        count,
        "{count} more times within a minute: The server closed an HTTP/2 connection: {message}"
    );
}

/// Logs the numbers of ends that were counted but not logged. Called when the server shuts down.
pub(crate) fn flush() {
    SAMPLER.flush();
}

/// Streams whose next head has the status 100. The task of a request adds its stream before it gives the head to h2, and the
/// connection tells the meter before the meter counts written bytes.
#[derive(Debug, Default)]
pub(super) struct Interims(Mutex<Vec<u32>>);

impl Interims {
    pub(super) fn add(&self, stream: u32) {
        self.streams().push(stream);
    }

    fn streams(&self) -> MutexGuard<'_, Vec<u32>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A socket whose bytes a meter follows.
pub(super) struct MeteredStream<S> {
    socket: S,
    meter: Meter,
    interims: Arc<Interims>,
    peer: IpAddr,
    /// True after the server began to shut down.
    is_closing: Arc<AtomicBool>,
    read_deadline: Deadline,
    write_timeout: WriteTimeout,
    is_read_closed: bool,
    /// End of the connection that the meter caused.
    ending: Option<LingeringClose>,
    /// End of the connection that h2 caused.
    closing: Option<LingeringClose>,
    /// Place in the limit of connections.
    _permit: Option<ConnectionPermit>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> MeteredStream<S> {
    pub(super) fn new(
        socket: S,
        peer: IpAddr,
        timeouts: Timeouts,
        is_closing: Arc<AtomicBool>,
        permit: Option<ConnectionPermit>,
    ) -> Self {
        Self {
            socket,
            meter: Meter::new(timeouts.of_http2(), Instant::now().into_std()),
            interims: Arc::default(),
            peer,
            is_closing,
            read_deadline: Deadline::default(),
            write_timeout: WriteTimeout::new(timeouts.write),
            is_read_closed: false,
            ending: None,
            closing: None,
            _permit: permit,
        }
    }

    /// Returns the streams whose next head has the status 100.
    pub(super) fn interims(&self) -> Arc<Interims> {
        Arc::clone(&self.interims)
    }

    /// Begins to end the connection: the client gets a last frame with the reason.
    fn begin_end(&mut self, end: End) {
        if let Some(message) = end.message() {
            let peer = self.peer;
            if SAMPLER.should_log(message) {
                tracing::warn!(
                    code = "HTTP2_LIMIT",
                    count = 1,
                    %peer,
                    "The server closed an HTTP/2 connection: {message}"
                );
            }
        }
        let last = if self.meter.may_write_frame() {
            end.goaway(self.meter.last_stream())
        } else {
            Vec::new()
        };
        self.ending
            .get_or_insert_with(|| LingeringClose::with_message(last, end == End::Idle));
    }

    /// Ends the connection if the meter says so. Ready after the end.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.ending.is_none() {
            let Some(end) = self.meter.end() else {
                return Poll::Pending;
            };
            self.begin_end(end);
        }
        match &mut self.ending {
            Some(ending) => ending.poll(&mut self.socket, context).map(drop),
            None => Poll::Pending,
        }
    }

    /// Waits until the next limit of time. Ready if the connection has ended.
    fn poll_timeouts(&mut self, context: &mut Context<'_>) -> Poll<()> {
        loop {
            let now = Instant::now().into_std();
            if self.is_closing.load(Ordering::Relaxed) {
                self.meter.begin_closing(now);
            }
            let next = self.meter.check(now);
            if self.meter.end().is_some() {
                return self.poll_end(context);
            }
            self.read_deadline.set_at(Some(next));
            ready!(self.read_deadline.poll(context));
        }
    }

    fn note_written(&mut self, written: &Poll<io::Result<usize>>, bytes: &[IoSlice<'_>]) {
        let Poll::Ready(Ok(count)) = written else { return };
        for stream in self.interims.streams().drain(..) {
            self.meter.announce_interim(stream);
        }
        let now = Instant::now().into_std();
        let mut left = *count;
        for bytes in bytes {
            let part = left.min(bytes.len());
            self.meter.write(&bytes[..part], now);
            left -= part;
        }
    }

    /// Writes bytes of h2, unless the connection ends.
    fn poll_write_parts(
        &mut self,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.meter.end().is_some() {
            ready!(self.poll_end(context));
            return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
        }
        let written = match bytes {
            [bytes] => Pin::new(&mut self.socket).poll_write(context, bytes),
            _ => Pin::new(&mut self.socket).poll_write_vectored(context, bytes),
        };
        self.note_written(&written, bytes);
        self.write_timeout.limit_write(written, context)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for MeteredStream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        if this.meter.end().is_none() {
            match Pin::new(&mut this.socket).poll_read(context, buffer) {
                Poll::Ready(Ok(())) => {
                    let read = &buffer.filled()[before..];
                    this.is_read_closed |= read.is_empty();
                    this.meter.receive(read, Instant::now().into_std());
                    if this.meter.end().is_none() {
                        return Poll::Ready(Ok(()));
                    }
                    // h2 does not see the bytes of a flood.
                    buffer.set_filled(before);
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {
                    ready!(this.poll_timeouts(context));
                    return Poll::Ready(Ok(()));
                }
            }
        }
        // h2 sees the end of the stream.
        this.poll_end(context).map(Ok)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for MeteredStream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_parts(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.get_mut().poll_write_parts(context, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.socket).poll_flush(context);
        let flushed = this.write_timeout.limit(flushed, context);
        if flushed.is_ready() && this.meter.is_idle() {
            // The client has accepted all responses. The slowness of earlier responses does not count.
            this.write_timeout.restart();
        }
        flushed
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.ending.is_some() {
            return this.poll_end(context).map(Ok);
        }
        let is_quiet = this.is_read_closed || this.meter.is_idle();
        let closing = this
            .closing
            .get_or_insert_with(|| LingeringClose::with_message(Vec::new(), is_quiet));
        closing.poll(&mut this.socket, context)
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::time::sleep;

    use super::MeteredStream;
    use crate::connection::timeouts::Timeouts;

    /// Eight bytes repay 33 of the 150 milliseconds that each write waits, so without the pause between responses the second write
    /// would fail.
    #[tokio::test]
    async fn forgets_that_the_client_was_slow_after_all_responses_are_sent() {
        let timeouts = Timeouts {
            write: Duration::from_millis(200),
            ..Timeouts::default()
        };
        let (mut client, socket) = tokio::io::duplex(8);
        let peer = IpAddr::V4(Ipv4Addr::LOCALHOST);
        let mut stream = MeteredStream::new(socket, peer, timeouts, Arc::default(), None);
        for _ in 0..4 {
            stream.write_all(&[0; 8]).await.expect("a free buffer");
            let slow = async {
                sleep(Duration::from_millis(150)).await;
                client.read_exact(&mut [0; 16]).await
            };
            tokio::try_join!(stream.write_all(&[0; 8]), slow).expect("a client that reads in time");
            stream.flush().await.expect("an open connection");
        }
    }
}
