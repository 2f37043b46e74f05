//! Connected streams of both kinds: TCP and Unix.

use std::io::{self, IoSlice, Read, Write};
use std::net::Shutdown;
use std::time::Duration;

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};
use socket2::{SockRef, TcpKeepalive};

/// Time of silence after which the system checks if the peer is still there.
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
            // Responses are written in one piece, so waiting to fill a packet would only delay them.
            Self::Tcp(stream) => stream.set_nodelay(true),
            Self::Unix(_) => Ok(()),
        }
    }

    /// Makes the system reset the connection when it is closed. Has no effect on a Unix stream.
    pub(crate) fn reset_when_closed(&self) {
        if let Self::Tcp(stream) = self {
            // Fails only if the peer is gone.
            let _ = SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Enables checks of a silent peer (TCP keep-alive). If a peer has closed both sides, its system forgets the
    /// connection within about a minute and then responds to a check with a reset. Unix streams have no such option and
    /// do not need it.
    pub(crate) fn probe_peer(&self) {
        if let Self::Tcp(stream) = self {
            let probes = TcpKeepalive::new().with_time(SILENCE);
            // Fails only if the peer is gone.
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
        // Streams have no write buffer.
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
