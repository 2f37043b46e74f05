//! Error responses that most operations have. The documents of a large program contain each of them once, as a component.

use indexmap::IndexMap;
use kit_ir::{BodyFormat, ErrorRules};

use super::document::Response;
use super::error_body::error;
use super::failures::{Failure, other_type};
use crate::json_schema::Schema;

/// Name of the component for all errors that an operation does not list.
pub(super) const OTHER: &str = "OtherError";

/// Returns the name of the component for a response with these errors. Returns `None` if the operation itself contains the
/// response.
pub(super) fn name(failures: &[Failure<'_>]) -> Option<&'static str> {
    let [failure] = failures else { return None };
    match failure.code {
        _ if failure.declared => None,
        "VALIDATION_ERROR" => Some("ValidationError"),
        "PAYLOAD_TOO_LARGE" => Some("PayloadTooLarge"),
        "UNSUPPORTED_MEDIA_TYPE" if failure.description == Some(other_type(&BodyFormat::Json)) => {
            Some("BodyIsNotJson")
        }
        _ => None,
    }
}

/// Returns the response for errors that an operation does not list.
pub(super) fn other(rules: &ErrorRules, schema: Schema) -> Response {
    error(rules, "Any other error".to_owned(), schema, IndexMap::new())
}
