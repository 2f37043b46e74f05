//! Tests of `kit scaffold add handler`, which inserts the handlers that contracts lack.

use crate::support::Project;
use serde_json::json;

const HANDLER_CONTRACTS: &str = "import type { RouteContract } from \"@kit/types\";
    export interface NoteRoutes {
      \"GET /notes\": RouteContract<void, void, void, string[]>;
      \"POST /notes\": RouteContract<void, void, { title: string }, void>;
    }
";

/// Creates a project whose group has a handler for one of two contracts.
fn with_missing_handler() -> Project {
    Project::new(&[
        ("package.json", "{ \"name\": \"notes\" }"),
        ("src/notes.routes.ts", HANDLER_CONTRACTS),
        (
            "src/app.ts",
            "import { createApp, defineHandlers } from \"@kit/core\";
import type { NoteRoutes } from \"./notes.routes.ts\";
export const notes = defineHandlers<NoteRoutes>({
  \"GET /notes\": () => [],
});
export const app = createApp({ routes: [{ prefix: \"/v1\", handlers: notes }] });
",
        ),
    ])
}

#[test]
fn adds_the_missing_handler_of_a_handler_map() {
    let project = with_missing_handler();
    let before = project.tree("");
    let planned = project.kit(&["scaffold", "add", "handler", "--dry-run"]);
    let lines = "would add 1 handler in src/app.ts:\n  POST /notes: to write\n";
    assert_eq!(planned.parts(), (0, lines, ""));
    assert_eq!(project.tree(""), before);

    let report = project
        .kit(&["scaffold", "add", "handler", "POST /v1/notes", "--json"])
        .json();
    let handler = json!({ "route": "POST /notes", "function": "POST /notes", "isComplete": false });
    assert_eq!(
        report,
        json!({ "status": "added", "changed": [{ "path": "src/app.ts", "handlers": [handler] }], "unused": [] })
    );
    let text = String::from_utf8_lossy(&project.tree("")["src/app.ts"]).into_owned();
    assert!(
        text.contains("  \"POST /notes\": () => {\n    throw new Error("),
        "{text}"
    );
    let again = project.kit(&["scaffold", "add", "handler"]);
    assert_eq!(again.parts(), (0, "every route has a handler\n", ""));
    let named = project.kit(&["scaffold", "add", "handler", "POST /v1/notes"]);
    assert_eq!(named.parts(), (0, "the named routes have handlers\n", ""));
}

#[test]
fn refuses_handlers_of_an_unknown_route_and_of_a_project_with_other_mistakes() {
    let project = with_missing_handler();
    let unknown = project.kit(&["scaffold", "add", "handler", "GET /nothing"]);
    assert_eq!(unknown.code, 1);
    assert!(
        unknown
            .err
            .starts_with("error: the project has no route `GET /nothing`\n"),
        "{}",
        unknown.err
    );
    project.write("src/wrong.types.ts", "export interface Wrong { a: ; }\n");
    let wrong = project.kit(&["scaffold", "add", "handler"]);
    assert_eq!(wrong.code, 1);
    assert!(!wrong.err.is_empty());
    // A map with two prefixes has one error for its missing handler.
    let app = String::from_utf8_lossy(&project.tree("")["src/app.ts"]).into_owned();
    let route = "{ prefix: \"/v1\", handlers: notes }";
    assert!(app.contains(route), "{app}");
    let twice = format!("{route}, {}", route.replace("v1", "v2"));
    project.write("src/app.ts", &app.replace(route, &twice));
    let before = project.tree("");
    assert_eq!(project.kit(&["scaffold", "add", "handler"]).code, 1);
    assert_eq!(project.tree(""), before);
}

#[test]
fn adds_missing_handlers_of_a_rust_server() {
    let mut project = Project::new(&[
        ("package.json", "{ \"name\": \"notes\" }"),
        ("kit.config.ts", ""),
        ("src/notes.routes.ts", HANDLER_CONTRACTS),
        (
            "src/handlers/notes.rs",
            "use crate::app::App;\nuse crate::router::NoteRoutes;\n\nimpl NoteRoutes for App {\n    // mine\n    fn old(&self) {}\n}\n",
        ),
    ]);
    project.use_rust_server();
    let outcome = project.kit(&["scaffold", "add", "handler", "GET /notes"]);
    let lines = "src/handlers/notes.rs: no contract has the handler `old`; delete it\n\
                 added 1 handler in src/handlers/notes.rs:\n  GET /notes: to write\n";
    assert_eq!(outcome.parts(), (0, lines, ""));
    let text = String::from_utf8_lossy(&project.tree("")["src/handlers/notes.rs"]).into_owned();
    assert!(
        text.contains("    // mine\n    fn old(&self) {}\n\n    async fn get_notes(&self, _input: GetNotes)"),
        "{text}"
    );
}

#[test]
fn refuses_options_of_other_additions() {
    let project = with_missing_handler();
    for (args, message) in [
        (
            vec!["handler", "--plural", "x"],
            "error: `--plural` is for entities",
        ),
        (
            vec!["route", "orders", "--dry-run"],
            "error: `--dry-run` is for handlers",
        ),
        (vec!["route"], "error: the addition has no name"),
    ] {
        let outcome = project.kit(&[&["scaffold", "add"][..], &args].concat());
        assert_eq!(outcome.code, 1);
        assert!(outcome.err.starts_with(message), "{}", outcome.err);
    }
}
