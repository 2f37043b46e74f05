//! The shutdown of the engine.

use std::time::{Duration, Instant};

use super::Engine;
use crate::accepting::ADOPTED_GRACE;

impl Engine {
    /// Stops listening and closes idle connections. Requests in progress may complete until `grace` has passed, then their connections are
    /// closed. [`Engine::is_closed`] reports the end.
    ///
    /// Data that the system has received by now counts as requests in progress, even if the engine has not read it: on connections that
    /// seem idle, and on those that wait to be accepted.
    pub fn close(&self, grace: Duration) {
        if self.is_adopted {
            self.adopted_grace_end
                .set(Instant::now().checked_add(ADOPTED_GRACE));
        } else {
            self.accept_waiting();
        }
        if let Some(mut listener) = self.listener.borrow_mut().take() {
            // Dropping the listener removes it anyway.
            let _ = listener.deregister(self.poll.borrow().registry());
        }
        self.accepting.set(false);
        self.accept_retry.set(None);
        // A grace period beyond the range of the clock means no limit.
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
