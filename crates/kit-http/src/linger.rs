//! Closes a connection whose client may still be sending.
//!
//! If a server closes a socket while bytes arrive for it, the operating system resets the connection. A reset
//! destroys a response that the client has not read yet. So the engine writes its response, closes its sending side,
//! and discards what arrives until the client has closed the connection, too. The number of discarded bytes, the time
//! and the number of such connections are limited.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::{Rc, Weak};

use crate::connection::{Connection, Outcome};
use crate::link::Link;

/// State of a connection that writes a last response and then discards bytes.
#[derive(Debug)]
pub(crate) struct Linger {
    /// Response to write; empty if hyper has written the response.
    message: Vec<u8>,
    written: usize,
    finished: bool,
    discarded: usize,
    limit: usize,
}

impl Linger {
    pub(crate) fn new(message: Vec<u8>, limit: usize) -> Self {
        Self {
            message,
            written: 0,
            finished: false,
            discarded: 0,
            limit,
        }
    }

    /// Returns a number that grows with each byte that is written or discarded.
    pub(crate) fn progress(&self) -> usize {
        self.written + self.discarded
    }

    /// Reads or writes once. Other connections get their turn after that, even if the client sends faster than the
    /// engine reads.
    pub(crate) fn poll(&mut self, link: &Link, scratch: &mut [u8]) -> Outcome {
        match self.step(link, scratch) {
            Ok(true) => Outcome::Again,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Outcome::Waiting,
            Ok(false) | Err(_) => Outcome::Done,
        }
    }

    /// Writes what is missing of the response, then reads and discards once. Returns true if there may be more to do.
    fn step(&mut self, link: &Link, scratch: &mut [u8]) -> io::Result<bool> {
        let mut socket = link.socket.borrow_mut();
        while self.written < self.message.len() {
            match socket.write(&self.message[self.written..])? {
                0 => return Ok(false),
                count => self.written += count,
            }
        }
        if !self.finished {
            socket.finish()?;
            self.finished = true;
        }
        let count = socket.read(scratch)?;
        self.discarded = self.discarded.saturating_add(count);
        Ok(count > 0 && self.discarded < self.limit)
    }
}

/// List of the connections that discard bytes, the oldest first.
#[derive(Default)]
pub(crate) struct Lingering(RefCell<VecDeque<(usize, Weak<Connection>)>>);

impl Lingering {
    /// Adds a connection. If the list then has more than `limit` connections, removes and returns the oldest one.
    pub(crate) fn add(
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
