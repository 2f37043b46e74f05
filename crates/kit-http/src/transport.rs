//! A non-blocking stream with its readiness. The readiness is stored, because the poller reports each change only once.

use std::io::{self, Read, Write};
use std::net::Shutdown;

use mio::event::Event;

use crate::stream::Stream;

/// A connected stream. Calls that cannot make progress return `WouldBlock` without a system call.
#[derive(Debug)]
pub(crate) struct Transport {
    pub(crate) stream: Stream,
    readable: bool,
    writable: bool,
    /// True if the client has closed its sending side. The next reads return the rest of the data and then
    /// its end, without further events of the operating system.
    read_closed: bool,
    broken: bool,
    /// True if the operating system regularly checks if a silent client is still there (TCP keep-alive).
    is_probing: bool,
    /// Number that grows with each byte that the operating system accepted.
    written: usize,
}

impl Transport {
    pub(crate) fn new(stream: Stream) -> Self {
        Self {
            stream,
            readable: true,
            writable: true,
            read_closed: false,
            broken: false,
            is_probing: false,
            written: 0,
        }
    }

    pub(crate) fn record_event(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_read_closed() || event.is_error();
        self.writable |= event.is_writable() || event.is_write_closed() || event.is_error();
        self.read_closed |= event.is_read_closed() || event.is_error();
        self.broken |= event.is_write_closed() || event.is_error();
    }

    /// Returns true if the client has closed its sending side.
    pub(crate) fn is_read_closed(&self) -> bool {
        self.read_closed
    }

    /// Enables regular checks by the operating system if a silent client is still there.
    pub(crate) fn probe_peer(&mut self) {
        if !std::mem::replace(&mut self.is_probing, true) {
            self.stream.probe_peer();
        }
    }

    /// Returns true if the connection is broken in both directions.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns true if there may be data to read.
    pub(crate) fn is_readable(&self) -> bool {
        self.readable
    }

    /// Makes the next read call the operating system, even if the poller has not reported data.
    pub(crate) fn assume_readable(&mut self) {
        self.readable = true;
    }

    /// Makes the next write call the operating system, even if the poller has not reported free space.
    pub(crate) fn assume_writable(&mut self) {
        self.writable = true;
    }

    /// Returns a number that grows with each written byte. After the greatest number, it starts again at 0.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    /// Returns true if the send buffer of the socket is full.
    pub(crate) fn is_write_blocked(&self) -> bool {
        !self.writable
    }

    /// Closes the sending side.
    pub(crate) fn finish(&self) -> io::Result<()> {
        match self.stream.shutdown(Shutdown::Write) {
            // The client has already closed the connection.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Ok(()),
            other => other,
        }
    }

    fn write_with(&mut self, mut call: impl FnMut(&mut Stream) -> io::Result<usize>) -> io::Result<usize> {
        if !self.writable {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        loop {
            #[cfg(test)]
            tests::WRITES.set(tests::WRITES.get() + 1);
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

impl Read for Transport {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
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
                    // A read that does not fill the buffer has read all available data, and new data causes a new
                    // event. Only the end of the stream may not cause another event.
                    self.readable = count == buffer.len() || self.read_closed;
                    return Ok(count);
                }
            }
        }
    }
}

impl Write for Transport {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_with(|stream| stream.write(bytes))
    }

    fn write_vectored(&mut self, bytes: &[io::IoSlice<'_>]) -> io::Result<usize> {
        self.write_with(|stream| stream.write_vectored(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        // There is nothing to flush, because streams have no write buffer.
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::Cell;

    thread_local! {
        /// Number of writes to the operating system on this thread.
        pub(crate) static WRITES: Cell<usize> = const { Cell::new(0) };
    }
}
