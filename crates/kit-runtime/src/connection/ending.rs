//! The end of a connection whose peer may still be sending.
//!
//! Closing a socket while bytes for it arrive resets it, and a reset takes the answer from a peer that has not read it yet. So the
//! server says what it has to say, closes its own half, and throws away what comes until the peer has closed its half too, within
//! bounds: of bytes, of time, and of connections that are treated so at once.

use std::io;
use std::mem::MaybeUninit;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use kit_guard::Rejection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Instant;

use super::patience::Deadline;
use super::refusal;

/// The greatest number of bytes that are thrown away.
const DISCARDED: usize = 64 * 1024 * 1024;
/// How long the next of them is waited for, and all of them.
const NEXT: Duration = Duration::from_secs(5);
const ALL: Duration = Duration::from_secs(30);
/// How many connections are treated so at once.
const MOST: usize = 256;

static LINGERING: AtomicUsize = AtomicUsize::new(0);

/// How far the end has come.
#[derive(Debug)]
pub(super) struct Ending {
    /// What is left to write; empty where hyper has written the answer.
    message: Vec<u8>,
    /// Nothing more is expected, so that there is nothing to wait for.
    is_quiet: bool,
    is_finished: bool,
    discarded: usize,
    until: Instant,
    deadline: Deadline,
    place: Option<Place>,
}

impl Ending {
    pub(super) fn new(rejection: Option<Rejection>, is_quiet: bool) -> Self {
        let mut deadline = Deadline::default();
        let now = Instant::now();
        deadline.set(now, NEXT);
        Self {
            message: rejection.map_or_else(Vec::new, refusal::to_bytes),
            is_quiet,
            is_finished: false,
            discarded: 0,
            until: now + ALL,
            deadline,
            place: None,
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

    /// Answers whether there is more to do.
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
        if !self.is_quiet && self.place.is_none() {
            self.place = Place::take();
            if self.place.is_none() {
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
        self.deadline.set(now, NEXT.min(left));
        Poll::Ready(Ok(self.discarded < DISCARDED && !left.is_zero()))
    }
}

/// One of the places of connections that are treated so.
#[derive(Debug)]
struct Place(());

impl Place {
    fn take() -> Option<Self> {
        if LINGERING.fetch_add(1, Ordering::Relaxed) >= MOST {
            LINGERING.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        Some(Self(()))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        LINGERING.fetch_sub(1, Ordering::Relaxed);
    }
}
