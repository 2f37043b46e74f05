//! Checks if a value fits a shape and reports all failures. The failures have the same order and the same texts as
//! those of kit's TypeScript runtime.

mod broken;
mod closest;
mod explain;
mod matcher;
mod path;
mod rule;
mod rules;
mod shown;
mod suggest;

use serde_json::Value;

pub(crate) use broken::BrokenRule;
pub use explain::{explain, explain_briefly};
pub use matcher::pick;
pub(crate) use path::PathText;
pub use rule::Rule;
pub use rules::has_format;
pub(crate) use suggest::closest;

use crate::json::Json;
use crate::shape::Shape;

/// A rule that a value breaks, with its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// `JSONPath` of the location.
    pub path: String,
    /// Description of the expected value, with all its rules.
    pub expected: String,
    /// Description of the received value.
    pub received: String,
    /// The received value, shortened: `[redacted]` if it is secret, null if it is missing, `None` if there is no value
    /// to show.
    pub value: Option<Value>,
    /// First rule that is broken at this location, for programs.
    pub rule: Rule,
    /// Argument of that rule; `None` if it has no argument.
    pub limit: Option<Value>,
    /// Advice for fixing the value; `None` if `expected` already says everything.
    pub suggestion: Option<String>,
}

/// Returns true if a value that is not a container fits.
pub(crate) fn fits_scalar(shape: &'static Shape, value: &Json) -> bool {
    explain::fits_scalar(shape, value, 0)
}

/// Returns true if a string fits. Does not copy the string.
pub(crate) fn fits_text(shape: &'static Shape, text: &str) -> bool {
    match shape.resolve() {
        Shape::Union(union) => union.members.iter().any(|member| fits_text(member, text)),
        shape => rules::fits_text_shape(shape, text),
    }
}
