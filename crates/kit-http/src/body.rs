//! Bodies of responses as hyper reads them: available at once, or in chunks.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use http_body_util::Full;

use crate::link::{ConnectionState, Link};

/// Number of queued bytes at which [`crate::Engine::write`] asks the writer to wait. Together with the state of hyper
/// and V8, a client that does not read costs less than 64 KiB of memory.
const HIGH_WATER: usize = 48 * 1024;
/// Number of queued bytes at which the writer may continue. Well below [`HIGH_WATER`], so that not every chunk costs a
/// turn of the event loop.
const LOW_WATER: usize = 16 * 1024;
/// Chunks below this size are merged, because each would otherwise be sent as a separate HTTP chunk with a size line.
const SMALL_PIECE: usize = 4 * 1024;
/// Maximum size of a merged chunk.
const MAX_MERGED: usize = 16 * 1024;

/// Body of a response.
pub(crate) enum Body {
    Full(Full<Bytes>),
    /// No body: for a status without a body, or for HEAD, where the head may declare the length of a body.
    Absent(Option<u64>),
    ChunkReader(ChunkReader),
}

/// Queue of chunks between a handler and hyper.
#[derive(Default)]
pub(crate) struct Queue {
    pieces: RefCell<VecDeque<Bytes>>,
    /// Merged small chunks, which come after all others.
    merged: RefCell<BytesMut>,
    /// Number of bytes in `pieces` and `merged`.
    waiting: Cell<usize>,
    /// Number of bytes that hyper has read and that may still be in its buffer. hyper would buffer about 400 KiB for a
    /// peer that does not read.
    unsent: Cell<usize>,
    /// Number of bytes that are missing to the declared length; `None` without a declared length.
    missing: Cell<Option<u64>>,
    ended: Cell<bool>,
    /// True if the writer was asked to wait, and must be notified when it may continue.
    owes_drain: Cell<bool>,
}

impl Queue {
    pub(crate) fn new(length: Option<u64>) -> Self {
        Self {
            missing: Cell::new(length),
            ..Self::default()
        }
    }

    /// Returns the number of bytes that are missing to the declared length; `None` without a declared length.
    pub(crate) fn missing(&self) -> Option<u64> {
        self.missing.get()
    }

    /// Adds a chunk, which must not exceed the declared length. Returns true if the writer may continue.
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

    /// Returns true if the writer must be notified that it may continue, once for each time that it was asked to wait.
    pub(crate) fn take_drain(&self) -> bool {
        self.buffered() <= LOW_WATER && self.owes_drain.replace(false)
    }

    /// Records that the system has accepted all data of hyper's buffer.
    pub(crate) fn note_sent(&self) {
        self.unsent.set(0);
    }

    /// Returns the number of bytes in memory for the peer.
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
        Some(piece)
    }
}

/// Reader of a [`Queue`] for hyper.
pub(crate) struct ChunkReader {
    queue: Rc<Queue>,
    /// Weak, because the link may own the response that contains this value.
    link: Weak<Link>,
}

impl ChunkReader {
    pub(crate) fn new(queue: Rc<Queue>, link: &Rc<Link>) -> Self {
        Self {
            queue,
            link: Rc::downgrade(link),
        }
    }

    fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let piece = self.queue.pop();
        if self.queue.is_fully_read() {
            if let Some(link) = self.link.upgrade() {
                link.finish_answer(context);
            }
            return Poll::Ready(piece);
        }
        // No waker is stored: the engine polls a connection whenever data was written to its stream.
        piece.map_or(Poll::Pending, |piece| Poll::Ready(Some(piece)))
    }
}

impl Link {
    /// Called when hyper has read the whole response. The connection then waits for another request.
    pub(crate) fn finish_answer(&self, context: &Context<'_>) {
        *self.state.borrow_mut() = ConnectionState::Idle;
        if self.guard.borrow().rejection().is_some() {
            // hyper has tried to read after this request and waits for data. No data will come, so hyper must try again
            // to notice that the stream ends here.
            context.waker().wake_by_ref();
        }
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
            // hyper calls this before it reads, so the length is the sum of queued and missing bytes.
            Self::ChunkReader(ChunkReader { queue, .. }) => {
                queue.missing.get().map_or_else(SizeHint::new, |missing| {
                    SizeHint::with_exact(missing + queue.waiting.get() as u64)
                })
            }
        }
    }
}
