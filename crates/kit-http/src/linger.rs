//! The end of a connection whose peer may still be sending.
//!
//! Closing a socket while bytes for it arrive resets it, and a reset takes the answer from a peer that has not read it
//! yet. So the engine says what it has to say, closes its own half, and throws away what comes until the peer has closed
//! its half too, within bounds: of bytes, of time, and of connections that are treated so at once.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::io;
use std::rc::{Rc, Weak};

use crate::connection::{Connection, Outcome};
use crate::link::Link;

/// What is left to write and how much may yet come.
#[derive(Debug)]
pub(crate) struct Linger {
    /// Empty where hyper has written the answer.
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

    /// Grows with each byte that goes either way.
    pub(crate) fn progress(&self) -> usize {
        self.written + self.discarded
    }

    /// Makes one step, so that a peer that sends faster than it is read keeps nobody waiting.
    pub(crate) fn poll(&mut self, link: &Link, scratch: &mut [u8]) -> Outcome {
        match self.step(link, scratch) {
            Ok(true) => Outcome::Again,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Outcome::Waiting,
            Ok(false) | Err(_) => Outcome::Done,
        }
    }

    /// Answers whether there is more to do.
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

/// The connections that linger, in the order in which they began to.
#[derive(Default)]
pub(crate) struct Lingering(RefCell<VecDeque<(usize, Weak<Connection>)>>);

impl Lingering {
    /// Takes note of one more; answers the one that has lingered longest where there are now more than `limit`.
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
        // Most have ended by themselves.
        list.retain(|(_, connection)| connection.strong_count() > 0);
        if list.len() <= limit {
            return None;
        }
        let (slot, oldest) = list.pop_front()?;
        Some((slot, oldest.upgrade()?))
    }
}
