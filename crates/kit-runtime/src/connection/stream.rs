//! The socket as hyper sees it. The guard checks all bytes that hyper reads, and closing the socket waits until the
//! peer can read its response.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use kit_guard::{Guard, Limits, Rejection};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::lingering::LingeringClose;
use super::shared::ConnectionState;
use crate::listener::ConnectionPermit;

use super::timeouts::{Deadline, Timeouts, Wait};

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
    write_deadline: Deadline,
    /// True if the peer has closed its sending side.
    is_read_closed: bool,
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
            write_deadline: Deadline::default(),
            is_read_closed: false,
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
            if self.shared.is_answering() {
                self.shared.wait(context.waker());
                return Poll::Pending;
            }
            self.is_end_shown = true;
        }
        Poll::Ready(())
    }

    /// Limits the time in which the peer must send. If the time has passed, returns ready with the action
    /// that the peer has not completed.
    fn poll_read_timeout(&mut self, context: &mut Context<'_>) -> Poll<Wait> {
        let Timeouts { head, body, idle, .. } = self.timeouts;
        loop {
            let wait = if self.guard.is_in_body() {
                Wait::Body
            } else if self.shared.is_answering() {
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
                let was_answering = self.waits == (Wait::Nothing, waits.1);
                self.waits = waits;
                let answered = || self.shared.answered().filter(|_| was_answering);
                match wait {
                    Wait::Nothing => self.read_deadline.set(Instant::now(), head.min(idle)),
                    Wait::Idle => self
                        .read_deadline
                        .set(answered().unwrap_or_else(Instant::now), idle),
                    Wait::Head => self
                        .read_deadline
                        .set(answered().unwrap_or_else(Instant::now), head),
                    Wait::Body => self.read_deadline.set(Instant::now(), body),
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

    /// Waits until the peer accepts bytes again. Ready with an error after the write timeout.
    fn poll_written(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        if !self.write_deadline.is_set() {
            self.write_deadline.set(Instant::now(), self.timeouts.write);
        }
        ready!(self.write_deadline.poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
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
                    this.is_read_closed = true;
                    return Poll::Ready(Ok(()));
                }
                Poll::Ready(Ok(())) => this.admit(buffer, before),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => match ready!(this.poll_read_timeout(context)) {
                    Wait::Nothing | Wait::Idle => return Poll::Ready(Ok(())),
                    Wait::Head | Wait::Body => {
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
        match Pin::new(&mut this.socket).poll_write(context, bytes) {
            Poll::Pending => this.poll_written(context),
            done @ Poll::Ready(_) => {
                this.write_deadline.clear();
                done
            }
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        match Pin::new(&mut this.socket).poll_write_vectored(context, bytes) {
            Poll::Pending => this.poll_written(context),
            done @ Poll::Ready(_) => {
                this.write_deadline.clear();
                done
            }
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().socket).poll_flush(context)
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
