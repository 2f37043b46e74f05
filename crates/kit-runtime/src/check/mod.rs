//! Checks values against shapes and reports failures. Order and messages are the same as in kit's TypeScript runtime.

mod broken_rule;
mod closest;
mod explain;
mod matcher;
mod path;
mod properties;
mod rule;
mod rules;
mod suggest;
mod value_text;

use std::borrow::Cow;

use serde_json::Value;

pub(crate) use broken_rule::BrokenRule;
pub(crate) use explain::{Secrets, explain_without, limit_failures};
pub use explain::{explain, explain_briefly};
pub use matcher::pick;
pub(crate) use path::PathText;
pub(crate) use properties::PropertyFailures;
pub use rule::Rule;
pub use rules::has_format;
pub(crate) use suggest::closest;

use crate::json::Json;
use crate::shape::Shape;

/// A rule that a value breaks, with its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Path of the value that fails, as `JSONPath`: `$.tags[0]`.
    pub path: String,
    /// Description of the expected value, with all its rules.
    pub expected: Cow<'static, str>,
    /// Description of the received value: `string of 0 characters`.
    pub received: String,
    /// The received value, with long strings and lists cut. A secret value is `"[redacted]"`. A missing value is
    /// null. `None` means that the failure has no value to show, for example if the body is not JSON.
    pub value: Option<Value>,
    /// First rule that the value at this location breaks.
    pub rule: Rule,
    /// Argument of the rule, such as 5 for `@minLength 5`. `None` if the rule has no argument.
    pub limit: Option<Value>,
    /// Advice on how to correct the value. `None` if `expected` already says everything.
    pub suggestion: Option<String>,
}

/// Returns true if a value that is neither an array nor an object fits its shape.
pub(crate) fn fits_scalar(shape: &'static Shape, value: &Json) -> bool {
    explain::fits_scalar(shape, value, 0)
}

/// Returns true if a string fits a shape. Has the same result as [`fits_scalar`], but needs no JSON value.
pub(crate) fn fits_text(shape: &'static Shape, text: &str) -> bool {
    match shape.resolve() {
        Shape::Union(union) => union.members.iter().any(|member| fits_text(member, text)),
        shape => rules::fits_text_shape(shape, text),
    }
}
