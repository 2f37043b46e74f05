//! WebSockets for servers and clients (RFC 6455), with compressed messages (permessage-deflate, RFC 7692) and without input
//! or output.
//!
//! [`accept_key`] and [`Compression::negotiate`] make the response to a handshake. [`Session`] is the open connection:
//! its caller passes received bytes to [`Session::receive`] and writes the bytes of [`Session::output`] to the socket. With the
//! cargo feature `tokio`, the module `connection` does this for connections of tokio.
//!
//! Invariants:
//! - Events do not depend on how the input was split. After a violation of the protocol, no event follows.
//! - A session stores at most one message of the configured size, and the output of its caller. Pings
//!   cannot make the output grow.
//! - No input causes a panic.

mod close;
#[cfg(feature = "tokio")]
pub mod connection;
mod decoder;
mod deflate;
mod encoder;
mod frame;
mod handshake;
mod session;
mod subprotocol;

pub use close::{Close, Violation, cut_reason, may_send_code};
pub use decoder::{Decoder, Event};
pub use handshake::{Compression, accept_key, handshake_key};
pub use session::{CLOSE_TIME, Message, Received, SOFT_LIMIT, Session};
pub use subprotocol::{MalformedOffer, choose_subprotocol};
