//! Whether a value fits a shape, and everything that keeps it from fitting: the same failures, in the same order and words, as
//! those of kit's TypeScript runtime.

mod closest;
mod explain;
mod matcher;
mod rules;
mod shown;
mod suggest;

use serde_json::Value;

pub use explain::{explain, explain_briefly};
pub use matcher::pick;
pub use rules::has_format;

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
    /// What it holds, as far as that may be shown; nothing where it holds nothing.
    pub value: Option<Value>,
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
