//! Body of a response, on its way to the client.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::{Body, Bytes};
use axum::http::HeaderMap;
use h2::{Reason, SendStream};
use hyper::body::Body as _;

/// Passes a body to h2. Ready at the end of the body, or if the client leaves.
pub(super) struct Sending {
    stream: SendStream<Bytes>,
    body: Body,
    /// Bytes that the client does not accept yet.
    rest: Bytes,
}

/// The client has ended the stream.
struct Gone;

impl From<h2::Error> for Gone {
    fn from(_: h2::Error) -> Self {
        Self
    }
}

impl Sending {
    pub(super) fn new(stream: SendStream<Bytes>, body: Body) -> Self {
        Self {
            stream,
            body,
            rest: Bytes::new(),
        }
    }

    /// Passes as many bytes to h2 as the windows of the client accept.
    fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Gone>> {
        loop {
            if self.stream.poll_reset(context).is_ready() {
                return Poll::Ready(Err(Gone));
            }
            if self.rest.is_empty() {
                match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                    None => {
                        self.stream.send_data(Bytes::new(), true)?;
                        return Poll::Ready(Ok(()));
                    }
                    Some(Err(_)) => {
                        // The client notices that the body is incomplete.
                        self.stream.send_reset(Reason::INTERNAL_ERROR);
                        return Poll::Ready(Ok(()));
                    }
                    Some(Ok(frame)) => match frame.into_data() {
                        Ok(data) => self.rest = data,
                        Err(frame) => {
                            let trailers = frame.into_trailers().unwrap_or_else(|_| HeaderMap::new());
                            self.stream.send_trailers(trailers)?;
                            return Poll::Ready(Ok(()));
                        }
                    },
                }
                continue;
            }
            self.stream.reserve_capacity(self.rest.len());
            if self.stream.capacity() == 0 {
                match ready!(self.stream.poll_capacity(context)) {
                    Some(Ok(_)) => continue,
                    _ => return Poll::Ready(Err(Gone)),
                }
            }
            let count = self.stream.capacity().min(self.rest.len());
            let part = self.rest.split_to(count);
            let is_end = self.rest.is_empty() && self.body.is_end_stream();
            self.stream.send_data(part, is_end)?;
            if is_end {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl Future for Sending {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        self.get_mut().poll_send(context).map(drop)
    }
}
