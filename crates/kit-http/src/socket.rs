//! A non-blocking stream that remembers its readiness, since the poller reports each change only once.

use std::io::{self, Read, Write};
use std::net::{Shutdown, SocketAddr};

use mio::event::Event;

use crate::stream::Stream;

/// A connected stream. Calls that cannot make progress answer `WouldBlock` without a system call.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: Stream,
    /// Nothing where the stream is a Unix one.
    peer: Option<SocketAddr>,
    readable: bool,
    writable: bool,
    /// The peer has closed its side; reading will end, and no further event will say so.
    read_closed: bool,
    dead: bool,
    /// True if the system asks a silent peer now and then if it is still there.
    is_probing: bool,
    /// Grows with each byte that the system took.
    written: usize,
    /// True if the peer has sent anything yet.
    has_spoken: bool,
}

impl Socket {
    pub(crate) fn new(stream: Stream, peer: Option<SocketAddr>) -> Self {
        Self {
            stream,
            peer,
            readable: true,
            writable: true,
            read_closed: false,
            dead: false,
            is_probing: false,
            written: 0,
            has_spoken: false,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        &mut self.stream
    }

    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    pub(crate) fn note(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        self.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
        self.read_closed |= event.is_read_closed() || event.is_error();
        self.dead |= event.is_write_closed() || event.is_error();
    }

    /// Whether the peer has closed its side, by leaving or by a half-close; the two cannot be told apart.
    pub(crate) fn is_read_closed(&self) -> bool {
        self.read_closed
    }

    /// Has the system ask a silent peer now and then if it is still there. The connection is broken then if it is not.
    pub(crate) fn probe_peer(&mut self) {
        if !std::mem::replace(&mut self.is_probing, true) {
            self.stream.probe_peer();
        }
    }

    /// Whether the connection is broken in both directions.
    pub(crate) fn is_dead(&self) -> bool {
        self.dead
    }

    /// Whether there may be something to read.
    pub(crate) fn is_readable(&self) -> bool {
        self.readable
    }

    /// Has the next read ask the system, whatever the poller has reported so far.
    pub(crate) fn suspect_readable(&mut self) {
        self.readable = true;
    }

    /// Has the next write ask the system. It tells of room only when a good part of its buffer is free, for which a peer
    /// that reads slowly can take longer than anybody waits.
    pub(crate) fn suspect_writable(&mut self) {
        self.writable = true;
    }

    /// Tells how far writing has come: grows with each byte, and wraps around.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Has the system reset the connection when it is closed, in place of a proper end.
    pub(crate) fn reset_when_closed(&self) {
        self.stream.reset_when_closed();
    }

    /// True if the peer has sent anything yet.
    pub(crate) fn has_spoken(&self) -> bool {
        self.has_spoken
    }

    /// Returns true if the peer lets the socket's buffer stay full.
    pub(crate) fn is_write_blocked(&self) -> bool {
        !self.writable
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if !self.readable {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        loop {
            match self.stream.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.readable &= error.kind() != io::ErrorKind::WouldBlock;
                    return Err(error);
                }
                Ok(count) => {
                    // A short read has emptied the kernel's buffer, so another read would be wasted: what arrives later
                    // is a new event. Only the end of the stream may already have been reported.
                    self.readable = count == buffer.len() || self.read_closed;
                    self.has_spoken |= count > 0;
                    return Ok(count);
                }
            }
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_with(|stream| stream.write(bytes))
    }

    pub(crate) fn write_vectored(&mut self, bytes: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.write_with(|stream| stream.write_vectored(bytes))
    }

    /// Tells the peer that no more will come.
    pub(crate) fn finish(&self) -> io::Result<()> {
        match self.stream.shutdown(Shutdown::Write) {
            // The peer was faster.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            other => other,
        }
    }

    fn write_with(&mut self, mut call: impl FnMut(&mut Stream) -> io::Result<usize>) -> io::Result<usize> {
        if !self.writable {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        loop {
            match call(&mut self.stream) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.writable &= error.kind() != io::ErrorKind::WouldBlock;
                    return Err(error);
                }
                Ok(count) => {
                    self.written = self.written.wrapping_add(count);
                    return Ok(count);
                }
            }
        }
    }
}
