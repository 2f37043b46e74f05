//! Bodies of responses, in the form in which hyper reads them, and `http2::exchange` for HTTP/2: a complete
//! body, or a queue of chunks.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use http_body_util::Full;

use crate::request::RequestId;

/// Number of queued bytes from which on [`crate::Engine::write`] asks the writer to wait. Together with the buffers of
/// hyper and V8, a client that does not read needs less than 64 KiB of memory.
const HIGH_WATER: usize = 48 * 1024;
/// Number of queued bytes from which on the writer may continue. The number is much smaller than [`HIGH_WATER`],
/// so that several chunks can be written in one turn of the event loop.
const LOW_WATER: usize = 16 * 1024;
/// Size in bytes below which chunks are merged. Each chunk in a response has a line with its size, which would make
/// many small chunks expensive.
const SMALL_PIECE: usize = 4 * 1024;
/// Maximum size of a merged chunk in bytes.
const MAX_MERGED: usize = 16 * 1024;

/// Body of a response.
pub(crate) enum Body {
    Full(Full<Bytes>),
    /// No body is sent, because of the status or because the method is HEAD. The value is the length of the body for
    /// the head of the response.
    Absent(Option<u64>),
    ChunkReader(ChunkReader),
}

impl Body {
    /// Returns the id of the request whose response has this body, if the body is written in chunks.
    pub(crate) fn stream(&self) -> Option<RequestId> {
        match self {
            Self::ChunkReader(reader) => Some(reader.id),
            Self::Full(_) | Self::Absent(_) => None,
        }
    }
}

/// Queue of chunks between a handler and hyper, or between a handler and h2.
#[derive(Default)]
pub(crate) struct Queue {
    pieces: RefCell<VecDeque<Bytes>>,
    /// Small chunks that were merged. They come after all chunks in `pieces`.
    merged: RefCell<BytesMut>,
    /// Number of bytes in `pieces` and `merged`.
    waiting: Cell<usize>,
    /// Number of bytes that hyper has read from the queue and may not have sent yet. They count as queued,
    /// because hyper would otherwise buffer about 400 KiB for a client that does not read.
    unsent: Cell<usize>,
    /// Number of bytes that are still missing from the declared length. `None` if no length was declared.
    missing: Cell<Option<u64>>,
    ended: Cell<bool>,
    /// True if the writer was asked to wait, and must be notified when it may continue.
    owes_drain: Cell<bool>,
    /// True if hyper has written the head of the response and all chunks that it has read.
    is_flushed: Cell<bool>,
    /// Turn of the engine in which the last chunk was written past hyper.
    direct_turn: Cell<u64>,
}

impl Queue {
    pub(crate) fn new(length: Option<u64>) -> Self {
        Self {
            missing: Cell::new(length),
            ..Self::default()
        }
    }

    /// Returns the number of bytes that are still missing from the declared length. Returns `None` if no
    /// length was declared.
    pub(crate) fn missing(&self) -> Option<u64> {
        self.missing.get()
    }

    /// Adds a chunk. Returns true if the writer may continue, and false if it should wait. The chunk must not exceed
    /// the declared length.
    pub(crate) fn push(&self, piece: Bytes) -> bool {
        if let Some(missing) = self.missing.get() {
            self.missing.set(Some(missing.saturating_sub(piece.len() as u64)));
        }
        self.waiting.set(self.waiting.get() + piece.len());
        let mut merged = self.merged.borrow_mut();
        if piece.len() < SMALL_PIECE {
            merged.extend_from_slice(&piece);
            if merged.len() >= MAX_MERGED {
                self.pieces.borrow_mut().push_back(merged.split().freeze());
            }
        } else {
            let mut pieces = self.pieces.borrow_mut();
            if !merged.is_empty() {
                pieces.push_back(merged.split().freeze());
            }
            pieces.push_back(piece);
        }
        drop(merged);
        self.has_room()
    }

    /// Returns true if the writer may continue. If not, the writer must be notified later.
    fn has_room(&self) -> bool {
        let has_room = self.buffered() < HIGH_WATER;
        self.owes_drain.set(!has_room);
        has_room
    }

    /// Marks the end of the body.
    pub(crate) fn end(&self) {
        self.ended.set(true);
    }

    /// Returns true if hyper has read the whole body.
    pub(crate) fn is_fully_read(&self) -> bool {
        self.waiting.get() == 0 && (self.ended.get() || self.missing.get() == Some(0))
    }

    /// Returns true if the writer must be notified that it may continue: enough bytes were sent after it was
    /// asked to wait. Returns true only once for each wait.
    pub(crate) fn take_drain(&self) -> bool {
        self.buffered() <= LOW_WATER && self.owes_drain.replace(false)
    }

    /// Returns true if the writer was asked to wait, however many bytes are queued. Used for a complete body.
    pub(crate) fn take_owed_drain(&self) -> bool {
        self.owes_drain.replace(false)
    }

    /// Records that the operating system has accepted all bytes that hyper had buffered.
    pub(crate) fn note_sent(&self) {
        self.unsent.set(0);
        self.is_flushed.set(true);
    }

    /// Returns true if the next chunk may be written to the socket at once, because nothing waits before it. Returns true
    /// once in each turn, so that the other chunks of the turn are written together.
    pub(crate) fn take_direct_write(&self, turn: u64) -> bool {
        let is_next = self.is_flushed.get() && self.buffered() == 0 && self.missing.get().is_none();
        is_next && self.direct_turn.replace(turn) != turn
    }

    /// Records that the operating system has not accepted these bytes of a chunk that was written at once. Returns true if the
    /// writer may continue.
    pub(crate) fn note_unsent(&self, bytes: usize) -> bool {
        self.unsent.set(bytes);
        self.has_room()
    }

    /// Returns the number of bytes that the engine and hyper have buffered for the client.
    fn buffered(&self) -> usize {
        self.waiting.get() + self.unsent.get()
    }

    fn pop(&self) -> Option<Bytes> {
        let piece = self.pieces.borrow_mut().pop_front().or_else(|| {
            let mut merged = self.merged.borrow_mut();
            (!merged.is_empty()).then(|| merged.split().freeze())
        })?;
        self.waiting.set(self.waiting.get() - piece.len());
        self.unsent.set(self.unsent.get() + piece.len());
        self.is_flushed.set(false);
        Some(piece)
    }
}

/// Connection whose responses are read by hyper.
pub(crate) trait Answering {
    /// Records that hyper has read the whole response, so that the connection waits for the next request.
    fn finish_answer(&self, context: &Context<'_>);
}

/// Reads a [`Queue`] for hyper.
pub(crate) struct ChunkReader {
    /// Id of the request that the body responds to.
    id: RequestId,
    queue: Rc<Queue>,
    /// A weak reference, because the connection may own the response that contains this reader.
    connection: Weak<dyn Answering>,
}

impl ChunkReader {
    pub(crate) fn new(id: RequestId, queue: Rc<Queue>, connection: Weak<dyn Answering>) -> Self {
        Self {
            id,
            queue,
            connection,
        }
    }

    fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let piece = self.queue.pop();
        if self.queue.is_fully_read() {
            if let Some(connection) = self.connection.upgrade() {
                connection.finish_answer(context);
            }
            return Poll::Ready(piece);
        }
        // Store no waker: the engine polls a connection after each write to its stream.
        piece.map_or(Poll::Pending, |piece| Poll::Ready(Some(piece)))
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match self.get_mut() {
            Self::Full(full) => Pin::new(full).poll_frame(context),
            Self::Absent(_) => Poll::Ready(None),
            Self::ChunkReader(pieces) => pieces
                .poll_next(context)
                .map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Full(full) => full.is_end_stream(),
            Self::Absent(length) => length.is_none(),
            Self::ChunkReader(pieces) => pieces.queue.is_fully_read(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(full) => full.size_hint(),
            Self::Absent(length) => SizeHint::with_exact(length.unwrap_or(0)),
            // hyper asks for the length before it reads anything, so the length is the number of queued bytes plus the
            // missing ones.
            Self::ChunkReader(ChunkReader { queue, .. }) => {
                queue.missing.get().map_or_else(SizeHint::new, |missing| {
                    SizeHint::with_exact(missing + queue.waiting.get() as u64)
                })
            }
        }
    }
}
