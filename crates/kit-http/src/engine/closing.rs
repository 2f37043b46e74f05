//! The shutdown of the engine.

use std::time::{Duration, Instant};

use super::Engine;
use crate::accepting::ADOPTED_GRACE;

impl Engine {
    /// Stops listening and closes idle connections. Requests in progress may complete until `grace` has passed, then their
    /// connections are closed. [`Engine::is_closed`] reports the end.
    ///
    /// Data that the operating system has already received belongs to requests in progress, even if the
    /// engine has not read the data yet. This also applies to connections that seem idle or wait to be
    /// accepted.
    pub fn close(&self, grace: Duration) {
        if self.is_adopted {
            self.adopted_grace_end
                .set(Instant::now().checked_add(ADOPTED_GRACE));
        } else {
            self.accept_waiting();
        }
        if let Some(mut listener) = self.listener.borrow_mut().take() {
            // An error can be ignored: the listener is also deregistered when it is dropped.
            let _ = listener.deregister(self.poll.borrow().registry());
        }
        self.accepting.set(false);
        self.accept_retry.set(None);
        // A grace period that is too long for the clock means no limit.
        self.grace_deadline.set(Instant::now().checked_add(grace));
        self.poll_all_again();
    }

    /// Returns true if [`Engine::close`] is complete.
    pub fn is_closed(&self) -> bool {
        self.listener.borrow().is_none() && self.connections.borrow().is_empty()
    }

    /// Returns true if the grace period of [`Engine::close`] has passed.
    pub(super) fn grace_is_over(&self) -> bool {
        self.grace_deadline
            .get()
            .is_some_and(|time| time <= self.now.get())
    }
}
