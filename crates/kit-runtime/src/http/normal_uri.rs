//! The path of a request in the normal form, before any router looks at it.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;
use kit_guard::normal_path;

/// Writes the path of a URI in the normal form of paths. A path that has none stays as it is, for the router to refuse.
///
/// axum's routes and layers compare the path as text, and kit's routes are compared in the normal form. With `/%61dmin` as it was
/// received, a layer on `/admin` would not run, and kit's route `/admin` would answer.
pub(super) fn make_normal(uri: &mut Uri) {
    // Most paths have no escape and are normal: the guard lets only ASCII through.
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
    fn only_the_path_changes() {
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
