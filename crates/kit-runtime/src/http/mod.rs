//! The way of a request: routing, middleware, reading of path, query and body, answers and errors.

mod body;
mod context;
mod error;
mod ids;
mod reply;
mod request;
mod response;
mod routes;
mod service;
mod source;
mod texts;
mod unstorable;

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
#[cfg(feature = "otlp")]
pub(crate) use ids::random_span_id;
pub(crate) use ids::random_trace_id;
