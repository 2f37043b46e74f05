//! Request bodies that are read while they arrive.

use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context as Task, Poll, ready};

use axum::body::{Body, Bytes, HttpBody as _};
use axum::http::StatusCode;

use crate::check::Failure;
use crate::http::source::Slot;
use crate::http::{Context, Error, body};

/// Mistake of a client in a body that the handler reads. The body ends with it.
#[derive(Debug, Clone)]
pub(in crate::http) enum BodyFailure {
    /// The body has more bytes than this limit.
    TooLarge(usize),
    /// The client has left, or has broken the framing of HTTP.
    Incomplete,
    /// The content breaks the contract. The text is the name of the type.
    Invalid(&'static str, Vec<Failure>),
}

impl BodyFailure {
    /// Returns the failure as an error for the handler.
    pub(in crate::http) fn error(&self) -> Error {
        let error = match self {
            Self::TooLarge(limit) => body::too_large(*limit),
            Self::Incomplete => Error::new(
                StatusCode::BAD_REQUEST,
                "BAD_REQUEST",
                "The body of the request is incomplete",
            ),
            Self::Invalid(schema, failures) => Error::invalid(Slot::Body, schema, failures.clone()),
        };
        error.of_body()
    }
}

/// Request body in chunks. The server reads from the client only while a chunk is awaited.
pub(in crate::http) struct BodyChunks {
    source: Source,
    /// Maximum number of bytes of the body.
    limit: usize,
    /// Number of bytes that may still arrive.
    left: usize,
}

enum Source {
    /// Body that is in memory.
    Whole(Bytes),
    /// Body that arrives. The mutex is never locked: it lets threads share the request.
    Arriving(Mutex<Body>, Context),
    Ended,
    Failed(BodyFailure),
}

impl BodyChunks {
    /// Returns a body that is in memory as one chunk.
    pub(in crate::http) fn whole(bytes: Bytes) -> Self {
        Self {
            limit: bytes.len(),
            left: bytes.len(),
            source: Source::Whole(bytes),
        }
    }

    /// Returns a body that arrives, with at most `limit` bytes.
    pub(in crate::http) fn arriving(body: Body, limit: usize, context: &Context) -> Self {
        context.set_body_unread(true);
        Self {
            source: Source::Arriving(Mutex::new(body), context.clone()),
            limit,
            left: limit,
        }
    }

    /// Returns the next bytes, at least one. Returns `None` at the end of the body. After a failure, every call
    /// returns the failure.
    pub(in crate::http) fn poll_chunk(
        &mut self,
        task: &mut Task<'_>,
    ) -> Poll<Option<Result<Bytes, BodyFailure>>> {
        let (body, context) = match &mut self.source {
            Source::Arriving(body, context) => {
                (body.get_mut().unwrap_or_else(PoisonError::into_inner), context)
            }
            Source::Whole(bytes) => {
                let bytes = std::mem::take(bytes);
                self.source = Source::Ended;
                return Poll::Ready((!bytes.is_empty()).then_some(Ok(bytes)));
            }
            Source::Ended => return Poll::Ready(None),
            Source::Failed(failure) => return Poll::Ready(Some(Err(failure.clone()))),
        };
        let await_chunk = |is_awaited: bool| {
            if let Some(connection) = context.connection() {
                connection.await_chunk(is_awaited);
            }
        };
        loop {
            await_chunk(true);
            let frame = ready!(Pin::new(&mut *body).poll_frame(task));
            await_chunk(false);
            let failure = match frame {
                None => {
                    context.set_body_unread(false);
                    self.source = Source::Ended;
                    return Poll::Ready(None);
                }
                Some(Err(_)) => BodyFailure::Incomplete,
                Some(Ok(frame)) => {
                    let data = frame.into_data().unwrap_or_default();
                    if data.is_empty() {
                        continue;
                    }
                    if let Some(left) = self.left.checked_sub(data.len()) {
                        self.left = left;
                        if body.is_end_stream() {
                            context.set_body_unread(false);
                        }
                        return Poll::Ready(Some(Ok(data)));
                    }
                    BodyFailure::TooLarge(self.limit)
                }
            };
            // Drops the body, so that the rest is not received.
            self.source = Source::Failed(failure.clone());
            return Poll::Ready(Some(Err(failure)));
        }
    }
}

/// Body of a request: complete in memory, or read by the handler while the body arrives.
pub(in crate::http) enum RequestBody {
    Whole(Bytes),
    /// `None` after the body was taken.
    Chunks(Mutex<Option<BodyChunks>>),
}

impl RequestBody {
    /// Returns true for a body that is known to have no bytes.
    pub(in crate::http) fn is_empty(&self) -> bool {
        matches!(self, Self::Whole(bytes) if bytes.is_empty())
    }

    /// Returns the bytes of the body.
    ///
    /// # Errors
    ///
    /// 500 if the handler of the route reads the body while the body arrives.
    pub(in crate::http) fn whole(&self) -> Result<&Bytes, Error> {
        match self {
            Self::Whole(bytes) => Ok(bytes),
            Self::Chunks(_) => Err(Error::internal(
                "The body of this route is read while it arrives, so no other code can read it as a whole",
            )),
        }
    }

    /// Returns the body in chunks.
    ///
    /// # Errors
    ///
    /// 500 if the body was taken before.
    pub(in crate::http) fn chunks(&self) -> Result<BodyChunks, Error> {
        match self {
            Self::Whole(bytes) => Ok(BodyChunks::whole(bytes.clone())),
            Self::Chunks(chunks) => {
                let taken = chunks.lock().unwrap_or_else(PoisonError::into_inner).take();
                taken.ok_or_else(|| Error::internal("The body of the request was already read"))
            }
        }
    }
}
