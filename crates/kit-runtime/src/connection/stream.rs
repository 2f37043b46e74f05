//! The socket as hyper sees it. The guard checks all bytes that hyper reads, and closing the socket waits until the
//! peer can read its response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use kit_guard::{Guard, Limits, Pace, Rejection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::lingering::LingeringClose;
use super::shared::ConnectionState;
use crate::listener::ConnectionPermit;

use super::timeouts::{Deadline, Timeouts, Wait, WriteTimeout};

/// A socket that passes bytes to hyper only after the guard has checked them.
#[derive(Debug)]
pub(super) struct Stream<S> {
    socket: S,
    guard: Guard,
    shared: Arc<ConnectionState>,
    timeouts: Timeouts,
    /// Checked bytes that did not fit into hyper's buffer. The checked bytes are read next.
    passed: Vec<u8>,
    /// Action of the peer that must happen before the read deadline, and the number of request heads at the
    /// time when the deadline was set.
    waits: (Wait, u64),
    read_deadline: Deadline,
    /// Speed of the peer while a handler waits for the bytes of a body.
    pace: Pace,
    write_timeout: WriteTimeout,
    /// True if the peer has closed its sending side.
    is_read_closed: bool,
    /// True if the peer may not have received all bytes that hyper has written.
    is_unflushed: bool,
    /// True if the end of the stream was hidden from hyper until a response is written.
    is_end_hidden: bool,
    /// True if hyper was told that the stream has ended, because the bytes after this point are rejected.
    /// hyper then writes no response, so the stream itself writes the error response.
    is_end_shown: bool,
    closing: Option<LingeringClose>,
    /// Place in the limit of connections, also while the connection is a WebSocket.
    _permit: Option<ConnectionPermit>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream<S> {
    pub(super) fn new(
        socket: S,
        timeouts: Timeouts,
        shared: Arc<ConnectionState>,
        permit: Option<ConnectionPermit>,
    ) -> Self {
        Self {
            socket,
            guard: Guard::new(Limits::default()),
            shared,
            timeouts,
            passed: Vec::new(),
            waits: (Wait::Nothing, 0),
            read_deadline: Deadline::default(),
            pace: Pace::default(),
            write_timeout: WriteTimeout::new(timeouts.write),
            is_read_closed: false,
            is_unflushed: false,
            is_end_hidden: false,
            is_end_shown: false,
            closing: None,
            _permit: permit,
        }
    }

    /// Checks the bytes of `buffer` from position `before` on. Removes bytes that hyper must not read yet.
    fn admit(&mut self, buffer: &mut ReadBuf<'_>, before: usize) {
        let read = &buffer.filled()[before..];
        let passed = &mut self.passed;
        let mut kept = 0;
        self.guard.admit(read, &mut |bytes| {
            // In most cases all bytes pass and are already at the right position in the buffer.
            if passed.is_empty() && bytes.as_ptr() == read[kept..].as_ptr() {
                kept += bytes.len();
            } else {
                passed.extend_from_slice(bytes);
            }
        });
        buffer.set_filled(before + kept);
        if let Some(rejection) = self.guard.rejection() {
            self.report_rejection(rejection);
        }
    }

    /// Tells the service that a body is rejected. hyper has already called the service for the request, so
    /// the service responds with the error.
    fn report_rejection(&self, rejection: Rejection) {
        if self.guard.is_refused_in_body() {
            self.shared.refuse_body(self.guard.heads(), rejection);
        }
    }

    /// Returns ready when hyper may be told that the stream has ended, because its next bytes are rejected.
    /// Waits until an earlier request has its response: otherwise hyper would assume that the client left.
    fn poll_rejected_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if !self.guard.is_refused_in_body() {
            if self.is_responding() {
                self.is_end_hidden = true;
                self.shared.wait(context.waker());
                return Poll::Pending;
            }
            self.is_end_shown = true;
        }
        Poll::Ready(())
    }

    /// Returns true until the response in progress is completely written. hyper takes an end of the stream before that for
    /// a client that has left, and drops the response.
    fn is_responding(&self) -> bool {
        self.is_unflushed || self.shared.is_answering()
    }

    /// Returns ready when hyper may be told that the peer has closed its sending side. Waits until a response in progress
    /// is written, because the peer may still read. The end of an incomplete body is told immediately.
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.is_read_closed = true;
        if self.guard.is_in_body() || !self.is_responding() {
            return Poll::Ready(());
        }
        self.shared.half_close();
        self.is_end_hidden = true;
        self.shared.wait(context.waker());
        Poll::Pending
    }

    /// Limits the time in which the peer must send. If the time has passed, returns ready with the action
    /// that the peer has not completed.
    fn poll_read_timeout(&mut self, context: &mut Context<'_>) -> Poll<Wait> {
        let Timeouts { head, body, idle, .. } = self.timeouts;
        loop {
            let wait = if self.guard.is_in_body() {
                match (self.shared.is_body_streamed(), self.shared.is_chunk_awaited()) {
                    (false, _) => Wait::Body,
                    (true, true) => Wait::Chunk,
                    // hyper reads one piece ahead of the handler.
                    (true, false) => Wait::Nothing,
                }
            } else if self.is_responding() {
                Wait::Nothing
            } else if self.guard.is_in_head() {
                Wait::Head
            } else {
                Wait::Idle
            };
            let waits = (wait, self.guard.heads());
            if self.waits != waits || !self.read_deadline.is_set() {
                // hyper need not poll again after it wrote a response. So the deadline is already set for the wait
                // after it.
                if self.waits.1 != waits.1 {
                    self.pace = Pace::new(self.timeouts.body_rate);
                    self.write_timeout.restart();
                }
                let was_answering = self.waits == (Wait::Nothing, waits.1);
                self.waits = waits;
                let answered = || self.shared.answered().filter(|_| was_answering);
                match wait {
                    // When the time has passed, the connection looks again what it waits for.
                    Wait::Nothing => self.read_deadline.set(Instant::now(), head.min(idle).min(body)),
                    // A client that sends nothing at all gets no more time than one that begins a request.
                    Wait::Idle if waits.1 == 0 => self.read_deadline.set(Instant::now(), head.min(idle)),
                    Wait::Idle => self
                        .read_deadline
                        .set(answered().unwrap_or_else(Instant::now), idle),
                    Wait::Head => self
                        .read_deadline
                        .set(answered().unwrap_or_else(Instant::now), head),
                    Wait::Body => self.read_deadline.set(Instant::now(), body),
                    Wait::Chunk => {
                        if let Some(rate) = self.shared.take_body_rate() {
                            self.pace = Pace::new(rate);
                        }
                        self.pace.wait(Instant::now().into_std());
                        self.read_deadline.set_at(self.pace.deadline(body));
                    }
                }
            }
            ready!(self.read_deadline.poll(context));
            if wait != Wait::Nothing {
                return Poll::Ready(wait);
            }
        }
    }

    /// Reads bytes that are not HTTP. Fails if the peer has sent bytes before it received the response with the status 101,
    /// because the guard has taken these bytes for a request.
    fn poll_read_upgraded(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let is_clean = self.passed.is_empty() && self.guard.is_between_messages();
        if !is_clean || self.guard.rejection().is_some() {
            return Poll::Ready(Err(io::ErrorKind::InvalidData.into()));
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.socket).poll_read(context, buffer))?;
        self.is_read_closed |= buffer.filled().len() == before;
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Stream<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        if this.shared.is_upgraded() {
            return this.poll_read_upgraded(context, buffer);
        }
        loop {
            if !this.passed.is_empty() {
                let count = this.passed.len().min(buffer.remaining());
                buffer.put_slice(&this.passed[..count]);
                this.passed.drain(..count);
            }
            if buffer.filled().len() > before || buffer.remaining() == 0 {
                return Poll::Ready(Ok(()));
            }
            if this.guard.rejection().is_some() {
                return this.poll_rejected_end(context).map(Ok);
            }
            match Pin::new(&mut this.socket).poll_read(context, buffer) {
                Poll::Ready(Ok(())) if buffer.filled().len() == before => {
                    return this.poll_end(context).map(Ok);
                }
                Poll::Ready(Ok(())) => {
                    // The time for the next piece of a body begins when hyper waits for it.
                    if this.waits.0 == Wait::Chunk {
                        this.read_deadline.clear();
                        this.pace.pause(Instant::now().into_std());
                        this.pace.receive(buffer.filled().len() - before);
                    }
                    this.admit(buffer, before);
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => match ready!(this.poll_read_timeout(context)) {
                    Wait::Nothing | Wait::Idle => return Poll::Ready(Ok(())),
                    Wait::Head | Wait::Body | Wait::Chunk => {
                        this.guard.refuse(Rejection::TIMEOUT);
                        this.report_rejection(Rejection::TIMEOUT);
                    }
                },
            }
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Stream<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.is_unflushed = true;
        let written = Pin::new(&mut this.socket).poll_write(context, bytes);
        this.write_timeout.limit_write(written, context)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.is_unflushed = true;
        let written = Pin::new(&mut this.socket).poll_write_vectored(context, bytes);
        this.write_timeout.limit_write(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.socket).poll_flush(context);
        ready!(this.write_timeout.limit(flushed, context))?;
        // hyper flushes after it has written all its bytes. It does not read again by itself if its last read had to wait.
        if std::mem::take(&mut this.is_unflushed) && this.is_end_hidden && !this.is_responding() {
            context.waker().wake_by_ref();
        }
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let closing = this.closing.get_or_insert_with(|| {
            // The rejection is written only if it cut the stream. After a response that closes the connection, nothing
            // else may be written.
            let rejection = this.guard.rejection().filter(|_| this.is_end_shown);
            let is_between = this.guard.is_between_messages() && this.passed.is_empty();
            let is_quiet = this.is_read_closed || (is_between && !this.shared.is_upgraded());
            LingeringClose::new(rejection, this.shared.peer, is_quiet)
        });
        closing.poll(&mut this.socket, context)
    }
}
