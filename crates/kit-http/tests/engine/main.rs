//! Tests of the engine with real sockets. A small event loop drives it, as libuv does in kit's
//! server.

mod backpressure;
mod closing;
mod draining;
mod envelope;
mod fast_path;
mod half_closed;
mod hpack;
mod http2;
mod http2_server;
mod limits;
mod pipelining;
mod rejected_while_sending;
mod rejection_reports;
mod same_thread;
mod serving;
mod sharing;
mod sockets;
mod splitting;
mod streaming;
mod strictness;
mod support;
mod tls;
mod tls_client;
mod unix;
mod uploads;
