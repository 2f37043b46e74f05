//! What can be set when a server is bound.

use std::path::PathBuf;
use std::time::Duration;

/// Where and how to listen. `Config::default()` binds a free port on every address.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address or host name to bind; `None` is every address, IPv6 and IPv4.
    pub host: Option<String>,
    /// TCP port; 0 takes a free one.
    pub port: u16,
    /// A Unix socket to bind in place of host and port. Its file is removed when the server closes; one that a killed
    /// server left is replaced.
    pub path: Option<PathBuf>,
    /// Whether several processes of one user listen on the port, so that the kernel spreads connections over them
    /// (`SO_REUSEPORT`; only Linux spreads them). Whoever does that holds a [`crate::Reservation`] of the port.
    pub share_port: bool,
    /// Length of the kernel's queue of connections not yet accepted; the kernel shortens it to its own limit.
    pub backlog: u32,
    /// Sizes.
    pub limits: Limits,
    /// Patience.
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

/// Bounds on what a peer may send.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Greatest body in bytes. A larger one is delivered without its bytes, see [`crate::Request::body_too_large`].
    pub body_bytes: usize,
    /// Greatest request line plus header section in bytes.
    pub head_bytes: usize,
    /// Greatest number of header fields. More than 100 cost each request an allocation in hyper.
    pub header_fields: usize,
    /// Greatest request target in bytes, at most [`Limits::MAX_TARGET_BYTES`].
    pub target_bytes: usize,
    /// Greatest number of open connections; further ones wait in the kernel's queue.
    pub connections: usize,
    /// Greatest number of bytes that are thrown away so that a peer which is refused while it sends can read why.
    pub discarded_bytes: usize,
    /// Greatest number of connections whose bytes are thrown away at once. One more cuts the one that began first.
    pub discarding: usize,
}

impl Limits {
    /// Longer targets do not fit into the `http` crate's `Uri`.
    pub const MAX_TARGET_BYTES: usize = 65_000;

    /// Those that the guard holds.
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

/// How long the engine waits for a peer.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// From the first byte of a request to the end of its headers.
    pub head: Duration,
    /// From the end of the headers to the end of the body.
    pub body: Duration,
    /// Between two requests on one connection. Longer than the 60 seconds of common load balancers, so that the peer is
    /// the one to close and never sends a request into a closing connection.
    pub idle: Duration,
    /// For a peer that has stopped reading its answer.
    pub write: Duration,
    /// For the next byte of a peer that was refused while it sends, see [`Limits::discarded_bytes`].
    pub discard: Duration,
    /// For all of what such a peer still sends.
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
