//! Listening sockets of the server, and the limit of its connections.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use crate::host::without_brackets;
use crate::metrics::OpenConnection;

/// Pause after a failed `accept`, so that open connections may close.
const ACCEPT_PAUSE: Duration = Duration::from_millis(5);
/// Minimum time between two log entries about the connection limit.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

/// Accepts connections while fewer than the maximum number are open. Further connections wait in the queue of the
/// operating system.
#[derive(Debug)]
pub(crate) struct Listener {
    first: TcpListener,
    /// Socket for IPv4. `None` if the operating system accepts IPv4 connections on IPv6 sockets.
    second: Option<TcpListener>,
    permits: Arc<Semaphore>,
    warned: Option<Instant>,
}

/// Permit for one open connection. Dropping it allows another connection.
#[derive(Debug)]
pub(crate) struct ConnectionPermit(
    #[allow(dead_code)] OwnedSemaphorePermit,
    #[allow(dead_code)] OpenConnection,
); // Reason: both are held only for their drops.

impl Listener {
    /// Binds a host, or all IPv6 and IPv4 addresses of the machine if there is no host.
    pub(crate) async fn bind(host: Option<&str>, port: u16, connections: usize) -> io::Result<Self> {
        let (first, second) = match host {
            // `::` means all addresses in IPv6.
            None | Some("::" | "[::]") => bind_all(port).await?,
            Some(host) => (TcpListener::bind((without_brackets(host), port)).await?, None),
        };
        Ok(Self {
            first,
            second,
            permits: Arc::new(Semaphore::new(connections)),
            warned: None,
        })
    }

    /// Returns the address of the first listening socket.
    pub(crate) fn local_addr(&self) -> io::Result<SocketAddr> {
        self.first.local_addr()
    }

    /// Waits until fewer than the maximum number of connections are open, then accepts the next connection.
    pub(crate) async fn accept(&mut self) -> (TcpStream, SocketAddr, ConnectionPermit) {
        let permit = self.permit().await;
        loop {
            let accepted = match &self.second {
                None => self.first.accept().await,
                Some(second) => tokio::select! {
                    accepted = self.first.accept() => accepted,
                    accepted = second.accept() => accepted,
                },
            };
            match accepted {
                Ok((stream, peer)) => {
                    let permit = ConnectionPermit(permit, OpenConnection::new());
                    return (stream, unmapped(peer), permit);
                }
                // The peer left, or the process ran out of file descriptors.
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        }
    }

    async fn permit(&mut self) -> OwnedSemaphorePermit {
        if let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() {
            return permit;
        }
        if self.warned.is_none_or(|time| time.elapsed() >= WARNING_INTERVAL) {
            self.warned = Some(Instant::now());
            tracing::warn!(
                code = "CONNECTION_LIMIT",
                "the maximum number of connections (MAX_CONNECTIONS) is open; new connections wait"
            );
        }
        loop {
            // No code closes the semaphore, so this loop runs once.
            if let Ok(permit) = Arc::clone(&self.permits).acquire_owned().await {
                return permit;
            }
        }
    }
}

/// Binds `[::]`, which accepts IPv4 connections too on most operating systems. On the other operating systems,
/// binds `0.0.0.0` as well.
async fn bind_all(port: u16) -> io::Result<(TcpListener, Option<TcpListener>)> {
    let listener = match TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).await {
        Err(error) if has_no_ipv6(&error) => {
            return Ok((TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await?, None));
        }
        other => other?,
    };
    let port = listener.local_addr()?.port();
    // Fails with "address in use" if the first socket accepts both families.
    let second = TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)).await.ok();
    Ok((listener, second))
}

fn has_no_ipv6(error: &io::Error) -> bool {
    // EAFNOSUPPORT (Linux; macOS and the BSDs) has no `ErrorKind`.
    let unsupported = if cfg!(target_os = "linux") { 97 } else { 47 };
    error.kind() == io::ErrorKind::AddrNotAvailable || error.raw_os_error() == Some(unsupported)
}

/// Converts an IPv4-mapped IPv6 address (`::ffff:192.0.2.1`) to the IPv4 address.
fn unmapped(peer: SocketAddr) -> SocketAddr {
    SocketAddr::new(peer.ip().to_canonical(), peer.port())
}

/// Returns the URL of an address on which the server listens.
pub(crate) fn url(address: SocketAddr, has_tls: bool) -> String {
    let scheme = if has_tls { "https" } else { "http" };
    if address.ip().is_unspecified() {
        format!("{scheme}://localhost:{}", address.port())
    } else {
        format!("{scheme}://{address}")
    }
}
