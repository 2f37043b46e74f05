//! An option of `createApp` whose value consists of literals.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Span;

/// An option of `createApp` that is on, such as `compression` or `etag`. The value is `true`, an
/// object, or a list of objects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LiteralOption {
    /// Value of the option; `None` if a part of the value is known only when the application runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
    /// Location of the option's value.
    pub span: Span,
}
