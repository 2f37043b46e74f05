//! Connected streams of both kinds: TCP and Unix.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::time::Duration;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use socket2::{SockRef, TcpKeepalive};

/// Time without data after which the operating system checks if the client is still there.
const SILENCE: Duration = Duration::from_secs(30);

/// A connected, non-blocking stream.
#[derive(Debug)]
pub(crate) enum Stream {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Stream {
    /// Sets the socket options that the engine needs.
    pub(crate) fn prepare(&self) -> io::Result<()> {
        match self {
            // Responses are written with one call. Waiting for more data to fill a packet would only delay them.
            Self::Tcp(stream) => stream.set_nodelay(true),
            Self::Unix(_) => Ok(()),
        }
    }

    /// Makes the operating system reset the connection when it is closed. Has no effect on a Unix socket.
    pub(crate) fn reset_when_closed(&self) {
        if let Self::Tcp(stream) = self {
            // Fails only if the client has disconnected.
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Enables checks if a silent client is still there (TCP keep-alive). The operating system of a client that has
    /// disconnected responds to a check with a reset, after it has forgotten the connection within about a minute. Unix
    /// sockets do not need this option.
    pub(crate) fn probe_peer(&self) {
        if let Self::Tcp(stream) = self {
            let probes = TcpKeepalive::new().with_time(SILENCE);
            // Fails only if the client has disconnected.
            let _ = SockRef::from(stream).set_tcp_keepalive(&probes);
        }
    }

    pub(crate) fn shutdown(&self, how: Shutdown) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.shutdown(how),
            Self::Unix(stream) => stream.shutdown(how),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.read(buffer),
            Self::Unix(stream) => stream.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write(bytes),
            Self::Unix(stream) => stream.write(bytes),
        }
    }

    fn write_vectored(&mut self, bytes: &[IoSlice<'_>]) -> io::Result<usize> {
        match self {
            Self::Tcp(stream) => stream.write_vectored(bytes),
            Self::Unix(stream) => stream.write_vectored(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        // There is nothing to flush, because streams have no write buffer.
        Ok(())
    }
}

impl Source for Stream {
    fn register(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.register(registry, token, interests),
            Self::Unix(stream) => stream.register(registry, token, interests),
        }
    }

    fn reregister(&mut self, registry: &Registry, token: Token, interests: Interest) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.reregister(registry, token, interests),
            Self::Unix(stream) => stream.reregister(registry, token, interests),
        }
    }

    fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        match self {
            Self::Tcp(stream) => stream.deregister(registry),
            Self::Unix(stream) => stream.deregister(registry),
        }
    }
}
