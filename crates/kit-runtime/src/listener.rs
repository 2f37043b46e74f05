//! Addresses that the server listens on, and the limit of its connections.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Pause of accepting after an error; other connections may close meanwhile.
const PAUSE: Duration = Duration::from_millis(5);
/// Shortest time between two log entries about the limit of connections.
const BETWEEN_WARNINGS: Duration = Duration::from_secs(60);

/// Accepts connections, as many at once as are allowed. Further ones wait in the system's queue.
#[derive(Debug)]
pub(crate) struct Listener {
    first: TcpListener,
    /// Listens on IPv4 where the system's sockets for IPv6 do not.
    second: Option<TcpListener>,
    places: Arc<Semaphore>,
    warned: Option<Instant>,
}

/// A connection's place among those that are allowed, which is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place(#[allow(dead_code)] OwnedSemaphorePermit); // Reason: dropping it is its use.

impl Listener {
    /// Binds a host, or every address of the machine, IPv6 and IPv4, if there is none.
    pub(crate) async fn bind(host: Option<&str>, port: u16, connections: usize) -> io::Result<Self> {
        let (first, second) = match host {
            // That is how to write every address in IPv6.
            None | Some("::" | "[::]") => bind_all(port).await?,
            Some(host) => (TcpListener::bind((without_brackets(host), port)).await?, None),
        };
        Ok(Self {
            first,
            second,
            places: Arc::new(Semaphore::new(connections)),
            warned: None,
        })
    }

    /// Listening sockets.
    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    /// Waits for a connection, and before that for a place for it.
    pub(crate) async fn accept(&mut self) -> (TcpStream, SocketAddr, Place) {
        let place = self.place().await;
        loop {
            let accepted = match &self.second {
                None => self.first.accept().await,
                Some(second) => tokio::select! {
                    accepted = self.first.accept() => accepted,
                    accepted = second.accept() => accepted,
                },
            };
            match accepted {
                Ok((stream, peer)) => return (stream, unmapped(peer), place),
                // The peer left, or descriptors ran out.
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn place(&mut self) -> Place {
        if let Ok(permit) = Arc::clone(&self.places).try_acquire_owned() {
            return Place(permit);
        }
        if self.warned.is_none_or(|time| time.elapsed() >= BETWEEN_WARNINGS) {
            self.warned = Some(Instant::now());
            tracing::warn!(
                code = "CONNECTION_LIMIT",
                "as many connections are open as MAX_CONNECTIONS allows; further ones wait"
            );
        }
        loop {
            // Nobody closes the semaphore.
            if let Ok(permit) = Arc::clone(&self.places).acquire_owned().await {
                return Place(permit);
            }
        }
    }
}

/// Binds `[::]`, which stands for IPv4 too on most systems, and `0.0.0.0` beside it on the others.
async fn bind_all(port: u16) -> io::Result<(TcpListener, Option<TcpListener>)> {
    let listener = match TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).await {
        Err(error) if has_no_ipv6(&error) => {
            return Ok((TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await?, None));
        }
        other => other?,
    };
    let port = listener.local_addr()?.port();
    // The port is in use where the first listener has both families.
    let second = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await.ok();
    Ok((listener, second))
}

fn has_no_ipv6(error: &io::Error) -> bool {
    // EAFNOSUPPORT (Linux; macOS and the BSDs) has no kind of its own.
    let unsupported = if cfg!(target_os = "linux") { 97 } else { 47 };
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(unsupported)
}

fn without_brackets(host: &str) -> &str {
    host.strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'))
        .unwrap_or(host)
}

/// The address of a peer that came by IPv4 through a socket of both families, in the form of IPv4.
fn unmapped(peer: SocketAddr) -> SocketAddr {
    SocketAddr::new(peer.ip().to_canonical(), peer.port())
}
