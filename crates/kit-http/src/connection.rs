//! A connection. While a request is in progress, the engine polls hyper or the fast path. Then the connection closes
//! or waits for the next request.

use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;
use std::task::Poll;
use std::time::Instant;

use kit_guard::Rejection;

use crate::config::{Limits, Timeouts};
use crate::error_bodies::trace_id;
use crate::fast_path;
use crate::http2::Http2;
use crate::hyper_pool::{HyperPool, HyperState};
use crate::linger::Linger;
use crate::link::Link;
use crate::reader::Reader;
use crate::rejection::{self, Refusal};
use crate::state::{ConnectionState, Outcome, WaitKind};
use crate::upload::Read;
use crate::web_socket::WebSocket;

/// Wait of a connection, with its deadline.
#[derive(Clone, Copy)]
struct Wait {
    kind: WaitKind,
    /// Number that grows if the client makes progress, which starts the deadline again.
    progress: usize,
    deadline: Option<Instant>,
}

impl Wait {
    const UNLIMITED: Self = Self {
        kind: WaitKind::Unlimited,
        progress: 0,
        deadline: None,
    };
}

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// True if the connection is in the engine's queue of connections to poll.
    pub(crate) queued: Cell<bool>,
    /// State of hyper for this connection. A connection starts without this state. It gets the state if a
    /// request or a response does not qualify for the fast path, and gives it back when hyper waits for the
    /// next request.
    hyper: RefCell<Option<Box<HyperState>>>,
    /// State of a connection that speaks HTTP/2.
    pub(crate) http2: RefCell<Option<Box<Http2>>>,
    /// True if the connection must close after the current request, or immediately if it has no request.
    leaving: Cell<bool>,
    wait: Cell<Wait>,
    /// True after the first request.
    has_had_request: Cell<bool>,
    reader: Cell<Reader>,
    /// Call of [`crate::Engine::drive`] in which the connection got its last response that is held back.
    pub(crate) held_in: Cell<u64>,
}

impl Connection {
    pub(crate) fn new(link: Rc<Link>) -> Self {
        Self {
            link,
            queued: Cell::new(false),
            hyper: RefCell::new(None),
            http2: RefCell::new(None),
            leaving: Cell::new(false),
            wait: Cell::new(Wait::UNLIMITED),
            has_had_request: Cell::new(false),
            reader: Cell::default(),
            held_in: Cell::new(0),
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.wait.get().deadline
    }

    /// Returns true if the connection discards bytes, and [`Self::renew`] has not set the deadline for
    /// discarding yet.
    pub(crate) fn has_begun_to_linger(&self) -> bool {
        self.wait.get().kind != WaitKind::Linger
            && matches!(*self.link.state.borrow(), ConnectionState::Lingering(_))
    }

    /// Continues the TLS handshake. After it, the connection speaks the protocol on which client and server have agreed.
    pub(crate) fn shake_hands(
        &self,
        limits: &Limits,
        timeouts: &Timeouts,
        now: Instant,
        scratch: &RefCell<Vec<u8>>,
    ) {
        let mut socket = self.link.socket.borrow_mut();
        let is_http2 = socket.shake_hands(&mut scratch.borrow_mut());
        if is_http2 {
            *self.http2.borrow_mut() = Some(Box::new(Http2::new(&self.link, limits, timeouts, now)));
            *self.link.state.borrow_mut() = ConnectionState::Http2;
        }
    }

    /// Reads and writes as much as possible without waiting.
    pub(crate) fn poll(&self, pool: &HyperPool, scratch: &RefCell<Vec<u8>>) -> Outcome {
        if self.link.socket.borrow_mut().flush().is_err() {
            return Outcome::Done;
        }
        let mut hyper = self.hyper.borrow_mut();
        if hyper.is_none() {
            if let ConnectionState::Lingering(linger) = &mut *self.link.state.borrow_mut() {
                return self.poll_linger(linger, scratch);
            }
            if let Some(outcome) = fast_path::poll(&self.link, self.leaving.get(), scratch) {
                return outcome;
            }
        }
        match self.link.flush() {
            Ok(true) => {}
            Ok(false) => return Outcome::Waiting,
            Err(_) => return Outcome::Done,
        }
        let hyper_state = hyper.get_or_insert_with(|| pool.acquire(&self.link));
        self.link.resume_reading();
        match hyper_state.poll() {
            (true, _) => {
                *hyper = None;
                return Outcome::Ended;
            }
            (_, true) => return Outcome::Again,
            // hyper has more data to write than the socket accepts.
            _ if self.link.socket.borrow().is_write_blocked() => return Outcome::Waiting,
            _ => {}
        }
        let outcome = match *self.link.state.borrow() {
            ConnectionState::BetweenRequests if self.link.has_unread() => Outcome::Again,
            ConnectionState::BetweenRequests => Outcome::Waiting,
            ConnectionState::ClientLeft => Outcome::Done,
            _ => return Outcome::Waiting,
        };
        self.link.resume_reading();
        if let Some(hyper_state) = hyper.take() {
            pool.release(hyper_state);
        }
        outcome
    }

    /// Reads the next chunk of a body that the handler waits for. The chunk is `None` if it has not arrived
    /// yet. Also returns true if hyper must be polled again.
    pub(crate) fn poll_upload(&self) -> (Option<Read>, bool) {
        let hyper = self.hyper.borrow();
        let mut upload = self.link.upload.borrow_mut();
        let (Some(hyper_state), Some(upload)) = (&*hyper, &mut *upload) else {
            return (None, false);
        };
        let (read, is_woken) = hyper_state.poll_body(|context| upload.poll(context));
        match read {
            Poll::Ready(read) => (Some(read), is_woken),
            Poll::Pending => (None, is_woken),
        }
    }

    fn poll_linger(&self, linger: &mut Linger, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let mut socket = self.link.socket.borrow_mut();
        match linger.poll(&mut socket, &mut scratch.borrow_mut()) {
            Ok(true) => Outcome::Again,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Outcome::Waiting,
            Ok(false) | Err(_) => Outcome::Done,
        }
    }

    /// Makes the connection close after the current request, or immediately if it has no request. Returns an
    /// outcome if the engine must act now.
    pub(crate) fn leave(&self) -> Option<Outcome> {
        // If the head of a request has begun to arrive, the connection closes after that request. A TLS handshake that has begun
        // ends before the connection closes, so that the client need not take the server for one without TLS.
        if self.link.guard.borrow().is_in_head() || self.link.socket.borrow().is_in_handshake() {
            return None;
        }
        let is_known = self.leaving.replace(true);
        match &mut *self.hyper.borrow_mut() {
            Some(_) if is_known => None,
            Some(hyper_state) => {
                hyper_state.close_gracefully();
                Some(Outcome::Again)
            }
            // The connection closes after the response is written.
            None if self.link.is_busy() => None,
            None => Some(Outcome::Done),
        }
    }

    /// Handles an expired deadline. `poll` polls the connection.
    pub(crate) fn expire(&self, poll: impl FnOnce() -> Outcome) -> Outcome {
        match self.wait.get().kind {
            WaitKind::Head if self.link.socket.borrow().is_handshaking() => Outcome::Done,
            WaitKind::Head | WaitKind::Body => Outcome::TimedOut,
            WaitKind::Write => self.poll_for_progress(poll),
            WaitKind::Http2 => poll(),
            // A response that has begun cannot become an error.
            WaitKind::Upload if self.link.request().is_some() => Outcome::TimedOut,
            WaitKind::Ping => {
                self.link.with_web_socket(WebSocket::ping);
                Outcome::Again
            }
            WaitKind::Unlimited
            | WaitKind::Idle
            | WaitKind::Upload
            | WaitKind::Linger
            | WaitKind::Pong
            | WaitKind::Close => Outcome::Done,
        }
    }

    /// Polls a connection that waits for its client to read. The client may have read, so that the socket
    /// accepts more bytes, although the operating system has not reported this yet. If the client has not
    /// read, the connection ends.
    fn poll_for_progress(&self, poll: impl FnOnce() -> Outcome) -> Outcome {
        let written = {
            let mut socket = self.link.socket.borrow_mut();
            socket.assume_writable();
            socket.written()
        };
        match poll() {
            Outcome::Done => Outcome::Done,
            _ if self.link.socket.borrow().written() == written => Outcome::Done,
            Outcome::Ended => Outcome::Ended,
            Outcome::Waiting | Outcome::Again | Outcome::TimedOut => Outcome::Again,
        }
    }

    /// Records that a request has arrived. The deadline of the next wait starts again, even if its kind is the same.
    pub(crate) fn restart_wait(&self) {
        self.wait.set(Wait::UNLIMITED);
        self.has_had_request.set(true);
        self.reader.set(Reader::default());
    }

    /// Sets the deadline for the current wait. Returns the new deadline if it changed.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        if let Some(http2) = &*self.http2.borrow() {
            let deadline = http2.deadline;
            self.wait.set(Wait {
                kind: WaitKind::Http2,
                progress: 0,
                deadline,
            });
            return deadline;
        }
        let mut state = self.link.state.borrow_mut();
        let mut kind = state.wait_kind(
            || self.link.socket.borrow().is_write_blocked(),
            || self.link.guard.borrow().is_in_head(),
        );
        if kind == WaitKind::Unlimited && self.link.is_body_wanted() {
            kind = WaitKind::Upload;
        }
        if self.link.socket.borrow().is_handshaking() && state.is_idle() {
            kind = WaitKind::Head;
        }
        let progress = match &*state {
            // Each byte extends this deadline, up to the total time for discarding.
            ConnectionState::Lingering(linger) => linger.progress(),
            // Each received byte extends these deadlines.
            ConnectionState::WebSocket(web_socket) if matches!(kind, WaitKind::Ping | WaitKind::Pong) => {
                web_socket.received()
            }
            // Written bytes extend this deadline by the time that they may take: a client may read slowly.
            _ if kind == WaitKind::Write => self.link.socket.borrow().written(),
            // Received bytes extend this deadline by the time that they may take: a large body has no total limit.
            _ if kind == WaitKind::Upload => self.link.body_received(),
            _ => 0,
        };
        let before = self.wait.get();
        if (kind, progress) == (before.kind, before.progress) {
            return None;
        }
        let mut upload = self.link.upload.borrow_mut();
        if let (WaitKind::Upload, Some(upload)) = (before.kind, &mut *upload) {
            upload.pause(now);
        }
        let mut reader = self.reader.get();
        let time = match kind {
            WaitKind::Unlimited | WaitKind::Upload | WaitKind::Http2 | WaitKind::Write => None,
            WaitKind::Idle if self.has_had_request.get() => Some(timeouts.idle),
            // A client that sends nothing at all gets no more time than one that begins a request.
            WaitKind::Idle => Some(timeouts.head.min(timeouts.idle)),
            WaitKind::Head => Some(timeouts.head),
            WaitKind::Body => Some(timeouts.body),
            WaitKind::Linger => Some(timeouts.discard),
            WaitKind::Close => Some(timeouts.socket_close),
            WaitKind::Ping | WaitKind::Pong => match &*state {
                ConnectionState::WebSocket(web_socket) => Some(web_socket.ping_after()),
                _ => None,
            },
        };
        let mut deadline = match kind {
            WaitKind::Upload => upload.as_mut().and_then(|upload| upload.deadline(now, timeouts)),
            WaitKind::Write => reader.wait(progress, now, timeouts.write),
            _ => time.and_then(|time| now.checked_add(time)),
        };
        if before.kind == WaitKind::Write && kind != WaitKind::Write {
            reader.pause(self.link.socket.borrow().written(), now);
        }
        self.reader.set(reader);
        if let ConnectionState::Lingering(linger) = &mut *state {
            if before.kind != WaitKind::Linger {
                linger.until = now.checked_add(timeouts.discard_total);
            }
            if let (Some(time), Some(until)) = (deadline, linger.until) {
                deadline = Some(time.min(until));
            }
        }
        self.wait.set(Wait {
            kind,
            progress,
            deadline,
        });
        deadline
    }

    /// Drops the state of hyper, because the connection has become a WebSocket.
    pub(crate) fn leave_hyper(&self) {
        *self.hyper.borrow_mut() = None;
    }

    /// Ends the connection after its last bytes, and discards up to `discard_limit` bytes that the client still sends.
    pub(crate) fn linger(
        &self,
        message: Vec<u8>,
        discard_limit: usize,
        scratch: &RefCell<Vec<u8>>,
    ) -> Outcome {
        let mut linger = Box::new(Linger::new(message, discard_limit));
        let outcome = self.poll_linger(&mut linger, scratch);
        *self.link.state.borrow_mut() = ConnectionState::Lingering(linger);
        outcome
    }

    /// As [`Self::linger`], but without waiting for a client that sends nothing more.
    pub(crate) fn end_quietly(
        &self,
        message: Vec<u8>,
        discard_limit: usize,
        scratch: &RefCell<Vec<u8>>,
    ) -> Outcome {
        let outcome = self.linger(message, discard_limit, scratch);
        match &*self.link.state.borrow() {
            ConnectionState::Lingering(linger) if outcome == Outcome::Waiting && linger.is_finished() => {
                Outcome::Done
            }
            _ => outcome,
        }
    }

    /// Ends the connection after its last response, or because of a rejection. Writes the rejection of the
    /// guard or the given rejection, and discards up to `discard_limit` bytes that the client still sends.
    /// Returns the outcome and the rejection that was written.
    pub(crate) fn end(
        &self,
        rejection: Option<Rejection>,
        discard_limit: usize,
        scratch: &RefCell<Vec<u8>>,
    ) -> (Outcome, Option<Refusal>) {
        *self.hyper.borrow_mut() = None;
        let guard = self.link.guard.borrow();
        // Nothing is sent after the last response of a connection, not even a rejection.
        let answers_nothing_else = matches!(
            *self.link.state.borrow(),
            ConnectionState::ReceivingBody | ConnectionState::Partial(_) | ConnectionState::Refused
        );
        let rejection = rejection.or_else(|| guard.rejection().filter(|_| answers_nothing_else));
        // The guard has not seen a request of which the fast path has read a part.
        let is_between = guard.is_between_messages() && !self.link.has_partial_request();
        let may_send_more = !is_between || self.link.socket.borrow().is_readable();
        if rejection.is_none() && !may_send_more {
            return (Outcome::Done, None);
        }
        let refusal = rejection.map(|rejection| Refusal {
            rejection,
            trace_id: trace_id(),
            remote: self.link.socket.borrow().peer(),
        });
        // Responses to earlier requests come first.
        let mut message = self.link.take_unsent();
        if let Some(refusal) = refusal {
            message.extend(rejection::to_bytes(
                refusal.rejection,
                refusal.trace_id,
                &self.link.defaults,
                &self.link.error_bodies,
            ));
        }
        drop(guard);
        (self.linger(message, discard_limit, scratch), refusal)
    }
}
