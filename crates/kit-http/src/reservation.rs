//! Keeps a port for the processes that will listen on it together.

use std::io;
use std::net::SocketAddr;

use socket2::Socket;

use crate::listener;

/// A port that nobody can take but engines with [`crate::Config::share_port`], as long as this lives. It accepts nothing.
///
/// With `SO_REUSEPORT` alone, two applications of one user that are given the same port would silently share it. So the
/// port is taken without that option, which fails where anybody listens, and opened for sharing afterwards.
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
    /// Bound, and nothing else.
    _socket: Socket,
    address: SocketAddr,
}

impl Reservation {
    /// Reserves a port of a host, or of every address; port 0 takes a free one.
    ///
    /// # Errors
    ///
    /// Where another process listens on the port or has reserved it, and where the address cannot be bound.
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

    /// The address that was bound, with the port.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.address
    }
}

fn reserve(address: SocketAddr, dual_stack: bool) -> io::Result<Socket> {
    let strict = listener::socket_for(address, dual_stack)?;
    let socket = match strict.bind(&address.into()) {
        Ok(()) => strict,
        // Perhaps only connections of an earlier server linger on the port. Who listens on it is in the way of this too.
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            let lenient = listener::socket_for(address, dual_stack)?;
            lenient.set_reuse_address(true)?;
            lenient.bind(&address.into())?;
            lenient
        }
        Err(error) => return Err(error),
    };
    // From here on another reservation fails, and whoever shares the port does not. The kernel looks at the options of
    // bound sockets as they are when a further one is bound.
    socket.set_reuse_address(false)?;
    socket.set_reuse_port(true)?;
    Ok(socket)
}
