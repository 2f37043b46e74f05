//! The option `errors` of `createApp`.

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Span};

/// The option `errors` of `createApp`: format and status of error responses.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Errors {
    /// Value of the option; `None` if the value is known only when the application runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<ErrorRules>,
    /// Location of the option's value.
    pub span: Span,
}

/// Value of the option `errors`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ErrorRules {
    /// Format of error bodies.
    pub format: ErrorFormat,
    /// Status of responses to requests that break their contract: 400 or 422.
    pub validation_status: u16,
}

impl ErrorRules {
    /// Rules of an application that does not set the option.
    pub const DEFAULT: Self = Self {
        format: ErrorFormat::Envelope,
        validation_status: 400,
    };
}

/// Format of error bodies.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum ErrorFormat {
    /// kit's envelope: `{ error: { code, message, details?, traceId } }`.
    Envelope,
    /// Problem details of RFC 9457.
    ProblemDetails,
    /// Error bodies have a type of the application, which `defineErrorFormat<T>` names.
    Declared(DeclaredFormat),
}

/// Format that an application declares with `defineErrorFormat`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredFormat {
    /// Type of the body.
    pub body: DeclarationId,
    /// Media type of the body.
    pub content_type: String,
    /// Paths of the code, the message, the details and the trace id in the body.
    #[serde(default, skip_serializing_if = "ErrorPaths::is_empty")]
    pub paths: ErrorPaths,
}

/// Paths of values in the body of an error, as names of nested properties: `["error", "code"]`. A path is
/// empty if the body does not contain the value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ErrorPaths {
    /// Path of the error code in the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub code: Vec<String>,
    /// Path of the message in the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// Path of the details in the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<String>,
    /// Path of the trace id in the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub trace_id: Vec<String>,
}

impl ErrorPaths {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
