//! Connections that have become WebSockets.

use std::cell::RefCell;
use std::collections::HashMap;
use std::io;
use std::rc::{Rc, Weak};

use kit_guard::Rejection;
use kit_websocket::{Close, Session};

use super::{Engine, Handler, SocketMessage, WriteResult};
use crate::connection::Connection;
use crate::link::Link;
use crate::request::RequestId;
use crate::response::Response;
use crate::response_error::ResponseError;
use crate::state::{ConnectionState, Outcome};
use crate::web_socket::{SocketOptions, WebSocket};

/// Error for bytes of a client that has not waited for the response to its handshake.
const EARLY_BYTES: Rejection = Rejection::bad_request("the client sent data before the end of the handshake");
/// Code and reason for the clients of a server that shuts down.
const GOING_AWAY: (u16, &str) = (1001, "the server shuts down");

/// Size of the read buffer. The messages of one read reach the handler even if the handler pauses the WebSocket meanwhile.
const READ_BYTES: usize = 64 * 1024;

/// WebSockets of an engine.
#[derive(Default)]
pub(super) struct Sockets {
    places: RefCell<HashMap<RequestId, Place>>,
    /// Read buffer. Callbacks run while it is in use, so that it must not be the buffer of other connections.
    buffer: RefCell<Vec<u8>>,
}

/// Place of a WebSocket in the engine.
struct Place {
    link: Weak<Link>,
    connection: usize,
}

impl Engine {
    /// Accepts a request as a WebSocket. The caller has checked the headers of the handshake, except for those that
    /// [`crate::Request::wants_socket`] checks. Until [`Handler::socket_closed`], the id of the request identifies the
    /// WebSocket.
    ///
    /// Returns false if the client has disconnected, or has not waited for the response and therefore gets the status 400.
    /// In this case, no callback is called for the WebSocket.
    ///
    /// # Errors
    ///
    /// Returns an error if the request is unknown, already has a response, or does not ask for a WebSocket.
    pub fn accept_socket(&self, id: RequestId, options: &SocketOptions) -> Result<bool, ResponseError> {
        let request = self.request(id).ok_or(ResponseError::UnknownRequest)?;
        if !request.wants_socket() {
            return Err(ResponseError::NoHandshake);
        }
        let (pending, link) = self.take(id)?;
        let Some(link) = link else {
            return Ok(false);
        };
        if link.has_bytes_after_request() {
            let mut response = Response::error(EARLY_BYTES, &link.error_bodies);
            response.close();
            self.answer(&link, pending, response, None);
            return Ok(false);
        }
        let compression = options.negotiate(&request);
        let mut session = Session::new(options.message_bytes, compression);
        session.write_head(&options.head(&request, compression, &link.defaults));
        let web_socket = WebSocket::new(id, session, options.ping_after);
        *link.state.borrow_mut() = ConnectionState::WebSocket(Box::new(web_socket));
        let place = Place {
            link: Rc::downgrade(&link),
            connection: pending.connection,
        };
        self.sockets.places.borrow_mut().insert(id, place);
        self.enqueue_slot(pending.connection);
        Ok(true)
    }

    /// Sends a message. The next [`Engine::drive`] writes the bytes of all messages together. Also accepts a message after
    /// [`WriteResult::Wait`].
    pub fn send_to_socket(&self, id: RequestId, message: &SocketMessage<'_>) -> WriteResult {
        let sent = self.with_socket(id, |web_socket| {
            web_socket
                .session
                .is_open()
                .then(|| web_socket.session.send(message))
        });
        match sent.flatten() {
            Some(true) => WriteResult::Ready,
            Some(false) => WriteResult::Wait,
            None => WriteResult::Closed,
        }
    }

    /// Sends a close frame after all messages, waits for the close frame of the client, and ends the connection. Has no
    /// effect if the WebSocket is closing or has ended.
    pub fn close_socket(&self, id: RequestId, code: u16, reason: &str) {
        self.with_socket(id, |web_socket| web_socket.session.close(code, reason));
    }

    /// Ends a connection without a close frame. The engine then calls [`Handler::socket_closed`].
    pub fn terminate_socket(&self, id: RequestId) {
        self.with_socket(id, |web_socket| web_socket.is_terminated = true);
    }

    /// Stops reading messages, so that they wait at the client.
    pub fn pause_socket(&self, id: RequestId) {
        self.with_socket(id, |web_socket| web_socket.is_paused = true);
    }

    /// Continues reading messages.
    pub fn resume_socket(&self, id: RequestId) {
        self.with_socket(id, |web_socket| web_socket.is_paused = false);
    }

    /// Calls a function with a WebSocket, whose connection is then polled.
    fn with_socket<T>(&self, id: RequestId, run: impl FnOnce(&mut WebSocket) -> T) -> Option<T> {
        let places = self.sockets.places.borrow();
        let place = places.get(&id)?;
        let result = place.link.upgrade()?.with_web_socket(run)?;
        self.enqueue_slot(place.connection);
        Some(result)
    }

    /// Polls a WebSocket from the engine's queue.
    pub(super) fn drive_socket(&self, slot: usize, connection: &Rc<Connection>, handler: &mut dyn Handler) {
        connection.leave_hyper();
        if self.is_leaving(connection) {
            let (code, reason) = GOING_AWAY;
            connection
                .link
                .with_web_socket(|web_socket| web_socket.session.close(code, reason));
        }
        let outcome = self.poll_socket(connection, handler);
        self.settle(slot, connection, outcome, handler);
    }

    /// Writes what waits for the client, and reads once.
    pub(super) fn poll_socket(&self, connection: &Connection, handler: &mut dyn Handler) -> Outcome {
        let link = &connection.link;
        let outcome = match self.write_and_read(link, handler) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Outcome::Waiting,
            Err(_) => return Outcome::Done,
            Ok(()) => Outcome::Again,
        };
        let Some((id, is_drained, end)) = link.with_web_socket(|web_socket| {
            let end = web_socket.session.end().cloned();
            (
                web_socket.id,
                web_socket.session.take_drain(),
                end.map(|end| (end, web_socket.session.output().to_vec())),
            )
        }) else {
            return outcome;
        };
        if let Some((Close { code, reason }, output)) = end {
            self.sockets.places.borrow_mut().remove(&id);
            let outcome = connection.linger(output, self.config.limits.discarded_bytes, &self.scratch);
            handler.socket_closed(id, code, &reason);
            return outcome;
        }
        if is_drained {
            handler.socket_drained(id);
        }
        outcome
    }

    /// Fails with `WouldBlock` if the connection must wait for its socket or its handler, and with another error if it has
    /// ended without a close frame.
    fn write_and_read(&self, link: &Link, handler: &mut dyn Handler) -> io::Result<()> {
        write_output(link)?;
        let read = self.read_messages(link, handler);
        // Most handlers respond later, and the next turn of the loop then writes all responses together.
        write_output(link)?;
        read
    }

    fn read_messages(&self, link: &Link, handler: &mut dyn Handler) -> io::Result<()> {
        let Some((id, holds_back)) =
            link.with_web_socket(|web_socket| (web_socket.id, web_socket.holds_back()))
        else {
            return Ok(());
        };
        if holds_back {
            link.socket.borrow_mut().probe_peer();
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let mut buffer = self.sockets.buffer.borrow_mut();
        buffer.resize(READ_BYTES, 0);
        let count = link.socket.borrow_mut().read(&mut buffer)?;
        if count == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        link.with_web_socket(|web_socket| web_socket.note_received(count));
        let mut start = 0;
        while start < count {
            let bytes = &mut buffer[start..count];
            let received = link.with_web_socket(|web_socket| {
                (!web_socket.is_terminated).then(|| web_socket.session.receive(bytes))
            });
            let Some(received) = received.flatten() else {
                break;
            };
            start += received.taken;
            if let Some(message) = received.message {
                handler.socket_message(id, message);
            }
        }
        Ok(())
    }

    /// Notifies the handler that a WebSocket has ended without a close frame, because its connection was closed.
    pub(super) fn abort_socket(&self, connection: &Connection, handler: &mut dyn Handler) {
        let Some(id) = connection.link.with_web_socket(|web_socket| web_socket.id) else {
            return;
        };
        if self.sockets.places.borrow_mut().remove(&id).is_some() {
            let Close { code, reason } = Close::abnormal();
            handler.socket_closed(id, code, &reason);
        }
    }
}

/// Writes the output of a WebSocket until the socket accepts no more. Fails if the connection has ended.
fn write_output(link: &Link) -> io::Result<()> {
    let mut socket = link.socket.borrow_mut();
    if socket.is_broken() {
        return Err(io::ErrorKind::BrokenPipe.into());
    }
    socket.flush()?;
    let written = link.with_web_socket(|web_socket| {
        if web_socket.is_terminated {
            return Err(io::ErrorKind::ConnectionAborted.into());
        }
        while !web_socket.session.output().is_empty() {
            match socket.write(web_socket.session.output()) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => web_socket.session.advance(count),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    });
    written.unwrap_or(Ok(()))
}
