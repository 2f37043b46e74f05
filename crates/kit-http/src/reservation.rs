//! Reserves a port for several processes that will listen on it together.

use std::io;
use std::net::SocketAddr;

use socket2::Socket;

use crate::listener;

/// Reservation of a port. While it exists, only engines with [`crate::Config::share_port`] can listen on the port. The
/// reservation accepts no connections.
///
/// With `SO_REUSEPORT` alone, two applications of the same user could share a port by mistake. The port is
/// first bound without this option, which fails if another process listens on it, and then opened for
/// sharing.
///
/// ```
/// use kit_http::{Config, Engine, Reservation};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let reservation = Reservation::new(Some("127.0.0.1"), 0)?;
/// let port = reservation.local_addr().port();
/// assert!(Reservation::new(Some("127.0.0.1"), port).is_err());
///
/// let config = Config { host: Some("127.0.0.1".into()), port, share_port: true, ..Config::default() };
/// let (first, second) = (Engine::bind(config.clone())?, Engine::bind(config)?);
/// # drop((first, second));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Reservation {
    /// Socket that is bound to the port but does not listen.
    _socket: Socket,
    address: SocketAddr,
}

impl Reservation {
    /// Reserves a port of a host, or of all addresses if `host` is `None`. Port 0 reserves a free port.
    ///
    /// # Errors
    ///
    /// Returns an error if another process listens on the port or has reserved it, or if the address cannot be bound.
    pub fn new(host: Option<&str>, port: u16) -> io::Result<Self> {
        let socket = listener::bind(host, port, reserve)?;
        let address = socket
            .local_addr()?
            .as_socket()
            .ok_or_else(|| io::Error::new(io::ErrorKind::AddrNotAvailable, "the socket has no address"))?;
        Ok(Self {
            _socket: socket,
            address,
        })
    }

    /// Returns the reserved address with its port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }
}

fn reserve(address: SocketAddr, dual_stack: bool) -> io::Result<Socket> {
    let strict = listener::socket_for(address, dual_stack)?;
    let socket = match strict.bind(&address.into()) {
        Ok(()) => strict,
        // The cause may only be old connections that are not closed completely. If another process listens on the
        // port, the second attempt fails, too.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let lenient = listener::socket_for(address, dual_stack)?;
            lenient.set_reuse_address(true)?;
            lenient.bind(&address.into())?;
            lenient
        }
        Err(error) => return Err(error),
    };
    // From here on, a second reservation fails, and engines with `share_port` succeed. The kernel checks the current
    // options of bound sockets when another socket is bound.
    socket.set_reuse_address(false)?;
    socket.set_reuse_port(true)?;
    Ok(socket)
}
