//! `kit test` and what it makes of a runner's report. The runners themselves run in `packages/cli/test`.

mod support;

use kit_cli::NodeEnd;
use serde_json::json;
use support::Project;

const MANIFEST: (&str, &str) = ("package.json", r#"{ "name": "notes", "type": "module" }"#);
const TYPES: (&str, &str) = ("src/note.types.ts", "export interface Note { id: string }");

fn ended(code: i32, report: Option<&str>) -> NodeEnd {
    NodeEnd {
        code: Some(code),
        report: report.map(ToOwned::to_owned),
        ..NodeEnd::default()
    }
}

#[test]
fn node_gets_the_files_as_globs_that_match_only_them() {
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
            "node --test {reporters} src/[[]id].test.ts src/notes.spec.mts .kit/tests/notes.contract.test.ts"
        )]
    );
}

#[test]
fn vitest_chooses_its_files_itself() {
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
            "node {} run --includeTaskLocation --reporter=default --reporter=json --outputFile.json {{report}} \
             --retry=2 src/notes",
            program.display()
        )]
    );
}

#[test]
fn a_runner_that_fails_without_a_failed_test_is_a_failure() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    let passed = r#"{"passed":3,"failed":0,"skipped":0,"failures":[]}"#;
    for (end, expected) in [
        (
            ended(1, Some(passed)),
            "no test failed, but node:test ended with code 1",
        ),
        (
            ended(9, None),
            "node:test ended with code 9 without a result: it wrote no report",
        ),
        (
            ended(0, Some("{")),
            "node:test ended with code 0 without a result: EOF while parsing",
        ),
        (
            NodeEnd {
                signal: Some("SIGKILL".to_owned()),
                ..NodeEnd::default()
            },
            "node:test was ended by SIGKILL without a result",
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

#[test]
fn watching_has_no_result() {
    let mut project = Project::new(&[MANIFEST, TYPES, ("src/notes.test.ts", "")]);
    project.host.node = Some(Ok(ended(0, None)));
    let outcome = project.kit(&["test", "--no-build", "--watch"]);
    assert_eq!(outcome.parts(), (0, "", ""));
    assert_eq!(
        *project.host.asked.borrow(),
        ["node --test --test-reporter spec --test-reporter-destination stderr --watch src/notes.test.ts"]
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
const EMPTY: (&str, &str) = (
    "src/app.ts",
    "import { createApp } from \"@kit/core\";\nexport const app = createApp({ routes: [] });\n",
);
const TESTED: (&str, &str) = (
    "package.json",
    r#"{ "name": "notes", "type": "module", "devDependencies": { "@kit/testing": "0.1.0" } }"#,
);

#[test]
fn contract_tests_are_made_and_named_where_the_project_can_run_them() {
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
    assert!(text.contains("route: \"GET /notes/:id\""), "{text}");
    let application = String::from_utf8_lossy(&files["routes/index.ts"]).into_owned();
    assert!(
        application.contains("tests: [\".kit/tests/NoteRoutes.contract.test.ts\"]"),
        "{application}"
    );
    assert_eq!(
        project.kit(&["generate:tests", "--json"]).json(),
        json!({ "status": "generated", "files": [".kit/tests/NoteRoutes.contract.test.ts"], "routes": 1 })
    );
    assert_eq!(project.kit(&["build", "--check"]).code, 0);
}

#[test]
fn without_contract_tests_it_says_what_they_need() {
    for (files, why, help) in [
        (
            vec![MANIFEST, TYPES, ROUTES, APP],
            "package.json does not name @kit/testing",
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
fn a_route_of_the_configuration_that_is_not_there_is_a_mistake() {
    let manifest = r#"{
        "name": "notes",
        "kit": { "tests": { "routes": { "GET /note/:id": { "params": { "id": "1" } } } } }
    }"#;
    let outcome = Project::new(&[("package.json", manifest), TYPES, ROUTES, APP]).kit(&["build", "--json"]);
    assert_eq!(outcome.code, 1);
    let failure = &outcome.json()["failures"][0];
    assert_eq!(
        failure["message"],
        "`tests.routes` has `GET /note/:id`, which is no route of the application"
    );
    assert_eq!(failure["suggestion"], "did you mean `GET /notes/:id`?");
}
