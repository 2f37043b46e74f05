//! Deadlines of connections.

use std::rc::Rc;
use std::time::Instant;

use super::{Engine, Handler};
use crate::state::Outcome;

impl Engine {
    /// Returns the time at which [`Engine::drive`] must run even if no file descriptor is ready.
    pub fn next_deadline(&self) -> Option<Instant> {
        [
            self.expiry.time(),
            self.accept_retry.get(),
            self.grace_deadline.get(),
            self.adopted_grace_end.get(),
        ]
        .into_iter()
        .flatten()
        .min()
    }

    /// Polls the connections whose deadlines have passed. Closes all connections at the end of the grace period.
    pub(super) fn handle_deadlines(&self, handler: &mut dyn Handler) {
        let now = self.now.get();
        let cut = self.grace_is_over();
        if cut {
            self.grace_deadline.set(None);
        } else if !self.expiry.is_due(now) {
            return;
        }
        let mut next: Option<Instant> = None;
        let mut expired = Vec::new();
        let connections = self.connections.borrow();
        for (slot, connection) in &*connections {
            match connection.deadline() {
                _ if cut => expired.push((slot, Rc::clone(connection))),
                Some(deadline) if deadline <= now => expired.push((slot, Rc::clone(connection))),
                Some(deadline) => next = Some(next.map_or(deadline, |next| next.min(deadline))),
                None => {}
            }
        }
        self.expiry.finish_look(now, connections.len(), next);
        drop(connections);
        for (slot, connection) in expired {
            let outcome = if cut {
                Outcome::Done
            } else {
                connection.expire(|| {
                    if connection.link.is_http2() {
                        self.poll_http2(slot, &connection, handler)
                    } else if connection.link.is_web_socket() {
                        self.poll_socket(&connection, handler)
                    } else {
                        self.poll_connection(&connection, handler)
                    }
                })
            };
            self.settle(slot, &connection, outcome, handler);
        }
    }
}
