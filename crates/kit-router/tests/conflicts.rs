//! Tests of the messages about routes that conflict.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use kit_router::{RouteSpec, RouteTree};

#[track_caller]
fn check(routes: &[(&str, &str)], expected: &str) {
    let conflicts =
        RouteTree::compile(routes.iter().map(|(method, path)| RouteSpec::new(*method, *path))).unwrap_err();
    let text: Vec<_> = conflicts
        .iter()
        .map(|conflict| format!("{conflict}\n  {}", conflict.help()))
        .collect();
    assert_eq!(text.join("\n"), expected);
}

#[test]
fn message_about_a_conflict_names_both_routes_and_gives_advice() {
    check(
        &[("GET", "/users/:id"), ("GET", "/users/:name/")],
        "`GET /users/:name/` matches the same requests as `GET /users/:id`\n  \
         remove one of the two routes, or give one of the routes another path or method",
    );
    check(
        &[("GET", "/f/:name"), ("POST", "/f/*path")],
        "`*path` in `POST /f/*path` conflicts with `:name` in `GET /f/:name`\n  \
         a wildcard and a parameter cannot have the same position: put a static segment before one of the two",
    );
    check(
        &[("get", "/")],
        "`get` is not a method that a route can have\n  write it in upper case: `GET`",
    );
    check(
        &[("FETCH", "/")],
        "`FETCH` is not a method that a route can have\n  \
         use one of GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS",
    );
}

#[test]
fn message_about_an_invalid_path_names_the_rule() {
    let help = "\n  a path looks like `/notes`, `/notes/:id` or `/files/*path`";
    for (path, reason) in [
        ("a", "a path begins with `/`"),
        ("/a//b", "a path has no empty segments"),
        (
            "/*a/b",
            "`*a` matches the rest of the path, so nothing can follow it",
        ),
        ("/:", "`:` has no name: write `:name`"),
        ("/*", "`*` has no name: write `*name`"),
        (
            "/:a-b",
            "`a-b` in `:a-b` is not a name: use letters, digits and `_`, with one parameter in a segment",
        ),
        ("/:a/:a", "the name `a` occurs twice in the path"),
        (
            "/a b",
            "`a b` contains U+0020, which is invalid in a path: write `%20` instead",
        ),
        (
            "/a:b",
            "`a:b` contains `:`, which is invalid in a path: write `%3A` instead",
        ),
        (
            "/a\u{2028}",
            "`a\u{2028}` contains U+2028, which is invalid in a path: write `%E2%80%A8` instead",
        ),
        (
            "/5%",
            "`5%` contains an invalid percent-escape: write a literal `%` as `%25`",
        ),
    ] {
        check(
            &[("GET", path)],
            &format!("the path `{path}` is not valid: {reason}{help}"),
        );
    }
    let deep = "/a".repeat(51);
    check(
        &[("GET", &deep)],
        &format!("the path `{deep}` is not valid: a path has at most 50 segments, but this one has 51{help}"),
    );
}

#[test]
fn reports_conflicts_with_a_route_that_was_refused_itself() {
    check(
        &[
            ("GET", "/a"),
            ("GET", "/a/*x/y"),
            ("GET", "/a"),
            ("GET", "/b/:p"),
            ("GET", "/b/*w"),
            ("PUT", "/b/*w"),
        ],
        "the path `/a/*x/y` is not valid: `*x` matches the rest of the path, so nothing can follow it\n  \
         a path looks like `/notes`, `/notes/:id` or `/files/*path`\n\
         `GET /a` matches the same requests as `GET /a`\n  remove one of the two routes, or give one of the routes another path or method\n\
         `*w` in `GET /b/*w` conflicts with `:p` in `GET /b/:p`\n  \
         a wildcard and a parameter cannot have the same position: put a static segment before one of the two\n\
         `*w` in `PUT /b/*w` conflicts with `:p` in `GET /b/:p`\n  \
         a wildcard and a parameter cannot have the same position: put a static segment before one of the two",
    );
}

#[test]
fn refuses_two_routes_with_the_same_reference() {
    let named = |path: &str| RouteSpec {
        reference: "same".to_owned(),
        ..RouteSpec::new("GET", path)
    };
    let conflicts = RouteTree::compile([named("/a"), named("/b")]).unwrap_err();
    assert_eq!(conflicts.len(), 1);
    assert_eq!(
        (conflicts[0].kind(), conflicts[0].route(), conflicts[0].other()),
        ("duplicate-reference", 1, Some(0))
    );
}
