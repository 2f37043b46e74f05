//! Addon of `@kit/server-native`: runs the engine of kit-http on libuv's event loop, and calls one JavaScript function
//! for each request.
//!
//! The addon only converts values. HTTP is implemented in kit-http, routing in kit-router, and handlers in `@kit/core`.
//!
//! A turn of the event loop, on the main thread of the environment:
//!
//! 1. libuv reports that the engine's file descriptor is ready (`uv_poll`) or that a deadline has passed (`uv_timer`).
//! 2. All ready connections are driven. Each complete request calls JavaScript once, which *starts* its handler.
//! 3. One callback scope around all these calls is closed: Node runs the microtasks, and settled handlers call
//!    `respond`.
//! 4. The connections with responses are driven again, which writes the responses.
//!
//! The addon uses no thread and no thread-safe function, and copies only the data that a handler reads. Its state
//! belongs to one Node environment, such as a worker, and a cleanup hook of that environment closes it. All
//! `unsafe` code is in the module `node`.

mod exports;
mod node;
mod options;
mod routes;
mod server;
mod tls;
