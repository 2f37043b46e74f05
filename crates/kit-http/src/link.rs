//! State of a connection that the engine shares with hyper. hyper owns the stream and the service, which both use it.

use std::cell::{Cell, Ref, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};

use crate::body::{Answering, Body};
use crate::body_rules::ConnectionBodyRules;
use crate::error_bodies::ErrorBodies;
use crate::partial_request::PartialRequest;
use crate::request::{Request, RequestId};
use crate::response::Response;
use crate::server_headers::DefaultHeaders;
use crate::socket::{Socket, ready_unless_blocked};
use crate::state::ConnectionState;
use crate::unread::Unread;
use crate::upload::Upload;
use crate::web_socket::WebSocket;
use kit_guard::Guard;

/// Maximum number of bytes up to which the head and body of a response are copied into one buffer. This is faster than
/// a vectored write.
const SMALL_WRITE: usize = 4096;

/// State of a connection that the engine shares with hyper, on the same thread.
pub(crate) struct Link {
    pub(crate) socket: RefCell<Socket>,
    pub(crate) guard: RefCell<Guard>,
    /// Bytes that the guard has accepted and that did not fit into hyper's buffer.
    passed: RefCell<Vec<u8>>,
    /// Bytes after the current request of the fast path.
    pub(crate) unread: RefCell<Unread>,
    /// Bytes that are sent past hyper, and that the operating system has not accepted yet. They come before all bytes of hyper.
    pub(crate) unsent: RefCell<Vec<u8>>,
    /// Read buffer, shared by all connections. hyper gets a copy of its content after the guard has checked it.
    pub(crate) scratch: Rc<RefCell<Vec<u8>>>,
    pub(crate) state: RefCell<ConnectionState>,
    /// Number of requests that hyper has read. A request that hyper has read twice counts once.
    pub(crate) requests_of_hyper: Cell<u64>,
    /// Body of the current request, if the handler reads it in chunks.
    pub(crate) upload: RefCell<Option<Box<Upload>>>,
    pub(crate) body_rules: ConnectionBodyRules,
    /// Headers of every response.
    pub(crate) defaults: DefaultHeaders,
    pub(crate) error_bodies: ErrorBodies,
}

/// Connection that uses a state of hyper; `None` while the state is in the pool.
#[derive(Default)]
pub(crate) struct CurrentLink(RefCell<Option<Rc<Link>>>);

impl CurrentLink {
    pub(crate) fn set(&self, link: Option<Rc<Link>>) {
        *self.0.borrow_mut() = link;
    }

    pub(crate) fn link(&self) -> io::Result<Ref<'_, Rc<Link>>> {
        // There always is a connection, because hyper is only polled for one.
        Ref::filter_map(self.0.borrow(), Option::as_ref).map_err(|_| io::ErrorKind::NotConnected.into())
    }
}

impl Link {
    pub(crate) fn new(
        socket: Socket,
        guard: Guard,
        scratch: Rc<RefCell<Vec<u8>>>,
        body_rules: ConnectionBodyRules,
        defaults: DefaultHeaders,
        error_bodies: ErrorBodies,
    ) -> Self {
        Self {
            socket: RefCell::new(socket),
            guard: RefCell::new(guard),
            passed: RefCell::default(),
            unread: RefCell::default(),
            unsent: RefCell::default(),
            scratch,
            state: RefCell::new(ConnectionState::Idle),
            requests_of_hyper: Cell::new(0),
            upload: RefCell::new(None),
            body_rules,
            defaults,
            error_bodies,
        }
    }

    /// Returns true if no byte of a request has arrived, or only a part of its head.
    pub(crate) fn is_idle(&self) -> bool {
        self.state.borrow().is_idle()
    }

    /// Makes the connection idle if hyper has asked for a request before one arrived, because hyper may now ask
    /// again.
    pub(crate) fn resume_reading(&self) {
        let mut state = self.state.borrow_mut();
        if matches!(
            *state,
            ConnectionState::BetweenRequests | ConnectionState::ClientLeft
        ) {
            *state = ConnectionState::Idle;
        }
    }

    /// Returns the id of the request that the handler is working on.
    pub(crate) fn request(&self) -> Option<RequestId> {
        match *self.state.borrow() {
            ConnectionState::Waiting { id, .. } => Some(id),
            _ => None,
        }
    }

    /// Returns true if the handler waits for the next chunk of the body.
    pub(crate) fn is_body_wanted(&self) -> bool {
        self.upload
            .borrow()
            .as_ref()
            .is_some_and(|upload| upload.is_wanted())
    }

    /// Returns a number that grows with each received byte of a body that the handler reads in chunks.
    pub(crate) fn body_received(&self) -> usize {
        self.upload
            .borrow()
            .as_ref()
            .map_or(0, |upload| upload.received())
    }

    /// Returns true if the handler may still read parts of the body that hyper has not read.
    pub(crate) fn is_body_arriving(&self) -> bool {
        self.upload
            .borrow()
            .as_ref()
            .is_some_and(|upload| upload.is_arriving())
    }

    /// Returns the id of a request whose handler must be told that the client has disconnected. Returns each
    /// id only once.
    pub(crate) fn report_abort(&self) -> Option<RequestId> {
        match &mut *self.state.borrow_mut() {
            ConnectionState::Waiting { id, abort_reported } => {
                (!std::mem::replace(abort_reported, true)).then_some(*id)
            }
            _ => None,
        }
    }

    /// Removes a complete request, to pass it to the handler.
    pub(crate) fn take_received(&self) -> Option<Request> {
        let mut state = self.state.borrow_mut();
        if !matches!(*state, ConnectionState::Received(_)) {
            return None;
        }
        match std::mem::replace(&mut *state, ConnectionState::Idle) {
            ConnectionState::Received(request) => Some(request),
            _ => None,
        }
    }

    /// Returns true if the fast path has read a part of a request.
    pub(crate) fn has_partial_request(&self) -> bool {
        matches!(*self.state.borrow(), ConnectionState::Partial(_))
    }

    /// Removes the part of a request that the fast path has read.
    pub(crate) fn take_partial_request(&self) -> Option<Box<PartialRequest>> {
        if !self.has_partial_request() {
            return None;
        }
        match self.state.replace(ConnectionState::Idle) {
            ConnectionState::Partial(partial) => Some(partial),
            _ => None,
        }
    }

    /// Returns true if the fast path must write a response.
    pub(crate) fn has_fast_response(&self) -> bool {
        matches!(*self.state.borrow(), ConnectionState::FastResponse(_))
    }

    /// Removes the response that the fast path must write. After this, the connection has no request.
    pub(crate) fn take_fast_response(&self) -> Option<Response> {
        if !self.has_fast_response() {
            return None;
        }
        match self.state.replace(ConnectionState::Idle) {
            ConnectionState::FastResponse(response) => Some(response),
            _ => None,
        }
    }

    /// Returns true if there is a response that hyper must write.
    pub(crate) fn has_response(&self) -> bool {
        matches!(
            *self.state.borrow(),
            ConnectionState::Responded(_) | ConnectionState::GivenUp(Some(_))
        )
    }

    /// Removes the response that hyper must write. After this, the connection has no request, unless the body
    /// of the response is sent in chunks.
    pub(crate) fn take_response(&self) -> Option<http::Response<Body>> {
        if !self.has_response() {
            return None;
        }
        let mut state = self.state.borrow_mut();
        match std::mem::replace(&mut *state, ConnectionState::Idle) {
            ConnectionState::Responded(response) => {
                if let Some(id) = response.body().stream() {
                    *state = ConnectionState::Streaming(id);
                }
                Some(response)
            }
            ConnectionState::GivenUp(response) => {
                *state = ConnectionState::GivenUp(None);
                response
            }
            _ => None,
        }
    }

    /// Returns the id of the request whose response is sent in chunks and not yet passed to hyper completely. `None` if
    /// the handler has aborted the response.
    pub(crate) fn stream(&self) -> Option<RequestId> {
        match &*self.state.borrow() {
            ConnectionState::Responded(response) => response.body().stream(),
            ConnectionState::Streaming(id) => Some(*id),
            _ => None,
        }
    }

    /// Makes the connection close before the end of a response that is sent in chunks.
    pub(crate) fn give_up_stream(&self) {
        let mut state = self.state.borrow_mut();
        match std::mem::replace(&mut *state, ConnectionState::GivenUp(None)) {
            ConnectionState::Responded(response) => *state = ConnectionState::GivenUp(Some(response)),
            ConnectionState::Streaming(_) => {}
            other => *state = other,
        }
    }

    /// Returns true if the handler has aborted a response that is sent in chunks.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(*self.state.borrow(), ConnectionState::GivenUp(_))
    }

    /// Returns true if there are bytes that the guard has accepted and hyper has not read.
    pub(crate) fn has_passed(&self) -> bool {
        !self.passed.borrow().is_empty() || self.guard.borrow().rejection().is_some()
    }

    /// Returns true if the client has sent bytes after the request that hyper has read last.
    pub(crate) fn has_bytes_after_request(&self) -> bool {
        let guard = self.guard.borrow();
        self.has_passed() || !guard.is_between_messages() || guard.heads() != self.requests_of_hyper.get()
    }

    /// Returns true if the connection speaks HTTP/2.
    pub(crate) fn is_http2(&self) -> bool {
        matches!(*self.state.borrow(), ConnectionState::Http2)
    }

    /// Returns true if the connection is a WebSocket.
    pub(crate) fn is_web_socket(&self) -> bool {
        matches!(*self.state.borrow(), ConnectionState::WebSocket(_))
    }

    /// Calls a function with the WebSocket of the connection. Returns `None` if the connection is not a WebSocket.
    pub(crate) fn with_web_socket<T>(&self, run: impl FnOnce(&mut WebSocket) -> T) -> Option<T> {
        match &mut *self.state.borrow_mut() {
            ConnectionState::WebSocket(web_socket) => Some(run(web_socket)),
            _ => None,
        }
    }

    /// Passes bytes through the guard, and stores the accepted bytes until hyper reads them.
    pub(crate) fn admit(&self, input: &[u8]) {
        let mut passed = self.passed.borrow_mut();
        let mut keep = |bytes: &[u8]| passed.extend_from_slice(bytes);
        self.guard.borrow_mut().admit(input, &mut keep);
    }

    /// Returns true if a connection on the fast path must do something before it can close.
    pub(crate) fn is_busy(&self) -> bool {
        !self.is_idle()
            || self.has_passed()
            || self.has_unread()
            || self.has_unsent()
            || self.socket.borrow().has_unsent()
    }

    /// Returns true if there are bytes after the current request of the fast path.
    pub(crate) fn has_unread(&self) -> bool {
        !self.unread.borrow().is_empty()
    }

    /// Lets hyper read a request that the fast path has already read, because hyper must write the response.
    pub(crate) fn replay_to_hyper(&self, request: &Request) {
        if let Some(raw) = request.as_raw() {
            raw.write_to(&mut self.passed.borrow_mut());
        }
    }

    /// Returns two values: true if the client seems to have disconnected, and true if nothing can be written to it any
    /// more.
    ///
    /// A client that has closed its sending side looks like a client that has disconnected, although it may still
    /// wait for its response. A handler that is still working on the response is notified. A stream continues until a
    /// write fails, and the operating system regularly checks if a silent client is still there.
    pub(crate) fn departure(&self) -> (bool, bool) {
        let mut socket = self.socket.borrow_mut();
        let is_read_closed = socket.is_read_closed();
        let is_streaming = self.stream().is_some();
        if is_read_closed && is_streaming {
            socket.probe_peer();
        }
        (is_read_closed && !is_streaming, socket.is_broken())
    }

    fn poll_read(&self, cursor: &mut ReadBufCursor<'_>) -> Poll<io::Result<()>> {
        if cursor.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        let mut passed = self.passed.borrow_mut();
        let mut guard = self.guard.borrow_mut();
        // The guard bounds the number of bytes that are read before it passes some on or rejects them.
        loop {
            if !passed.is_empty() {
                let count = passed.len().min(cursor.remaining());
                cursor.put_slice(&passed[..count]);
                passed.drain(..count);
                if passed.is_empty() {
                    // Free the buffer, because it is rarely needed.
                    *passed = Vec::new();
                }
                return Poll::Ready(Ok(()));
            }
            if guard.rejection().is_some() {
                // hyper sees the end of the stream here. While an earlier request waits for its response, hyper must
                // not see it, because it would think that the client has disconnected.
                let mut state = self.state.borrow_mut();
                if state.is_idle() {
                    *state = ConnectionState::Refused;
                    return Poll::Ready(Ok(()));
                }
                return match *state {
                    ConnectionState::ReceivingBody => Poll::Ready(Ok(())),
                    _ if self.is_body_arriving() => Poll::Ready(Ok(())),
                    _ => Poll::Pending,
                };
            }
            let is_between = guard.is_between_messages() && self.is_idle();
            if self.has_unread() {
                // hyper had to write one response of the fast path, which reads the next request again.
                if is_between {
                    *self.state.borrow_mut() = ConnectionState::BetweenRequests;
                }
                return Poll::Pending;
            }
            let mut scratch = self.scratch.borrow_mut();
            let room = cursor.remaining().min(scratch.len());
            let buffer = &mut scratch[..room];
            let mut socket = self.socket.borrow_mut();
            let read = if is_between && socket.has_unsent() {
                // The next request is read only after the client has got the response to the request before.
                Err(io::ErrorKind::WouldBlock.into())
            } else {
                socket.read(buffer)
            };
            drop(socket);
            let count = match read {
                // The engine itself closes a connection without a request. hyper need not know about it.
                Ok(0) if is_between => {
                    *self.state.borrow_mut() = ConnectionState::ClientLeft;
                    return Poll::Pending;
                }
                Ok(0) => return Poll::Ready(Ok(())),
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    if is_between {
                        *self.state.borrow_mut() = ConnectionState::BetweenRequests;
                    }
                    return Poll::Pending;
                }
                Err(error) => return Poll::Ready(Err(error)),
            };
            let mut progress = false;
            guard.admit(&buffer[..count], &mut |bytes| {
                progress = true;
                let fits = bytes.len().min(cursor.remaining());
                // The guard may accept more bytes than fit, because it can hold some back until it has seen the next
                // ones.
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

impl Answering for Link {
    fn finish_answer(&self, context: &Context<'_>) {
        *self.state.borrow_mut() = ConnectionState::Idle;
        if self.guard.borrow().rejection().is_some() {
            // hyper has tried to read more data after this request, and waits for it. No data will come, so hyper must
            // try again to notice that the stream ends here.
            context.waker().wake_by_ref();
        }
    }
}

/// The stream of a connection, as hyper reads and writes it.
pub(crate) struct Io(pub(crate) Rc<CurrentLink>);

impl Read for Io {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        mut cursor: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        // Store no waker: the engine polls a connection whenever its socket becomes ready.
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
        // The sending side stays open, because the engine must still write the response to a rejection.
        let link = self.0.link()?;
        if link.guard.borrow().rejection().is_some() {
            return Poll::Ready(Ok(()));
        }
        let finished = link.socket.borrow_mut().finish();
        ready_unless_blocked(finished)
    }
}
