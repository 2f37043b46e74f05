//! Tests of this crate in one program, because linking a program for each file takes longer than compiling the tests.

mod accept;
#[cfg(feature = "jwt")]
mod access_tokens;
mod authority;
mod bodies;
#[cfg(feature = "pattern")]
mod boundaries;
#[cfg(feature = "otlp")]
mod collector;
mod contract_parts;
mod cursors;
#[cfg(feature = "testing")]
mod downloads;
mod environment;
mod formats;
mod hidden_parameters;
mod http2;
mod http2_own_routes;
mod layers;
mod metrics;
mod multipart;
mod outage;
mod own_spans;
mod postgres_limits;
mod postgres_tls;
mod process;
mod redaction;
mod request_transactions;
mod router;
mod rules;
#[cfg(feature = "sessions")]
mod session_store;
mod set_cookies;
mod shutdown;
mod sidecar;
mod sockets;
mod start;
mod tagged_enums;
mod telemetry;
mod tenants;
#[cfg(feature = "testing")]
mod test_context;
mod text_of_headers;
mod tls;
mod tls_dev;
mod trust_proxy;
mod wrappers;
