//! Checks the route tree against the conformance corpus of routes, which every route matcher of kit passes.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use kit_router::RoutePath;
use kit_runtime::{Match, RouteTree, Segment};
use serde::Deserialize;

#[derive(Deserialize)]
struct Corpus {
    groups: Vec<Group>,
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

/// Returns the text for the rest of the process. Routes need `&'static str`, because in generated servers they are
/// constants.
fn leak(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn segment(segment: &kit_router::Segment) -> Segment {
    match segment.normalized() {
        kit_router::Segment::Static(text) => Segment::Static(leak(&text)),
        kit_router::Segment::Parameter(name) => Segment::Parameter(leak(&name)),
        kit_router::Segment::Wildcard(name) => Segment::Wildcard(leak(&name)),
    }
}

#[test]
fn finds_the_routes_of_the_conformance_corpus() {
    let corpus: Corpus = serde_json::from_str(include_str!("../../../../conformance/router.json")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for group in &corpus.groups {
        let routes: Vec<(&'static str, &'static [Segment])> = group
            .routes
            .iter()
            .map(|route| {
                let (method, path) = route.split_once(' ').unwrap();
                let path = RoutePath::parse(path).unwrap();
                let segments: Vec<_> = path.segments().iter().map(segment).collect();
                (leak(method), &*segments.leak())
            })
            .collect();
        let tree = RouteTree::new(&routes);
        for (method, path, expected) in &group.requests {
            let actual = match tree.find(method, path) {
                Match::Route(number, params) => Expected::Route {
                    route: group.routes[number].clone(),
                    params,
                },
                Match::NotFound => Expected::Nothing("not-found".to_owned()),
                Match::BadPath => Expected::Nothing("bad-path".to_owned()),
                Match::MethodNotAllowed(allow) => Expected::Refused {
                    allow: allow.split(", ").map(str::to_owned).collect(),
                },
            };
            count += 1;
            if actual != *expected {
                wrong.push(format!(
                    "{}: {method} {path}: {actual:?}, not {expected:?}",
                    group.name
                ));
            }
        }
    }
    assert!(count > 100, "{count} requests");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
