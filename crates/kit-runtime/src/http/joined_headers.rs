//! Headers of a response from several sources: the handler, wrappers, and a stream before its first value.

use axum::http::{HeaderMap, header};

/// Adds the headers `later` to the headers `earlier`: a header replaces headers with the same name, and cookies are
/// added.
pub(super) fn join(mut earlier: HeaderMap, later: &HeaderMap) -> HeaderMap {
    for name in later.keys().filter(|name| **name != header::SET_COOKIE) {
        earlier.remove(name);
    }
    for (name, value) in later {
        earlier.append(name, value.clone());
    }
    earlier
}
