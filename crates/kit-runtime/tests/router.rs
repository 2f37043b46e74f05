//! Checks the route tree against the conformance corpus of routes, which every route matcher of kit passes.

// Helper functions of tests may unwrap like tests.
#![allow(clippy::unwrap_used)]

use kit_runtime::{Match, RouteTree};
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

#[test]
fn finds_the_routes_of_the_conformance_corpus() {
    let corpus: Corpus = serde_json::from_str(include_str!("../../../conformance/router.json")).unwrap();
    let mut wrong = Vec::new();
    let mut count = 0;
    for group in &corpus.groups {
        let routes: Vec<(&'static str, &str)> = group
            .routes
            .iter()
            .map(|route| {
                let (method, path) = route.split_once(' ').unwrap();
                // Routes need `&'static str`, because in generated servers they are constants.
                (&*Box::leak(method.to_owned().into_boxed_str()), path)
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
