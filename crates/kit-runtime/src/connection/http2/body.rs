//! Bodies of requests, with the time that a client may take to send them.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use axum::body::{Bytes, HttpBody};
use h2::RecvStream;
use hyper::body::{Frame, SizeHint};
use kit_guard::{Pace, Rejection};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::connection::ConnectionState;
use crate::connection::timeouts::{Deadline, Timeouts};

/// Body of a request that ends with an error if the client sends too slowly. The state of the request then has the reason.
pub(super) struct TimedBody {
    body: RecvStream,
    /// Number of bytes that are still missing of the length that the client has declared.
    length: Option<u64>,
    /// Notified when a handler waits for bytes of a client that waits for the status 100.
    awaited: Option<Arc<Notify>>,
    state: Arc<ConnectionState>,
    timeouts: Timeouts,
    begun: Instant,
    deadline: Deadline,
    /// Speed of the client while a handler waits for the bytes.
    pace: Pace,
}

impl TimedBody {
    pub(super) fn new(
        body: RecvStream,
        length: Option<u64>,
        awaited: Option<Arc<Notify>>,
        state: Arc<ConnectionState>,
        timeouts: Timeouts,
    ) -> Self {
        Self {
            body,
            length,
            awaited,
            state,
            begun: Instant::now(),
            deadline: Deadline::default(),
            pace: Pace::new(timeouts.body_rate),
            timeouts,
        }
    }

    /// Ready when the client has taken too long.
    fn poll_timeout(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if self.state.is_body_streamed() {
            if let Some(rate) = self.state.take_body_rate() {
                self.pace = Pace::new(rate);
            }
            self.pace.wait(Instant::now().into_std());
            self.deadline.set_at(self.pace.deadline(self.timeouts.body));
        } else if !self.deadline.is_set() {
            self.deadline.set(self.begun, self.timeouts.body);
        }
        self.deadline.poll(context)
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = axum::BoxError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::BoxError>>> {
        let this = self.get_mut();
        if let Poll::Ready(data) = this.body.poll_data(context) {
            this.pace.pause(Instant::now().into_std());
            return Poll::Ready(data.map(|data| {
                let data = data?;
                this.pace.receive(data.len());
                this.length = this.length.map(|left| left.saturating_sub(data.len() as u64));
                // Fails only if more is released than was received.
                let _ = this.body.flow_control().release_capacity(data.len());
                Ok(Frame::data(data))
            }));
        }
        if let Some(awaited) = this.awaited.take() {
            awaited.notify_one();
        }
        ready!(this.poll_timeout(context));
        // The state belongs to this request alone, so the request has the number 1.
        this.state.refuse_body(1, Rejection::TIMEOUT);
        Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        if self.body.is_end_stream() {
            return SizeHint::with_exact(0);
        }
        self.length.map_or_else(SizeHint::new, SizeHint::with_exact)
    }
}
