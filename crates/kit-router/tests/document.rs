//! Tests of documents that a user has edited: each invalid one is refused with a reason.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use kit_router::{CompiledRouteTree, RouteTree};
use serde_json::{Value, json};

const METADATA: &str =
    r#"{ "totalRoutes": 1, "maxDepth": 1, "staticRoutes": 1, "parameterizedRoutes": 0, "generatedAt": "" }"#;

#[track_caller]
fn check(root: &Value, references: &[&str], expected: &str) {
    let metadata: Value = serde_json::from_str(METADATA).unwrap();
    let document: CompiledRouteTree =
        serde_json::from_value(json!({ "root": root, "metadata": metadata })).unwrap();
    let error = RouteTree::from_compiled(&document, references).unwrap_err();
    assert_eq!(error.to_string(), expected);
}

fn root(children: &Value) -> Value {
    json!({ "segment": "", "children": children })
}

fn leaf(segment: &str, reference: &str) -> Value {
    json!({ "segment": segment, "methods": { "GET": { "ref": reference, "validators": [] } }, "children": [] })
}

#[test]
fn reads_a_route_tree_from_a_valid_document() {
    let metadata: Value = serde_json::from_str(METADATA).unwrap();
    let document: CompiledRouteTree =
        serde_json::from_value(json!({ "root": root(&json!([leaf("a", "GET /a")])), "metadata": metadata }))
            .unwrap();
    let tree = RouteTree::from_compiled(&document, &["GET /a"]).unwrap();
    assert_eq!(tree.references().collect::<Vec<_>>(), ["GET /a"]);
}

#[test]
fn refuses_a_document_whose_routes_differ_from_the_list() {
    let one = || root(&json!([leaf("a", "GET /a")]));
    check(
        &one(),
        &[],
        "the compiled route tree names `GET /a`, which is not in the list of routes",
    );
    check(
        &one(),
        &["GET /a", "GET /b"],
        "the route `GET /b` is not in the compiled route tree",
    );
    check(&one(), &["GET /a", "GET /a"], "the route `GET /a` occurs twice");
    let twice = root(&json!([leaf("a", "GET /a"), leaf("b", "GET /a")]));
    check(&twice, &["GET /a"], "the route `GET /a` occurs twice");
}

#[test]
fn refuses_a_document_with_an_invalid_node() {
    let bad = |children: Value, at: &str, reason: &str| {
        check(
            &root(&children),
            &["r", "s"],
            &format!("the compiled route tree is not valid at `{at}`: {reason}"),
        );
    };
    bad(
        json!([{ "segment": "", "children": [] }]),
        "/",
        "an empty segment",
    );
    bad(json!([leaf("a", "r"), leaf("a", "s")]), "/", "two children `a`");
    bad(
        json!([{ "segment": "a", "paramName": "id", "children": [] }]),
        "/",
        "`a` is not the segment of the parameter `id`",
    );
    bad(
        json!([{ "segment": ":", "paramName": "", "children": [] }]),
        "/",
        "`` is not a parameter's name",
    );
    bad(
        json!([{ "segment": "*", "wildcard": true, "children": [] }]),
        "/",
        "a wildcard without a name",
    );
    bad(
        json!([{ "segment": "*", "paramName": "x", "children": [] }]),
        "/",
        "`*` is not the segment of the parameter `x`",
    );
    bad(
        json!([{ "segment": "a", "children": [
            { "segment": "b", "methods": { "FETCH": { "ref": "r", "validators": [] } }, "children": [] }
        ] }]),
        "/a/b",
        "`FETCH` is not a method",
    );
    bad(
        json!([{ "segment": "*", "paramName": "x", "wildcard": true, "children": [leaf("b", "r")] }]),
        "/*x/b",
        "`*x` matches the rest of the path, so nothing can follow it",
    );
    check(
        &json!({ "segment": "a", "children": [] }),
        &[],
        "the compiled route tree is not valid at `/`: the root has no segment",
    );
}

#[test]
fn refuses_a_document_with_a_wildcard_beside_a_parameter() {
    let children = json!([
        { "segment": ":", "paramName": "a", "methods": { "GET": { "ref": "r", "validators": [] } }, "children": [] },
        { "segment": "*", "paramName": "b", "wildcard": true,
          "methods": { "GET": { "ref": "s", "validators": [] } }, "children": [] },
    ]);
    check(
        &root(&children),
        &["r", "s"],
        "the compiled route tree has conflicting routes: `*b` in `s` conflicts with `:a` in `r`",
    );
}

#[test]
fn refuses_a_document_that_is_nested_too_deeply() {
    let mut deep = leaf("a", "r");
    for _ in 0..55 {
        deep = json!({ "segment": "a", "children": [deep] });
    }
    let at = "/a".repeat(51);
    check(
        &root(&json!([deep])),
        &["r"],
        &format!(
            "the compiled route tree is not valid at `{at}`: a path has at most 50 segments, but this one has 51"
        ),
    );
}

#[test]
fn reads_a_route_tree_with_the_maximum_depth_from_json() {
    let path = "/:a".to_owned() + &"/a".repeat(49);
    let tree = RouteTree::compile([kit_router::RouteSpec::new("GET", path)]).unwrap();
    let text = serde_json::to_string(&tree.to_compiled("")).unwrap();
    let document: CompiledRouteTree = serde_json::from_str(&text).unwrap();
    assert_eq!(
        RouteTree::from_compiled(&document, &tree.references().collect::<Vec<_>>()).unwrap(),
        tree
    );
}
