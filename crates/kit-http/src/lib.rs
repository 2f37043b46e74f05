//! kit's engine for HTTP/1.1 and HTTP/2. It uses hyper and h2 for its connections, runs on one thread, and is driven by the event
//! loop of another library.
//!
//! The engine has no event loop, no threads and no timers. The engine owns a poller whose file descriptor any event
//! loop can watch (libuv in kit's server), and works only when its methods are called. The engine has no knowledge of
//! Node or of routes.
//!
//! ```text
//! socket ── guard ──▶ hyper ──▶ service ──▶ Handler::request
//!             │         ▲                        │
//!        rejection      └──── Engine::respond ◀──┘
//!                             or respond_stream, write, end
//! ```
//!
//! With [`Config::tls`], rustls decrypts between the socket and the guard, and encrypts after hyper (module `tls`).
//!
//! If the client has chosen HTTP/2 in the TLS handshake, h2 takes the place of the guard and of hyper (module `http2`).
//!
//! A request of up to 128 KiB that contains nothing unusual and whose head arrives in one read bypasses hyper, if one write can send its
//! response (module `fast_path`).
//!
//! Invariants:
//!
//! - hyper sees only bytes whose framing the guard has checked. If the guard rejects bytes, the engine responds with an
//!   error in JSON and closes the connection. A refused request of HTTP/2 leaves its connection open.
//! - The handler receives a request once, and the request gets at most one response. The request is complete, unless its
//!   route has bodies in chunks ([`BodyRule::is_streamed`]): the handler then reads the body ([`Engine::read_body`]), and
//!   the engine reads at most one chunk ahead, and up to 256 KiB over HTTP/2.
//! - A request for a WebSocket can be accepted instead ([`Engine::accept_socket`]). The connection then moves messages in
//!   both directions and serves no further request.
//! - No method blocks. No input of a client causes a panic. If the process lacks memory or file descriptors, the engine
//!   waits and does not loop.
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
//! // One turn of the event loop that owns the thread:
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

#[cfg(not(unix))]
compile_error!(
    "kit-http needs a poller with a descriptor that another event loop can watch, which only Unix has; on this platform, applications use node:http, and `cargo xtask setup` builds no server addon"
);

mod accepting;
mod body;
mod body_rules;
mod collecting;
mod config;
mod connection;
mod date;
mod engine;
mod error_bodies;
mod fast_path;
mod handler;
mod http2;
mod hyper_pool;
mod linger;
mod link;
mod listener;
mod partial_request;
mod raw_request;
mod reader;
mod rejection;
mod request;
mod requests;
mod reservation;
mod response;
mod response_error;
mod sending;
mod server_headers;
mod service;
mod socket;
mod state;
mod stream;
mod tls;
mod transport;
mod unix_listener;
mod unread;
mod upload;
mod wake;
mod web_socket;

/// Header name for [`Request::has_header`].
pub use http::header::HeaderName;

pub use kit_guard::{Rejection, normal_target};
pub use kit_websocket::Message as SocketMessage;

pub use body_rules::{BodyRule, BodyRules};
pub use config::{Config, Limits, Timeouts};
pub use engine::Engine;
pub use error_bodies::{BodyPart, ErrorBodies, ErrorBody};
pub use handler::{Handler, Pause, WriteResult};
pub use rejection::Refusal;
pub use request::{Request, RequestId};
pub use reservation::Reservation;
pub use response::Response;
pub use response_error::ResponseError;
pub use server_headers::DefaultHeaders;
pub use upload::{UploadFailure, UploadPart};
pub use web_socket::SocketOptions;
