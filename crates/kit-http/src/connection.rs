//! One connection: hyper's state machine, polled by the engine, and what comes after it.

use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Instant;

use hyper::server::conn::http1;

use crate::config::Timeouts;
use crate::envelope::trace_id;
use crate::linger::Linger;
use crate::link::{Io, Link, Stage};
use crate::rejection::{Refusal, Rejection};
use crate::service::Service;

type Http = http1::Connection<Io, Service>;

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

pub(crate) struct Connection {
    pub(crate) link: Rc<Link>,
    /// Whether it stands in the engine's queue.
    pub(crate) queued: Cell<bool>,
    http: RefCell<Option<Http>>,
    linger: RefCell<Option<Linger>>,
    /// What the engine has to tell of it.
    pub(crate) refusal: Cell<Option<Refusal>>,
    /// Whether the engine counts it among those that linger.
    pub(crate) lingering_is_known: Cell<bool>,
    /// The last moment of it, however steadily the peer sends.
    linger_until: Cell<Option<Instant>>,
    discard_limit: usize,
    woken: Arc<Woken>,
    waker: Waker,
    /// What the deadline guards, and a number that changes where the deadline begins anew.
    patience: Cell<(Patience, usize)>,
    deadline: Cell<Option<Instant>>,
}

/// hyper wakes its connection only from within its own poll, on this thread; the flag says to poll once more.
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Connection {
    pub(crate) fn new(builder: &http1::Builder, link: Rc<Link>, discard_limit: usize) -> Self {
        let http = builder.serve_connection(Io(Rc::clone(&link)), Service(Rc::clone(&link)));
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        Self {
            link,
            queued: Cell::new(false),
            http: RefCell::new(Some(http)),
            linger: RefCell::default(),
            refusal: Cell::new(None),
            lingering_is_known: Cell::new(false),
            linger_until: Cell::new(None),
            discard_limit,
            waker: Waker::from(Arc::clone(&woken)),
            woken,
            patience: Cell::new((Patience::Unlimited, 0)),
            deadline: Cell::new(None),
        }
    }

    /// Whether hyper is through with it, so that no answer can be written any more.
    pub(crate) fn is_ended(&self) -> bool {
        self.http.borrow().is_none()
    }

    /// Forgets hyper's half, where nobody is there to write to.
    pub(crate) fn drop_http(&self) {
        *self.http.borrow_mut() = None;
    }

    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.deadline.get()
    }

    /// Makes what progress there is.
    pub(crate) fn poll(&self, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let mut http = self.http.borrow_mut();
        let Some(connection) = http.as_mut() else {
            drop(http);
            return self.poll_linger(scratch);
        };
        self.woken.0.store(false, Ordering::Relaxed);
        match Pin::new(connection).poll(&mut Context::from_waker(&self.waker)) {
            Poll::Pending if self.woken.0.load(Ordering::Relaxed) => Outcome::Again,
            Poll::Pending => Outcome::Waiting,
            // Whatever went wrong went wrong with this peer only, and the guard knows if there is something to tell it.
            Poll::Ready(_) => {
                *http = None;
                drop(http);
                self.end(None, scratch)
            }
        }
    }

    /// Lets the request under way finish, if there is one, then closes.
    pub(crate) fn close_gracefully(&self) {
        if let Some(connection) = self.http.borrow_mut().as_mut() {
            Pin::new(connection).graceful_shutdown();
        }
    }

    /// The deadline has passed.
    pub(crate) fn expire(&self, scratch: &RefCell<Vec<u8>>) -> Outcome {
        *self.http.borrow_mut() = None;
        match self.patience.get().0 {
            Patience::Head | Patience::Body => self.end(Some(Rejection::TIMEOUT), scratch),
            Patience::Unlimited | Patience::Idle | Patience::Write | Patience::Linger => Outcome::Done,
        }
    }

    /// Sets the deadline for what the connection now waits for; answers it where it is new.
    pub(crate) fn renew(&self, now: Instant, timeouts: &Timeouts) -> Option<Instant> {
        let patience = self.patience_now();
        let begun = match patience {
            // Here each step buys time, up to a bound of its own.
            Patience::Linger => self.linger.borrow().as_ref().map_or(0, Linger::progress),
            _ => self.link.begun.get(),
        };
        let key = (patience, begun);
        // A peer that reads slowly is forgiven with each step it makes; one that sends slowly is not.
        if key == self.patience.get() && patience != Patience::Write {
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
            Stage::Waiting => Patience::Unlimited,
            Stage::Collecting => Patience::Body,
            Stage::Idle if self.link.socket.borrow().is_write_blocked() => Patience::Write,
            Stage::Idle if self.link.guard.borrow().is_in_head() => Patience::Head,
            Stage::Idle => Patience::Idle,
        }
    }

    /// After hyper is gone: says why, if the bytes were refused, and lets the peer finish sending.
    fn end(&self, rejection: Option<Rejection>, scratch: &RefCell<Vec<u8>>) -> Outcome {
        let guard = self.link.guard.borrow();
        let rejection = rejection.or_else(|| guard.rejection());
        if rejection.is_none() && !guard.is_in_body() {
            return Outcome::Done;
        }
        let mut message = Vec::new();
        if let Some(rejection) = rejection {
            let trace_id = trace_id();
            let remote = self.link.socket.borrow().peer();
            message = rejection.to_bytes(trace_id);
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
