//! Configuration of an engine.

use std::path::PathBuf;
use std::time::Duration;

/// Configuration of an engine. `Config::default()` binds a free port on all addresses.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address or host name to bind; `None` for all IPv6 and IPv4 addresses.
    pub host: Option<String>,
    /// TCP port; 0 for a free port.
    pub port: u16,
    /// Path of a Unix socket to bind in place of host and port. The file is removed when the server closes. A file that
    /// a killed server left behind is replaced.
    pub path: Option<PathBuf>,
    /// True if several processes of the same user listen on the port, so that the kernel distributes connections
    /// (`SO_REUSEPORT`; only Linux distributes them). The process that starts the others should own a
    /// [`crate::Reservation`] of the port.
    pub share_port: bool,
    /// Length of the kernel's queue of connections that are not accepted yet. The kernel may reduce it to its own
    /// limit.
    pub backlog: u32,
    /// Limits for sizes and numbers.
    pub limits: Limits,
    /// Timeouts.
    pub timeouts: Timeouts,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            host: None,
            port: 0,
            path: None,
            share_port: false,
            backlog: 4096,
            limits: Limits::default(),
            timeouts: Timeouts::default(),
        }
    }
}

/// Limits for data from peers.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum size of a body in bytes. A request with a larger body is delivered without the body, see
    /// [`crate::Request::body_too_large`].
    pub body_bytes: usize,
    /// Maximum size of request line and header section together in bytes.
    pub head_bytes: usize,
    /// Maximum number of header fields. With a limit above 100, hyper allocates memory for each request.
    pub header_fields: usize,
    /// Maximum length of a request target in bytes, at most [`Limits::MAX_TARGET_BYTES`].
    pub target_bytes: usize,
    /// Maximum number of open connections. Further connections wait in the kernel's queue.
    pub connections: usize,
    /// Maximum number of bytes that are discarded after a rejection, so that a peer that is still sending can read the
    /// response.
    pub discarded_bytes: usize,
    /// Maximum number of connections whose bytes are discarded at the same time. A further connection closes the one
    /// that began first.
    pub discarding: usize,
}

impl Limits {
    /// Maximum length of a target in bytes that fits into the `Uri` type of the `http` crate.
    pub const MAX_TARGET_BYTES: usize = 65_000;

    /// Returns the limits that the guard checks.
    pub(crate) fn of_heads(&self) -> kit_guard::Limits {
        kit_guard::Limits {
            head_bytes: self.head_bytes,
            header_fields: self.header_fields,
            target_bytes: self.target_bytes,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1024 * 1024,
            head_bytes: 16 * 1024,
            header_fields: 100,
            target_bytes: 8 * 1024,
            connections: 100_000,
            discarded_bytes: 64 * 1024 * 1024,
            discarding: 256,
        }
    }
}

/// Timeouts for waiting for a peer.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a request to the end of its head.
    pub head: Duration,
    /// From the end of the head to the end of the body.
    pub body: Duration,
    /// Between two requests of a connection. Longer than the 60 seconds of common load balancers, so that the load
    /// balancer closes first and never sends a request into a closing connection.
    pub idle: Duration,
    /// For a peer that has stopped reading its response.
    pub write: Duration,
    /// For the next byte of a rejected peer that is still sending, see [`Limits::discarded_bytes`].
    pub discard: Duration,
    /// For all bytes that a rejected peer still sends.
    pub discard_total: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_mins(5),
            idle: Duration::from_secs(72),
            write: Duration::from_mins(1),
            discard: Duration::from_secs(5),
            discard_total: Duration::from_secs(30),
        }
    }
}
