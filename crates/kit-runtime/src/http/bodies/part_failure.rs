//! Failures of the parts of multipart bodies.

use std::borrow::Cow;

use serde_json::Value;

use crate::check::{Failure, Rule};
use crate::multipart::Mistake;

/// Returns the failure for a mistake in the framing of a body.
pub(super) fn framing_failure(mistake: Mistake) -> Failure {
    let expected = format!("multipart/form-data: {}", mistake.expected);
    Failure {
        suggestion: Some("Send the body as FormData, or let a library write it".to_owned()),
        ..failure("$".to_owned(), expected, mistake.received, Rule::Multipart, None)
    }
}

/// Creates the failure of a part.
pub(super) fn failure(
    path: String,
    expected: impl Into<Cow<'static, str>>,
    received: impl Into<String>,
    rule: Rule,
    limit: Option<Value>,
) -> Failure {
    Failure {
        path,
        expected: expected.into(),
        received: received.into(),
        value: None,
        rule,
        limit,
        suggestion: None,
    }
}
