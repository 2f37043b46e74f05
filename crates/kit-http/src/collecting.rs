//! Collects the body of a request before its handler gets the request.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http::request::Parts;

use crate::request::BodyState;

/// Error: the body could not be read completely, because the client disconnected or sent invalid chunks.
#[derive(Debug, thiserror::Error)]
#[error("the request body ended early")]
pub(crate) struct BodyEndedEarly;

/// Request whose body has not arrived completely.
pub(crate) struct Collecting<B> {
    parts: Parts,
    body: B,
    /// Maximum size of the body in bytes.
    limit: usize,
    /// First chunk of the body. If it is the only chunk, it becomes the body without a copy.
    first: Bytes,
    /// All chunks of the body, if there are several. Otherwise empty.
    rest: BytesMut,
}

impl<B: http_body::Body<Data = Bytes> + Unpin> Collecting<B> {
    /// `limit` is the maximum size of the body in bytes.
    pub(crate) fn new(parts: Parts, body: B, limit: usize) -> Self {
        Self {
            parts,
            body,
            limit,
            first: Bytes::new(),
            rest: BytesMut::new(),
        }
    }

    /// Reads the body. Returns true if it is complete, and false if it exceeds the limit.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Result<bool, BodyEndedEarly>> {
        loop {
            let frame = match Pin::new(&mut self.body).poll_frame(context) {
                Poll::Pending => return Poll::Pending,
                Poll::Ready(None) => return Poll::Ready(Ok(true)),
                Poll::Ready(Some(Err(_))) => return Poll::Ready(Err(BodyEndedEarly)),
                Poll::Ready(Some(Ok(frame))) => frame,
            };
            // Handlers cannot access trailers.
            let Ok(data) = frame.into_data() else { continue };
            if self.first.len().max(self.rest.len()) + data.len() > self.limit {
                return Poll::Ready(Ok(false));
            }
            if self.first.is_empty() && self.rest.is_empty() {
                self.first = data;
            } else {
                if self.rest.is_empty() {
                    let announced = usize::try_from(self.body.size_hint().lower()).unwrap_or(0);
                    self.rest
                        .reserve(self.first.len() + data.len() + announced.min(self.limit));
                    self.rest.extend_from_slice(&self.first);
                }
                self.rest.extend_from_slice(&data);
            }
            // hyper often knows with the last chunk that it is the last. Then another poll is not needed.
            if self.body.is_end_stream() {
                return Poll::Ready(Ok(true));
            }
        }
    }

    /// Returns the head, the body, and the form in which the handler gets the body. `is_complete` is the result of
    /// [`Self::poll`].
    pub(crate) fn finish(self, is_complete: bool) -> (Parts, Bytes, BodyState) {
        // The rest of a body above the limit is not needed. The library for HTTP stops reading the rest when the body is dropped here.
        if !is_complete {
            return (self.parts, Bytes::new(), BodyState::TooLarge);
        }
        let body = if self.rest.is_empty() {
            self.first
        } else {
            self.rest.freeze()
        };
        (self.parts, body, BodyState::Whole)
    }
}
