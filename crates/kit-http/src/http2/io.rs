//! The socket as h2 sees it. The meter follows all bytes.

use std::cell::RefCell;
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
}

impl MeteredIo {
    pub(crate) fn new(link: Rc<Link>, meter: Rc<RefCell<Meter>>) -> Self {
        Self { link, meter }
    }

    fn note_written(&self, count: usize, parts: &[IoSlice<'_>]) {
        let (mut meter, now) = (self.meter.borrow_mut(), Instant::now());
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
        let space = buffer.initialize_unfilled();
        let count = match self.link.socket.borrow_mut().read(space) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            other => other?,
        };
        let mut meter = self.meter.borrow_mut();
        meter.receive(&space[..count], Instant::now());
        drop(meter);
        self.check()?;
        buffer.advance(count);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for MeteredIo {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.check()?;
        let written = self.link.socket.borrow_mut().write(bytes);
        if let Ok(count) = written {
            self.note_written(count, &[IoSlice::new(bytes)]);
        }
        ready_unless_blocked(written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check()?;
        let written = self.link.socket.borrow_mut().write_vectored(parts);
        if let Ok(count) = written {
            self.note_written(count, parts);
        }
        ready_unless_blocked(written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The engine sends encrypted bytes that wait.
        Poll::Ready(self.link.socket.borrow_mut().flush())
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The sending side stays open, because the engine must still write the reason of the meter.
        self.check()?;
        ready_unless_blocked(self.link.socket.borrow_mut().finish())
    }
}
