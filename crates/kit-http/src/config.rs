//! Configuration of an engine.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::body_rules::BodyRules;
use crate::error_bodies::ErrorBodies;
use crate::server_headers::DefaultHeaders;

/// Configuration of an engine. `Config::default()` listens on a free port on all addresses.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address or host name to listen on; `None` for all IPv6 and IPv4 addresses.
    pub host: Option<String>,
    /// TCP port to listen on; 0 for a free port.
    pub port: u16,
    /// Path of a Unix socket to listen on instead of host and port. The file is removed when the server closes. A file
    /// that a killed server left behind is replaced.
    pub path: Option<PathBuf>,
    /// True if several processes of the same user listen on the port (`SO_REUSEPORT`). Only Linux distributes
    /// connections among them. The process that starts the other processes should own a [`crate::Reservation`] of
    /// the port.
    pub share_port: bool,
    /// Maximum number of connections that wait in the kernel's queue to be accepted. The kernel may have a lower limit.
    pub backlog: u32,
    /// Maximum sizes and numbers.
    pub limits: Limits,
    /// Rules for the bodies of single routes; `None` if [`Limits::body_bytes`] applies to all requests.
    pub body_rules: Option<BodyRules>,
    /// Maximum times to wait for a client.
    pub timeouts: Timeouts,
    /// Headers of every response.
    pub default_headers: DefaultHeaders,
    /// Format of error responses that the engine sends without the application.
    pub error_bodies: ErrorBodies,
    /// Certificates of the server; `None` for a server without TLS. If their protocols contain `h2`, clients may choose
    /// HTTP/2. Each new connection uses the certificate that is current at its beginning.
    pub tls: Option<Arc<kit_tls::Certificates>>,
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
            body_rules: None,
            timeouts: Timeouts::default(),
            default_headers: DefaultHeaders::default(),
            error_bodies: ErrorBodies::default(),
            tls: None,
        }
    }
}

/// Limits for data from clients.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Maximum size of a body in bytes. A request with a larger body is delivered without the body, see
    /// [`crate::Request::body_too_large`].
    pub body_bytes: usize,
    /// Maximum size of the request line and the header section together, in bytes.
    pub head_bytes: usize,
    /// Maximum number of header fields. If it is above 100, hyper allocates memory for each request.
    pub header_fields: usize,
    /// Maximum length of a request target in bytes, at most [`Limits::MAX_TARGET_BYTES`].
    pub target_bytes: usize,
    /// Maximum number of open connections. All other connections wait in the kernel's queue.
    pub connections: usize,
    /// Maximum number of bytes to read and discard after a rejection. The engine reads these bytes so that a
    /// client that is still sending can read the response before the connection is closed.
    pub discarded_bytes: usize,
    /// Maximum number of connections whose bytes are discarded at the same time. If there are more, the oldest
    /// connection is closed.
    pub discarding: usize,
}

impl Limits {
    /// Maximum length of a request target in bytes. The `Uri` type of the `http` crate supports no more.
    pub const MAX_TARGET_BYTES: usize = 65_000;

    /// Returns the limits for the head of a request, which the guard checks.
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

/// Maximum times to wait for a client.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Time from the first byte of a request to the end of its head. Also the time from the beginning of a connection to the end
    /// of its TLS handshake, and from then to the first byte of a request, if `idle` is not shorter.
    pub head: Duration,
    /// Time from the end of the head to the end of the body. Does not apply to a body that the handler reads in chunks.
    pub body: Duration,
    /// Time for which a client may send nothing of a body while the handler waits for the next chunk.
    pub body_idle: Duration,
    /// Minimum number of bytes per second of a body that the handler reads in chunks. The client may be behind this rate by
    /// `body_idle`. With 0, each byte lets this time start again.
    pub body_rate: u32,
    /// Maximum time between two requests on a connection. The default is longer than the 60 seconds of common
    /// load balancers, so that the load balancer closes the connection first, and sends no further request on a
    /// connection that is just being closed. For load balancers that open connections before they have requests, `head`
    /// must be longer than these 60 seconds too.
    pub idle: Duration,
    /// Maximum time by which a client may fall behind [`kit_guard::READ_RATE`] while bytes of a response wait. A client that reads
    /// nothing falls behind by the whole wait.
    pub write: Duration,
    /// Time for which a client whose request was rejected may send nothing. See [`Limits::discarded_bytes`].
    pub discard: Duration,
    /// Total time in which a client whose request was rejected may continue to send.
    pub discard_total: Duration,
    /// Time to wait for the close frame of a client after the engine has sent its own.
    pub socket_close: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            body: Duration::from_mins(5),
            body_idle: Duration::from_mins(1),
            body_rate: 240,
            idle: Duration::from_secs(72),
            write: Duration::from_mins(1),
            discard: Duration::from_secs(5),
            discard_total: Duration::from_secs(30),
            socket_close: kit_websocket::CLOSE_TIME,
        }
    }
}
