//! Tests of this crate in one program, because linking a program for each file takes longer than compiling the tests.

mod ambient;
mod bodies;
mod contracts;
mod cors;
mod cursors;
mod docs;
mod environment;
mod errors_option;
mod groups;
mod implied;
mod lifecycle;
mod literal_options;
mod mistakes;
mod modules;
mod owner;
mod resolution;
mod robustness;
mod routes;
mod rules;
mod schema_dts;
mod scopes;
mod security_headers;
mod sockets;
mod support;
mod types;
mod wrappers;
