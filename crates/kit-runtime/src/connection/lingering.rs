//! Closes a connection whose peer may still be sending.
//!
//! If a server closes a socket while bytes arrive for it, the operating system resets the connection, and a reset
//! destroys a response that the peer has not read yet. So the server writes its response, closes its half of the
//! connection, and discards what arrives until the peer has closed the other half. The number of discarded bytes, the
//! time and the number of such connections are limited.

use std::io;
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use kit_guard::Rejection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::refusal;
use super::timeouts::Deadline;

/// Maximum number of bytes that are discarded on one connection.
const MAX_DISCARDED: usize = 64 * 1024 * 1024;
/// Maximum time without new bytes, and maximum time for the whole wait.
const NEXT_TIMEOUT: Duration = Duration::from_secs(5);
const TOTAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of connections that wait for their peers at the same time. Any further connection is closed
/// immediately.
const MAX_LINGERING: usize = 256;

static LINGERING: AtomicUsize = AtomicUsize::new(0);

/// Progress of closing a connection: write the response, close the sending side, discard what the peer sends.
#[derive(Debug)]
pub(super) struct LingeringClose {
    /// Part of the response that is not written yet. Empty if hyper has written the response.
    message: Vec<u8>,
    /// True if the peer will probably send nothing more. Waiting for this peer then needs no
    /// [`LingerPermit`].
    is_quiet: bool,
    is_finished: bool,
    discarded: usize,
    until: Instant,
    deadline: Deadline,
    permit: Option<LingerPermit>,
}

impl LingeringClose {
    pub(super) fn new(rejection: Option<Rejection>, peer: IpAddr, is_quiet: bool) -> Self {
        let message = rejection.map_or_else(Vec::new, |rejection| refusal::to_bytes(rejection, peer));
        Self::with_message(message, is_quiet)
    }

    /// Closes a connection after its last bytes.
    pub(super) fn with_message(message: Vec<u8>, is_quiet: bool) -> Self {
        let mut deadline = Deadline::default();
        let now = Instant::now();
        deadline.set(now, NEXT_TIMEOUT);
        Self {
            message,
            is_quiet,
            is_finished: false,
            discarded: 0,
            until: now + TOTAL_TIMEOUT,
            deadline,
            permit: None,
        }
    }

    /// Ready when the server can close the socket.
    pub(super) fn poll<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        socket: &mut S,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<()>> {
        let mut scratch = [MaybeUninit::uninit(); 4096];
        loop {
            match self.step(socket, &mut scratch, context) {
                Poll::Ready(Ok(true)) => {}
                Poll::Ready(Ok(false)) => return Poll::Ready(Ok(())),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending if self.is_finished && self.is_quiet => return Poll::Ready(Ok(())),
                Poll::Pending => {
                    ready!(self.deadline.poll(context));
                    return Poll::Ready(Ok(()));
                }
            }
        }
    }

    /// Continues with closing the connection. Returns true if the peer may still be sending.
    fn step<S: AsyncRead + AsyncWrite + Unpin>(
        &mut self,
        socket: &mut S,
        scratch: &mut [MaybeUninit<u8>],
        context: &mut Context<'_>,
    ) -> Poll<io::Result<bool>> {
        while !self.message.is_empty() {
            match ready!(Pin::new(&mut *socket).poll_write(context, &self.message))? {
                0 => return Poll::Ready(Ok(false)),
                count => drop(self.message.drain(..count)),
            }
        }
        if !self.is_finished {
            ready!(Pin::new(&mut *socket).poll_shutdown(context))?;
            self.is_finished = true;
        }
        if !self.is_quiet && self.permit.is_none() {
            self.permit = LingerPermit::acquire();
            if self.permit.is_none() {
                return Poll::Ready(Ok(false));
            }
        }
        let mut buffer = ReadBuf::uninit(scratch);
        ready!(Pin::new(socket).poll_read(context, &mut buffer))?;
        let count = buffer.filled().len();
        self.discarded += count;
        if count == 0 {
            return Poll::Ready(Ok(false));
        }
        self.is_quiet = false;
        let now = Instant::now();
        let left = self.until.saturating_duration_since(now);
        self.deadline.set(now, NEXT_TIMEOUT.min(left));
        Poll::Ready(Ok(self.discarded < MAX_DISCARDED && !left.is_zero()))
    }
}

/// Permission for one connection to wait for its peer. At most [`MAX_LINGERING`] exist at a time.
#[derive(Debug)]
struct LingerPermit(());

impl LingerPermit {
    fn acquire() -> Option<Self> {
        if LINGERING.fetch_add(1, Ordering::Relaxed) >= MAX_LINGERING {
            LINGERING.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Self(()))
    }
}

impl Drop for LingerPermit {
    fn drop(&mut self) {
        LINGERING.fetch_sub(1, Ordering::Relaxed);
    }
}
