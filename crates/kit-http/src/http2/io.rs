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

/// Maximum number of bytes that h2 reads in one round. h2 reads until the socket has no more, so that a client that sends faster than
/// h2 reads would keep the engine from all other clients.
const ROUND_BYTES: usize = 256 * 1024;

/// Round in which the engine polls a connection.
pub(crate) struct Round {
    /// Start of the engine's turn. Reading the clock for each call of h2 would cost more than the meter.
    now: Cell<Instant>,
    /// Number of bytes that h2 may still read in this round.
    left: Cell<usize>,
}

impl Round {
    pub(crate) fn new(now: Instant) -> Self {
        Self {
            now: Cell::new(now),
            left: Cell::new(ROUND_BYTES),
        }
    }

    /// Begins the next round.
    pub(crate) fn begin(&self, now: Instant) {
        self.now.set(now);
        self.left.set(ROUND_BYTES);
    }
}

/// The stream of a connection, as h2 reads and writes it. No wakers are stored, because the engine polls a connection whenever its
/// socket becomes ready.
pub(crate) struct MeteredIo {
    link: Rc<Link>,
    meter: Rc<RefCell<Meter>>,
    round: Rc<Round>,
}

impl MeteredIo {
    pub(crate) fn new(link: Rc<Link>, meter: Rc<RefCell<Meter>>, round: Rc<Round>) -> Self {
        Self { link, meter, round }
    }

    fn note_written(&self, count: usize, parts: &[IoSlice<'_>]) {
        let (mut meter, now) = (self.meter.borrow_mut(), self.round.now.get());
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
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        // h2 does not see the bytes of a flood.
        self.check()?;
        let left = self.round.left.get();
        if left == 0 {
            // The engine polls again, after other connections if this one has had all its rounds.
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        // The memory of h2 is not initialized. To fill it with zeros for each read would take longer than the copy.
        let mut scratch = self.link.scratch.borrow_mut();
        let room = buffer.remaining().min(scratch.len()).min(left);
        let count = match self.link.socket.borrow_mut().read(&mut scratch[..room]) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
            other => other?,
        };
        self.round.left.set(left - count);
        let now = self.round.now.get();
        self.meter.borrow_mut().receive(&scratch[..count], now);
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::io::Write as _;
    use std::net::TcpStream;
    use std::pin::Pin;
    use std::rc::Rc;
    use std::time::Instant;

    use kit_http2::{Meter, Timeouts};
    use tokio_io::io::{AsyncRead as _, ReadBuf};

    use super::{MeteredIo, ROUND_BYTES, Round};
    use crate::wake::WakeFlag;
    use crate::{Config, Engine, Handler, Request, RequestId};

    /// Beginning of a connection, and the head of a frame of 16 MiB.
    const BEGIN: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\xff\xff\xff\0\0\0\0\0\x01";

    struct Ignore;

    impl Handler for Ignore {
        fn request(&mut self, _: RequestId, _: &Request) {}
        fn aborted(&mut self, _: RequestId) {}
    }

    #[test]
    fn one_round_reads_a_bounded_number_of_bytes_of_a_client_that_always_sends() {
        let engine = Engine::bind(Config {
            host: Some("127.0.0.1".into()),
            ..Config::default()
        })
        .expect("binds");
        let mut client = TcpStream::connect(engine.local_addr().expect("an address")).expect("connects");
        client.set_nonblocking(true).expect("an option");
        engine.poll().expect("polls");
        engine.drive(&mut Ignore);
        let link = {
            let connections = engine.connections.borrow();
            let (_, connection) = connections.iter().next().expect("a connection");
            Rc::clone(&connection.link)
        };
        let now = Instant::now();
        let meter = Rc::new(RefCell::new(Meter::new(Timeouts::default(), now)));
        let round = Rc::new(Round::new(now));
        let mut io = MeteredIo::new(Rc::clone(&link), meter, Rc::clone(&round));
        let woken = WakeFlag::default();
        let mut space = vec![0; 16 * 1024];
        client.write_all(BEGIN).expect("writes");
        for _ in 0..3 {
            round.begin(now);
            woken.clear();
            let mut count = 0;
            while !woken.is_set() {
                while client.write(&space).is_ok() {}
                link.socket.borrow_mut().assume_readable();
                let mut buffer = ReadBuf::new(&mut space);
                let read = Pin::new(&mut io).poll_read(&mut woken.context(), &mut buffer);
                if read.is_ready() {
                    count += buffer.filled().len();
                }
                assert!(count < 10 * ROUND_BYTES, "the round does not end");
            }
            assert_eq!(count, ROUND_BYTES);
        }
    }
}
