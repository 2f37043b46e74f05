//! Whether a value fits a shape, and everything that keeps it from fitting: the same failures, in the same order and words, as
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

pub(crate) use broken::Broken;
pub use explain::{explain, explain_briefly};
pub use matcher::pick;
pub(crate) use path::PathText;
pub use rule::Rule;
pub use rules::has_format;
pub(crate) use suggest::closest;

use crate::json::Json;
use crate::shape::Shape;

/// One thing that keeps a value from fitting.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// `JSONPath` of the place.
    pub path: String,
    /// What the place should hold, with all its rules.
    pub expected: String,
    /// What it holds, in words.
    pub received: String,
    /// What it holds, as far as that may be shown: null if it holds nothing, and nothing if it holds what cannot be shown.
    pub value: Option<Value>,
    /// The first rule that is broken there, for programs.
    pub rule: Rule,
    /// The argument of that rule, if it has one.
    pub limit: Option<Value>,
    /// How to repair it, where there is more to say than what was expected.
    pub suggestion: Option<String>,
}

/// Whether a value without parts fits.
pub(crate) fn fits_scalar(shape: &'static Shape, value: &Json) -> bool {
    explain::fits_scalar(shape, value, 0)
}

/// Whether a text fits, which none is copied for.
pub(crate) fn fits_text(shape: &'static Shape, text: &str) -> bool {
    match shape.resolve() {
        Shape::Union(union) => union.members.iter().any(|member| fits_text(member, text)),
        shape => rules::holds_text(shape, text),
    }
}
