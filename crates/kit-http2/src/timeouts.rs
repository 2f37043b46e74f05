//! Maximum times to wait for a client.

use std::time::Duration;

/// Maximum times to wait for a client of an HTTP/2 connection.
#[derive(Debug, Clone, Copy)]
pub struct Timeouts {
    /// Time from the first byte of a header section to its end, and from the start of a connection to its first frame. Also the time
    /// from this start to the first request, if `idle` is not shorter.
    pub head: Duration,
    /// Time between two requests, after the first one.
    pub idle: Duration,
    /// Maximum time by which a client may fall behind [`kit_guard::READ_RATE`] while its windows stop all responses. A client that
    /// accepts nothing falls behind by the whole wait.
    pub write: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            head: Duration::from_secs(10),
            idle: Duration::from_secs(72),
            write: Duration::from_secs(60),
        }
    }
}
