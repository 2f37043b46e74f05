//! The socket as h2 sees it. The meter follows all bytes.

use std::cell::{Cell, RefCell};
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::Instant;

use kit_http2::Meter;
use tokio_io::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::link::Link;
use crate::socket::ready_unless_blocked;

/// The stream of a connection, as h2 reads and writes it. No wakers are stored, because the engine polls a connection whenever its
/// socket becomes ready.
pub(crate) struct MeteredIo {
    link: Rc<Link>,
    meter: Rc<RefCell<Meter>>,
    /// Time of the engine's turn. Reading the clock for each call of h2 would cost more than the meter.
    now: Rc<Cell<Instant>>,
}

impl MeteredIo {
    pub(crate) fn new(link: Rc<Link>, meter: Rc<RefCell<Meter>>, now: Rc<Cell<Instant>>) -> Self {
        Self { link, meter, now }
    }

    fn note_written(&self, count: usize, parts: &[IoSlice<'_>]) {
        let (mut meter, now) = (self.meter.borrow_mut(), self.now.get());
        let mut left = count;
        for part in parts {
            let written = left.min(part.len());
            meter.write(&part[..written], now);
            left -= written;
        }
    }

    /// Returns an error if the meter ends the connection, so that h2 writes nothing more.
    fn check(&self) -> io::Result<()> {
        match self.meter.borrow().end() {
            Some(_) => Err(io::ErrorKind::ConnectionAborted.into()),
            None => Ok(()),
        }
    }
}

impl AsyncRead for MeteredIo {
    fn poll_read(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // h2 does not see the bytes of a flood.
        self.check()?;
        // The memory of h2 is not initialized. To fill it with zeros for each read would take longer than the copy.
        let mut scratch = self.link.scratch.borrow_mut();
        let room = buffer.remaining().min(scratch.len());
        let count = match self.link.socket.borrow_mut().read(&mut scratch[..room]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            other => other?,
        };
        self.meter.borrow_mut().receive(&scratch[..count], self.now.get());
        self.check()?;
        buffer.put_slice(&scratch[..count]);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MeteredIo {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        let written = self.link.socket.borrow_mut().write_later(parts);
        if let Ok(count) = written {
            self.note_written(count, parts);
        }
        ready_unless_blocked(written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The engine sends the bytes that wait after it has polled h2: h2 flushes after each frame of a larger response.
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The sending side stays open, because the engine must still write the reason of the meter.
        self.check()?;
        ready_unless_blocked(self.link.socket.borrow_mut().finish())
    }
}
