//! Processing of a request: routing, middleware, decoding of path, query and body, responses and errors.

mod body;
mod context;
mod details;
mod error;
mod fields;
mod given_up;
mod ids;
mod ignored;
mod normal_uri;
mod refused;
mod reply;
mod request;
mod response;
mod routes;
mod service;
mod source;
mod texts;
mod unstorable;
mod whole_server;

pub use context::{Context, Phase};
pub use error::Error;
pub use reply::{Pieces, Reply};
pub use request::{Middleware, Request};
pub use response::Response;
pub use routes::{Match, RouteTree};
pub use service::{Answering, Application, Router, Routes};

pub(crate) use context::current;
#[cfg(feature = "otlp")]
pub(crate) use context::parent_span;
#[cfg(feature = "sqlx")]
pub(crate) use given_up::was_given_up_recently;
#[cfg(feature = "otlp")]
pub(crate) use ids::random_span_id;
pub(crate) use ids::random_trace_id;
pub(crate) use refused::flush as flush_refused;
