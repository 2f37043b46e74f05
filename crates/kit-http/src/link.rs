//! What the two ends of a connection share: hyper, which owns the stream and the service, and the engine.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};

use crate::body::Body;
use crate::half::{Rest, Seat};
use crate::plain::Way;
use crate::request::{Request, RequestId};
use crate::response::Response;
use crate::socket::Socket;
use kit_guard::Guard;

/// Up to here, copying an answer's head and body together is cheaper than having the kernel gather them.
const SMALL_WRITE: usize = 4096;

/// How a connection's one request stands. HTTP/1.1 serves requests of a connection one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// No request, or only a part of its head.
    Idle,
    /// The body is being received.
    Collecting,
    /// The request is complete and its answer outstanding.
    Waiting,
    /// Its answer has begun, and comes piece by piece.
    Streaming,
}

/// Whether a handler has a stream of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Streaming {
    No,
    /// The answer to this request, which has not been ended.
    Open(RequestId),
    /// It was given up. What was written goes out as far as the system takes it at once, so that a peer gets the head at least:
    /// many try again where nothing at all has come. Then the connection is cut.
    GivenUp,
}

/// Shared by a connection's hyper half and its engine half; both live on one thread.
pub(crate) struct Link {
    pub(crate) socket: RefCell<Socket>,
    pub(crate) guard: RefCell<Guard>,
    /// Bytes that passed the guard and found no room in hyper's buffer.
    passed: RefCell<Vec<u8>>,
    /// Where every connection reads into; the guard looks at it before hyper gets a copy.
    scratch: Rc<RefCell<Vec<u8>>>,
    pub(crate) stage: Cell<Stage>,
    /// What hyper's last attempt to read says of the place where it is.
    pub(crate) rest: Cell<Rest>,
    /// Requests begun, so that the engine notices a new one whatever happened in between.
    pub(crate) begun: Cell<usize>,
    /// The complete request, from the service to the engine.
    pub(crate) arrived: RefCell<Option<Request>>,
    /// Its number, once the handler knows of it.
    pub(crate) request: Cell<Option<RequestId>>,
    /// The handler was told that the peer of its request left.
    pub(crate) told: Cell<bool>,
    /// The answer, from the engine to the service.
    pub(crate) answer: RefCell<Option<http::Response<Body>>>,
    pub(crate) stream: Cell<Streaming>,
    pub(crate) body_limit: usize,
    /// How the request under way came.
    pub(crate) way: Cell<Way>,
    /// The answer to a request that hyper does not know of.
    pub(crate) reply: RefCell<Option<Response>>,
    /// What the system has not taken yet of such an answer.
    pub(crate) unwritten: RefCell<Vec<u8>>,
}

impl Link {
    pub(crate) fn new(
        socket: Socket,
        guard: Guard,
        scratch: Rc<RefCell<Vec<u8>>>,
        body_limit: usize,
    ) -> Self {
        Self {
            socket: RefCell::new(socket),
            guard: RefCell::new(guard),
            passed: RefCell::default(),
            scratch,
            stage: Cell::new(Stage::Idle),
            rest: Cell::new(Rest::No),
            begun: Cell::new(0),
            arrived: RefCell::default(),
            request: Cell::new(None),
            told: Cell::new(false),
            answer: RefCell::default(),
            stream: Cell::new(Streaming::No),
            body_limit,
            way: Cell::new(Way::Hyper),
            reply: RefCell::default(),
            unwritten: RefCell::default(),
        }
    }

    /// Whether there are bytes that hyper has not seen.
    pub(crate) fn has_passed(&self) -> bool {
        !self.passed.borrow().is_empty() || self.guard.borrow().rejection().is_some()
    }

    /// Has the guard look at bytes, and keeps what passes until hyper reads.
    pub(crate) fn admit(&self, input: &[u8]) {
        let mut passed = self.passed.borrow_mut();
        let mut keep = |bytes: &[u8]| passed.extend_from_slice(bytes);
        self.guard.borrow_mut().admit(input, &mut keep);
    }

    /// Whether a connection that hyper does not serve has something to do before it can end.
    pub(crate) fn is_busy(&self) -> bool {
        self.way.get() != Way::Hyper || self.has_passed() || !self.unwritten.borrow().is_empty()
    }

    /// Has hyper see a request that took the short way, since hyper is to answer it.
    pub(crate) fn replay(&self, request: &Request) {
        if let Some(bytes) = request.unparsed() {
            self.passed.borrow_mut().extend_from_slice(bytes);
            self.way.set(Way::Replayed);
        }
    }

    /// Tells if the peer seems to have left, and if nothing can be written to the peer any more.
    ///
    /// A peer that has closed its sending side looks like one that has left, though it may wait for its answer. A handler that still works
    /// on the answer is told. A stream goes on until a write fails, and the system asks a silent peer now and then.
    pub(crate) fn departure(&self) -> (bool, bool) {
        let mut socket = self.socket.borrow_mut();
        let is_read_closed = socket.is_read_closed();
        let is_streaming = self.stream.get() != Streaming::No;
        if is_read_closed && is_streaming {
            socket.probe_peer();
        }
        (is_read_closed && !is_streaming, socket.is_dead())
    }

    fn poll_read(&self, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        if cursor.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let mut passed = self.passed.borrow_mut();
        let mut guard = self.guard.borrow_mut();
        loop {
            if !passed.is_empty() {
                let count = passed.len().min(cursor.remaining());
                cursor.put_slice(&passed[..count]);
                passed.drain(..count);
                if passed.is_empty() {
                    // A connection keeps no memory for what seldom happens to it.
                    *passed = Vec::new();
                }
                return Poll::Ready(Ok(()));
            }
            if guard.rejection().is_some() {
                // hyper sees the end of the stream, but not while an earlier request waits for its answer: there it would
                // take the end for a client that left.
                return match self.stage.get() {
                    Stage::Waiting | Stage::Streaming => Poll::Pending,
                    stage => {
                        if stage == Stage::Idle {
                            self.rest.set(Rest::Refused);
                        }
                        Poll::Ready(Ok(()))
                    }
                };
            }
            let mut scratch = self.scratch.borrow_mut();
            let room = cursor.remaining().min(scratch.len());
            let buffer = &mut scratch[..room];
            let is_between = guard.is_between_messages() && self.stage.get() == Stage::Idle;
            let count = match self.socket.borrow_mut().read(buffer) {
                // The engine ends a connection that rests by itself; hyper need not hear of it.
                Ok(0) if is_between => {
                    self.rest.set(Rest::Left);
                    return Poll::Pending;
                }
                Ok(0) => return Poll::Ready(Ok(())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if is_between {
                        self.rest.set(Rest::Between);
                    }
                    return Poll::Pending;
                }
                Err(error) => return Poll::Ready(Err(error)),
            };
            let mut progress = false;
            guard.admit(&buffer[..count], &mut |bytes| {
                progress = true;
                let fits = bytes.len().min(cursor.remaining());
                // What was held back may be more than there is room for.
                let (now, later) = bytes.split_at(if passed.is_empty() { fits } else { 0 });
                cursor.put_slice(now);
                passed.extend_from_slice(later);
            });
            if progress {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

/// The stream as hyper sees it.
pub(crate) struct Io(pub(crate) Rc<Seat>);

impl Read for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // No waker is kept: the engine polls a connection whenever its socket's readiness changes.
        match self.0.link() {
            Ok(link) => link.poll_read(&mut cursor),
            Err(error) => Poll::Ready(Err(error)),
        }
    }
}

impl Write for Io {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let link = self.0.link()?;
        ready_unless_blocked(link.socket.borrow_mut().write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let total: usize = bytes.iter().map(|slice| slice.len()).sum();
        let link = self.0.link()?;
        let mut socket = link.socket.borrow_mut();
        let mut scratch = link.scratch.borrow_mut();
        if total > SMALL_WRITE.min(scratch.len()) {
            return ready_unless_blocked(socket.write_vectored(bytes));
        }
        let mut end = 0;
        for slice in bytes {
            scratch[end..end + slice.len()].copy_from_slice(slice);
            end += slice.len();
        }
        ready_unless_blocked(socket.write(&scratch[..end]))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // After a refusal the engine has still to say why.
        let link = self.0.link()?;
        if link.guard.borrow().rejection().is_some() {
            return Poll::Ready(Ok(()));
        }
        Poll::Ready(link.socket.borrow().finish())
    }
}

fn ready_unless_blocked(result: io::Result<usize>) -> Poll<io::Result<usize>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        other => Poll::Ready(other),
    }
}
