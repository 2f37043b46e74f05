//! Tests of the router with `conformance/router.json`. The router in TypeScript must pass the same
//! cases.

// Helper functions of tests may panic, as tests do.
#![allow(clippy::unwrap_used)]

use kit_router::{CompiledRouteTree, Match, ParamBuffer, RouteSpec, RouteTree, Router};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    groups: Vec<Group>,
    conflicts: Vec<ConflictCase>,
    document: Document,
}

#[derive(Deserialize)]
struct Group {
    name: String,
    routes: Vec<String>,
    requests: Vec<(String, String, Expected)>,
}

#[derive(Deserialize, Debug, PartialEq)]
#[serde(untagged)]
enum Expected {
    Nothing(String),
    Route { route: String, params: Vec<String> },
    Refused { allow: Vec<String> },
}

#[derive(Deserialize)]
struct ConflictCase {
    name: String,
    routes: Vec<String>,
    conflicts: Vec<ExpectedConflict>,
}

#[derive(Deserialize, Debug, PartialEq)]
struct ExpectedConflict {
    kind: String,
    route: usize,
    other: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    routes: Vec<String>,
    generated_at: String,
    tree: serde_json::Value,
}

fn corpus() -> Corpus {
    serde_json::from_str(include_str!("../../../conformance/router.json")).unwrap()
}

fn specs(routes: &[String]) -> impl Iterator<Item = RouteSpec> {
    routes.iter().map(|route| {
        let (method, path) = route.split_once(' ').unwrap();
        RouteSpec::new(method, path)
    })
}

fn answer(router: &Router, routes: &[String], method: &str, path: &str) -> Expected {
    let mut params = ParamBuffer::new();
    match router.find(method, path, &mut params) {
        Match::Route(number) => Expected::Route {
            route: routes[number as usize].clone(),
            params: params.values(path).map(std::borrow::Cow::into_owned).collect(),
        },
        Match::NotFound => Expected::Nothing("not-found".to_owned()),
        Match::BadPath => Expected::Nothing("bad-path".to_owned()),
        Match::MethodNotAllowed(allow) => Expected::Refused {
            allow: allow.methods().map(|method| method.name().to_owned()).collect(),
        },
    }
}

#[test]
fn finds_the_routes_of_the_conformance_corpus() {
    let mut wrong = Vec::new();
    for group in corpus().groups {
        let tree =
            RouteTree::compile(specs(&group.routes)).unwrap_or_else(|c| panic!("{}: {c:?}", group.name));
        // The server reads the tree from its document, so the test does so, too.
        let document = serde_json::to_string(&tree.to_compiled("")).unwrap();
        let document: CompiledRouteTree = serde_json::from_str(&document).unwrap();
        let loaded = RouteTree::from_compiled(&document, &group.routes).unwrap();
        for (method, path, expected) in &group.requests {
            for router in [tree.router(), loaded.router()] {
                let actual = answer(&router, &group.routes, method, path);
                if actual != *expected {
                    wrong.push(format!(
                        "{}: {method} {path}: {actual:?}, not {expected:?}",
                        group.name
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn reports_the_conflicts_of_the_conformance_corpus() {
    for case in corpus().conflicts {
        let conflicts = RouteTree::compile(specs(&case.routes)).expect_err(&case.name);
        let actual: Vec<_> = conflicts
            .iter()
            .map(|conflict| ExpectedConflict {
                kind: conflict.kind().to_owned(),
                route: conflict.route(),
                other: conflict.other(),
            })
            .collect();
        assert_eq!(actual, case.conflicts, "{}", case.name);
    }
}

#[test]
fn writes_exactly_the_document_of_the_corpus() {
    let document = corpus().document;
    let tree = RouteTree::compile(specs(&document.routes)).unwrap();
    let compiled = tree.to_compiled(document.generated_at);
    // JSON is compared as text, so that the order of keys matters.
    let pretty = |value: &serde_json::Value| serde_json::to_string_pretty(value).unwrap();
    assert_eq!(
        pretty(&serde_json::to_value(&compiled).unwrap()),
        pretty(&document.tree)
    );
    let back: CompiledRouteTree = serde_json::from_value(document.tree).unwrap();
    assert_eq!(
        RouteTree::from_compiled(&back, &document.routes)
            .unwrap()
            .to_compiled(back.metadata.generated_at.clone()),
        back
    );
}
