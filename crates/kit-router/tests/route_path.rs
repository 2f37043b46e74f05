//! Tests of parsed route paths.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use kit_router::{InvalidPath, Method, RoutePath, RouteSpec, RouteTree, Segment};

fn path(text: &str) -> RoutePath {
    RoutePath::parse(text).unwrap()
}

#[test]
fn path_is_displayed_without_a_trailing_slash() {
    for (text, expected) in [
        ("/", "/"),
        ("/notes/", "/notes"),
        ("/notes/:id", "/notes/:id"),
        ("/files/*path", "/files/*path"),
        ("/caf%C3%A9/%7Eme", "/caf%C3%A9/%7Eme"),
    ] {
        assert_eq!(path(text).to_string(), expected);
    }
}

#[test]
fn path_is_serialized_as_text_and_an_invalid_text_is_refused() {
    let json = serde_json::to_string(&path("/a/:b/")).unwrap();
    assert_eq!(json, r#""/a/:b""#);
    assert_eq!(serde_json::from_str::<RoutePath>(&json).unwrap(), path("/a/:b"));
    let error = serde_json::from_str::<RoutePath>(r#""/a//b""#).unwrap_err();
    assert!(
        error.to_string().starts_with("a path has no empty segments"),
        "{error}"
    );
    assert_eq!(serde_json::to_string(&Method::Patch).unwrap(), r#""PATCH""#);
}

#[test]
fn refuses_a_path_of_two_slashes_because_of_the_empty_segment() {
    assert_eq!(RoutePath::parse("//"), Err(InvalidPath::EmptySegment));
}

#[test]
fn joins_a_prefix_and_a_path_by_segments() {
    let joined = |prefix: &str, own: &str| path(own).below(&path(prefix)).map(|path| path.to_string());
    assert_eq!(joined("/notes", "/notes/:id").as_deref(), Ok("/notes/:id"));
    assert_eq!(joined("/notes", "/notesy").as_deref(), Ok("/notes/notesy"));
    assert_eq!(joined("/api/", "/").as_deref(), Ok("/api"));
    assert_eq!(joined("/", "/notes").as_deref(), Ok("/notes"));
    let name = "id".to_owned();
    assert_eq!(
        joined("/a/:id", "/b/:id"),
        Err(InvalidPath::RepeatedName { name })
    );
    let segment = "*rest".to_owned();
    assert_eq!(
        joined("/a/*rest", "/b"),
        Err(InvalidPath::WildcardNotLast { segment })
    );
    let deep = "/a".repeat(30);
    assert_eq!(
        joined(&format!("/b{deep}"), &deep),
        Err(InvalidPath::TooDeep { count: 61 })
    );
    let joined = path("/b/:x").below(&path("/a")).unwrap();
    assert_eq!(joined, path("/a/b/:x"));
}

#[test]
fn returns_the_segments_after_a_prefix() {
    let after = |own: &str, prefix: &str| path(own).after(&path(prefix)).map(<[Segment]>::to_vec);
    assert_eq!(after("/a/:b", "/a"), Some(vec![Segment::Parameter("b".into())]));
    assert_eq!(after("/a", "/a"), Some(Vec::new()));
    assert_eq!(after("/ab", "/a"), None);
}

#[test]
fn returns_the_segments_parameters_and_name_of_a_path() {
    let both = path("/teams/:team/files/*path");
    assert_eq!(both.static_segments().collect::<Vec<_>>(), ["teams", "files"]);
    assert_eq!(both.wildcard(), Some("path"));
    assert_eq!(path("/a/:b").wildcard(), None);
    assert_eq!(
        both.with_parameters(|name| format!("{{{name}}}")),
        "/teams/{team}/files/{path}"
    );
    assert_eq!(path("/").with_parameters(str::to_owned), "/");
    assert_eq!(both.name(|text| text[..1].to_uppercase()), "TByTFByP");
}

#[test]
fn route_tree_contains_static_text_in_its_normal_form() {
    let tree = RouteTree::compile([
        RouteSpec::new("GET", "/caf%C3%A9"),
        RouteSpec::new("GET", "/caf\u{e9}"),
    ]);
    assert_eq!(tree.unwrap_err()[0].kind(), "duplicate");
}
