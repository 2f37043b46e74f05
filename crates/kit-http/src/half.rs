//! hyper's halves of connections, which go from one to the next.
//!
//! hyper's state machine with its buffers weighs ten kilobytes and more, and is of use only while a request is under way.
//! So a connection that waits for its next request has none: at the boundary between two messages, with nothing read and
//! nothing left to write, its half goes back to a pool, and the next connection that has something to read takes it. Ten
//! thousand idle connections then need no more halves than requests are under way at once, and busy ones share buffers
//! that are still in the processor's cache.
//!
//! What makes that right is [`Rest`]: hyper reads for the head of a message only when it is through with the one before,
//! and the guard knows that no part of one has arrived. Nothing of one peer can be left in a half that another gets.

use std::cell::{Ref, RefCell};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Wake, Waker};

use hyper::server::conn::http1;

use crate::link::{Io, Link};
use crate::service::Service;

/// How many halves are kept for later. More than these are only needed in a rush, after which they are freed.
const MOST_SPARE: usize = 64;

/// Why hyper had nothing to read where a request begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rest {
    /// It is within a message, or has something to read.
    No,
    /// The next request has not begun to arrive.
    Between,
    /// The peer has closed its side instead.
    Left,
    /// What comes next was refused, and hyper was shown the end of the stream in its place. It stays so.
    Refused,
}

/// Whose connection a half serves; nobody's while it is in the pool.
pub(crate) struct Seat(RefCell<Option<Rc<Link>>>);

impl Seat {
    pub(crate) fn link(&self) -> io::Result<Ref<'_, Rc<Link>>> {
        // hyper is polled only with a connection.
        Ref::filter_map(self.0.borrow(), Option::as_ref).map_err(|_| io::ErrorKind::NotConnected.into())
    }
}

/// hyper's half of a connection.
pub(crate) struct Half {
    http: http1::Connection<Io, Service>,
    seat: Rc<Seat>,
    woken: Arc<Woken>,
    waker: Waker,
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

impl Half {
    fn new(builder: &http1::Builder) -> Self {
        let seat = Rc::new(Seat(RefCell::default()));
        let woken = Arc::new(Woken(AtomicBool::new(false)));
        Self {
            http: builder.serve_connection(Io(Rc::clone(&seat)), Service(Rc::clone(&seat))),
            seat,
            waker: Waker::from(Arc::clone(&woken)),
            woken,
        }
    }

    /// Polls hyper; whether it is through with the connection, and whether it wants to be polled again at once.
    pub(crate) fn poll(&mut self) -> (bool, bool) {
        self.woken.0.store(false, Ordering::Relaxed);
        // Whatever went wrong went wrong with this peer only, and the guard knows if there is something to tell it.
        let ended = Pin::new(&mut self.http)
            .poll(&mut Context::from_waker(&self.waker))
            .is_ready();
        (ended, self.woken.0.load(Ordering::Relaxed))
    }

    /// Lets the request under way finish, if there is one, then ends.
    pub(crate) fn close_gracefully(&mut self) {
        Pin::new(&mut self.http).graceful_shutdown();
    }
}

/// The pool.
pub(crate) struct Halves {
    builder: http1::Builder,
    #[allow(clippy::vec_box)] // halves are large, and move between here and their connections
    spare: RefCell<Vec<Box<Half>>>,
}

impl Halves {
    pub(crate) fn new(builder: http1::Builder) -> Self {
        Self {
            builder,
            spare: RefCell::default(),
        }
    }

    /// A half for a connection: the one that was used last, or a new one.
    pub(crate) fn take(&self, link: &Rc<Link>) -> Box<Half> {
        let spare = self.spare.borrow_mut().pop();
        let half = spare.unwrap_or_else(|| Box::new(Half::new(&self.builder)));
        *half.seat.0.borrow_mut() = Some(Rc::clone(link));
        half
    }

    /// Takes back the half of a connection that rests.
    pub(crate) fn give(&self, half: Box<Half>) {
        *half.seat.0.borrow_mut() = None;
        let mut spare = self.spare.borrow_mut();
        if spare.len() < MOST_SPARE {
            spare.push(half);
        }
    }
}
