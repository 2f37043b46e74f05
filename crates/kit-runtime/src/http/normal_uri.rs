//! Normalizes the path of a request before any router reads it.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use kit_guard::normal_path;

/// Replaces the path of a URI with its normal form. A path without a normal form stays unchanged, and the router
/// rejects it.
///
/// axum's routes and layers compare the path as a string, and kit's routes are compared in the normal form. If
/// `/%61dmin` stayed as received, a layer on `/admin` would not run, but kit's route `/admin` would respond.
pub(crate) fn make_normal(uri: &mut Uri) {
    // Most paths have no escape and are already normal, because the guard passes only ASCII.
    if !uri.path().contains('%') {
        return;
    }
    let Some(normal) = normal_path(uri.path()).filter(|normal| *normal != uri.path()) else {
        return;
    };
    let target = match uri.query() {
        Some(query) => format!("{normal}?{query}"),
        None => normal.into_owned(),
    };
    let mut parts = std::mem::take(uri).into_parts();
    parts.path_and_query = PathAndQuery::from_maybe_shared(target.into_bytes()).ok();
    *uri = Uri::from_parts(parts).unwrap_or_default();
}

#[cfg(test)]
mod tests {
    use axum::http::Uri;

    use super::make_normal;

    #[test]
    fn normalizes_only_the_path_of_a_uri() {
        for (given, expected) in [
            ("/%61dmin/x%2fy?q=%61", "/admin/x%2Fy?q=%61"),
            ("/admin?q=%61", "/admin?q=%61"),
            ("/%7Cx", "/|x"),
            ("http://host:1/%61?b", "http://host:1/a?b"),
            ("/%zz", "/%zz"),
            ("/caf%C3", "/caf%C3"),
            ("*", "*"),
        ] {
            let mut uri: Uri = given.parse().expect("a URI");
            make_normal(&mut uri);
            assert_eq!(uri.to_string(), expected);
        }
    }
}
