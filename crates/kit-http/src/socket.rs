//! The socket of a connection, with or without TLS.

use std::io::{self, Read as _, Write as _};
use std::net::SocketAddr;
use std::task::Poll;

use mio::event::Event;

use crate::stream::Stream;
use crate::tls::Tls;
use crate::transport::Transport;

/// A connected socket. Calls that cannot make progress return `WouldBlock` without a system call.
#[derive(Debug)]
pub(crate) struct Socket {
    transport: Transport,
    /// Encryption of the connection; `None` for a connection without TLS.
    tls: Option<Box<Tls>>,
    /// Address of the client; `None` for a Unix socket.
    peer: Option<SocketAddr>,
    /// True if the client has sent any data. Bytes of a TLS handshake are not counted.
    has_received: bool,
}

impl Socket {
    pub(crate) fn new(stream: Stream, peer: Option<SocketAddr>, tls: Option<Box<Tls>>) -> Self {
        Self {
            transport: Transport::new(stream),
            tls,
            peer,
            has_received: false,
        }
    }

    pub(crate) fn stream_mut(&mut self) -> &mut Stream {
        &mut self.transport.stream
    }

    pub(crate) fn peer(&self) -> Option<SocketAddr> {
        self.peer
    }

    pub(crate) fn record_event(&mut self, event: &Event) {
        self.transport.record_event(event);
    }

    /// Returns true if the client has closed its sending side. The client may have disconnected, or may wait for a
    /// response. The socket cannot distinguish these two cases.
    pub(crate) fn is_read_closed(&self) -> bool {
        self.transport.is_read_closed()
    }

    /// Enables regular checks by the operating system if a silent client is still there. If it is not, the
    /// connection breaks.
    pub(crate) fn probe_peer(&mut self) {
        self.transport.probe_peer();
    }

    /// Returns true if the connection is broken in both directions.
    pub(crate) fn is_broken(&self) -> bool {
        self.transport.is_broken()
    }

    /// Returns true if there may be data to read. The poller does not report bytes that are decrypted already.
    pub(crate) fn is_readable(&self) -> bool {
        self.transport.is_readable() || self.tls.as_ref().is_some_and(|tls| tls.has_decrypted())
    }

    /// Makes the next read call the operating system, even if the poller has not reported data.
    pub(crate) fn assume_readable(&mut self) {
        self.transport.assume_readable();
    }

    /// Makes the next write call the operating system, even if it has not reported free space: it reports
    /// free space only when a large part of its buffer is free. For a client that reads slowly, this can take
    /// longer than the write timeout.
    pub(crate) fn assume_writable(&mut self) {
        self.transport.assume_writable();
    }

    /// Returns a number that grows with each byte that the operating system accepts. After the greatest number, it starts
    /// again at 0.
    pub(crate) fn written(&self) -> usize {
        self.transport.written()
    }

    /// Makes the operating system reset the connection when it is closed.
    pub(crate) fn reset_when_closed(&self) {
        self.transport.stream.reset_when_closed();
    }

    /// Returns true if the client has sent any data.
    pub(crate) fn has_received(&self) -> bool {
        self.has_received
    }

    /// Returns true if the send buffer of the socket is full.
    pub(crate) fn is_write_blocked(&self) -> bool {
        self.transport.is_write_blocked()
    }

    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = match &mut self.tls {
            None => self.transport.read(buffer),
            Some(tls) => tls.read(&mut self.transport, buffer),
        };
        self.has_received |= matches!(read, Ok(count) if count > 0);
        read
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.transport.write(bytes),
            Some(tls) => tls.write(&mut self.transport, |writer| writer.write(bytes)),
        }
    }

    pub(crate) fn write_vectored(&mut self, bytes: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.transport.write_vectored(bytes),
            Some(tls) => tls.write(&mut self.transport, |writer| writer.write_vectored(bytes)),
        }
    }

    /// Writes bytes that may wait until the next [`Socket::flush`], so that one call of the operating system sends the bytes of several
    /// writes. Bytes wait only with TLS.
    pub(crate) fn write_later(&mut self, parts: &[io::IoSlice<'_>]) -> io::Result<usize> {
        match &mut self.tls {
            None => self.transport.write_vectored(parts),
            Some(tls) => tls.write_later(&mut self.transport, |writer| writer.write_vectored(parts)),
        }
    }

    /// Writes the encrypted bytes that wait until the operating system accepts them. Fails if the connection has ended.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        let Some(tls) = &mut self.tls else {
            return Ok(());
        };
        match tls.flush(&mut self.transport) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            other => other,
        }
    }

    /// Returns true if encrypted bytes wait until the operating system accepts them. A connection without TLS has no such
    /// bytes.
    pub(crate) fn has_unsent(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.has_unsent())
    }

    /// Returns true if the TLS handshake is not complete.
    pub(crate) fn is_handshaking(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_handshaking())
    }

    /// Continues the TLS handshake as far as possible without waiting. Returns true if the handshake is now complete, and client and
    /// server have agreed on HTTP/2.
    pub(crate) fn shake_hands(&mut self, space: &mut [u8]) -> bool {
        let Some(tls) = &mut self.tls else { return false };
        tls.shake_hands(&mut self.transport, space);
        !tls.is_handshaking() && tls.is_http2()
    }

    /// Returns true if the client has begun a TLS handshake that is not complete.
    pub(crate) fn is_in_handshake(&self) -> bool {
        self.tls.as_ref().is_some_and(|tls| tls.is_in_handshake())
    }

    /// Returns the verified certificate of the client in DER.
    pub(crate) fn client_certificate(&self) -> Option<&[u8]> {
        self.tls.as_ref()?.client_certificate()
    }

    /// Closes the sending side. With TLS, tells the client before that the data is complete. Fails with `WouldBlock` if bytes
    /// wait until the operating system accepts them. The caller then tries again.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match &mut self.tls {
            None => self.transport.finish(),
            Some(tls) => tls.finish(&mut self.transport),
        }
    }

    /// Tells a TLS client that the data is complete, before the connection is closed. Has no effect without TLS.
    pub(crate) fn announce_end(&mut self) {
        if let Some(tls) = &mut self.tls {
            tls.announce_end(&mut self.transport);
        }
    }

    /// Returns the reason why the TLS handshake failed. Returns each reason only once.
    ///
    /// If the client has sent HTTP without TLS, the socket continues without TLS, so that the client can get a response.
    pub(crate) fn take_handshake_failure(&mut self) -> Option<HandshakeFailure> {
        let tls = self.tls.as_mut()?;
        let reason = tls.take_handshake_failure()?;
        if tls.is_http() {
            self.tls = None;
            return Some(HandshakeFailure::HttpWithoutTls);
        }
        Some(HandshakeFailure::Tls(reason))
    }
}

/// Reason why a TLS handshake failed.
#[derive(Debug)]
pub(crate) enum HandshakeFailure {
    /// The client has sent an HTTP request without TLS.
    HttpWithoutTls,
    /// TLS has refused the client, for this reason.
    Tls(&'static str),
}

/// Makes an operation wait that the socket blocks.
pub(crate) fn ready_unless_blocked<T>(result: io::Result<T>) -> Poll<io::Result<T>> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        other => Poll::Ready(other),
    }
}
