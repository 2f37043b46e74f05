//! Tests the engine with real sockets. A small event loop drives it as libuv does in kit's server.

mod backpressure;
mod closing;
mod draining;
mod envelope;
mod half_closed;
mod limits;
mod pieces;
mod refusals;
mod refusing;
mod serving;
mod sharing;
mod splitting;
mod streaming;
mod strictness;
mod support;
mod unix;
mod ways;
