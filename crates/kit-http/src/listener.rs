//! Binds and accepts.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use mio::net::TcpListener;
use socket2::{Domain, Protocol, Socket, Type};

/// Length of the kernel's queue of connections not yet accepted; the kernel shortens it to its own limit.
const BACKLOG: i32 = 4096;

/// Binds a host, or every address of both families.
pub(crate) fn bind(host: Option<&str>, port: u16) -> io::Result<TcpListener> {
    let Some(host) = host else {
        // One socket for both families, where the machine has IPv6.
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

fn bind_address(address: SocketAddr, dual_stack: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    if address.is_ipv6() {
        socket.set_only_v6(!dual_stack)?;
    }
    // A restarted server takes its port back from connections that still linger. Elsewhere than on Unix the option
    // would let two servers share a port.
    #[cfg(unix)]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(TcpListener::from_std(socket.into()))
}

fn no_ipv6(error: &io::Error) -> bool {
    // EAFNOSUPPORT has no kind of its own.
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(97)
}

/// Whether accepting failed for want of descriptors or memory, so that trying again at once would spin.
pub(crate) fn is_exhaustion(error: &io::Error) -> bool {
    // ENOMEM, ENFILE, EMFILE, ENOBUFS (Linux, macOS).
    matches!(error.raw_os_error(), Some(12 | 23 | 24 | 55 | 105))
}
