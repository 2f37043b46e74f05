//! Responses that the option `etag` of the application adds to operations.

use kit_ir::{Method, Program, Route};

use super::document::Header;
use crate::json_schema::Schema;

/// Returns true if kit evaluates preconditions, such as `If-None-Match`, of requests for the route: the option `etag` is
/// on, and the route responds to GET or HEAD with 200. An option that is known only when the application runs may be off.
pub(super) fn are_evaluated(program: &Program, route: &Route) -> bool {
    let option = program.application.etag.as_ref();
    option.is_some_and(|option| option.value.is_some())
        && matches!(route.method, Method::Get | Method::Head)
        && route.responses().iter().any(|reply| reply.status == 200)
}

/// Returns the header with the entity tag. Streams and responses that no cache may store have no tag.
pub(super) fn tag() -> Header {
    Header {
        description: Some("Entity tag of the body.".to_owned()),
        required: false,
        deprecated: None,
        schema: Schema {
            r#type: Some("string"),
            ..Schema::default()
        },
    }
}
