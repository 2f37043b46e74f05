//! `kit diff`: changes between two states of the types.

use serde_json::{Value, json};

use crate::support::{Outcome, Project};

const PACKAGE: &str = r#"{ "name": "notes", "type": "module" }"#;

/// Compares two versions of the file `src/notes.routes.ts`.
pub(crate) fn compared(old: &str, new: &str) -> Value {
    let project = project(old);
    let saved = project.kit(&["diff", "--save", "old.json"]);
    assert_eq!(
        saved.parts(),
        (0, "old.json: compare with `kit diff old.json`\n", "")
    );
    project.write("src/notes.routes.ts", new);
    let found = project.kit(&["diff", "old.json", "--json"]);
    assert!(found.err.is_empty(), "{}", found.err);
    let report = found.json();
    let failed = report["status"] == "failed";
    assert_eq!(found.code, u8::from(failed), "{report}");
    report
}

pub(crate) fn project(routes: &str) -> Project {
    Project::new(&[("package.json", PACKAGE), ("src/notes.routes.ts", routes)])
}

/// Returns the source of one route.
pub(crate) fn contract(contract: &str, types: &str) -> String {
    format!(
        "import type {{ RouteContract }} from \"@kit/types\";\nexport interface NoteRoutes {{\n  {contract}\n}}\n{types}\n"
    )
}

/// Returns the ids of changes that are not compatible.
pub(crate) fn ids(report: &Value) -> Vec<&str> {
    let changes = report["changes"].as_array().expect("a list of changes").iter();
    changes
        .filter(|change| change["consequence"] != "compatible")
        .map(|change| change["id"].as_str().expect("each change has an id"))
        .collect()
}

/// Compares two bodies of a request, which is also the body of the response.
fn bodies(old: &str, new: &str) -> Value {
    let source = |r#type: &str| contract("\"PUT /note\": RouteContract<void, void, Note, Note>;", r#type);
    compared(&source(old), &source(new))
}

#[test]
fn a_new_required_property_breaks_requests_and_an_optional_one_does_not() {
    let report = bodies(
        "export interface Note { title: string }",
        "export interface Note { title: string; text: string; tag?: string; /** @default 1 */ size: number }",
    );
    assert_eq!(ids(&report), ["PUT /note body.text: property-added"]);
    let change = &report["changes"][0];
    assert_eq!(change["consequence"], "breaks-requests");
    assert_eq!(change["example"], json!({ "title": "" }));
    assert_eq!(
        (change["path"].as_str(), change["line"].as_u64()),
        (Some("src/notes.routes.ts"), Some(5))
    );
    assert_eq!(report["counts"]["breaksRequests"], 1);
}

#[test]
fn a_removed_property_breaks_answers_only() {
    let report = bodies(
        "export interface Note { title: string; /** @deprecated use tags */ tag: string }",
        "export interface Note { title: string }",
    );
    assert_eq!(ids(&report), ["PUT /note response.tag: property-removed"]);
    assert_eq!(report["changes"][0]["consequence"], "breaks-answers");
    let message = report["changes"][0]["message"].as_str().unwrap();
    assert!(message.contains("deprecated: use tags"), "{message}");
}

#[test]
fn a_narrower_rule_breaks_requests_and_a_wider_rule_breaks_answers() {
    let rule = |rule: &str| format!("export interface Note {{\n/** {rule} */\ntitle: string }}");
    let report = bodies(&rule("@maxLength 200"), &rule("@maxLength 100"));
    assert_eq!(ids(&report), ["PUT /note body.title: type"]);
    let change = &report["changes"][0];
    assert_eq!(change["value"].as_str().unwrap().len(), 101);
    assert_eq!(
        change["message"],
        "the type was `string @maxLength 200`, and is `string @maxLength 100`"
    );
    let report = bodies(&rule("@maxLength 100"), &rule("@maxLength 200"));
    assert_eq!(ids(&report), ["PUT /note response.title: type"]);
    let report = bodies(&rule("@pattern ^[a-z]+$"), &rule("@pattern ^[a-z0-9]+$"));
    assert_eq!(ids(&report), ["PUT /note response.title: type"]);
    let report = bodies(&rule("@format uuid"), &rule("@maxLength 36"));
    assert_eq!(ids(&report), ["PUT /note response.title: type"]);
}

#[test]
fn a_pattern_that_kit_cannot_compare_counts_as_breaking_and_says_so() {
    let rule = |rule: &str| format!("export interface Note {{\n/** {rule} */\ntitle: string }}");
    let report = bodies(&rule("@pattern ^(?=a)[ab]*$"), &rule("@pattern ^(?=a)[ab]+$"));
    let change = &report["changes"][0];
    assert_eq!(
        (&change["certain"], &change["consequence"]),
        (&json!(false), &json!("breaks-requests"))
    );
    let message = change["message"].as_str().unwrap();
    assert!(
        message.ends_with("kit cannot decide if every value still fits, so the change counts as breaking"),
        "{message}"
    );
    assert_eq!(change.get("example"), None);
}

#[test]
fn unchanged_types_have_no_changes_even_if_kit_cannot_compare_them() {
    let same = "export interface Note { /** @pattern ^(?=.*[0-9]).{8,}$ */ password: string; /** @minItems 301 */ all: string[]; title: ";
    assert_eq!(
        ids(&bodies(&format!("{same}string }}"), &format!("{same}string }}"))),
        [""; 0]
    );
    let report = bodies(
        &format!("{same}string }}"),
        &format!("{same}string; tag?: string }}"),
    );
    assert_eq!(ids(&report), [""; 0]);
    let report = bodies(&format!("{same}string }}"), &format!("{same}number }}"));
    assert_eq!(
        ids(&report),
        ["PUT /note body.title: type", "PUT /note response.title: type"]
    );
    assert_eq!(report["changes"][0]["certain"], true);
}

#[test]
fn a_parameter_of_a_path_is_never_empty() {
    let route = |tags: &str| {
        contract(
            "\"GET /notes/:id\": RouteContract<Id, void, void, string>;",
            &format!("export interface Id {{ /** {tags} */ id: string }}"),
        )
    };
    assert_eq!(ids(&compared(&route("Any."), &route("@minLength 1"))), [""; 0]);
    let report = compared(&route("Any."), &route("@minLength 2"));
    assert_eq!(ids(&report), ["GET /notes/:id params.id: type"]);
}

#[test]
fn a_text_with_a_date_and_a_date_differ_only_beyond_the_year_9999() {
    let text = "export interface Note { /** @format date-time */ at: string }";
    let date = "export interface Note { at: Date }";
    assert_eq!(ids(&bodies(date, text)), [""; 0]);
    let report = bodies(text, date);
    assert_eq!(ids(&report), ["PUT /note body.at: type"]);
    let change = &report["changes"][0];
    assert_eq!(change["certain"], true, "{change}");
    let value = change["value"].as_str().unwrap();
    assert!(value.starts_with("9999-12-31"), "{value}");
}

#[test]
fn places_of_removed_properties_and_columns_are_in_the_old_state() {
    let types = |extra: &str| {
        format!("/** @table */\nexport interface Book {{\n  /** @id */ id: string;\n{extra}}}\n")
    };
    let route = "\"GET /books\": RouteContract<void, void, void, Book[]>;";
    let old = contract(route, &types("  title: string;\n"));
    let report = compared(&old, &contract(route, &types("")));
    assert_eq!(
        ids(&report),
        [
            "GET /books response[].title: property-removed",
            "database, drop column books.title and all its values: data-lost"
        ]
    );
    let line = 1 + old[..old.find("title:").unwrap()].matches('\n').count();
    for change in report["changes"].as_array().unwrap().iter().take(2) {
        assert_eq!(change["state"], "old", "{change}");
        assert_eq!(change["line"].as_u64(), Some(line as u64), "{change}");
    }
}

#[test]
fn a_new_required_query_is_an_added_property() {
    let route = |query: &str| {
        contract(
            &format!("\"GET /notes\": RouteContract<void, {query}, void, string>;"),
            "",
        )
    };
    let report = compared(&route("void"), &route("{ q: string }"));
    assert_eq!(ids(&report), ["GET /notes query.q: property-added"]);
}

#[test]
fn bigint_literals_are_compared_exactly() {
    let note = |literal: &str| format!("export interface Note {{ a: {literal} | 2n }}");
    let report = bodies(&note("9007199254740993n"), &note("9007199254740992n"));
    assert_eq!(
        ids(&report),
        ["PUT /note body.a: member", "PUT /note response.a: member"]
    );
}

#[test]
fn nested_places_of_lists_records_and_unions_are_named() {
    let report = bodies(
        "export interface Note { items: { price: number }[]; by: Record<string, boolean>; at: { kind: \"a\"; n: number } | { kind: \"b\" } }",
        "export interface Note { items: { /** @integer */ price: number }[]; by: Record<string, true>; at: { kind: \"a\"; n: 1 | 2 } | { kind: \"b\" } }",
    );
    assert_eq!(
        ids(&report),
        [
            "PUT /note body.items[].price: type",
            "PUT /note body.by[key]: member",
            "PUT /note body.at.n: type",
        ]
    );
    let example = &report["changes"][0]["example"];
    assert_eq!(
        example["items"][0]["price"]
            .as_f64()
            .map(|price| price.fract() == 0.0),
        Some(false),
        "{example}"
    );
}

#[test]
fn a_removed_member_of_a_union_breaks_requests_and_a_new_one_breaks_answers() {
    let report = bodies(
        "export interface Note { state: \"open\" | \"done\" }",
        "export interface Note { state: \"open\" | \"late\" }",
    );
    assert_eq!(
        ids(&report),
        ["PUT /note body.state: member", "PUT /note response.state: member"]
    );
    let values: Vec<&Value> = report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|change| &change["value"])
        .collect();
    assert_eq!(values, ["done", "late"]);
}

#[test]
fn recursive_types_are_compared_until_a_value_shows_a_difference() {
    let tree = |leaf: &str| format!("export interface Note {{ value: {leaf}; next: Note | null }}");
    assert_eq!(ids(&bodies(&tree("string"), &tree("string"))), [""; 0]);
    let report = bodies(&tree("number | string"), &tree("string"));
    assert_eq!(ids(&report), ["PUT /note body.value: member"]);
}

#[test]
fn parameters_are_texts_so_a_number_may_become_a_string() {
    let route = |name: &str, query: &str| {
        contract(
            &format!("\"GET /notes/:{name}\": RouteContract<{{ {name}: string }}, {query}, void, string>;"),
            "",
        )
    };
    let report = compared(
        &route("id", "{ page?: number }"),
        &route("note", "{ page?: string }"),
    );
    assert_eq!(ids(&report), ["GET /notes/:id params: parameter-renamed"]);
    assert_eq!(report["status"], "passed");
    let report = compared(
        &route("id", "{ page?: number }"),
        &route("id", "{ page?: string }"),
    );
    assert_eq!(ids(&report), [""; 0]);
    let report = compared(
        &route("id", "{ page?: string }"),
        &route("id", "{ page?: number; tag: string[] }"),
    );
    assert_eq!(
        ids(&report),
        [
            "GET /notes/:id query.page: type",
            "GET /notes/:id query.tag: property-added"
        ]
    );
}

#[test]
fn a_removed_route_breaks_requests_unless_its_sunset_is_over() {
    let keep = "\"GET /a\": RouteContract<void, void, void, string>;";
    let with = |tags: &str| {
        contract(
            &format!("{keep}\n  /** {tags} */\n  \"GET /old\": RouteContract<void, void, void, string>;"),
            "",
        )
    };
    let without = contract(keep, "");
    let report = compared(&with("Old."), &without);
    assert_eq!(ids(&report), ["GET /old: route-removed"]);
    // The clock of the tests shows September 2026.
    let report = compared(&with("@deprecated\n   * @sunset 2026-01-01"), &without);
    assert_eq!(ids(&report), [""; 0]);
    assert_eq!(report["changes"][0]["rule"], "route-sunset");
    let report = compared(&with("@deprecated\n   * @sunset 2027-01-01"), &without);
    assert_eq!(
        report["changes"][0]["message"],
        "the route is removed before its sunset 2027-01-01"
    );
}

#[test]
fn new_statuses_break_answers_and_new_errors_do_not() {
    let source = |tags: &str, response: &str| {
        format!(
            "import type {{ Reply, RouteContract }} from \"@kit/types\";\nexport interface NoteRoutes {{\n  /** {tags} */\n  \"GET /a\": RouteContract<void, void, void, {response}>;\n}}\n"
        )
    };
    let report = compared(
        &source("Old.", "Reply<200, string>"),
        &source("@throws GONE 404", "Reply<200, string> | Reply<202, string>"),
    );
    assert_eq!(ids(&report), ["GET /a response 202: status-added"]);
    let added = report["changes"]
        .as_array()
        .unwrap()
        .iter()
        .find(|change| change["rule"] == "error-added");
    assert_eq!(
        added.map(|change| &change["consequence"]),
        Some(&json!("compatible"))
    );
}

#[test]
fn a_dropped_column_loses_data() {
    let entity = |extra: &str| {
        contract(
            "\"GET /a\": RouteContract<void, void, void, string>;",
            &format!("/** @table */\nexport interface Book {{ /** @id */ id: string;{extra} }}"),
        )
    };
    let report = compared(&entity(" title: string"), &entity(""));
    assert_eq!(report["counts"]["losesData"], 1, "{report}");
    assert_eq!(report["changes"][0]["rule"], "data-lost");
}

pub(crate) const OLD: &str = "export interface Note { title: string }";
pub(crate) const NEW: &str = "export interface Note { title: number }";

/// Returns a project whose request body changed after `old.json` was saved.
pub(crate) fn changed() -> Project {
    let source = |r#type: &str| contract("\"PUT /note\": RouteContract<void, void, Note, void>;", r#type);
    let project = project(&source(OLD));
    assert_eq!(project.kit(&["diff", "--save", "old.json"]).code, 0);
    project.write("src/notes.routes.ts", &source(NEW));
    project
}

#[test]
fn shows_the_place_and_a_value_and_how_to_accept_the_change() {
    let Outcome { code, out, err } = changed().kit(&["diff", "old.json"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(
        out.starts_with(
            "error[breaks-requests]: PUT /note body.title: the type was `string`, and is `number`\n"
        ),
        "{out}"
    );
    assert!(out.contains("src/notes.routes.ts:5:"), "{out}");
    assert!(
        out.contains("the old contract accepts this value, and the new one refuses it: \"\""),
        "{out}"
    );
    assert!(
        out.contains("write `PUT /note body.title: type` with a reason into the file of accepted changes (api-changes.json)"),
        "{out}"
    );
    assert!(
        out.ends_with("old.json to working tree: 1 change breaks requests\n"),
        "{out}"
    );
    let same = changed().kit(&["diff", "old.json", "--fail-on", "none"]);
    assert_eq!(same.code, 0);
}

#[test]
fn inspect_diff_prints_the_same() {
    let project = changed();
    for extra in [&[][..], &["--json"]] {
        let diff = project.kit(&[&["diff", "old.json"], extra].concat());
        let inspect = project.kit(&[&["inspect", "diff", "old.json"], extra].concat());
        assert_eq!(diff.parts(), inspect.parts());
    }
}

#[test]
fn accepted_changes_pass_and_unused_entries_are_listed() {
    let project = changed();
    let accept =
        |entries: Value| project.write("api-changes.json", &json!({ "accepted": entries }).to_string());
    accept(json!([{ "change": "PUT /note body.title: type", "reason": "no client sends a title" }]));
    let found = project.kit(&["diff", "old.json"]);
    assert_eq!(
        found.parts(),
        (
            0,
            "accepted: PUT /note body.title: type: no client sends a title\nold.json to working tree: 1 change is accepted\n",
            ""
        )
    );
    accept(json!([
        { "change": "PUT /note body.title: type", "reason": "no client sends a title" },
        { "change": "PUT /note body.text: type", "reason": "old" },
    ]));
    let found = project.kit(&["diff", "old.json", "--json"]);
    assert_eq!(
        (found.code, &found.json()["unusedAccepted"]),
        (0, &json!(["PUT /note body.text: type"]))
    );
    accept(json!([{ "change": "PUT /note body.title: type", "message": "another one", "reason": "old" }]));
    assert_eq!(project.kit(&["diff", "old.json"]).code, 1);
    accept(json!([
        { "change": "PUT /note body.title: type", "reason": "no client sends a title" },
        { "change": "PUT /note body.title: type", "message": "another one", "reason": "old" },
    ]));
    let found = project.kit(&["diff", "old.json", "--json"]);
    assert_eq!(
        (found.code, &found.json()["unusedAccepted"]),
        (0, &json!(["PUT /note body.title: type"]))
    );
    accept(json!([{ "change": "PUT /note body.title: type", "reason": " " }]));
    let found = project.kit(&["diff", "old.json"]);
    assert!(
        found
            .err
            .contains("the change `PUT /note body.title: type` has no reason"),
        "{}",
        found.err
    );
    assert_eq!(
        project.kit(&["diff", "old.json", "--accepted", "none.json"]).code,
        3
    );
}

#[test]
fn prints_annotations_in_github_actions() {
    let mut project = changed();
    project.set("GITHUB_ACTIONS", "true");
    let found = project.kit(&["diff", "old.json", "--json"]);
    assert!(
        found
            .err
            .starts_with("::error file=src/notes.routes.ts,line=5,col="),
        "{}",
        found.err
    );
    assert!(
        found
            .err
            .contains("title=kit diff%3A breaks-requests::PUT /note body.title: type: "),
        "{}",
        found.err
    );
    assert_eq!(found.json()["status"], "failed");
}

#[test]
fn a_file_that_is_no_state_is_refused() {
    let project = changed();
    for (text, message) in [
        ("{", "old.json is not a state of an application: "),
        ("{ \"version\": 0 }", "it has the version 0, and this kit reads 2"),
    ] {
        project.write("old.json", text);
        let found = project.kit(&["diff", "old.json"]);
        assert!(found.code == 3 && found.err.contains(message), "{}", found.err);
    }
}
