//! Phases of a request, in the order in which a request goes through them.

use std::fmt;

/// Phase of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// The head was received.
    Received,
    /// The method and path are normalized and the route is looked up.
    Normalize,
    /// The middleware with this name runs.
    Middleware(&'static str),
    /// The path parameters are decoded.
    Params,
    /// The query is decoded.
    Query,
    /// The declared headers are decoded. Only requests to contracts with headers have this phase.
    Headers,
    /// The declared cookies are decoded. Only requests to contracts with cookies have this phase.
    Cookies,
    /// The body is decoded.
    Body,
    /// The handler runs.
    Handler,
    /// The response is serialized.
    Serialization,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Received => f.write_str("received"),
            Self::Normalize => f.write_str("server:normalize"),
            Self::Middleware(name) => write!(f, "middleware:{name}"),
            Self::Params => f.write_str("validation:params"),
            Self::Query => f.write_str("validation:query"),
            Self::Headers => f.write_str("validation:headers"),
            Self::Cookies => f.write_str("validation:cookies"),
            Self::Body => f.write_str("validation:body"),
            Self::Handler => f.write_str("handler"),
            Self::Serialization => f.write_str("serialization"),
        }
    }
}
