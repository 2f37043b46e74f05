//! Tests of HTTP/2 servers with single frames, after the sections of RFC 9113. `README.md` lists the cases. The Rust server and the
//! native engine run them.
//!
//! The server under test has the routes `GET /origin` (`https://localhost`), `GET /cookie` (the header), `GET /slow` (`slow` after 600 ms),
//! `GET /big` (1 MiB) and `POST /echo`, which returns the text of a JSON string.

#![allow(clippy::unwrap_used)] // Reason: test helpers may panic like tests.
#![allow(clippy::missing_panics_doc)] // Reason: a panic is the failure of a test.
#![allow(missing_docs)] // Reason: the names of frames and outcomes are those of RFC 9113.

mod cases;
mod client;
mod expectations;
mod floods;
mod frame_cases;
mod protocol;
mod random;
mod request_cases;
mod requests;

use std::sync::Arc;

use rustls::ClientConfig;

pub use client::*;
pub use expectations::*;
pub use floods::*;
pub use protocol::*;
pub use random::*;
pub use requests::*;

/// Number of bytes of the response of `/big`.
pub const BIG: usize = 1024 * 1024;

/// A server under test.
pub struct Target {
    /// Address and port.
    pub address: String,
    /// Settings of a client that trusts the certificate of the server for `localhost`.
    pub config: Arc<ClientConfig>,
}

impl Target {
    /// Opens a connection, and sends its beginning.
    pub fn open(&self) -> Client {
        Client::open(&self.address, &self.config)
    }
}
