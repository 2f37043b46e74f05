//! Closes a connection whose peer may still be sending.
//!
//! If a server closes a socket while bytes arrive for it, the system resets the connection, and a reset destroys a
//! response that the peer has not read yet. So the server writes its response, closes its own half of the connection,
//! and discards what arrives until the peer has closed its half too. The number of discarded bytes, the time and the
//! number of such connections are limited.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use kit_guard::Rejection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::refusal;
use super::timeouts::Deadline;

/// Maximum number of bytes that are discarded.
const MAX_DISCARDED: usize = 64 * 1024 * 1024;
/// Maximum time to wait for the next bytes, and for all of them.
const NEXT_TIMEOUT: Duration = Duration::from_secs(5);
const TOTAL_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of connections that linger at the same time.
const MAX_LINGERING: usize = 256;

static LINGERING: AtomicUsize = AtomicUsize::new(0);

/// State of a connection that is closing.
#[derive(Debug)]
pub(super) struct LingeringClose {
    /// Bytes that are still to be written; empty if hyper has written the response.
    message: Vec<u8>,
    /// True if the peer is not expected to send more, so there is nothing to wait for.
    is_quiet: bool,
    is_finished: bool,
    discarded: usize,
    until: Instant,
    deadline: Deadline,
    permit: Option<LingerPermit>,
}

impl LingeringClose {
    pub(super) fn new(rejection: Option<Rejection>, is_quiet: bool) -> Self {
        let mut deadline = Deadline::default();
        let now = Instant::now();
        deadline.set(now, NEXT_TIMEOUT);
        Self {
            message: rejection.map_or_else(Vec::new, refusal::to_bytes),
            is_quiet,
            is_finished: false,
            discarded: 0,
            until: now + TOTAL_TIMEOUT,
            deadline,
            permit: None,
        }
    }

    /// Ready when the socket can be dropped.
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

    /// Makes progress. Returns true if there is more to do.
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

/// One of the [`MAX_LINGERING`] permits for lingering connections; freed on drop.
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
