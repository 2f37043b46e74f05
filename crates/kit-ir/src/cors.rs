//! The option `cors` of `createApp`.

use serde::{Deserialize, Serialize};

use crate::Span;

/// The option `cors` of `createApp`: the web pages of other origins that may call the application.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cors {
    /// Value of the option; `None` if the value is known only when the application runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<CorsRules>,
    /// Location of the option's value.
    pub span: Span,
}

/// Value of the option `cors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct CorsRules {
    /// Allowed origins. `None` for `"*"`, which allows every origin. Empty if the origins are in an environment variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins: Option<Vec<String>>,
    /// Name of the environment variable with the origins, if the application reads the origins with `env`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origins_variable: Option<String>,
    /// True if pages may send cookies and HTTP authentication.
    pub credentials: bool,
    /// Names of the request headers that pages may set. `None` if pages may set all headers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_headers: Option<Vec<String>>,
    /// Names of the response headers that pages may read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exposed_headers: Vec<String>,
    /// Time in seconds for which browsers may cache the response to a preflight request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_seconds: Option<u32>,
}
