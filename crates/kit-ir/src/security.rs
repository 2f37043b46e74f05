//! Authentication that a middleware requires of a request.

use serde::{Deserialize, Serialize};

/// Requirement of a middleware: one of its `@security` tags.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// Form in which a request carries the credentials.
    pub scheme: SecurityScheme,
    /// Description from the middleware's doc comment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// Form in which a request carries its credentials: the schemes of OpenAPI 3.1 that need no data besides the request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SecurityScheme {
    /// `authorization: Bearer <token>` (RFC 6750).
    Bearer {
        /// Format of the token, such as `JWT`: a hint for readers of the documentation.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
    },
    /// `authorization: Basic <credentials>` (RFC 7617).
    Basic,
    /// A key in a header.
    Header {
        /// Name of the header.
        name: String,
    },
    /// A key in a cookie.
    Cookie {
        /// Name of the cookie.
        name: String,
    },
    /// A key in a query parameter.
    Query {
        /// Name of the query parameter.
        name: String,
    },
}
