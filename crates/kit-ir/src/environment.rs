//! Environment variables of the application, from calls of `env`.

use serde::{Deserialize, Serialize};

use crate::{DeclarationId, Span};

/// Type of the environment variables that the application reads with `env`. All calls have the same type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentVariables {
    /// Type of the variables: an object with one property for each variable.
    pub declaration: DeclarationId,
    /// Location of the first call of `env`.
    pub span: Span,
}
