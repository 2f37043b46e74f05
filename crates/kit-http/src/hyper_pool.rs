//! Pool of hyper's connection states. A state is used by one connection after the other.
//!
//! The state machine of hyper with its buffers needs more than ten kilobytes, and is only needed while a request is in
//! progress. So a connection that waits for its next request has no state of hyper: between two messages, with nothing
//! read and nothing left to write, the state returns to the pool, and the next connection with data takes the state.
//! Ten thousand idle connections then need only as many states as there are requests in progress, and busy connections
//! share buffers that are still in the cache of the processor.
//!
//! [`ConnectionState::BetweenRequests`] makes this safe: hyper reads the head of a message only after it has finished the message before,
//! and the guard knows that no byte of the next message has arrived. So a state contains no data of one client when the connection of
//! another client gets the state.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::Context;

use hyper::server::conn::http1;

use crate::link::{CurrentLink, Io, Link};
use crate::service::Service;
use crate::wake::WakeFlag;

/// Maximum number of unused states in the pool. Further states are freed after use, because only short peaks
/// need them.
const MAX_SPARE: usize = 64;

/// hyper's state for one connection.
pub(crate) struct HyperState {
    http: http1::Connection<Io, Service>,
    current: Rc<CurrentLink>,
    /// Set if hyper must be polled again. hyper sets the flag only while hyper is polled, on the same thread.
    woken: WakeFlag,
}

impl HyperState {
    fn new(builder: &http1::Builder) -> Self {
        let current = Rc::new(CurrentLink::default());
        Self {
            http: builder.serve_connection(Io(Rc::clone(&current)), Service(Rc::clone(&current))),
            current,
            woken: WakeFlag::default(),
        }
    }

    /// Polls hyper. The first value is true if hyper has closed the connection. The second value is true if hyper must
    /// be polled again.
    pub(crate) fn poll(&mut self) -> (bool, bool) {
        self.woken.clear();
        // An error affects only this client. The guard knows if the client needs a response.
        let ended = Pin::new(&mut self.http)
            .poll(&mut self.woken.context())
            .is_ready();
        (ended, self.woken.is_set())
    }

    /// Calls a function that polls a body of hyper. Also returns true if hyper must be polled again.
    pub(crate) fn poll_body<T>(&self, poll: impl FnOnce(&mut Context<'_>) -> T) -> (T, bool) {
        self.woken.clear();
        let polled = poll(&mut self.woken.context());
        (polled, self.woken.is_set())
    }

    /// Makes hyper close the connection after the request in progress.
    pub(crate) fn close_gracefully(&mut self) {
        Pin::new(&mut self.http).graceful_shutdown();
    }
}

/// Pool of hyper's connection states.
pub(crate) struct HyperPool {
    builder: http1::Builder,
    #[allow(clippy::vec_box)] // states are large and move between the pool and connections
    spare: RefCell<Vec<Box<HyperState>>>,
}

impl HyperPool {
    pub(crate) fn new(builder: http1::Builder) -> Self {
        Self {
            builder,
            spare: RefCell::default(),
        }
    }

    /// Returns a state for a connection: the state that was used last, or a new state.
    pub(crate) fn acquire(&self, link: &Rc<Link>) -> Box<HyperState> {
        let spare = self.spare.borrow_mut().pop();
        let state = spare.unwrap_or_else(|| Box::new(HyperState::new(&self.builder)));
        state.current.set(Some(Rc::clone(link)));
        state
    }

    /// Returns the state of an idle connection to the pool.
    pub(crate) fn release(&self, state: Box<HyperState>) {
        state.current.set(None);
        let mut spare = self.spare.borrow_mut();
        if spare.len() < MAX_SPARE {
            spare.push(state);
        }
    }
}
