//! Binds listening sockets and accepts connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use mio::event::Source;
use mio::net::TcpListener;
use mio::{Interest, Registry, Token};
use socket2::{Domain, Protocol, Socket, Type};

use crate::config::Config;
use crate::stream::Stream;
use crate::unix_listener::UnixListener;

/// A listening socket.
#[derive(Debug)]
pub(crate) enum Listener {
    Tcp(TcpListener),
    Unix(UnixListener),
}

impl Listener {
    pub(crate) fn bind(config: &Config) -> io::Result<Self> {
        if let Some(path) = &config.path {
            return UnixListener::bind(path, config.backlog).map(Self::Unix);
        }
        bind(config.host.as_deref(), config.port, |address, dual_stack| {
            listen(address, dual_stack, config)
        })
        .map(Self::Tcp)
    }

    /// Accepts the next connection. For TCP, also returns the address of the client.
    pub(crate) fn accept(&self) -> io::Result<(Stream, Option<SocketAddr>)> {
        match self {
            Self::Tcp(listener) => listener
                .accept()
                .map(|(stream, peer)| (Stream::Tcp(stream), Some(peer))),
            Self::Unix(unix) => unix
                .listener
                .accept()
                .map(|(stream, _)| (Stream::Unix(stream), None)),
        }
    }

    /// Returns the address of the listener; `None` for a Unix socket.
    pub(crate) fn local_addr(&self) -> io::Result<Option<SocketAddr>> {
        match self {
            Self::Tcp(listener) => listener.local_addr().map(Some),
            Self::Unix(_) => Ok(None),
        }
    }

    pub(crate) fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        self.source().register(registry, token, Interest::READABLE)
    }

    pub(crate) fn deregister(&mut self, registry: &Registry) -> io::Result<()> {
        self.source().deregister(registry)
    }

    fn source(&mut self) -> &mut dyn Source {
        match self {
            Self::Tcp(listener) => listener,
            Self::Unix(unix) => &mut unix.listener,
        }
    }
}

/// Binds a host with `bind_address`, or all IPv6 and IPv4 addresses if `host` is `None`. The second argument
/// of `bind_address` is true if one socket must accept IPv6 and IPv4.
pub(crate) fn bind<T>(
    host: Option<&str>,
    port: u16,
    bind_address: impl Fn(SocketAddr, bool) -> io::Result<T>,
) -> io::Result<T> {
    let Some(host) = host else {
        // If the machine has IPv6, one socket accepts both IPv6 and IPv4.
        return match bind_address(SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)), true) {
            Err(error) if no_ipv6(&error) => {
                bind_address(SocketAddr::from((Ipv4Addr::UNSPECIFIED, port)), false)
            }
            other => other,
        };
    };
    let bare = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host);
    if let Ok(address) = bare.parse::<IpAddr>() {
        return bind_address(
            SocketAddr::new(address, port),
            address == IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        );
    }
    let mut last = io::Error::new(
        io::ErrorKind::AddrNotAvailable,
        format!("the host `{host}` has no address"),
    );
    for address in (host, port).to_socket_addrs()? {
        match bind_address(address, false) {
            Ok(listener) => return Ok(listener),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// Creates a TCP socket that is not bound yet.
pub(crate) fn socket_for(address: SocketAddr, dual_stack: bool) -> io::Result<Socket> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(!dual_stack)?;
    }
    Ok(socket)
}

fn listen(address: SocketAddr, dual_stack: bool, config: &Config) -> io::Result<TcpListener> {
    let socket = socket_for(address, dual_stack)?;
    // On Unix, a server that restarts can then bind its port although old connections are not closed completely. On
    // Windows, the option would let two servers use the same port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    #[cfg(unix)]
    socket.set_reuse_port(config.share_port)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(config.backlog).unwrap_or(i32::MAX))?;
    Ok(TcpListener::from_std(socket.into()))
}

fn no_ipv6(error: &io::Error) -> bool {
    // The error EAFNOSUPPORT on Linux, and on macOS and the BSDs. `ErrorKind` has no value for it.
    let unsupported = if cfg!(target_os = "linux") { 97 } else { 47 };
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(unsupported)
}

/// Returns true if the process or the operating system has no file descriptors or memory left, so that
/// another attempt to accept would fail too.
pub(crate) fn is_exhaustion(error: &io::Error) -> bool {
    // ENOMEM, ENFILE, EMFILE, ENOBUFS (Linux, macOS).
    matches!(error.raw_os_error(), Some(12 | 23 | 24 | 55 | 105))
}
