//! Bytes that the engine sends past hyper: responses of the fast path, and chunks of streams.
//!
//! A client that sends its next requests before it gets its response (pipelining) gets several responses with one write: the
//! engine holds a response back while more complete requests of the client wait in memory. [`crate::Engine::flush`] and the next
//! [`crate::Engine::drive`] in which the connection has no new response send the responses that are held back.

use std::io::{self, Write as _};

use crate::link::Link;
use crate::request::RequestId;
use crate::state::ConnectionState;

/// Number of bytes from which on the engine holds no further response back.
pub(crate) const MAX_HELD: usize = 64 * 1024;
/// Maximum size of a chunk that is written past hyper, which copies the chunk. hyper writes larger chunks without a copy.
const DIRECT_CHUNK: usize = 16 * 1024;

impl Link {
    /// Sends bytes after all bytes that wait. If `is_held` is true, the bytes wait until [`Self::flush`].
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is broken.
    pub(crate) fn send(&self, bytes: &[u8], is_held: bool) -> io::Result<()> {
        let mut unsent = self.unsent.borrow_mut();
        let mut sent = 0;
        if unsent.is_empty() && !is_held {
            sent = match self.socket.borrow_mut().write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
                other => other?,
            };
        }
        unsent.extend_from_slice(&bytes[sent..]);
        Ok(())
    }

    /// Sends the bytes that wait. Returns true if none waits any more, and false if the socket accepts no more.
    ///
    /// # Errors
    ///
    /// Returns an error if the connection is broken.
    pub(crate) fn flush(&self) -> io::Result<bool> {
        let mut unsent = self.unsent.borrow_mut();
        if unsent.is_empty() {
            return Ok(true);
        }
        let mut socket = self.socket.borrow_mut();
        let mut sent = 0;
        let result = loop {
            if sent == unsent.len() {
                break Ok(true);
            }
            match socket.write(&unsent[sent..]) {
                Ok(0) => break Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => sent += count,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break Ok(false),
                Err(error) => break Err(error),
            }
        };
        if sent == unsent.len() {
            // Free the buffer, because few clients need it.
            *unsent = Vec::new();
        } else {
            unsent.drain(..sent);
        }
        result
    }

    /// Returns true if bytes wait until they are sent.
    pub(crate) fn has_unsent(&self) -> bool {
        !self.unsent.borrow().is_empty()
    }

    /// Returns true if the fast path may hold another response back.
    pub(crate) fn can_hold(&self) -> bool {
        self.unsent.borrow().len() < MAX_HELD && !self.socket.borrow().is_write_blocked()
    }

    /// Removes the bytes that wait.
    pub(crate) fn take_unsent(&self) -> Vec<u8> {
        std::mem::take(&mut *self.unsent.borrow_mut())
    }

    /// Writes a chunk of the response to the socket, in the chunked coding. The caller has checked that hyper has written all
    /// earlier bytes. Returns the number of bytes that wait until the socket accepts more, or `None` if hyper must write the
    /// chunk.
    pub(crate) fn write_chunk(&self, id: RequestId, chunk: &[u8]) -> Option<usize> {
        let is_streaming = matches!(*self.state.borrow(), ConnectionState::Streaming(found) if found == id);
        if !is_streaming || chunk.is_empty() || chunk.len() > DIRECT_CHUNK {
            return None;
        }
        // The socket and the buffer are in use only while hyper reads or writes.
        let mut socket = self.socket.try_borrow_mut().ok()?;
        let mut scratch = self.scratch.try_borrow_mut().ok()?;
        if socket.is_write_blocked() || socket.is_broken() {
            return None;
        }
        let mut out = io::Cursor::new(&mut scratch[..]);
        write!(out, "{:X}\r\n", chunk.len()).ok()?;
        out.write_all(chunk).ok()?;
        out.write_all(b"\r\n").ok()?;
        let end = usize::try_from(out.position()).ok()?;
        let written = match socket.write(&scratch[..end]) {
            Ok(written) => written,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            // hyper gets the same error and ends the connection.
            Err(_) => return None,
        };
        self.unsent.borrow_mut().extend_from_slice(&scratch[written..end]);
        Some(end - written)
    }
}
