//! The engine: every connection of one listener, driven by somebody else's loop on one thread.

mod streaming;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, RawFd};
use std::rc::Rc;
use std::time::{Duration, Instant};

use http::HeaderMap;
use hyper::server::conn::http1;
use mio::{Events, Poll, Token};
use slab::Slab;

use self::streaming::Stream;
use crate::accepting::SETTLE;
use crate::body::Body;
use crate::config::Config;
use crate::connection::{Connection, Outcome};
use crate::date;
use crate::half::Halves;
use crate::linger::Lingering;
use crate::link::{Link, Streaming};
use crate::listener::Listener;
use crate::plain;
use crate::rejection::Refusal;
use crate::request::{Request, RequestId};
use crate::requests::{Pending, Requests};
use crate::response::{Response, ResponseError};

const LISTENER: Token = Token(usize::MAX);
/// How much is read at once. Beyond this a larger buffer saves nothing.
const SCRATCH_BYTES: usize = 64 * 1024;
/// How often a connection is polled in a row when hyper asks for it.
const POLL_ROUNDS: usize = 4;

/// Why no connections are accepted for the moment; they wait in the kernel's queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pause {
    /// As many are open as [`crate::Limits::connections`] allows.
    ConnectionLimit,
    /// The process or the system has no descriptors or no memory left.
    Exhausted,
}

/// What became of a piece that was written to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Written {
    /// It was taken, and there is room for more.
    Room,
    /// It was taken, and enough is waiting now; [`Handler::drained`] says when there is room.
    Full,
    /// Nobody is there to read it: the peer has left, or the stream has ended.
    Gone,
}

/// What the engine calls. Calls come only from within [`Engine::drive`].
pub trait Handler {
    /// A request is complete. It is answered through [`Engine::respond`], from within this call or any time later.
    fn request(&mut self, id: RequestId, request: &Request);
    /// The peer closed its side before the answer, which is what leaving looks like. Called at most once a request, which
    /// can still be read and has still to be answered: should the peer be there after all, it gets the answer.
    fn aborted(&mut self, id: RequestId);
    /// The peer has taken enough of a stream for more to be written, after [`Written::Full`].
    fn drained(&mut self, id: RequestId) {
        let _ = id;
    }
    /// The peer of a stream left before the stream was ended, or was cut since it does not read. Called at most once a stream, and
    /// nothing is called for it after that.
    fn stream_aborted(&mut self, id: RequestId) {
        let _ = id;
    }
    /// The engine answered a peer by itself, since its bytes were no request that it takes. For the log.
    fn refused(&mut self, refusal: &Refusal) {
        let _ = refusal;
    }
    /// Accepting pauses, for this reason. Called once for each pause, however long it lasts.
    fn paused(&mut self, pause: Pause) {
        let _ = pause;
    }
}

/// A listening server. Every method takes `&self`, since a handler answers while the engine is driving.
///
/// The descriptor ([`AsRawFd`]) is readable whenever [`Engine::poll`] has something to do. A turn of the foreign loop is
///
/// 1. [`Engine::poll`], which never blocks;
/// 2. while [`Engine::has_work`]: [`Engine::drive`], and whatever makes handlers settle;
/// 3. a timer for [`Engine::next_deadline`].
pub struct Engine {
    pub(crate) config: Config,
    pub(crate) poll: RefCell<Poll>,
    events: RefCell<Events>,
    pub(crate) listener: RefCell<Option<Listener>>,
    address: Option<SocketAddr>,
    halves: Halves,
    pub(crate) connections: RefCell<Slab<Rc<Connection>>>,
    requests: RefCell<Requests>,
    /// The answers that are streams and have not been ended, by their requests.
    streams: RefCell<HashMap<RequestId, Stream>>,
    queue: RefCell<Vec<usize>>,
    lingering: Lingering,
    pub(crate) scratch: Rc<RefCell<Vec<u8>>>,
    pub(crate) now: Cell<Instant>,
    /// No deadline of a connection is earlier than this.
    next_sweep: Cell<Option<Instant>>,
    pub(crate) accepting: Cell<bool>,
    pub(crate) accept_retry: Cell<Option<Instant>>,
    /// Whether the handler was told of the pause that lasts.
    pub(crate) pause_is_told: Cell<bool>,
    cut_at: Cell<Option<Instant>>,
    /// Others accept from the listener too.
    pub(crate) is_adopted: bool,
    /// Nothing is accepted any more, and until then connections without a request are left open.
    pub(crate) settling: Cell<Option<Instant>>,
}

impl Engine {
    /// Binds and listens; connections are accepted from the first turn on.
    pub fn bind(config: Config) -> io::Result<Self> {
        let listener = Listener::bind(&config)?;
        Self::on(listener, config, false)
    }

    /// Accepts from a socket that listens already, in place of where the configuration says. Whoever else has it open goes
    /// on listening when this engine closes, so that a port can go from one process to the next without a gap.
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
        // hyper would refuse, without a word, what the guard lets through; so its own limits stand above the guard's.
        builder.max_buf_size(SCRATCH_BYTES.max(config.limits.head_bytes + 1024));
        if config.limits.header_fields > 100 {
            builder.max_headers(config.limits.header_fields);
        }
        // hyper would otherwise try to read while a request waits, with a fresh buffer for each, to see whether the peer
        // leaves. The poller says so for nothing.
        builder.half_close(true);
        Ok(Self {
            config,
            poll: RefCell::new(poll),
            events: RefCell::new(Events::with_capacity(1024)),
            address: listener.local_addr()?,
            listener: RefCell::new(Some(listener)),
            halves: Halves::new(builder),
            connections: RefCell::default(),
            requests: RefCell::default(),
            streams: RefCell::default(),
            queue: RefCell::default(),
            lingering: Lingering::default(),
            scratch: Rc::new(RefCell::new(vec![0; SCRATCH_BYTES])),
            now: Cell::new(Instant::now()),
            next_sweep: Cell::new(None),
            accepting: Cell::new(false),
            accept_retry: Cell::new(None),
            pause_is_told: Cell::new(false),
            cut_at: Cell::new(None),
            is_adopted,
            settling: Cell::new(None),
        })
    }

    /// Where it listens; nothing for a Unix socket.
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.address
    }

    /// Open connections.
    pub fn connection_count(&self) -> usize {
        self.connections.borrow().len()
    }

    /// Requests that handlers have not answered yet, whether or not their peers are still there.
    pub fn pending_count(&self) -> usize {
        self.requests.borrow().len()
    }

    /// Takes what the operating system has to report, without blocking.
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
                connection.link.socket.borrow_mut().note(event);
                self.enqueue(event.token().0, connection);
            }
        }
        Ok(())
    }

    /// Whether [`Engine::drive`] has something to do now.
    pub fn has_work(&self) -> bool {
        let due = |time: Option<Instant>| time.is_some_and(|time| time <= self.now.get());
        !self.queue.borrow().is_empty()
            || (self.accepting.get() && self.accept_retry.get().is_none())
            || due(self.next_deadline())
    }

    /// Accepts, lets deadlines pass, and drives every connection that is ready or was answered, once.
    pub fn drive(&self, handler: &mut dyn Handler) {
        self.accept(handler);
        self.end_settling();
        self.sweep(handler);
        let ready = std::mem::take(&mut *self.queue.borrow_mut());
        for slot in &ready {
            self.drive_connection(*slot, handler);
        }
        // Keeps the allocation where nothing was queued meanwhile.
        let mut queue = self.queue.borrow_mut();
        if queue.is_empty() {
            let mut ready = ready;
            ready.clear();
            *queue = ready;
        }
    }

    /// Answers a request. The bytes are written by the next [`Engine::drive`]. Answering a peer that has left is no error.
    pub fn respond(&self, id: RequestId, response: Response) -> Result<(), ResponseError> {
        let (pending, link) = self.take(id)?;
        if let Some(link) = link {
            self.answer(&link, pending, response, None);
        }
        Ok(())
    }

    /// Takes a request that is to be answered, and its connection where that is still there.
    fn take(&self, id: RequestId) -> Result<(Pending, Option<Rc<Link>>), ResponseError> {
        let pending = self.requests.borrow_mut().remove(id);
        let pending = pending.ok_or(ResponseError::UnknownRequest)?;
        let link = pending.link.upgrade();
        let link = link.filter(|link| link.request.get() == Some(id));
        Ok((pending, link))
    }

    /// `body` takes the place of the response's own.
    fn answer(&self, link: &Link, pending: Pending, mut response: Response, body: Option<Body>) {
        let slot = pending.connection;
        if pending.request.body_too_large() {
            // The rest of the body is not read, so no further request can be found behind it.
            response.close();
        }
        link.request.set(None);
        if body.is_none() && plain::takes(&pending.request, &response) {
            *link.reply.borrow_mut() = Some(response);
            return self.enqueue_slot(slot);
        }
        if self.listener.borrow().is_none() {
            // hyper was told of the end before it saw the request, and would not say so in the answer.
            response.close();
        }
        link.replay(&pending.request);
        // hyper replaces the `connection: close` of an answer to a client of HTTP/1.0 that wants to stay, unless the
        // answer is an old one too.
        let is_old = pending.request.is_http_10() && response.closes();
        // The request's own map serves its answer, and hyper uses it for the next request.
        let headers =
            Rc::try_unwrap(pending.request).map_or_else(|_| HeaderMap::new(), Request::into_headers);
        let mut response = match body {
            None => response.into_http(headers),
            Some(body) => response.with_body(headers, body),
        };
        if is_old {
            *response.version_mut() = http::Version::HTTP_10;
        }
        *link.answer.borrow_mut() = Some(response);
        self.enqueue_slot(slot);
    }

    /// A request that is not answered yet.
    pub fn request(&self, id: RequestId) -> Option<Rc<Request>> {
        self.requests.borrow().get(id)
    }

    /// When [`Engine::drive`] has next to run though no descriptor is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        [
            self.next_sweep.get(),
            self.accept_retry.get(),
            self.cut_at.get(),
            self.settling.get(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Stops listening and closes idle connections; requests under way may finish until `grace` has passed, then their
    /// connections are cut. [`Engine::is_closed`] tells the end.
    ///
    /// What the system has received by then is under way, whether or not the engine has read it: requests on connections
    /// that seemed idle, and on those that waited to be accepted.
    pub fn close(&self, grace: Duration) {
        if self.is_adopted {
            self.settling.set(Instant::now().checked_add(SETTLE));
        } else {
            self.accept_waiting();
        }
        if let Some(mut listener) = self.listener.borrow_mut().take() {
            // Dropping the listener removes it anyway.
            let _ = listener.deregister(self.poll.borrow().registry());
        }
        self.accepting.set(false);
        self.accept_retry.set(None);
        // A grace beyond the clock's range means to wait.
        self.cut_at.set(Instant::now().checked_add(grace));
        self.suspect_all();
    }

    /// Whether [`Engine::close`] is through.
    pub fn is_closed(&self) -> bool {
        self.listener.borrow().is_none() && self.connections.borrow().is_empty()
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
        if self.is_leaving(&connection) && connection.link.reply.borrow().is_some() {
            // The answer shall say that it is the last one.
            connection.leave();
        }
        let is_given_up = connection.link.stream.get() == Streaming::GivenUp;
        let mut outcome = Outcome::Again;
        for _ in 0..POLL_ROUNDS {
            outcome = connection.poll(&self.halves, &self.scratch);
            if let Some(request) = connection.link.arrived.take() {
                self.start(slot, &connection, request, handler);
            }
            if outcome != Outcome::Again {
                break;
            }
        }
        if self.is_leaving(&connection) {
            outcome = connection.leave().unwrap_or(outcome);
        }
        if connection.link.request.get().is_some() {
            let (left, dead) = connection.link.departure();
            if dead {
                connection.drop_http();
                outcome = Outcome::Done;
            } else if left {
                abort(&connection, handler);
            }
        }
        if let Streaming::Open(id) = connection.link.stream.get() {
            outcome = self.attend(id, &connection, outcome, handler);
        } else if is_given_up {
            connection.drop_http();
            outcome = Outcome::Done;
        }
        self.settle(slot, &connection, outcome, handler);
    }

    fn start(&self, slot: usize, connection: &Connection, request: Request, handler: &mut dyn Handler) {
        let request = Rc::new(request);
        let id = self
            .requests
            .borrow_mut()
            .insert(slot, &connection.link, Rc::clone(&request));
        let Some(id) = id else {
            connection.link.replay(&request);
            *connection.link.answer.borrow_mut() = Some(Response::overloaded().into_http(HeaderMap::new()));
            self.enqueue(slot, connection);
            return;
        };
        connection.link.request.set(Some(id));
        connection.link.told.set(false);
        handler.request(id, &request);
    }

    fn settle(&self, slot: usize, connection: &Rc<Connection>, outcome: Outcome, handler: &mut dyn Handler) {
        if let Some(refusal) = connection.refusal.take() {
            handler.refused(&refusal);
        }
        match outcome {
            Outcome::Done => {
                self.connections.borrow_mut().try_remove(slot);
                self.forget(connection, handler);
                return;
            }
            Outcome::Again => self.enqueue(slot, connection),
            Outcome::Waiting => {}
        }
        if connection.is_ended() {
            self.forget(connection, handler);
            self.bound_lingering(slot, connection);
        }
        if let Some(deadline) = connection.renew(self.now.get(), &self.config.timeouts) {
            let earlier = self.next_sweep.get().is_none_or(|sweep| deadline < sweep);
            if earlier {
                self.next_sweep.set(Some(deadline));
            }
        }
    }

    /// Tells the handler that nobody is there for what it has of this connection.
    fn forget(&self, connection: &Connection, handler: &mut dyn Handler) {
        abort(connection, handler);
        connection.link.request.set(None);
        self.abort_stream(connection, handler);
    }

    /// Keeps the number of connections low that are only read from to throw it away.
    fn bound_lingering(&self, slot: usize, connection: &Rc<Connection>) {
        if connection.lingering_is_known.replace(true) {
            return;
        }
        let limit = self.config.limits.discarding;
        let Some((slot, oldest)) = self.lingering.add(slot, connection, limit) else {
            return;
        };
        let mut connections = self.connections.borrow_mut();
        if connections
            .get(slot)
            .is_some_and(|there| Rc::ptr_eq(there, &oldest))
        {
            connections.remove(slot);
        }
    }

    fn sweep(&self, handler: &mut dyn Handler) {
        let now = self.now.get();
        let cut = self.cut_at.get().is_some_and(|time| time <= now);
        if cut {
            self.cut_at.set(None);
        } else if self.next_sweep.get().is_none_or(|time| now < time) {
            return;
        }
        let mut next: Option<Instant> = None;
        let mut expired = Vec::new();
        for (slot, connection) in &*self.connections.borrow() {
            match connection.deadline() {
                _ if cut => expired.push((slot, Rc::clone(connection))),
                Some(deadline) if deadline <= now => expired.push((slot, Rc::clone(connection))),
                Some(deadline) => next = Some(next.map_or(deadline, |next| next.min(deadline))),
                None => {}
            }
        }
        self.next_sweep.set(next);
        for (slot, connection) in expired {
            let outcome = if cut {
                Outcome::Done
            } else {
                connection.expire(&self.halves, &self.scratch)
            };
            self.settle(slot, &connection, outcome, handler);
        }
    }
}

/// Tells the handler, if it has a request of this connection and was not told yet.
fn abort(connection: &Connection, handler: &mut dyn Handler) {
    if let Some(id) = connection.link.request.get()
        && !connection.link.told.replace(true)
    {
        handler.aborted(id);
    }
}

impl AsRawFd for Engine {
    fn as_raw_fd(&self) -> RawFd {
        self.poll.borrow().as_raw_fd()
    }
}
