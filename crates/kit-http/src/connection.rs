//! One connection: the engine polls the state machine of hyper while a request is in progress, then closes the
//! connection or waits for the next request.

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

/// Wait that the deadline of a connection limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WaitKind {
    Unlimited,
    Idle,
    Head,
    Body,
    Write,
    Linger,
}

/// Result of a poll.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The connection waits for its socket or for a response.
    Waiting,
    /// The connection must be polled again.
    Again,
    /// The connection can be dropped.
    Done,
}

/// Code that reads from the connection and writes to it.
///
/// A connection begins with `FastPath`, changes to `Hyper` if a request or a response does not qualify for the fast
/// path, and back if hyper waits for the next request. After the last response the connection changes to `Linger` if
/// the peer may still be sending, and otherwise to `Closed`.
enum Driver {
    /// The fast path. hyper is not in use.
    FastPath,
    Hyper(Box<HyperState>),
    /// No request is served any more: a rejection is written, and the peer may finish sending.
    Linger(LingerState),
    /// No peer is left to write to.
    Closed,
}

struct LingerState {
    linger: Linger,
    /// Time at which lingering ends, even if the peer keeps sending; `None` until the first deadline is set.
    until: Option<Instant>,
    /// True if the engine counts this connection as lingering.
    is_counted: bool,
}

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// True if the connection is in the engine's queue.
    pub(crate) queued: Cell<bool>,
    driver: RefCell<Driver>,
    /// True if the connection closes after the current request, or at once without a request.
    leaving: Cell<bool>,
    /// Rejection that the engine must report to the handler.
    pub(crate) refusal: Cell<Option<Refusal>>,
    discard_limit: usize,
    /// Wait that the deadline limits, and a number that changes whenever the deadline must restart.
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

    /// Returns true if no response can be written any more.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.driver.borrow(), Driver::Linger(_) | Driver::Closed)
    }

    /// Drops the state of hyper and of lingering, because no peer is left to write to.
    pub(crate) fn drop_http(&self) {
        *self.driver.borrow_mut() = Driver::Closed;
    }

    /// Returns true if the connection lingers, and the engine did not count it before.
    pub(crate) fn must_be_counted(&self) -> bool {
        match &mut *self.driver.borrow_mut() {
            Driver::Linger(state) => !std::mem::replace(&mut state.is_counted, true),
            Driver::FastPath | Driver::Hyper(_) | Driver::Closed => false,
        }
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Makes as much progress as possible.
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
            // hyper still has data to write.
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

    /// Closes the connection after the current request, or at once without a request. Returns the required action, if
    /// there is one.
    pub(crate) fn leave(&self) -> Option<Outcome> {
        // If a head has begun to arrive, the connection closes after that request.
        if self.link.guard.borrow().is_in_head() {
            return None;
        }
        let is_known = self.leaving.replace(true);
        match &mut *self.driver.borrow_mut() {
            // The connection closes after its response is written.
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

    /// Returns true if the peer has read data, so that more can be written than the system last reported.
    fn has_write_progress(&self, pool: &HyperPool, scratch: &RefCell<Vec<u8>>) -> bool {
        let written = {
            let mut socket = self.link.socket.borrow_mut();
            socket.assume_writable();
            socket.written()
        };
        let outcome = self.poll(pool, scratch);
        outcome != Outcome::Done && self.link.socket.borrow().written() != written
    }

    /// Sets the deadline for the current wait. Returns the deadline if it changed.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let wait = self.current_wait();
        let begun = match wait {
            // Each step of lingering extends the deadline, up to a separate limit.
            WaitKind::Linger => match &*self.driver.borrow() {
                Driver::Linger(state) => state.linger.progress(),
                Driver::FastPath | Driver::Hyper(_) | Driver::Closed => 0,
            },
            // Progress extends this deadline too: a peer may read slowly, but must not send slowly.
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
            // The server waits for the handler, not for the peer.
            ConnectionState::Received(_)
            | ConnectionState::Waiting { .. }
            | ConnectionState::FastResponse(_)
            | ConnectionState::Responded(_)
            | ConnectionState::Streaming => WaitKind::Unlimited,
        }
    }

    /// Closes the connection after hyper has finished: writes the rejection if there is one, and lets the peer finish
    /// sending.
    fn end(&self, rejection: Option<Rejection>, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let guard = self.link.guard.borrow();
        // After the last response of a connection nothing else is sent, not even a rejection.
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
