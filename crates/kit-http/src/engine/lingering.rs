//! The end of connections whose clients may still be sending.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use kit_guard::Rejection;

use super::{Engine, Handler};
use crate::connection::Connection;
use crate::socket::HandshakeFailure;
use crate::state::Outcome;

/// Error for a client that uses `http:` where the server expects `https:`.
const HTTP_WITHOUT_TLS: Rejection =
    Rejection::bad_request("this port expects HTTPS, but the client has sent HTTP without TLS");

/// List of the connections that discard bytes, the oldest first.
#[derive(Default)]
pub(super) struct Lingering(RefCell<VecDeque<(usize, Weak<Connection>)>>);

impl Lingering {
    /// Adds a connection. If the list now has more than `limit` connections, removes and returns the oldest
    /// connection.
    pub(super) fn add(
        &self,
        slot: usize,
        connection: &Rc<Connection>,
        limit: usize,
    ) -> Option<(usize, Rc<Connection>)> {
        let mut list = self.0.borrow_mut();
        list.push_back((slot, Rc::downgrade(connection)));
        if list.len() <= limit {
            return None;
        }
        // Remove the connections that have closed meanwhile.
        list.retain(|(_, connection)| connection.strong_count() > 0);
        if list.len() <= limit {
            return None;
        }
        let (slot, oldest) = list.pop_front()?;
        Some((slot, oldest.upgrade()?))
    }
}

impl Engine {
    /// Ends a connection after its last response, or with a rejection.
    pub(super) fn end_connection(
        &self,
        connection: &Connection,
        rejection: Option<Rejection>,
        handler: &mut dyn Handler,
    ) -> Outcome {
        self.forget(connection, handler);
        let limit = self.config.limits.discarded_bytes;
        let (outcome, refusal) = connection.end(rejection, limit, &self.scratch);
        if let Some(refusal) = refusal {
            handler.refused(&refusal);
        }
        outcome
    }

    /// Ends a connection whose polling has ended, and tells its client that the data is complete, if it is.
    pub(super) fn conclude(&self, connection: &Connection, handler: &mut dyn Handler) -> Outcome {
        let mut socket = connection.link.socket.borrow_mut();
        let peer = socket.peer();
        match socket.take_handshake_failure() {
            None if connection.link.is_idle() => socket.announce_end(),
            None => {}
            Some(HandshakeFailure::Tls(reason)) => handler.handshake_failed(peer, reason),
            Some(HandshakeFailure::HttpWithoutTls) => {
                drop(socket);
                return self.end_connection(connection, Some(HTTP_WITHOUT_TLS), handler);
            }
        }
        Outcome::Done
    }

    /// Closes the oldest connection that discards bytes if there are more than [`crate::Limits::discarding`].
    pub(super) fn bound_lingering(&self, slot: usize, connection: &Rc<Connection>) {
        if !connection.has_begun_to_linger() {
            return;
        }
        let limit = self.config.limits.discarding;
        let Some((slot, oldest)) = self.lingering.add(slot, connection, limit) else {
            return;
        };
        let mut connections = self.connections.borrow_mut();
        if connections
            .get(slot)
            .is_some_and(|there| Rc::ptr_eq(there, &oldest))
        {
            connections.remove(slot);
        }
    }
}
