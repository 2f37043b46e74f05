//! Accepts connections for the engine.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;

use mio::{Interest, Token};

use crate::body_rules::ConnectionBodyRules;
use crate::connection::Connection;
use crate::engine::Engine;
use crate::handler::{Handler, Pause};
use crate::link::Link;
use crate::listener;
use crate::request::RequestId;
use crate::socket::Socket;
use crate::stream::Stream;
use crate::tls::Tls;
use kit_guard::Guard;

/// Maximum number of connections that are accepted in a row, before the connections that are open are served.
const ACCEPT_BATCH: usize = 128;
/// Time to wait before the next connection is accepted if the process has no file descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time that a new connection on an adopted listener has for its first request after this engine has stopped
/// accepting. The client must not notice a difference to a connection that the next process accepted.
pub(crate) const ADOPTED_GRACE: Duration = Duration::from_secs(2);

impl Engine {
    pub(crate) fn accept(&self, handler: &mut dyn Handler) {
        if self.accept_retry.get().is_some_and(|time| time <= self.now.get()) {
            self.accept_retry.set(None);
        }
        if !self.accepting.get() || self.accept_retry.get().is_some() {
            return;
        }
        let listener = self.listener.borrow();
        let Some(listener) = listener.as_ref() else {
            return;
        };
        for _ in 0..ACCEPT_BATCH {
            if self.connections.borrow().len() >= self.connection_limit() {
                return self.pause(Pause::ConnectionLimit, handler);
            }
            match listener.accept() {
                // A connection that cannot be registered is dropped, and thereby closed. Other connections are not affected.
                Ok((stream, peer)) => drop(self.add(stream, peer)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.accepting.set(false);
                    self.pause_reported.set(false);
                    return;
                }
                Err(error) if listener::is_exhaustion(&error) => {
                    return self.pause(Pause::Exhausted, handler);
                }
                // The client has disconnected before the connection was accepted.
                Err(_) => {}
            }
        }
    }

    fn pause(&self, pause: Pause, handler: &mut dyn Handler) {
        self.accept_retry.set(Some(self.now.get() + ACCEPT_PAUSE));
        if !self.pause_reported.replace(true) {
            handler.paused(pause);
        }
    }

    fn connection_limit(&self) -> usize {
        self.config.limits.connections.min(RequestId::MAX_SLOTS)
    }

    fn add(&self, stream: Stream, peer: Option<SocketAddr>) -> io::Result<()> {
        let certificates = self.config.tls.as_ref();
        let tls = certificates.map(|certificates| Tls::new(certificates.current()));
        let mut socket = Socket::new(stream, peer, tls.transpose()?.map(Box::new));
        let stream = socket.stream_mut();
        stream.prepare()?;
        let mut connections = self.connections.borrow_mut();
        let entry = connections.vacant_entry();
        let interest = Interest::READABLE | Interest::WRITABLE;
        self.poll
            .borrow()
            .registry()
            .register(stream, Token(entry.key()), interest)?;
        let limits = self.config.limits;
        let link = Link::new(
            socket,
            Guard::new(limits.of_heads()),
            Rc::clone(&self.scratch),
            ConnectionBodyRules::new(limits.body_bytes, self.config.body_rules.clone()),
            self.config.default_headers.clone(),
            self.config.error_bodies.clone(),
        );
        let slot = entry.key();
        let connection = Connection::new(Rc::new(link));
        let connection = entry.insert(Rc::new(connection));
        self.enqueue(slot, connection);
        Ok(())
    }

    /// Accepts the connections that wait in the kernel's queue. If the listener were closed first, the kernel would reset
    /// them.
    pub(crate) fn accept_waiting(&self) {
        let listener = self.listener.borrow();
        let Some(listener) = listener.as_ref() else {
            return;
        };
        // The limit is needed if new connections arrive faster than they are accepted.
        for _ in 0..self.config.backlog {
            if self.connections.borrow().len() >= self.connection_limit() {
                return;
            }
            match listener.accept() {
                Ok((stream, peer)) => drop(self.add(stream, peer)),
                Err(error)
                    if error.kind() == io::ErrorKind::WouldBlock || listener::is_exhaustion(&error) =>
                {
                    return;
                }
                Err(_) => {}
            }
        }
    }

    /// Closes the connections that have sent nothing until the end of [`ADOPTED_GRACE`].
    pub(crate) fn end_adopted_grace(&self) {
        if self
            .adopted_grace_end
            .get()
            .is_some_and(|end| end <= self.now.get())
        {
            self.adopted_grace_end.set(None);
            self.poll_all_again();
        }
    }

    /// Returns true if a connection must close after its current request, or immediately if it has no
    /// request.
    pub(crate) fn is_leaving(&self, connection: &Connection) -> bool {
        self.listener.borrow().is_none()
            && (self.adopted_grace_end.get().is_none() || connection.link.socket.borrow().has_received())
    }

    /// Polls every connection again, because data that the operating system has already received belongs to
    /// requests in progress. Connections without a request close.
    pub(crate) fn poll_all_again(&self) {
        for (slot, connection) in &*self.connections.borrow() {
            connection.link.socket.borrow_mut().assume_readable();
            self.enqueue(slot, connection);
        }
    }
}
