//! Processing of a request: routing, middleware, decoding of path, query and body, responses and errors.

mod abandoned;
mod application;
mod bodies;
mod body;
mod catch_panic;
#[cfg(feature = "compression")]
mod compression;
#[cfg(feature = "etag")]
mod conditional;
mod context;
mod cors;
mod csrf;
mod declared_details;
mod declared_reply;
mod details;
mod direct_input;
mod docs;
mod download;
mod error;
mod error_format;
mod error_response;
mod fields;
mod first_value;
mod handler_headers;
mod header_text;
mod ids;
mod ignored_input;
mod joined_headers;
mod layers;
mod list_header;
mod normal_uri;
mod options_star;
mod phase;
mod refusals;
mod rejection_log;
mod reply;
mod representation;
mod request;
mod request_log;
mod response;
mod route_list;
mod routes;
mod scopes;
mod serve_trait;
mod service;
#[cfg(feature = "sockets")]
mod sockets;
mod source;
mod static_files;
mod status_phrase;
#[cfg(feature = "sqlx")]
mod stored_answer;
mod unstorable;
mod wrapper;

pub use application::Application;
pub use bodies::{
    Choice, Content, ContentSender, Event, EventData, EventSender, Events, File, FilePart, Files, LineSender,
    Lines, RequestChunks, RequestLines, Upload, Uploads,
};
#[cfg(feature = "compression")]
pub use compression::{Coding, Compression};
#[cfg(feature = "etag")]
pub use conditional::Etag;
pub use context::Context;
pub use cors::{Cors, check_origins, origins_of};
pub use csrf::Csrf;
pub use declared_reply::DeclaredReply;
pub use docs::Docs;
pub use download::Download;
pub use error::Error;
pub use error_format::{ErrorFormat, Failure, InvalidField};
pub use kit_static::{CurrentVersion, Site};
pub use phase::Phase;
pub use reply::{ChunkSender, Reply};
pub use request::{Middleware, Request};
pub use request_log::RequestLog;
pub use response::Response;
pub use route_list::Routes;
pub use routes::{Match, RouteTree, Segment};
pub use scopes::Caller;
pub use serve_trait::Serve;
pub use service::Router;
#[cfg(feature = "sockets")]
pub use sockets::{Socket, SocketClose, SocketMessage, SocketOptions, TextOrBinary};
pub use wrapper::{Next, Passed, Replies, Wrapped, Wrapper};

#[cfg(feature = "sqlx")]
pub(crate) use abandoned::was_abandoned_recently;
pub(crate) use context::current;
#[cfg(feature = "otlp")]
pub(crate) use context::parent_span;
pub(crate) use error_format::{Written, chosen as chosen_error_format};
#[cfg(feature = "debug")]
pub(crate) use header_text::text_of as header_text;
#[cfg(any(feature = "debug", feature = "otlp"))]
pub(crate) use ids::random_span_id;
pub(crate) use ids::random_trace_id;
#[cfg(feature = "debug")]
pub(crate) use ids::{next_request_id, read_traceparent};
#[cfg(feature = "tls")]
pub(crate) use normal_uri::make_normal;
pub(crate) use rejection_log::flush as flush_rejection_log;
pub(crate) use request_log::log_refusal;
#[cfg(feature = "debug")]
pub(crate) use routes::hide_parameters;
#[cfg(feature = "sqlx")]
pub(crate) use stored_answer::StoredAnswer;
