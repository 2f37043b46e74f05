//! Bodies of answers as hyper takes them: there at once, or piece by piece.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::rc::{Rc, Weak};
use std::task::{Context, Poll};

use bytes::{Bytes, BytesMut};
use http_body::{Frame, SizeHint};
use http_body_util::Full;

use crate::link::{Link, Stage};

/// Number of waiting bytes from which [`crate::Engine::write`] asks the writer to wait. With the state of hyper and V8, a client that
/// reads nothing then costs less than 64 KiB of the process.
const HIGH_WATER: usize = 48 * 1024;
/// Number of waiting bytes from which the writer may go on. Well below [`HIGH_WATER`], so that not each piece costs a turn of the loop.
const LOW_WATER: usize = 16 * 1024;
/// Smaller pieces are gathered: each would otherwise be a chunk of its own, with its size and its line ends.
const SMALL_PIECE: usize = 4 * 1024;
/// Up to here small pieces are gathered in one.
const GATHERED: usize = 16 * 1024;

/// The body of an answer.
pub(crate) enum Body {
    Full(Full<Bytes>),
    /// Nothing, in an answer whose head speaks of a body: one to HEAD.
    Absent(Option<u64>),
    Pieces(Pieces),
}

/// What handlers write into and hyper reads from.
#[derive(Default)]
pub(crate) struct Queue {
    pieces: RefCell<VecDeque<Bytes>>,
    /// Small pieces, behind all others.
    gathered: RefCell<BytesMut>,
    /// Bytes of both.
    waiting: Cell<usize>,
    /// Bytes that hyper took and that may still be in its buffer. hyper would take some 400 KiB for a peer that does not read.
    unsent: Cell<usize>,
    /// Bytes that are yet to be written, where the head said how many there are.
    missing: Cell<Option<u64>>,
    ended: Cell<bool>,
    /// The writer was told to wait, and is to be told when there is room.
    owes_drain: Cell<bool>,
}

impl Queue {
    pub(crate) fn new(length: Option<u64>) -> Self {
        Self {
            missing: Cell::new(length),
            ..Self::default()
        }
    }

    /// Bytes that are yet to be written; nothing where their number is not known.
    pub(crate) fn missing(&self) -> Option<u64> {
        self.missing.get()
    }

    /// Takes a piece, which must not be longer than what is missing; answers whether there is room for more.
    pub(crate) fn push(&self, piece: Bytes) -> bool {
        if let Some(missing) = self.missing.get() {
            self.missing.set(Some(missing.saturating_sub(piece.len() as u64)));
        }
        self.waiting.set(self.waiting.get() + piece.len());
        let mut gathered = self.gathered.borrow_mut();
        if piece.len() < SMALL_PIECE {
            gathered.extend_from_slice(&piece);
            if gathered.len() >= GATHERED {
                self.pieces.borrow_mut().push_back(gathered.split().freeze());
            }
        } else {
            let mut pieces = self.pieces.borrow_mut();
            if !gathered.is_empty() {
                pieces.push_back(gathered.split().freeze());
            }
            pieces.push_back(piece);
        }
        let has_room = self.held() < HIGH_WATER;
        self.owes_drain.set(!has_room);
        has_room
    }

    /// No more pieces will come.
    pub(crate) fn end(&self) {
        self.ended.set(true);
    }

    /// Whether hyper has the whole body.
    pub(crate) fn is_through(&self) -> bool {
        self.waiting.get() == 0 && (self.ended.get() || self.missing.get() == Some(0))
    }

    /// Whether the writer is to be told that there is room, once each time it was told that there is none.
    pub(crate) fn take_drain(&self) -> bool {
        self.held() <= LOW_WATER && self.owes_drain.replace(false)
    }

    /// Notes that the system has taken all that hyper had.
    pub(crate) fn note_sent(&self) {
        self.unsent.set(0);
    }

    /// Bytes that are in memory for the peer.
    fn held(&self) -> usize {
        self.waiting.get() + self.unsent.get()
    }

    fn pop(&self) -> Option<Bytes> {
        let piece = self.pieces.borrow_mut().pop_front().or_else(|| {
            let mut gathered = self.gathered.borrow_mut();
            (!gathered.is_empty()).then(|| gathered.split().freeze())
        })?;
        self.waiting.set(self.waiting.get() - piece.len());
        self.unsent.set(self.unsent.get() + piece.len());
        Some(piece)
    }
}

/// hyper's end of a [`Queue`].
pub(crate) struct Pieces {
    queue: Rc<Queue>,
    /// Weak: the link may hold the answer that holds this.
    link: Weak<Link>,
}

impl Pieces {
    pub(crate) fn new(queue: Rc<Queue>, link: &Rc<Link>) -> Self {
        Self {
            queue,
            link: Rc::downgrade(link),
        }
    }

    fn poll_next(&self, context: &Context<'_>) -> Poll<Option<Bytes>> {
        let piece = self.queue.pop();
        if self.queue.is_through() {
            if let Some(link) = self.link.upgrade() {
                link.finish_answer(context);
            }
            return Poll::Ready(piece);
        }
        // No waker is kept: the engine polls a connection whenever something was written to its stream.
        piece.map_or(Poll::Pending, |piece| Poll::Ready(Some(piece)))
    }
}

impl Link {
    /// The whole answer is with hyper: what the connection waits for next is another request.
    pub(crate) fn finish_answer(&self, context: &Context<'_>) {
        self.stage.set(Stage::Idle);
        if self.guard.borrow().rejection().is_some() {
            // hyper was told to wait for bytes when it tried to read behind this request. None will come; it has to try
            // again to learn that the stream ends here.
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
            Self::Pieces(pieces) => pieces
                .poll_next(context)
                .map(|piece| piece.map(|piece| Ok(Frame::data(piece)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Full(full) => full.is_end_stream(),
            Self::Absent(length) => length.is_none(),
            Self::Pieces(pieces) => pieces.queue.is_through(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Full(full) => full.size_hint(),
            Self::Absent(length) => SizeHint::with_exact(length.unwrap_or(0)),
            // Asked before anything was taken: all that is there and all that is to come.
            Self::Pieces(Pieces { queue, .. }) => queue.missing.get().map_or_else(SizeHint::new, |missing| {
                SizeHint::with_exact(missing + queue.waiting.get() as u64)
            }),
        }
    }
}
