//! The option `securityHeaders` of `createApp`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Span;

/// The option `securityHeaders` of `createApp`, if the option is on: headers that tell browsers to be strict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SecurityHeaders {
    /// Values of the option, by the names of its properties. The value is `None` for a header that is not
    /// sent (`false`). A property that is absent from the map has its default. The whole map is `None` if a
    /// value is known only when the application runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<BTreeMap<String, Option<String>>>,
    /// Location of the option's value.
    pub span: Span,
}
