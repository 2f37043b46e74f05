//! Authentication that a middleware requires of a request.

use serde::{Deserialize, Serialize};

/// Authentication that a middleware requires, from one `@security` tag.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// Way in which a request carries its credentials.
    pub scheme: SecurityScheme,
    /// Description from the doc comment of the middleware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

impl Security {
    /// Returns true if one of the ways to authenticate is a bearer token (RFC 6750). `asked` is `Route::security`.
    ///
    /// ```
    /// use kit_ir::{Security, SecurityScheme};
    ///
    /// let basic = Security { scheme: SecurityScheme::Basic, description: None };
    /// let bearer = Security { scheme: SecurityScheme::Bearer { format: None }, description: None };
    /// assert!(!Security::asks_bearer(&[vec![basic.clone()]]));
    /// assert!(Security::asks_bearer(&[vec![basic, bearer]]));
    /// ```
    pub fn asks_bearer(asked: &[Vec<Self>]) -> bool {
        let mut asked = asked.iter().flatten();
        asked.any(|security| matches!(security.scheme, SecurityScheme::Bearer { .. }))
    }
}

/// Way in which a request carries its credentials. These are the security schemes of OpenAPI 3.1 that need no
/// settings besides a name.
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
    /// An API key in a header.
    Header {
        /// Name of the header.
        name: String,
    },
    /// An API key in a cookie.
    Cookie {
        /// Name of the cookie.
        name: String,
    },
    /// An API key in a query parameter.
    Query {
        /// Name of the query parameter.
        name: String,
    },
}
