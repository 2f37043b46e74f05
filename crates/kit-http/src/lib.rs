//! kit's HTTP/1.1 engine: hyper's connections on one thread, driven by a foreign event loop.
//!
//! The engine has no loop, no threads and no timers of its own. It owns a poller whose descriptor any loop can watch
//! (libuv's, in kit's server), and does its work when it is told to. It knows neither Node nor the routes' meaning.
//!
//! ```text
//! socket ── guard ──▶ hyper ──▶ service ──▶ Handler::request
//!             │         ▲                        │
//!          refusal      └──── Engine::respond ◀──┘
//!                             or respond_stream, write, end
//! ```
//!
//! A request that arrives whole, and whose answer leaves whole, takes a shorter way past hyper (module `plain`).
//!
//! What holds always:
//!
//! - hyper sees only bytes whose framing the `guard` module has checked; what is refused is answered with a JSON error
//!   envelope, and the connection is closed.
//! - A request reaches the handler complete, at most once, and is answered at most once.
//! - Nothing blocks, nothing panics on what a peer sends, and no state of the process makes the engine spin.
//!
//! # Example
//!
//! ```
//! use kit_http::{Config, Engine, Handler, Request, RequestId, Response};
//!
//! struct Collect(Vec<RequestId>);
//!
//! impl Handler for Collect {
//!     fn request(&mut self, id: RequestId, _: &Request) {
//!         self.0.push(id);
//!     }
//!     fn aborted(&mut self, _: RequestId) {}
//! }
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let engine = Engine::bind(Config { host: Some("127.0.0.1".into()), ..Config::default() })?;
//! // One turn of the loop that owns the thread:
//! let mut handler = Collect(Vec::new());
//! engine.poll()?;
//! while engine.has_work() {
//!     engine.drive(&mut handler);
//!     for id in handler.0.drain(..) {
//!         engine.respond(id, Response::json(200, "{}".into())?)?;
//!     }
//! }
//! # Ok(())
//! # }
//! ```

mod accepting;
mod body;
mod config;
mod connection;
mod date;
mod engine;
mod envelope;
mod half;
mod linger;
mod link;
mod listener;
mod own_headers;
mod plain;
mod rejection;
mod request;
mod requests;
mod reservation;
mod response;
mod service;
mod socket;
mod stream;
mod unix_listener;
mod whole;

/// The names that [`Request::has_header`] takes.
pub use http::header::HeaderName;

pub use kit_guard::{Rejection, normal_target};

pub use config::{Config, Limits, Timeouts};
pub use engine::{Engine, Handler, Pause, Written};
pub use rejection::Refusal;
pub use request::{Request, RequestId};
pub use reservation::Reservation;
pub use response::{Response, ResponseError};
