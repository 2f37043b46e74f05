//! One connection: the engine polls the state machine of hyper while a request is in progress, then closes the
//! connection or waits for the next request.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Instant;

use kit_guard::Rejection;

use crate::config::Timeouts;
use crate::envelope::trace_id;
use crate::half::{Half, Halves, Rest};
use crate::linger::Linger;
use crate::link::{Link, Stage};
use crate::plain::{self, Step};
use crate::rejection::{self, Refusal};

/// Wait that the deadline of a connection limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
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

/// State of hyper for this connection.
enum Hyper {
    /// hyper is not in use: no data of a request for hyper has arrived.
    Resting,
    Serving(Box<Half>),
    /// hyper has closed the connection.
    Ended,
}

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// True if the connection is in the engine's queue.
    pub(crate) queued: Cell<bool>,
    hyper: RefCell<Hyper>,
    /// True if the connection closes after the current request, or at once without a request.
    leaving: Cell<bool>,
    linger: RefCell<Option<Linger>>,
    /// Rejection that the engine must report to the handler.
    pub(crate) refusal: Cell<Option<Refusal>>,
    /// True if the engine counts this connection as lingering.
    pub(crate) lingering_is_known: Cell<bool>,
    /// Time at which lingering ends, even if the peer keeps sending.
    linger_until: Cell<Option<Instant>>,
    discard_limit: usize,
    /// Wait that the deadline limits, and a number that changes whenever the deadline must restart.
    patience: Cell<(Patience, usize)>,
    deadline: Cell<Option<Instant>>,
}

impl Connection {
    pub(crate) fn new(link: Rc<Link>, discard_limit: usize) -> Self {
        Self {
            link,
            queued: Cell::new(false),
            hyper: RefCell::new(Hyper::Resting),
            leaving: Cell::new(false),
            linger: RefCell::default(),
            refusal: Cell::new(None),
            lingering_is_known: Cell::new(false),
            linger_until: Cell::new(None),
            discard_limit,
            patience: Cell::new((Patience::Unlimited, 0)),
            deadline: Cell::new(None),
        }
    }

    /// Returns true if hyper has closed the connection, so that no response can be written.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.hyper.borrow(), Hyper::Ended)
    }

    /// Drops the state of hyper, because no peer is left to write to.
    pub(crate) fn drop_http(&self) {
        *self.hyper.borrow_mut() = Hyper::Ended;
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Makes as much progress as possible.
    pub(crate) fn poll(&self, halves: &Halves, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let mut hyper = self.hyper.borrow_mut();
        if let Hyper::Resting = *hyper {
            match plain::poll(&self.link, self.leaving.get(), scratch) {
                Step::Waiting => return Outcome::Waiting,
                Step::Again => return Outcome::Again,
                Step::Over => return Outcome::Done,
                Step::Hyper => {}
            }
            *hyper = Hyper::Serving(halves.take(&self.link));
        }
        let Hyper::Serving(half) = &mut *hyper else {
            drop(hyper);
            return self.poll_linger(scratch);
        };
        if self.link.rest.get() != Rest::Refused {
            self.link.rest.set(Rest::No);
        }
        match half.poll() {
            (true, _) => {
                *hyper = Hyper::Ended;
                drop(hyper);
                return self.end(None, scratch);
            }
            (_, true) => return Outcome::Again,
            // hyper still has data to write.
            _ if self.link.socket.borrow().is_write_blocked() => return Outcome::Waiting,
            _ => {}
        }
        let (next, outcome) = match self.link.rest.get() {
            Rest::No | Rest::Refused => return Outcome::Waiting,
            Rest::Between => (Hyper::Resting, Outcome::Waiting),
            Rest::Left => (Hyper::Ended, Outcome::Done),
        };
        if let Hyper::Serving(half) = std::mem::replace(&mut *hyper, next) {
            halves.give(half);
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
        match &mut *self.hyper.borrow_mut() {
            // The connection closes after its response is written.
            Hyper::Resting if self.link.is_busy() => None,
            Hyper::Resting => Some(Outcome::Done),
            Hyper::Serving(_) if is_known => None,
            Hyper::Serving(half) => {
                half.close_gracefully();
                Some(Outcome::Again)
            }
            Hyper::Ended => None,
        }
    }

    /// Handles an expired deadline.
    pub(crate) fn expire(&self, halves: &Halves, scratch: &RefCell<Vec<u8>>) -> Outcome {
        if self.patience.get().0 == Patience::Write && self.takes_more(halves, scratch) {
            return Outcome::Again;
        }
        self.drop_http();
        match self.patience.get().0 {
            Patience::Head | Patience::Body => self.end(Some(Rejection::TIMEOUT), scratch),
            Patience::Unlimited | Patience::Idle | Patience::Write | Patience::Linger => Outcome::Done,
        }
    }

    /// Returns true if the peer has read data, so that more can be written than the system last reported.
    fn takes_more(&self, halves: &Halves, scratch: &RefCell<Vec<u8>>) -> bool {
        let written = {
            let mut socket = self.link.socket.borrow_mut();
            socket.suspect_writable();
            socket.written()
        };
        let outcome = self.poll(halves, scratch);
        outcome != Outcome::Done && self.link.socket.borrow().written() != written
    }

    /// Sets the deadline for the current wait. Returns the deadline if it changed.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let patience = self.patience_now();
        let begun = match patience {
            // Each step of lingering extends the deadline, up to a separate limit.
            Patience::Linger => self.linger.borrow().as_ref().map_or(0, Linger::progress),
            // Progress extends this deadline too: a peer may read slowly, but must not send slowly.
            Patience::Write => self.link.socket.borrow().written(),
            _ => self.link.begun.get(),
        };
        let key = (patience, begun);
        if key == self.patience.get() {
            return None;
        }
        if patience == Patience::Linger && self.patience.get().0 != Patience::Linger {
            self.linger_until.set(now.checked_add(timeouts.discard_total));
        }
        self.patience.set(key);
        let time = match patience {
            Patience::Unlimited => None,
            Patience::Idle => Some(timeouts.idle),
            Patience::Head => Some(timeouts.head),
            Patience::Body => Some(timeouts.body),
            Patience::Write => Some(timeouts.write),
            Patience::Linger => Some(timeouts.discard),
        };
        let mut deadline = time.and_then(|time| now.checked_add(time));
        if let (Some(time), Some(until)) = (deadline, self.linger_until.get()) {
            deadline = Some(time.min(until));
        }
        self.deadline.set(deadline);
        deadline
    }

    fn patience_now(&self) -> Patience {
        if self.linger.borrow().is_some() {
            return Patience::Linger;
        }
        match self.link.stage.get() {
            Stage::Collecting => Patience::Body,
            Stage::Idle | Stage::Streaming if self.link.socket.borrow().is_write_blocked() => Patience::Write,
            // The server waits for the handler, not for the peer.
            Stage::Waiting | Stage::Streaming => Patience::Unlimited,
            Stage::Idle if self.link.guard.borrow().is_in_head() => Patience::Head,
            Stage::Idle => Patience::Idle,
        }
    }

    /// Closes the connection after hyper has finished: writes the rejection if there is one, and lets the peer finish
    /// sending.
    fn end(&self, rejection: Option<Rejection>, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let guard = self.link.guard.borrow();
        // After the last response of a connection nothing else is sent, not even a rejection.
        let answers_nothing_else =
            self.link.stage.get() == Stage::Collecting || self.link.rest.get() == Rest::Refused;
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
        *self.linger.borrow_mut() = Some(Linger::new(message, self.discard_limit));
        drop(guard);
        self.poll_linger(scratch)
    }

    fn poll_linger(&self, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let mut linger = self.linger.borrow_mut();
        let Some(linger) = linger.as_mut() else {
            return Outcome::Done;
        };
        linger.poll(&self.link, &mut scratch.borrow_mut())
    }
}
