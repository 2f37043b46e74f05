//! Closes a connection whose client may still be sending.
//!
//! If a server closes a socket while bytes arrive for it, the operating system resets the connection. A reset
//! destroys a response that the client has not read yet. So the engine writes its response, closes its sending side,
//! and discards what arrives until the client has closed the connection, too. The number of discarded bytes, the time
//! and the number of such connections are limited.

use std::io;
use std::time::Instant;

use crate::socket::Socket;

/// State of a connection that writes a last response and then discards bytes.
#[derive(Debug)]
pub(crate) struct Linger {
    /// Response to write; empty if hyper has written the response. `None` after the sending side is closed.
    message: Option<Vec<u8>>,
    written: usize,
    discarded: usize,
    limit: usize,
    /// Time at which the engine stops discarding bytes, even if the client continues to send. `None` until the first
    /// deadline is set.
    pub(crate) until: Option<Instant>,
}

impl Linger {
    pub(crate) fn new(message: Vec<u8>, limit: usize) -> Self {
        Self {
            message: Some(message),
            written: 0,
            discarded: 0,
            limit,
            until: None,
        }
    }

    /// Returns true if the response is written and the sending side is closed.
    pub(crate) fn is_finished(&self) -> bool {
        self.message.is_none()
    }

    /// Returns a number that grows with each byte that is written or discarded.
    pub(crate) fn progress(&self) -> usize {
        self.written + self.discarded
    }

    /// Writes the rest of the response, then reads and discards bytes once. Returns true if there may be more
    /// to do. Other connections then get their turn, even if the client sends faster than the engine reads.
    pub(crate) fn poll(&mut self, socket: &mut Socket, scratch: &mut [u8]) -> io::Result<bool> {
        if let Some(message) = &self.message {
            while self.written < message.len() {
                match socket.write(&message[self.written..])? {
                    0 => return Ok(false),
                    count => self.written += count,
                }
            }
            socket.finish()?;
            self.message = None;
        }
        let count = socket.read(scratch)?;
        self.discarded = self.discarded.saturating_add(count);
        Ok(count > 0 && self.discarded < self.limit)
    }
}
