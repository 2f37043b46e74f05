//! Limits and rules for the clients of HTTP/2 servers. `kit-runtime` uses the crate in Rust servers, and `kit-http` in the native
//! engine.
//!
//! A library for HTTP/2 checks frames, header compression and flow control. [`Meter`] bounds what such a library does not bound, and
//! [`convert`] applies the rules of HTTP/1.1 to requests.
//!
//! Invariants: no network code, no threads and no timers. The memory of a [`Meter`] is bounded by the number of streams, which the
//! library limits to [`MAX_STREAMS`].

mod bucket;
mod end;
mod frames;
mod meter;
mod request;
mod timeouts;
mod windows;

pub use end::End;
pub use meter::Meter;
pub use request::convert;
pub use timeouts::Timeouts;

/// Protocol name in TLS handshakes (RFC 9113, 3.2).
pub const ALPN: &[u8] = b"h2";
/// Maximum number of streams that a client may have open at the same time.
pub const MAX_STREAMS: u32 = 100;
/// Number of bytes of a request body that may arrive before the handler reads.
pub const STREAM_WINDOW: u32 = 256 * 1024;
/// Number of bytes of all request bodies of a connection that may arrive before handlers read.
pub const CONNECTION_WINDOW: u32 = 1024 * 1024;
/// Maximum size of a header section. The response to a larger one has the status 431 and no body. Smaller ones above the limit
/// of [`convert`] get the same status with a body.
pub const HEADER_LIST_BYTES: u32 = 32 * 1024;
/// Number of bytes of a response that wait for the client, for each stream.
pub const SEND_BUFFER: usize = 64 * 1024;
/// Maximum number of streams that the client has reset and that the application has not accepted yet.
pub const PENDING_RESETS: usize = 20;
