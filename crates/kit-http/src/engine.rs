//! The engine: all connections of one listener. The event loop of another library drives it, on one thread.

mod closing;
mod deadlines;
mod expiry;
mod holding;
mod http2;
mod lingering;
mod sockets;
mod streaming;
mod uploads;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use http::HeaderMap;
use hyper::server::conn::http1;
use kit_guard::Rejection;
use mio::{Events, Poll, Token};
use slab::Slab;

use self::expiry::Expiry;
use self::holding::Held;
use self::lingering::Lingering;
use self::sockets::Sockets;
use self::streaming::Stream;
use self::uploads::UploadPlace;
use crate::body::Body;
use crate::config::Config;
use crate::connection::Connection;
use crate::date;
use crate::fast_path;
use crate::handler::{Handler, WriteResult};
use crate::hyper_pool::HyperPool;
use crate::link::Link;
use crate::listener::Listener;
use crate::request::{Request, RequestId};
use crate::requests::{Pending, Requests};
use crate::response::Response;
use crate::response_error::ResponseError;
use crate::state::{ConnectionState, Outcome};
use crate::upload::UploadFailure;
use kit_websocket::Message as SocketMessage;

const LISTENER: Token = Token(usize::MAX);
/// Size of the read buffer in bytes. The chunks of an upload have at most this size. Each chunk costs callbacks and promises, but
/// a handler that does not read makes a chunk wait.
const SCRATCH_BYTES: usize = 128 * 1024;
/// Maximum number of times that one connection is polled before other connections are polled.
const POLL_ROUNDS: usize = 4;

/// A listening server. All methods take `&self`, because handlers respond while [`Engine::drive`] is running.
///
/// The file descriptor ([`AsRawFd`]) is readable whenever [`Engine::poll`] has something to do. In each turn, the event loop
/// that drives the engine must:
///
/// 1. call [`Engine::poll`], which never blocks;
/// 2. while [`Engine::has_work`] returns true, call [`Engine::drive`], then run the code that completes handlers;
/// 3. call [`Engine::flush`] if it ends the turn before that;
/// 4. set a timer for [`Engine::next_deadline`].
pub struct Engine {
    pub(crate) config: Config,
    pub(crate) poll: RefCell<Poll>,
    events: RefCell<Events>,
    pub(crate) listener: RefCell<Option<Listener>>,
    address: Option<SocketAddr>,
    hyper_pool: HyperPool,
    pub(crate) connections: RefCell<Slab<Rc<Connection>>>,
    requests: RefCell<Requests>,
    /// Streams that have not ended, by the ids of their requests.
    streams: RefCell<HashMap<RequestId, Stream>>,
    /// Request bodies that handlers read in chunks, by the ids of their requests.
    uploads: RefCell<HashMap<RequestId, UploadPlace>>,
    sockets: Sockets,
    queue: RefCell<Vec<usize>>,
    held: Held,
    /// Number of calls of [`Engine::drive`].
    turn: Cell<u64>,
    lingering: Lingering,
    pub(crate) scratch: Rc<RefCell<Vec<u8>>>,
    pub(crate) now: Cell<Instant>,
    expiry: Expiry,
    pub(crate) accepting: Cell<bool>,
    pub(crate) accept_retry: Cell<Option<Instant>>,
    /// True if the handler already knows that the engine does not accept connections.
    pub(crate) pause_reported: Cell<bool>,
    grace_deadline: Cell<Option<Instant>>,
    /// True if other processes accept connections from the same listener.
    pub(crate) is_adopted: bool,
    /// End of `ADOPTED_GRACE`, during which connections without a request stay open after the engine has stopped accepting.
    pub(crate) adopted_grace_end: Cell<Option<Instant>>,
}

impl Engine {
    /// Binds an address and listens. The first turn accepts connections. Fails if the address cannot be bound.
    pub fn bind(config: Config) -> io::Result<Self> {
        let listener = Listener::bind(&config)?;
        Self::on(listener, config, false)
    }

    /// Accepts connections from a socket that is already listening, and ignores the address in the configuration. Other
    /// processes with the same socket continue to listen when this engine closes, so a new process can replace this process
    /// without refusing connections. Fails if the socket cannot be registered with the operating system.
    pub fn adopt(socket: std::net::TcpListener, config: Config) -> io::Result<Self> {
        socket.set_nonblocking(true)?;
        Self::on(
            Listener::Tcp(mio::net::TcpListener::from_std(socket)),
            config,
            true,
        )
    }

    fn on(mut listener: Listener, config: Config, is_adopted: bool) -> io::Result<Self> {
        let poll = Poll::new()?;
        listener.register(poll.registry(), LISTENER)?;
        let mut builder = http1::Builder::new();
        // The limits of hyper must exceed those of the guard. Otherwise hyper would reject a request that the guard accepts,
        // without a response.
        builder.max_buf_size(SCRATCH_BYTES.max(config.limits.head_bytes + 1024));
        if config.limits.header_fields > 100 {
            builder.max_headers(config.limits.header_fields);
        }
        // With this setting, hyper does not read while a request waits for its response. Otherwise it would allocate a new
        // buffer, only to detect that the client disconnects. The poller detects that anyway.
        builder.half_close(true);
        Ok(Self {
            config,
            poll: RefCell::new(poll),
            events: RefCell::new(Events::with_capacity(1024)),
            address: listener.local_addr()?,
            listener: RefCell::new(Some(listener)),
            hyper_pool: HyperPool::new(builder),
            connections: RefCell::default(),
            requests: RefCell::default(),
            streams: RefCell::default(),
            uploads: RefCell::default(),
            sockets: Sockets::default(),
            queue: RefCell::default(),
            held: Held::default(),
            turn: Cell::new(0),
            lingering: Lingering::default(),
            scratch: Rc::new(RefCell::new(vec![0; SCRATCH_BYTES])),
            now: Cell::new(Instant::now()),
            expiry: Expiry::default(),
            accepting: Cell::new(false),
            accept_retry: Cell::new(None),
            pause_reported: Cell::new(false),
            grace_deadline: Cell::new(None),
            is_adopted,
            adopted_grace_end: Cell::new(None),
        })
    }

    /// Returns the address of the listener; `None` for a Unix socket.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Returns the number of open connections.
    pub fn connection_count(&self) -> usize {
        self.connections.borrow().len()
    }

    /// Returns the number of requests without a response. Requests of clients that have disconnected count, too.
    pub fn pending_count(&self) -> usize {
        self.requests.borrow().len()
    }

    /// Reads the events of the operating system without blocking. Fails if the operating system reports an error.
    pub fn poll(&self) -> io::Result<()> {
        self.now.set(Instant::now());
        date::refresh(self.now.get());
        let mut events = self.events.borrow_mut();
        match self.poll.borrow_mut().poll(&mut events, Some(Duration::ZERO)) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            other => other?,
        }
        for event in events.iter() {
            if event.token() == LISTENER {
                self.accepting.set(true);
            } else if let Some(connection) = self.connections.borrow().get(event.token().0) {
                connection.link.socket.borrow_mut().record_event(event);
                self.enqueue(event.token().0, connection);
            }
        }
        Ok(())
    }

    /// Returns true if [`Engine::drive`] has something to do now.
    pub fn has_work(&self) -> bool {
        let due = |time: Option<Instant>| time.is_some_and(|time| time <= self.now.get());
        !self.queue.borrow().is_empty()
            || !self.held.is_empty()
            || (self.accepting.get() && self.accept_retry.get().is_none())
            || due(self.next_deadline())
    }

    /// Accepts connections, handles expired deadlines, and polls each connection once that is ready or has a response.
    pub fn drive(&self, handler: &mut dyn Handler) {
        self.turn.set(self.turn.get().wrapping_add(1));
        self.held.begin();
        self.accept(handler);
        self.end_adopted_grace();
        if self.grace_is_over() {
            // Responses that the application has already given are written before connections are closed. If the event loop was
            // busy, they and the end of the grace period may occur in the same turn.
            self.drive_queued(handler);
            self.flush();
        }
        self.handle_deadlines(handler);
        self.drive_queued(handler);
        self.flush_waiting();
    }

    /// Polls each connection in the queue once.
    fn drive_queued(&self, handler: &mut dyn Handler) {
        let ready = std::mem::take(&mut *self.queue.borrow_mut());
        for slot in &ready {
            self.drive_connection(*slot, handler);
        }
        // Keep the allocated list, unless a connection was queued meanwhile.
        let mut queue = self.queue.borrow_mut();
        if queue.is_empty() {
            let mut ready = ready;
            ready.clear();
            *queue = ready;
        }
    }

    /// Responds to a request. The next [`Engine::drive`] writes the bytes. Has no effect if the client has disconnected. Fails
    /// if the request is unknown or already has a response.
    pub fn respond(&self, id: RequestId, response: Response) -> Result<(), ResponseError> {
        let (pending, link) = self.take(id)?;
        if let Some(link) = link {
            self.answer(&link, pending, response, None);
        }
        Ok(())
    }

    /// Responds to a request with the status 500, for code that could not create another response. Has no effect if the
    /// request already has a response.
    pub fn respond_internal_error(&self, id: RequestId) {
        let response = Response::internal_error(&self.config.error_bodies);
        let _: Result<(), ResponseError> = self.respond(id, response);
    }

    /// Removes a request from the list, because it is answered now. Also returns its connection, if the
    /// connection still exists.
    fn take(&self, id: RequestId) -> Result<(Pending, Option<Rc<Link>>), ResponseError> {
        let pending = self.requests.borrow_mut().remove(id);
        let pending = pending.ok_or(ResponseError::UnknownRequest)?;
        let link = pending.link.upgrade();
        let link = link.filter(|link| match &pending.exchange {
            None => link.request() == Some(id),
            Some(exchange) => exchange
                .upgrade()
                .is_some_and(|exchange| exchange.request() == Some(id)),
        });
        Ok((pending, link))
    }

    /// Passes a response to the connection. If `body` is given, it replaces the body of the response.
    fn answer(&self, link: &Link, pending: Pending, mut response: Response, body: Option<Body>) {
        let slot = pending.connection;
        if let Some(exchange) = pending.exchange {
            if let Some(exchange) = exchange.upgrade() {
                let headers = headers_for_response(pending.request);
                self.answer_exchange(link, &exchange, response, headers, body);
            }
            return self.enqueue_slot(slot);
        }
        if pending.request.body_too_large() {
            // The rest of a body that is too large is not read, so no further request can follow on this connection.
            response.close();
        }
        let is_stream = body.as_ref().is_some_and(|body| body.stream().is_some());
        self.end_reading(link, &pending.request, &mut response, is_stream);
        if body.is_none() && fast_path::is_eligible(&pending.request, &response, &link.defaults) {
            *link.state.borrow_mut() = ConnectionState::FastResponse(response);
            return self.enqueue_slot(slot);
        }
        if self.listener.borrow().is_none() {
            // hyper was told to close the connection before it saw the request. In that case, it does not add `connection:
            // close` itself.
            response.close();
        }
        link.replay_to_hyper(&pending.request);
        // If an HTTP/1.0 client asks to keep the connection, hyper replaces `connection: close`, unless the response is
        // HTTP/1.0, too.
        let is_old = pending.request.is_http_10() && response.closes();
        let headers = headers_for_response(pending.request);
        let mut response = match body {
            None => response.into_http(headers, &link.defaults),
            Some(body) => response.with_body(headers, &link.defaults, body),
        };
        if is_old {
            *response.version_mut() = http::Version::HTTP_10;
        }
        *link.state.borrow_mut() = ConnectionState::Responded(response);
        self.enqueue_slot(slot);
    }

    /// Returns a request that has no response yet.
    pub fn request(&self, id: RequestId) -> Option<Rc<Request>> {
        self.requests.borrow().get(id)
    }

    /// Returns the verified certificate of the client of a request, in DER. Returns `None` if the client has sent none, or has disconnected.
    pub fn client_certificate(&self, id: RequestId) -> Option<Vec<u8>> {
        let link = self.requests.borrow().link(id)?;
        let socket = link.socket.borrow();
        socket.client_certificate().map(<[u8]>::to_vec)
    }

    fn enqueue_slot(&self, slot: usize) {
        if let Some(connection) = self.connections.borrow().get(slot) {
            self.enqueue(slot, connection);
        }
    }

    pub(crate) fn enqueue(&self, slot: usize, connection: &Connection) {
        if !connection.queued.replace(true) {
            self.queue.borrow_mut().push(slot);
        }
    }

    fn drive_connection(&self, slot: usize, handler: &mut dyn Handler) {
        let Some(connection) = self.connections.borrow().get(slot).cloned() else {
            return;
        };
        connection.queued.set(false);
        if connection.link.is_web_socket() {
            return self.drive_socket(slot, &connection, handler);
        }
        if connection.link.socket.borrow().is_handshaking() {
            let Config { limits, timeouts, .. } = &self.config;
            connection.shake_hands(limits, timeouts, self.now.get(), &self.scratch);
        }
        if connection.link.is_http2() {
            return self.drive_http2(slot, &connection, handler);
        }
        if self.is_leaving(&connection) && connection.link.has_fast_response() {
            // The fast path must announce in this response that it is the last one.
            connection.leave();
        }
        let is_given_up = connection.link.is_given_up();
        let mut outcome = Outcome::Again;
        for _ in 0..POLL_ROUNDS {
            outcome = self.poll_connection(&connection, handler);
            if let Some(request) = connection.link.take_received() {
                self.start(slot, &connection, request, handler);
            }
            if connection.link.is_web_socket() {
                return self.drive_socket(slot, &connection, handler);
            }
            if connection.link.is_body_wanted() {
                outcome = self.read_upload(&connection, outcome, handler);
            }
            if outcome != Outcome::Again {
                break;
            }
        }
        if is_given_up {
            outcome = Outcome::Done;
        }
        if is_given_up || outcome == Outcome::Ended {
            return self.settle(slot, &connection, outcome, handler);
        }
        if self.is_leaving(&connection) {
            outcome = connection.leave().unwrap_or(outcome);
        }
        if connection.link.request().is_some() {
            let (left, broken) = connection.link.departure();
            if broken {
                outcome = Outcome::Done;
            } else if left && !connection.link.is_body_arriving() {
                // While a body arrives, only reading shows if the client has sent all of it.
                abort(&connection, handler);
            }
        }
        let has_next = connection.link.request().is_some() || connection.link.has_fast_response();
        if connection.link.has_unsent() && has_next {
            self.held.add(slot, &connection, self.turn.get());
        }
        if let Some(id) = connection.link.stream() {
            outcome = self.update_stream(id, &connection, outcome, handler);
        }
        self.settle(slot, &connection, outcome, handler);
    }

    /// Polls a connection once. If hyper has read the whole body of a stream, ends the stream, because the
    /// next request of the connection may start another stream.
    fn poll_connection(&self, connection: &Connection, handler: &mut dyn Handler) -> Outcome {
        let stream = connection.link.stream();
        let outcome = connection.poll(&self.hyper_pool, &self.scratch);
        if let Some(id) = stream {
            self.finish_stream(id, handler);
        }
        outcome
    }

    fn start(&self, slot: usize, connection: &Connection, request: Request, handler: &mut dyn Handler) {
        connection.restart_wait();
        let request = Rc::new(request);
        let id = self
            .requests
            .borrow_mut()
            .insert(slot, &connection.link, None, Rc::clone(&request));
        let Some(id) = id else {
            connection.link.replay_to_hyper(&request);
            let mut response = Response::overloaded(&connection.link.error_bodies);
            self.end_reading(&connection.link, &request, &mut response, false);
            let response = response.into_http(HeaderMap::new(), &connection.link.defaults);
            *connection.link.state.borrow_mut() = ConnectionState::Responded(response);
            self.enqueue(slot, connection);
            return;
        };
        *connection.link.state.borrow_mut() = ConnectionState::Waiting {
            id,
            abort_reported: false,
        };
        if request.is_streamed() {
            self.begin_upload(id, slot, &connection.link);
        }
        handler.request(id, &request);
    }

    fn settle(&self, slot: usize, connection: &Rc<Connection>, outcome: Outcome, handler: &mut dyn Handler) {
        let outcome = match outcome {
            Outcome::Done => self.conclude(connection, handler),
            Outcome::Ended => self.end_connection(connection, None, handler),
            Outcome::TimedOut => {
                self.fail_upload(connection, UploadFailure::TimedOut, handler);
                self.end_connection(connection, Some(Rejection::TIMEOUT), handler)
            }
            other => other,
        };
        match outcome {
            Outcome::Ended | Outcome::TimedOut | Outcome::Done => {
                self.connections.borrow_mut().try_remove(slot);
                self.forget(connection, handler);
                return;
            }
            Outcome::Again => self.enqueue(slot, connection),
            Outcome::Waiting => {}
        }
        self.bound_lingering(slot, connection);
        if let Some(deadline) = connection.renew(self.now.get(), &self.config.timeouts) {
            self.expiry.note(deadline);
        }
    }

    /// Notifies the handler that the client of a connection has disconnected, if the connection has a request
    /// or a stream.
    fn forget(&self, connection: &Connection, handler: &mut dyn Handler) {
        self.forget_http2(connection, handler);
        self.fail_upload(connection, UploadFailure::Aborted, handler);
        abort(connection, handler);
        self.abort_stream(connection, handler);
        self.abort_socket(connection, handler);
    }
}

/// Returns an empty header map with the memory of the request's, if nothing else uses the request. hyper uses the map of the response
/// again for the next request.
fn headers_for_response(request: Rc<Request>) -> HeaderMap {
    Rc::try_unwrap(request).map_or_else(|_| HeaderMap::new(), Request::into_headers)
}

/// Notifies the handler that the client has disconnected, if the handler has a request of this connection.
/// Notifies at most once.
fn abort(connection: &Connection, handler: &mut dyn Handler) {
    if let Some(id) = connection.link.report_abort() {
        handler.aborted(id);
    }
}

impl AsRawFd for Engine {
    fn as_raw_fd(&self) -> RawFd {
        self.poll.borrow().as_raw_fd()
    }
}
