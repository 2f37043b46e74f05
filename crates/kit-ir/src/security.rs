//! What a request must prove before a middleware lets it pass.

use serde::{Deserialize, Serialize};

/// What a middleware asks for: one of its `@security` tags.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// How a request carries it.
    pub scheme: SecurityScheme,
    /// What the middleware's doc comment says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

/// How a request carries what it proves; the schemes of OpenAPI 3.1 that need nothing but a request.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SecurityScheme {
    /// `authorization: Bearer <token>` (RFC 6750).
    Bearer {
        /// What the token is, such as `JWT`: a hint for people.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        format: Option<String>,
    },
    /// `authorization: Basic <credentials>` (RFC 7617).
    Basic,
    /// A key in a header.
    Header {
        /// The header's name.
        name: String,
    },
    /// A key in a cookie.
    Cookie {
        /// The cookie's name.
        name: String,
    },
    /// A key in the query.
    Query {
        /// The parameter's name.
        name: String,
    },
}
