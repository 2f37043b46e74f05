//! Responses that downloads and the option `etag` of the application add to operations.

use kit_ir::{Method, Program, Route};

use super::document::{Header, text_schema};

/// Returns true if kit evaluates preconditions of requests for the route, such as the header `If-None-Match`:
/// the response is a download, or the option `etag` is on and the route responds to GET or HEAD with 200. Returns false if the
/// value of the option is known only when the application runs.
pub(super) fn are_evaluated(program: &Program, route: &Route) -> bool {
    if route.response_format.is_download() {
        return true;
    }
    let option = program.application.etag.as_ref();
    option.is_some_and(|option| option.value.is_some())
        && matches!(route.method, Method::Get | Method::Head)
        && route.responses().iter().any(|reply| reply.status == 200)
}

/// Returns the description of the header `etag`. Streams and responses that no cache may store are sent
/// without this header.
pub(super) fn tag() -> Header {
    Header {
        description: Some("Entity tag of the body.".to_owned()),
        required: false,
        deprecated: None,
        schema: text_schema(),
    }
}
