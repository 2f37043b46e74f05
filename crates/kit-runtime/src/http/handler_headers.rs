//! Headers that handlers set.

use axum::http::{HeaderMap, HeaderName, HeaderValue, header};

use crate::connection::OF_CONNECTIONS;

/// Removes one value of a header and keeps the order of the others.
pub(super) fn remove_value(headers: &mut HeaderMap, name: &HeaderName, value: &HeaderValue) {
    let all: Vec<HeaderValue> = headers.get_all(name).iter().cloned().collect();
    headers.remove(name);
    for other in all {
        if other != value {
            headers.append(name, other);
        }
    }
}

/// Returns true if a handler may set the header. Headers of the message framing and the connection belong to the
/// server: a wrong `content-length`, for example, would corrupt the next response.
pub(super) fn is_free(name: &HeaderName) -> bool {
    let is_of_the_server =
        matches!(*name, header::CONTENT_LENGTH | header::TRAILER) || OF_CONNECTIONS.contains(&name.as_str());
    if is_of_the_server {
        tracing::warn!("The header {name} is set by the server and cannot be set by a handler");
    }
    !is_of_the_server
}
