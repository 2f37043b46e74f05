//! A request body that its handler reads in chunks.
//!
//! Over HTTP/1.1, hyper reads from the socket only if it can pass on what it has read: one chunk of at most the size of its buffer (128
//! KiB) waits in hyper. If the handler does not read, the buffer of the operating system fills, and TCP stops the client. Over HTTP/2,
//! the window of the stream bounds the bytes that wait.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use bytes::Bytes;
use http_body::{Body as _, Frame};
use hyper::body::Incoming;
use kit_guard::Pace;

use crate::collecting::BodyEndedEarly;
use crate::config::Timeouts;
use crate::http2::RecvBody;
use crate::request::RequestId;

/// Part of a body that the engine passes to the handler after [`crate::Engine::read_body`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadPart<'a> {
    /// The next bytes of the body, at least one.
    Chunk(&'a [u8]),
    /// The body is complete.
    End,
    /// The rest of the body cannot be read.
    Failed(UploadFailure),
}

/// Reason why a body cannot be read to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UploadFailure {
    /// The client has disconnected, or its connection was closed.
    Aborted,
    /// The chunks are invalid. The engine responds to the request, unless the handler has begun to respond.
    Invalid,
    /// The client is [`crate::Timeouts::body_idle`] behind [`crate::Timeouts::body_rate`]. The engine responds to the request,
    /// unless the handler has begun to respond.
    TimedOut,
    /// The body exceeds the limit of its route. The handler must respond. Over HTTP/1.1, the connection
    /// closes after the response.
    TooLarge,
}

/// Source of the chunks of a body.
pub(crate) enum UploadBody {
    Http1(Incoming),
    Http2(RecvBody),
}

impl UploadBody {
    /// Returns the next bytes, and `None` at the end. Handlers cannot access trailers, which become an empty chunk.
    fn poll_data(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<Bytes, BodyEndedEarly>>> {
        match self {
            Self::Http1(body) => Pin::new(body).poll_frame(context).map(data_of),
            Self::Http2(body) => Pin::new(body).poll_frame(context).map(data_of),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Http1(body) => body.is_end_stream(),
            Self::Http2(body) => body.is_end_stream(),
        }
    }
}

fn data_of<E>(frame: Option<Result<Frame<Bytes>, E>>) -> Option<Result<Bytes, BodyEndedEarly>> {
    let frame = frame?.map_err(|_| BodyEndedEarly);
    Some(frame.map(|frame| frame.into_data().unwrap_or_default()))
}

/// Body of the current request of a connection.
pub(crate) struct Upload {
    /// Id of the request. `None` until the engine passes the request to the handler.
    pub(crate) id: Option<RequestId>,
    /// Source of the chunks. `None` after the end, after a failure, and if the handler does not read any more.
    body: Option<UploadBody>,
    limit: usize,
    /// Minimum rate of the route. `None` if the minimum rate of the server applies.
    rate: Option<u32>,
    received: usize,
    is_wanted: bool,
    is_complete: bool,
    /// Speed of the client. `None` until the handler waits for the first time.
    pace: Option<Pace>,
    /// Number of bytes that `pace` knows.
    counted: usize,
}

/// Chunk that was read, or the end.
pub(crate) enum Read {
    Chunk(Bytes),
    End,
    TooLarge,
    /// hyper could not read the body.
    Broken,
}

impl Upload {
    /// Creates the state of a body of at most `limit` bytes. `rate` replaces the minimum rate of the server.
    pub(crate) fn new(body: UploadBody, limit: usize, rate: Option<u32>) -> Self {
        Self {
            id: None,
            body: Some(body),
            limit,
            rate,
            received: 0,
            is_wanted: false,
            is_complete: false,
            pace: None,
            counted: 0,
        }
    }

    /// Records that the handler has received bytes, or no longer waits for them.
    pub(crate) fn pause(&mut self, now: Instant) {
        if let Some(pace) = &mut self.pace {
            pace.pause(now);
            pace.receive(self.received - self.counted);
        }
        self.counted = self.received;
    }

    /// Returns the time at which the client has sent too slowly, if the handler waits from now on.
    pub(crate) fn deadline(&mut self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let rate = self.rate.unwrap_or(timeouts.body_rate);
        let pace = self.pace.get_or_insert_with(|| Pace::new(rate));
        pace.wait(now);
        pace.deadline(timeouts.body_idle)
    }

    /// Records that the handler waits for the next chunk. Returns false if no chunk can follow.
    pub(crate) fn want(&mut self) -> bool {
        self.is_wanted = self.is_complete || self.body.is_some();
        self.is_wanted
    }

    /// Returns true if the handler waits for the next chunk.
    pub(crate) fn is_wanted(&self) -> bool {
        self.is_wanted
    }

    /// Returns true if hyper has passed on the whole body.
    pub(crate) fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Returns true if the rest of the body will still be read.
    pub(crate) fn is_arriving(&self) -> bool {
        self.body.is_some()
    }

    /// Returns a number that grows with each received byte.
    pub(crate) fn received(&self) -> usize {
        self.received
    }

    /// Ends reading. After this call, hyper reads no more of the body.
    pub(crate) fn cancel(&mut self) {
        self.body = None;
        self.is_wanted = false;
    }

    /// Reads the next chunk for the handler that waits for it.
    pub(crate) fn poll(&mut self, context: &mut Context<'_>) -> Poll<Read> {
        let read = std::task::ready!(self.poll_body(context));
        self.is_wanted = false;
        Poll::Ready(read)
    }

    fn poll_body(&mut self, context: &mut Context<'_>) -> Poll<Read> {
        loop {
            let Some(body) = &mut self.body else {
                return Poll::Ready(if self.is_complete { Read::End } else { Read::Broken });
            };
            let data = std::task::ready!(body.poll_data(context));
            let Some(Ok(data)) = data else {
                self.is_complete = data.is_none();
                self.body = None;
                continue;
            };
            // hyper often knows with the last chunk that it is the last.
            let is_last = body.is_end_stream();
            if data.len() > self.limit - self.received {
                self.body = None;
                return Poll::Ready(Read::TooLarge);
            }
            self.received += data.len();
            if is_last {
                self.is_complete = true;
                self.body = None;
            }
            if !data.is_empty() {
                return Poll::Ready(Read::Chunk(data));
            }
        }
    }
}
