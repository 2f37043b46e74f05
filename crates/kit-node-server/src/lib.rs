//! The addon of `@kit/server-native`: kit-http's engine on libuv's loop, its requests as calls of one JavaScript function.
//!
//! Conversion only. What HTTP is, kit-http knows; what a route is, kit-router; what a handler is, `@kit/core`.
//!
//! A turn of the loop, on Node's own thread:
//!
//! 1. libuv sees the engine's descriptor ready (`uv_poll`) or a deadline due (`uv_timer`).
//! 2. All ready connections are driven. Each complete request calls JavaScript once, plainly, which *starts* its handler.
//! 3. One callback scope is closed over all of them: Node runs the microtasks, and settled handlers call `respond`.
//! 4. The answered connections are driven once more, which writes.
//!
//! No thread, no thread-safe function, no copy of what a handler does not ask for. State is per environment (a worker has
//! its own) and is closed by a cleanup hook. All `unsafe` is in the module `node`.

mod exports;
mod node;
mod options;
mod reservations;
mod routes;
mod server;
