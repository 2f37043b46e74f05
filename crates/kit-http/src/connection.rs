//! One connection: hyper's state machine while there is something for it to do, polled by the engine, and what comes
//! after it.

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

/// What a connection's deadline guards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Patience {
    Unlimited,
    Idle,
    Head,
    Body,
    Write,
    Linger,
}

/// What is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The connection waits for its socket, or for an answer.
    Waiting,
    /// hyper asked to be polled again.
    Again,
    /// The connection can be dropped.
    Done,
}

/// Where hyper's half of the connection is.
enum Hyper {
    /// In the pool, or not made yet: nothing of a request has come that is hyper's.
    Resting,
    Serving(Box<Half>),
    /// hyper is through with the connection.
    Ended,
}

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// Whether it stands in the engine's queue.
    pub(crate) queued: Cell<bool>,
    hyper: RefCell<Hyper>,
    /// It ends with the request under way, or at once where there is none.
    leaving: Cell<bool>,
    linger: RefCell<Option<Linger>>,
    /// What the engine has to tell of it.
    pub(crate) refusal: Cell<Option<Refusal>>,
    /// Whether the engine counts it among those that linger.
    pub(crate) lingering_is_known: Cell<bool>,
    /// The last moment of it, however steadily the peer sends.
    linger_until: Cell<Option<Instant>>,
    discard_limit: usize,
    /// What the deadline guards, and a number that changes where the deadline begins anew.
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

    /// Whether hyper is through with it, so that no answer can be written any more.
    pub(crate) fn is_ended(&self) -> bool {
        matches!(*self.hyper.borrow(), Hyper::Ended)
    }

    /// Forgets hyper's half, where nobody is there to write to.
    pub(crate) fn drop_http(&self) {
        *self.hyper.borrow_mut() = Hyper::Ended;
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Makes what progress there is.
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
            // Its half has something left to write.
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

    /// Has it end with the request under way, or at once where there is none. Answers what is left to do for that.
    pub(crate) fn leave(&self) -> Option<Outcome> {
        // Where a head has begun to arrive, it ends with that request.
        if self.link.guard.borrow().is_in_head() {
            return None;
        }
        let is_known = self.leaving.replace(true);
        match &mut *self.hyper.borrow_mut() {
            // It ends once its answer is out.
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

    /// The deadline has passed.
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

    /// Whether the peer has read something since the system last said that there is room.
    fn takes_more(&self, halves: &Halves, scratch: &RefCell<Vec<u8>>) -> bool {
        let written = {
            let mut socket = self.link.socket.borrow_mut();
            socket.suspect_writable();
            socket.written()
        };
        let outcome = self.poll(halves, scratch);
        outcome != Outcome::Done && self.link.socket.borrow().written() != written
    }

    /// Sets the deadline for what the connection now waits for; answers it where it is new.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let patience = self.patience_now();
        let begun = match patience {
            // Here each step buys time, up to a bound of its own.
            Patience::Linger => self.linger.borrow().as_ref().map_or(0, Linger::progress),
            // So it does here: a peer that reads slowly is forgiven; one that sends slowly is not.
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
            // It is the handler's turn.
            Stage::Waiting | Stage::Streaming => Patience::Unlimited,
            Stage::Idle if self.link.guard.borrow().is_in_head() => Patience::Head,
            Stage::Idle => Patience::Idle,
        }
    }

    /// After hyper is gone: says why, if the bytes were refused, and lets the peer finish sending.
    fn end(&self, rejection: Option<Rejection>, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let guard = self.link.guard.borrow();
        // Behind an answer that was the last one nothing is answered any more, a refusal neither.
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
