//! How long a connection waits for its peer.

use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, Sleep, sleep_until};

/// For each thing that a peer may keep the server waiting for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timeouts {
    /// From the first byte of a request to the end of its head.
    pub(crate) head: Duration,
    /// From the end of the head to the end of the body.
    pub(crate) body: Duration,
    /// Between two requests. Longer than the 60 seconds of common load balancers, so that the peer is the one to close and never sends a
    /// request into a closing connection.
    pub(crate) idle: Duration,
    /// For a peer that has stopped reading its answer.
    pub(crate) write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_secs(300),
            idle: Duration::from_secs(72),
            write: Duration::from_secs(60),
        }
    }
}

/// What the peer is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// Nothing: it is the server's turn.
    Nothing,
    Idle,
    Head,
    Body,
}

/// A deadline that moves. Moving it is cheap: the timer goes on, and looks again when it fires.
#[derive(Debug, Default)]
pub(super) struct Deadline {
    at: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    /// Whom the timer wakes.
    waker: Option<Waker>,
}

impl Deadline {
    /// Sets it.
    pub(super) fn set(&mut self, since: Instant, time: Duration) {
        self.at = since.checked_add(time);
    }

    /// There is none.
    pub(super) fn clear(&mut self) {
        self.at = None;
    }

    /// Whether there is one.
    pub(super) fn is_set(&self) -> bool {
        self.at.is_some()
    }

    /// Ready when it has passed; else the task is woken then.
    pub(super) fn poll(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let Some(at) = self.at else { return Poll::Pending };
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(at)));
        loop {
            if timer.deadline() > at {
                timer.as_mut().reset(at);
            } else if !timer.is_elapsed()
                && self
                    .waker
                    .as_ref()
                    .is_some_and(|waker| waker.will_wake(context.waker()))
            {
                return Poll::Pending;
            }
            match timer.as_mut().poll(context) {
                Poll::Pending => {
                    self.waker = Some(context.waker().clone());
                    return Poll::Pending;
                }
                Poll::Ready(()) if Instant::now() >= at => {
                    self.at = None;
                    self.timer = None;
                    self.waker = None;
                    return Poll::Ready(());
                }
                Poll::Ready(()) => {
                    timer.as_mut().reset(at);
                    self.waker = None;
                }
            }
        }
    }
}
