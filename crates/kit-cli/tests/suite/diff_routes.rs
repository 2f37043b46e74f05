//! `kit diff`: routes that other routes replace or take requests from.

use crate::diff::{compared, contract, ids};

#[test]
fn a_route_that_takes_requests_from_another_breaks_answers() {
    let other = "\"GET /notes/:id\": RouteContract<{ id: string }, void, void, string>;";
    let new = "\n  \"GET /notes/latest\": RouteContract<void, void, void, number>;";
    let report = compared(&contract(other, ""), &contract(&format!("{other}{new}"), ""));
    assert_eq!(ids(&report), ["GET /notes/latest: route-taken"]);
}

#[test]
fn a_wildcard_in_place_of_a_parameter_answers_the_same_requests() {
    let one = contract(
        "\"GET /files/:id\": RouteContract<{ id: string }, void, void, string>;",
        "",
    );
    let all = contract(
        "\"GET /files/*path\": RouteContract<{ path: string }, void, void, string>;",
        "",
    );
    let report = compared(&one, &all);
    assert_eq!(ids(&report), ["GET /files/:id: route-replaced"]);
    assert_eq!(report["changes"][0]["consequence"], "renames-client");
    // Paths with several segments find no route any more.
    assert_eq!(
        ids(&compared(&all, &one)),
        ["GET /files/*path: route-removed", "GET /files/:id: route-taken"]
    );
    let short = contract(
        "\"GET /files/*path\": RouteContract<Path, void, void, number>;",
        "export interface Path { /** @maxLength 3 */ path: string }",
    );
    assert_eq!(
        ids(&compared(&one, &short)),
        [
            "GET /files/:id params.path: type",
            "GET /files/:id response: type",
            "GET /files/:id: route-replaced"
        ]
    );
}

#[test]
fn a_removed_literal_route_beside_a_parameter_is_compared_with_the_parameter() {
    let other = "\n  \"GET /users/:id\": RouteContract<Id, void, void, string>;";
    let me = "\"GET /users/me\": RouteContract<void, void, void, string>;";
    let types = |rule: &str| format!("export interface Id {{ /** {rule} */ id: string }}");
    let old = contract(&format!("{me}{other}"), &types("Any."));
    let report = compared(&old, &contract(other, &types("Any.")));
    assert_eq!(ids(&report), ["GET /users/me: route-replaced"]);
    let report = compared(&old, &contract(other, &types("@minLength 3")));
    assert_eq!(
        ids(&report),
        [
            "GET /users/me params.id: type",
            "GET /users/:id params.id: type",
            "GET /users/me: route-replaced"
        ]
    );
    assert_eq!(report["changes"][0]["value"], "me");
}
