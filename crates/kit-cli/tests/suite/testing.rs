//! Tests of `kit test` with simulated test runners. `packages/cli/test` tests it with real ones.

use std::collections::BTreeSet;

use crate::support::Project;
use kit_cli::{ContractItem, Coverage, ItemKind, NodeExit, ProgramLog};
use serde_json::json;

const MANIFEST: (&str, &str) = ("package.json", r#"{ "name": "notes", "type": "module" }"#);
const TYPES: (&str, &str) = ("src/note.types.ts", "export interface Note { id: string }");

fn ended(code: i32, report: Option<&str>) -> NodeExit {
    NodeExit {
        code: Some(code),
        report: report.map(ToOwned::to_owned),
        ..NodeExit::default()
    }
}

#[test]
fn escapes_paths_for_the_globs_of_node() {
    let mut project = Project::new(&[
        MANIFEST,
        TYPES,
        ("src/[id].test.ts", ""),
        ("src/notes.spec.mts", ""),
        (".kit/tests/notes.contract.test.ts", ""),
        ("dist/src/notes.test.js", ""),
    ]);
    project.host.node = Some(Ok(ended(
        0,
        Some(r#"{"passed":3,"failed":0,"skipped":0,"failures":[]}"#),
    )));
    let outcome = project.kit(&["test", "--no-build"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    assert!(outcome.out.starts_with("3 passed in "), "{}", outcome.out);
    let reporters = "--test-reporter spec --test-reporter-destination stderr \
                     --test-reporter {reporter} --test-reporter-destination {report}";
    assert_eq!(
        *project.host.asked.borrow(),
        [format!(
            "KIT_TEST_LOG={{log}} NODE_ENV=test node --test {reporters} src/[[]id].test.ts src/notes.spec.mts .kit/tests/notes.contract.test.ts"
        )]
    );
}

#[test]
fn passes_no_list_of_test_files_to_vitest() {
    let mut project = Project::new(&[
        (
            "package.json",
            r#"{ "name": "notes", "devDependencies": { "vitest": "5.1.0" } }"#,
        ),
        TYPES,
        (
            "node_modules/vitest/package.json",
            r#"{ "bin": { "vitest": "./vitest.mjs" } }"#,
        ),
    ]);
    let report = json!({
        "numTotalTests": 4,
        "testResults": [
            {
                "name": project.root.join("src/notes.test.ts"),
                "status": "failed",
                "message": "",
                "assertionResults": [
                    { "ancestorTitles": ["notes"], "title": "are listed", "status": "passed", "failureMessages": [] },
                    {
                        "ancestorTitles": ["notes"],
                        "title": "have titles",
                        "status": "failed",
                        "failureMessages": ["AssertionError: no title\n    at /app/src/notes.test.ts:7:3"],
                        "location": { "line": 6, "column": 3 },
                    },
                    { "ancestorTitles": [], "title": "later", "status": "todo", "failureMessages": [] },
                ],
            },
            {
                "name": project.root.join("src/broken.test.ts"),
                "status": "failed",
                "message": "x is not defined",
                "assertionResults": [],
            },
        ],
    });
    project.host.node = Some(Ok(ended(1, Some(&report.to_string()))));
    let outcome = project.kit(&["test", "--no-build", "--json", "./src/notes", "--", "--retry=2"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (1, ""));
    let mut said = outcome.json();
    assert!(said["durationMs"].take().is_number());
    assert_eq!(
        said,
        json!({
            "passed": 1,
            "failed": 2,
            "skipped": 1,
            "durationMs": null,
            "failures": [
                { "name": "notes > have titles", "file": "src/notes.test.ts", "line": 6, "message": "AssertionError: no title" },
                { "name": "src/broken.test.ts", "file": "src/broken.test.ts", "line": null, "message": "x is not defined" },
            ],
        })
    );
    let program = project.root.join("node_modules/vitest/./vitest.mjs");
    assert_eq!(
        *project.host.asked.borrow(),
        [format!(
            "KIT_TEST_LOG={{log}} NODE_ENV=test node {} run --includeTaskLocation --reporter=default --reporter=json --outputFile.json {{report}} \
             --retry=2 src/notes",
            program.display()
        )]
    );
}

#[test]
fn reports_a_runner_that_fails_without_a_failed_test() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    let passed = r#"{"passed":3,"failed":0,"skipped":0,"failures":[]}"#;
    for (end, expected) in [
        (
            ended(1, Some(passed)),
            "no test failed, but node:test ended with code 1",
        ),
        (
            ended(9, None),
            "node:test ended with code 9, and its results cannot be read: it wrote no report",
        ),
        (
            ended(0, Some("{")),
            "node:test ended with code 0, and its results cannot be read: EOF while parsing",
        ),
        (
            NodeExit {
                signal: Some("SIGKILL".to_owned()),
                ..NodeExit::default()
            },
            "node:test was ended by SIGKILL, and its results cannot be read",
        ),
    ] {
        project.host.node = Some(Ok(end));
        let outcome = project.kit(&["test", "--no-build"]);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""));
        assert!(
            outcome.err.starts_with(&format!("error: {expected}")),
            "{}",
            outcome.err
        );
    }
}

const PASSED: &str = r#"{"passed":3,"failed":0,"skipped":0,"failures":[]}"#;
const TESTS: (&str, &str) = (".kit/tests/notes.contract.test.ts", "");
const CONTRACTS: (&str, &str) = (".kit/tests/contracts.ts", "");

fn item(kind: ItemKind, place: Option<(&str, &str)>, what: Option<&str>) -> ContractItem {
    ContractItem {
        kind,
        route: "POST /notes".to_owned(),
        slot: place.map(|(slot, _)| slot.to_owned()),
        path: place.map(|(_, path)| path.to_owned()),
        what: what.map(ToOwned::to_owned),
    }
}

fn seen() -> Coverage {
    let title = Some(("body", "$.title"));
    Coverage {
        items: vec![
            item(ItemKind::Route, None, None),
            item(ItemKind::Response, None, Some("201")),
            item(ItemKind::Response, None, Some("404 NO_AUTHOR")),
            item(ItemKind::Response, None, Some("409 TAKEN")),
            item(ItemKind::Field, title, None),
            item(ItemKind::Rule, title, Some("required")),
            item(ItemKind::Rule, title, Some("maxLength 200")),
            item(ItemKind::Bound, title, Some("maxLength 200")),
        ],
        seen: BTreeSet::from([0, 1, 4, 5]),
    }
}

#[test]
fn prints_the_coverage_of_the_contracts_after_the_result() {
    let mut project = Project::new(&[MANIFEST, TYPES, TESTS, CONTRACTS]);
    project.host.node = Some(Ok(NodeExit {
        seen: Some(seen()),
        ..ended(0, Some(PASSED))
    }));
    let outcome = project.kit(&["test", "--no-build"]);
    let (_, said) = outcome.out.split_once('\n').unwrap();
    assert_eq!(
        said,
        "contracts covered: 1 of 1 route, 1 of 3 responses, 1 of 1 field, 0 of 1 bound, 1 of 2 rules\n\
         not covered:\n  \
           POST /notes: no test sends a request that breaks maxLength 200 of body $.title\n  \
           POST /notes: no accepted request was at maxLength 200 of body $.title\n  \
           POST /notes: no request got the response 404 NO_AUTHOR, 409 TAKEN\n"
    );
    let asked = project.host.asked.borrow()[0].clone();
    let contracts = project.root.join(".kit/tests/contracts.ts");
    let expected = format!(
        "KIT_TEST_CONTRACTS={} KIT_TEST_LOG={{log}} KIT_TEST_SEEN={{seen}} NODE_ENV=test node --test ",
        contracts.display()
    );
    assert!(asked.starts_with(&expected), "{asked}");

    let said = project.kit(&["test", "--no-build", "--json"]).json();
    let contracts = &said["contracts"];
    assert_eq!(contracts["routes"], json!({ "seen": 1, "of": 1 }));
    assert_eq!(contracts["members"], json!({ "seen": 0, "of": 0 }));
    assert_eq!(
        contracts["items"][6],
        json!({
            "kind": "rule", "route": "POST /notes", "slot": "body", "path": "$.title", "what": "maxLength 200",
            "seen": false,
        })
    );
    assert_eq!(
        contracts["items"][0],
        json!({ "kind": "route", "route": "POST /notes", "seen": true })
    );
}

#[test]
fn limits_the_number_of_uncovered_items_in_text() {
    let mut project = Project::new(&[MANIFEST, TYPES, TESTS, CONTRACTS]);
    let names: Vec<String> = (0..30).map(|index| format!("maxLength {index}")).collect();
    let rules = names
        .iter()
        .map(|name| item(ItemKind::Rule, Some(("body", "$")), Some(name.as_str())));
    project.host.node = Some(Ok(NodeExit {
        seen: Some(Coverage {
            items: rules.collect(),
            seen: BTreeSet::new(),
        }),
        ..ended(0, Some(PASSED))
    }));
    let outcome = project.kit(&["test:contracts", "--no-build"]);
    assert_eq!(outcome.out.lines().count(), 24, "{}", outcome.out);
    assert!(
        outcome.out.ends_with("  and 10 more, which --json lists\n"),
        "{}",
        outcome.out
    );
}

#[test]
fn fails_if_no_test_has_the_route_of_a_replay() {
    let mut project = Project::new(&[MANIFEST, TYPES, TESTS]);
    let nothing = r#"{"passed":0,"failed":0,"skipped":0,"failures":[]}"#;
    project.host.node = Some(Ok(ended(0, Some(nothing))));
    let options = ["--no-build", "--seed", "7", "--replay", "POST /note valid 3:1"];
    let outcome = project.kit(&[&["test:contracts"], &options[..]].concat());
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .contains("no test has the route of `--replay 'POST /note valid 3:1'`"),
        "{}",
        outcome.err
    );
}

#[test]
fn passes_the_options_runs_and_seed_to_the_tests() {
    let mut project = Project::new(&[MANIFEST, TYPES, TESTS]);
    let failed = r#"{"passed":0,"failed":1,"skipped":0,"failures":[{"name":"a > b","file":null,"line":null,
        "message":"it took what is forbidden\ncurl -i 'http://localhost:3000/'\nanswered: 201\nkit test:contracts --seed 7"}]}"#;
    project.host.node = Some(Ok(ended(1, Some(failed))));
    let outcome = project.kit(&["test:contracts", "--no-build", "--seed", "7"]);
    assert!(
        outcome.out.starts_with(
            "a > b: it took what is forbidden\n  curl -i 'http://localhost:3000/'\n  kit test:contracts --seed 7\n1 failed"
        ),
        "{}",
        outcome.out
    );
    assert!(
        outcome
            .out
            .ends_with("\nrandom requests: 100 runs a test, seed 7\n"),
        "{}",
        outcome.out
    );
    let asked = |index: usize| project.host.asked.borrow()[index].clone();
    assert!(
        asked(0).starts_with("KIT_TEST_LOG={log} KIT_TEST_RUNS=100 KIT_TEST_SEED=7 NODE_ENV=test node "),
        "{}",
        asked(0)
    );

    project.kit(&[
        "test:contracts",
        "--no-build",
        "--seed",
        "7",
        "--replay",
        "POST /notes taken 3:1",
    ]);
    assert!(
        asked(1).starts_with(
            "KIT_TEST_LOG={log} KIT_TEST_REPLAY=POST /notes taken 3:1 KIT_TEST_RUNS=100 KIT_TEST_SEED=7 "
        ),
        "{}",
        asked(1)
    );

    let said = project
        .kit(&["test", "--no-build", "--runs", "5", "--json"])
        .json();
    assert_eq!(said["random"]["runs"], json!(5));
    let seed = &said["random"]["seed"];
    assert!(
        asked(2).contains(&format!("KIT_TEST_SEED={seed} ")),
        "{}",
        asked(2)
    );

    for wrong in [
        vec!["test", "--runs", "0"],
        vec!["test", "--seed", "2147483648"],
        vec!["test:contracts", "--replay", "POST /notes taken 3:1"],
    ] {
        assert_eq!(project.kit(&wrong).code, 2, "{wrong:?}");
    }
}

#[test]
fn does_not_change_a_node_env_that_is_set() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    project.host.node = Some(Ok(ended(0, None)));
    project
        .variables
        .insert("NODE_ENV".to_owned(), "development".to_owned());
    project.kit(&["test", "--no-build", "--watch"]);
    assert!(project.host.asked.borrow()[0].starts_with("node --test"));
}

#[test]
fn captures_no_log_with_log() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    project.host.node = Some(Ok(ended(0, Some(PASSED))));
    assert_eq!(project.kit(&["test", "--no-build", "--log"]).code, 0);
    assert!(project.host.asked.borrow()[0].starts_with("NODE_ENV=test node --test"));
}

#[test]
fn shows_the_log_of_a_failed_test_as_text_and_as_json() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    let failure =
        json!({ "name": "fails", "file": "src/notes.test.ts", "line": 3, "message": "500 !== 200" });
    let report = json!({ "passed": 0, "failed": 1, "skipped": 0, "failures": [failure] });
    let entry = json!({ "level": "error", "message": "The handler failed", "route": "GET /notes" });
    project.host.node = Some(Ok(NodeExit {
        logs: vec![ProgramLog {
            program: project.root.join("src/notes.test.ts").display().to_string(),
            text: format!("{}\n{entry}\n", json!({ "program": "" })),
        }],
        ..ended(1, Some(&report.to_string()))
    }));
    let outcome = project.kit(&["test", "--no-build"]);
    let expected = "src/notes.test.ts:3 fails: 500 !== 200\n  log of the application:\n    ERROR The handler failed  GET /notes\n1 failed, ";
    assert!(outcome.out.starts_with(expected), "{}", outcome.out);
    let said = project.kit(&["test", "--no-build", "--json"]).json();
    assert_eq!(said["failures"][0]["log"], json!([entry]));
}

#[test]
fn prints_no_result_with_watch_and_refuses_watch_with_json() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    project.host.node = Some(Ok(ended(0, None)));
    let outcome = project.kit(&["test", "--no-build", "--watch"]);
    assert_eq!(outcome.parts(), (0, "", ""));
    assert_eq!(
        *project.host.asked.borrow(),
        [
            "NODE_ENV=test node --test --test-reporter spec --test-reporter-destination stderr --watch src/notes.test.ts"
        ]
    );
    assert_eq!(project.kit(&["test", "--watch", "--json"]).code, 2);
}

const ROUTES: (&str, &str) = (
    "src/note.routes.ts",
    "import type { RouteContract } from \"@kit/types\";\nimport type { Note } from \"./note.types.ts\";\n\
     export interface NoteRoutes {\n  \"GET /notes/:id\": RouteContract<{ id: string }, void, void, Note>;\n}\n",
);
const APP: (&str, &str) = (
    "src/app.ts",
    "import { createApp, defineHandlers } from \"@kit/core\";\nimport type { NoteRoutes } from \"./note.routes.ts\";\n\
     const handlers = defineHandlers<NoteRoutes>({ \"GET /notes/:id\": ({ params }) => params });\n\
     export const app = createApp({ routes: [{ prefix: \"/notes\", handlers }] });\n",
);
const DECLARED: (&str, &str) = (
    "src/app.ts",
    "import { declareApi, declareContracts } from \"@kit/core\";\nimport type { NoteRoutes } from \"./note.routes.ts\";\n\
     export const api = declareApi({ routes: [{ prefix: \"/notes\", contracts: declareContracts<NoteRoutes>() }] });\n",
);
const EMPTY: (&str, &str) = (
    "src/app.ts",
    "import { createApp } from \"@kit/core\";\nexport const app = createApp({ routes: [] });\n",
);
const TESTED: (&str, &str) = (
    "package.json",
    r#"{ "name": "notes", "type": "module", "devDependencies": { "@kit/testing": "0.1.0" } }"#,
);

#[test]
fn writes_and_lists_contract_tests_if_the_project_can_run_them() {
    let project = Project::new(&[TESTED, TYPES, ROUTES, APP]);
    let outcome = project.kit(&["generate:tests"]);
    assert!(
        outcome
            .out
            .ends_with("wrote .kit/tests/NoteRoutes.contract.test.ts\n")
    );
    assert_eq!(outcome.code, 0);
    let files = project.tree(".kit");
    let text = String::from_utf8_lossy(&files["tests/NoteRoutes.contract.test.ts"]).into_owned();
    assert!(text.contains("import(\"../../src/app.ts\")"), "{text}");
    let tables = String::from_utf8_lossy(&files["tests/NoteRoutes.contract.js"]).into_owned();
    assert!(tables.contains("route: \"GET /notes/:id\""), "{tables}");
    let routes = String::from_utf8_lossy(&files["routes/routes.js"]).into_owned();
    assert!(
        routes.contains("tests: [\".kit/tests/NoteRoutes.contract.test.ts\"]"),
        "{routes}"
    );
    assert_eq!(
        project.kit(&["generate:tests", "--json"]).json(),
        json!({ "status": "generated", "files": [".kit/tests/NoteRoutes.contract.test.ts"], "routes": 1 })
    );
    assert_eq!(project.kit(&["build", "--check"]).code, 0);
}

#[test]
fn explains_why_a_project_gets_no_contract_tests() {
    for (files, why, help) in [
        (
            vec![MANIFEST, TYPES, ROUTES, APP],
            "package.json does not list @kit/testing",
            "npm install --save-dev @kit/testing",
        ),
        (
            vec![TESTED, TYPES, EMPTY],
            "the project has no routes",
            "kit scaffold add route",
        ),
        (
            vec![TESTED, TYPES, ROUTES],
            "no file calls `createApp`",
            "tests: { app: \"src/app.ts\" }",
        ),
        (
            vec![TESTED, TYPES, ROUTES, DECLARED],
            "the project declares its API with `declareApi`",
            "name a module that starts the server: `tests: { app: \"src/app.ts\" }`",
        ),
    ] {
        for command in ["generate:tests", "test:contracts"] {
            let outcome = Project::new(&files).kit(&[command]);
            assert_eq!(outcome.code, 1, "{command}");
            let expected = format!("error: there are no contract tests: {why}");
            assert!(outcome.err.contains(&expected), "{}", outcome.err);
            assert!(outcome.err.contains(help), "{}", outcome.err);
        }
    }
}

#[test]
fn reports_an_unknown_route_in_the_configuration() {
    let manifest = r#"{
        "name": "notes",
        "kit": { "tests": { "routes": { "GET /note/:id": { "params": { "id": "1" } } } } }
    }"#;
    let outcome = Project::new(&[("package.json", manifest), TYPES, ROUTES, APP]).kit(&["build", "--json"]);
    assert_eq!(outcome.code, 1);
    let failure = &outcome.json()["failures"][0];
    assert_eq!(
        failure["message"],
        "`tests.routes` has `GET /note/:id`, which is not a route of the application"
    );
    assert_eq!(failure["suggestion"], "did you mean `GET /notes/:id`?");
}
