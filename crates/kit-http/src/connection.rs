//! A connection. While a request is in progress, the engine polls hyper or the fast path. Then the connection closes
//! or waits for the next request.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use kit_guard::Rejection;

use crate::config::Timeouts;
use crate::envelope::trace_id;
use crate::fast_path::{self, Step};
use crate::hyper_pool::{HyperPool, HyperState, ReadBoundary};
use crate::linger::Linger;
use crate::link::{ConnectionState, Link};
use crate::rejection::{self, Refusal};

/// Reason for which a connection waits. The deadline of the connection depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    Unlimited,
    Idle,
    Head,
    Body,
    Write,
    Linger,
}

/// Result of polling a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The connection waits for its socket or for a response of the handler.
    Waiting,
    /// The connection may have more to do, so it must be polled again.
    Again,
    /// The connection has ended and can be dropped.
    Done,
}

/// Code that reads from the connection and writes to it.
///
/// A connection starts with `FastPath`. It changes to `Hyper` if a request or a response does not qualify for the
/// fast path, and back when hyper waits for the next request. After the last response, it changes to `Linger` if the
/// client may still be sending, otherwise to `Closed`.
enum Driver {
    /// The fast path reads and writes. hyper is not used.
    FastPath,
    Hyper(Box<HyperState>),
    /// No request is read any more. The engine writes a rejection, and discards what the client still sends.
    Linger(LingerState),
    /// The client has disconnected, so nothing is read or written any more.
    Closed,
}

struct LingerState {
    linger: Linger,
    /// Time at which the engine stops discarding bytes, even if the client continues to send. `None` until the first
    /// deadline is set.
    until: Option<Instant>,
    /// True if the connection counts for [`crate::Limits::discarding`].
    is_counted: bool,
}

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// True if the connection is in the engine's queue of connections to poll.
    pub(crate) queued: Cell<bool>,
    driver: RefCell<Driver>,
    /// True if the connection must close after the current request, or immediately if it has none.
    leaving: Cell<bool>,
    /// Rejection that the engine must still report to the handler.
    pub(crate) refusal: Cell<Option<Refusal>>,
    discard_limit: usize,
    /// Reason for which the connection waits, and a number. If either changes, the deadline starts again.
    wait: Cell<(WaitKind, usize)>,
    deadline: Cell<Option<Instant>>,
}

impl Connection {
    pub(crate) fn new(link: Rc<Link>, discard_limit: usize) -> Self {
        Self {
            link,
            queued: Cell::new(false),
            driver: RefCell::new(Driver::FastPath),
            leaving: Cell::new(false),
            refusal: Cell::new(None),
            discard_limit,
            wait: Cell::new((WaitKind::Unlimited, 0)),
            deadline: Cell::new(None),
        }
    }

    /// Returns true if no response can be written to the client any more.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.driver.borrow(), Driver::Linger(_) | Driver::Closed)
    }

    /// Drops the state of hyper or of the rejection, because the client has disconnected.
    pub(crate) fn drop_http(&self) {
        *self.driver.borrow_mut() = Driver::Closed;
    }

    /// Returns true once if the connection has started to discard bytes, so that the engine counts it.
    pub(crate) fn must_be_counted(&self) -> bool {
        match &mut *self.driver.borrow_mut() {
            Driver::Linger(state) => !std::mem::replace(&mut state.is_counted, true),
            Driver::FastPath | Driver::Hyper(_) | Driver::Closed => false,
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Reads and writes as much as possible without waiting.
    pub(crate) fn poll(&self, pool: &HyperPool, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let mut driver = self.driver.borrow_mut();
        if let Driver::FastPath = *driver {
            match fast_path::poll(&self.link, self.leaving.get(), scratch) {
                Step::Waiting => return Outcome::Waiting,
                Step::Again => return Outcome::Again,
                Step::Close => return Outcome::Done,
                Step::Hyper => {}
            }
            *driver = Driver::Hyper(pool.acquire(&self.link));
        }
        let hyper = match &mut *driver {
            Driver::Hyper(hyper) => hyper,
            Driver::Linger(state) => return state.linger.poll(&self.link, &mut scratch.borrow_mut()),
            Driver::FastPath | Driver::Closed => return Outcome::Done,
        };
        if self.link.read_boundary.get() != ReadBoundary::Refused {
            self.link.read_boundary.set(ReadBoundary::No);
        }
        match hyper.poll() {
            (true, _) => {
                *driver = Driver::Closed;
                drop(driver);
                return self.end(None, scratch);
            }
            (_, true) => return Outcome::Again,
            // hyper has more data to write than the socket accepts.
            _ if self.link.socket.borrow().is_write_blocked() => return Outcome::Waiting,
            _ => {}
        }
        let (next, outcome) = match self.link.read_boundary.get() {
            ReadBoundary::No | ReadBoundary::Refused => return Outcome::Waiting,
            ReadBoundary::Between => (Driver::FastPath, Outcome::Waiting),
            ReadBoundary::Left => (Driver::Closed, Outcome::Done),
        };
        if let Driver::Hyper(hyper) = std::mem::replace(&mut *driver, next) {
            pool.release(hyper);
        }
        outcome
    }

    /// Makes the connection close after the current request, or immediately if it has none. If the engine must act
    /// now, returns the outcome.
    pub(crate) fn leave(&self) -> Option<Outcome> {
        // If the head of a request has begun to arrive, the connection closes after that request.
        if self.link.guard.borrow().is_in_head() {
            return None;
        }
        let is_known = self.leaving.replace(true);
        match &mut *self.driver.borrow_mut() {
            // The connection closes after the response is written.
            Driver::FastPath if self.link.is_busy() => None,
            Driver::FastPath => Some(Outcome::Done),
            Driver::Hyper(_) if is_known => None,
            Driver::Hyper(hyper) => {
                hyper.close_gracefully();
                Some(Outcome::Again)
            }
            Driver::Linger(_) | Driver::Closed => None,
        }
    }

    /// Handles an expired deadline.
    pub(crate) fn expire(&self, pool: &HyperPool, scratch: &RefCell<Vec<u8>>) -> Outcome {
        if self.wait.get().0 == WaitKind::Write && self.has_write_progress(pool, scratch) {
            return Outcome::Again;
        }
        self.drop_http();
        match self.wait.get().0 {
            WaitKind::Head | WaitKind::Body => self.end(Some(Rejection::TIMEOUT), scratch),
            WaitKind::Unlimited | WaitKind::Idle | WaitKind::Write | WaitKind::Linger => Outcome::Done,
        }
    }

    /// Returns true if the client has read data, so that the socket accepts more. The operating system may not have
    /// reported this yet.
    fn has_write_progress(&self, pool: &HyperPool, scratch: &RefCell<Vec<u8>>) -> bool {
        let written = {
            let mut socket = self.link.socket.borrow_mut();
            socket.assume_writable();
            socket.written()
        };
        let outcome = self.poll(pool, scratch);
        outcome != Outcome::Done && self.link.socket.borrow().written() != written
    }

    /// Sets the deadline for the current wait. Returns the new deadline if it changed.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let wait = self.current_wait();
        let begun = match wait {
            // Each byte extends this deadline, up to the total time for discarding.
            WaitKind::Linger => match &*self.driver.borrow() {
                Driver::Linger(state) => state.linger.progress(),
                Driver::FastPath | Driver::Hyper(_) | Driver::Closed => 0,
            },
            // Each written byte extends this deadline: a client may read slowly. It must not send slowly.
            WaitKind::Write => self.link.socket.borrow().written(),
            _ => self.link.begun.get(),
        };
        let key = (wait, begun);
        if key == self.wait.get() {
            return None;
        }
        let is_first = self.wait.replace(key).0 != wait;
        let time = match wait {
            WaitKind::Unlimited => None,
            WaitKind::Idle => Some(timeouts.idle),
            WaitKind::Head => Some(timeouts.head),
            WaitKind::Body => Some(timeouts.body),
            WaitKind::Write => Some(timeouts.write),
            WaitKind::Linger => Some(timeouts.discard),
        };
        let mut deadline = time.and_then(|time| now.checked_add(time));
        if let Driver::Linger(state) = &mut *self.driver.borrow_mut() {
            if is_first {
                state.until = now.checked_add(timeouts.discard_total);
            }
            if let (Some(time), Some(until)) = (deadline, state.until) {
                deadline = Some(time.min(until));
            }
        }
        self.deadline.set(deadline);
        deadline
    }

    fn current_wait(&self) -> WaitKind {
        if let Driver::Linger(_) = *self.driver.borrow() {
            return WaitKind::Linger;
        }
        let is_write_blocked = || self.link.socket.borrow().is_write_blocked();
        match *self.link.state.borrow() {
            ConnectionState::ReceivingBody => WaitKind::Body,
            ConnectionState::Idle | ConnectionState::Streaming if is_write_blocked() => WaitKind::Write,
            ConnectionState::Idle if self.link.guard.borrow().is_in_head() => WaitKind::Head,
            ConnectionState::Idle => WaitKind::Idle,
            // Unlimited: the server waits for the handler, not for the client.
            ConnectionState::Received(_)
            | ConnectionState::Waiting { .. }
            | ConnectionState::FastResponse(_)
            | ConnectionState::Responded(_)
            | ConnectionState::Streaming => WaitKind::Unlimited,
        }
    }

    /// Ends the connection after hyper has finished. Writes the rejection, if there is one, and lets the client
    /// finish sending.
    fn end(&self, rejection: Option<Rejection>, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let guard = self.link.guard.borrow();
        // Nothing is sent after the last response of a connection, not even a rejection.
        let is_receiving = matches!(*self.link.state.borrow(), ConnectionState::ReceivingBody);
        let answers_nothing_else = is_receiving || self.link.read_boundary.get() == ReadBoundary::Refused;
        let rejection = rejection.or_else(|| guard.rejection().filter(|_| answers_nothing_else));
        let may_send_more = !guard.is_between_messages() || self.link.socket.borrow().is_readable();
        if rejection.is_none() && !may_send_more {
            return Outcome::Done;
        }
        let mut message = Vec::new();
        if let Some(rejection) = rejection {
            let trace_id = trace_id();
            let remote = self.link.socket.borrow().peer();
            message = rejection::to_bytes(rejection, trace_id);
            self.refusal.set(Some(Refusal {
                rejection,
                trace_id,
                remote,
            }));
        }
        let mut state = LingerState {
            linger: Linger::new(message, self.discard_limit),
            until: None,
            is_counted: false,
        };
        let outcome = state.linger.poll(&self.link, &mut scratch.borrow_mut());
        *self.driver.borrow_mut() = Driver::Linger(state);
        outcome
    }
}
