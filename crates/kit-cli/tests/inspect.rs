//! `kit inspect`: what builds left, and what a sidecar answers.
#![allow(clippy::unwrap_used)] // Reason: a helper of tests fails as a test does.

mod support;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::thread::JoinHandle;

use serde_json::{Value, json};
use support::Project;

const TYPES: &str = "\
/** @table notes */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @minLength 1 @maxLength 20 */
  title: string;
  /** @format email */
  author?: string;
  /** @default \"open\" */
  status: \"open\" | \"done\";
}
export type NewNote = Omit<Note, \"id\">;
";

const ROUTES: &str = "\
import type { RouteContract } from \"@kit/types\";
import type { NewNote, Note } from \"./notes.types.ts\";

export interface NoteRoutes {
  \"GET /notes/:id\": RouteContract<{ id: string }, void, void, Note>;
  \"POST /notes\": RouteContract<void, void, NewNote, Note>;
}
";

const APP: &str = "\
import { createApp, defineHandlers, defineMiddleware } from \"@kit/core\";
import type { NoteRoutes } from \"./notes.routes.ts\";

const trace = defineMiddleware(() => undefined);
export const handlers = defineHandlers<NoteRoutes>({
  \"GET /notes/:id\": () => { throw new Error(); },
  \"POST /notes\": () => { throw new Error(); },
});
export const app = createApp({
  middleware: [{ name: \"trace\", middleware: trace, priority: 5 }],
  routes: [{ prefix: \"/notes\", handlers }],
});
";

fn built() -> Project {
    let project = Project::new(&[
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/app.ts", APP),
    ]);
    let build = project.kit(&["build"]);
    assert_eq!(build.code, 0, "{}{}", build.out, build.err);
    project
}

#[test]
fn routes_are_listed_with_their_types() {
    let project = built();
    let outcome = project.kit(&["inspect", "routes", "--json"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (0, ""));
    assert_eq!(
        outcome.json(),
        json!([
            {
                "method": "GET", "path": "/notes/:id", "params": { "id": "string" },
                "query": null, "body": null, "response": "Note"
            },
            {
                "method": "POST", "path": "/notes", "params": {},
                "query": null, "body": "NewNote", "response": "Note"
            },
        ])
    );
    assert_eq!(
        project.kit(&["inspect", "routes", "--format", "json"]).out,
        outcome.out
    );
    assert_eq!(
        project.kit(&["inspect", "routes"]).out,
        "\
METHOD  PATH        PARAMS      QUERY  BODY     RESPONSE
GET     /notes/:id  id: string  -      -        Note
POST    /notes      -           -      NewNote  Note
"
    );
    let verbose = project.kit(&["inspect", "routes", "-v", "--json"]).json();
    assert_eq!(verbose[1]["middleware"], json!(["trace"]));
    assert_eq!(verbose[1]["handler"]["file"], "src/app.ts");
}

#[test]
fn a_route_tells_where_its_handler_is() {
    let project = built();
    for name in ["POST /notes", "post  /notes/"] {
        let route = project.kit(&["inspect", "route", name, "--json"]).json();
        assert_eq!(route["middleware"], json!(["trace"]), "{name}");
        assert_eq!(
            route["handler"],
            json!({ "file": "src/app.ts", "export": "handlers", "line": 7 })
        );
        assert_eq!(route.get("schemas"), None);
    }
    let verbose = project
        .kit(&["inspect", "route", "POST /notes", "--json", "--verbose"])
        .json();
    // `status` has a default, so a request may leave it out.
    assert_eq!(verbose["schemas"]["body"]["required"], json!(["title"]));
    assert_eq!(
        verbose["schemas"]["response"]["required"],
        json!(["id", "title", "status"])
    );
}

#[test]
fn a_route_that_is_not_there_is_an_error_with_the_nearest_one() {
    let project = built();
    let outcome = project.kit(&["inspect", "route", "GET /note/:id"]);
    assert_eq!(
        outcome.parts(),
        (
            1,
            "",
            "error: there is no route `GET /note/:id`\n\
             help: did you mean `GET /notes/:id`? `kit inspect routes` lists all\n"
        )
    );
    let outcome = project.kit(&["inspect", "route", "/notes", "--json"]);
    assert_eq!(
        outcome.json()["failures"][0]["suggestion"],
        "write method and path, as in `kit inspect route \"GET /notes/:id\"`"
    );
}

#[test]
fn a_schema_tells_who_uses_it_through_other_types() {
    let types = "\
export interface Tag { name: string; parent?: Tag }
export interface Item { tags: Tag[]; first: Tag }
export interface Page<T> { data: T[] }
export interface Unused { tag: Tag }
";
    let routes = "\
import type { RouteContract } from \"@kit/types\";
import type { Item, Page, Tag } from \"./items.types.ts\";
export interface ItemRoutes {
  \"GET /items\": RouteContract<void, void, void, Page<Item>>;
  \"POST /items\": RouteContract<void, void, Item, Tag>;
  \"PUT /items\": RouteContract<void, { tag: Tag[\"name\"] }, { tag: Tag }, void>;
}
";
    let project = Project::new(&[("src/items.types.ts", types), ("src/items.routes.ts", routes)]);
    let build = project.kit(&["build"]);
    assert_eq!(build.code, 0, "{}{}", build.out, build.err);
    let schema = project.kit(&["inspect", "schema", "Tag", "--json"]).json();
    assert_eq!(
        schema["usedBy"],
        json!([
            { "route": "POST /items", "as": "response" },
            { "route": "POST /items", "as": "body", "through": ["Item"] },
            { "route": "PUT /items", "as": "body", "through": ["PutItemsBody"] },
            { "route": "GET /items", "as": "response", "through": ["PageOfItem", "Item"] },
        ])
    );
    let text = project.kit(&["inspect", "schema", "Tag"]).out;
    assert!(
        text.ends_with(
            "\n\nUsed as
  response of POST /items
  body of POST /items, through Item
  body of PUT /items, through PutItemsBody
  response of GET /items, through PageOfItem, Item
"
        ),
        "{text}"
    );
    let unused = project.kit(&["inspect", "schema", "Unused", "--json"]).json();
    assert_eq!(unused["usedBy"], json!([]));
}

#[test]
fn middleware_is_listed_with_what_kit_puts_around_it() {
    let project = built();
    assert_eq!(
        project.kit(&["inspect", "middleware", "--json"]).json(),
        json!([
            { "name": "trace", "priority": 5, "type": "global" },
            { "name": "errorMiddleware", "priority": null, "type": "built-in" },
        ])
    );
}

#[test]
fn a_schema_tells_rules_and_uses() {
    let project = built();
    let schema = project.kit(&["inspect", "schema", "Note", "--json"]).json();
    assert_eq!(schema["name"], "Note");
    assert_eq!(
        schema["properties"],
        json!([
            { "name": "id", "type": "string", "required": true, "tags": ["@id", "@generated uuid"] },
            { "name": "title", "type": "string", "minLength": 1, "maxLength": 20, "required": true, "tags": [] },
            { "name": "author", "type": "string", "format": "email", "required": false, "tags": [] },
            {
                "name": "status", "type": "\"open\" | \"done\"", "enum": ["open", "done"], "default": "open",
                "required": true, "tags": ["@default \"open\""]
            },
        ])
    );
    assert_eq!(
        schema["usedBy"],
        json!([{ "route": "GET /notes/:id", "as": "response" }, { "route": "POST /notes", "as": "response" }])
    );
    let near = project.kit(&["inspect", "schema", "Note1"]);
    assert_eq!(
        (near.code, near.err.as_str()),
        (1, "error: there is no type `Note1`\nhelp: did you mean `Note`?\n")
    );
}

#[test]
fn packages_are_followed_as_node_finds_them() {
    let project = built();
    project.write(
        "package.json",
        r#"{ "name": "app", "dependencies": { "@kit/core": "1" }, "devDependencies": { "@kit/cli": "1" } }"#,
    );
    project.write(
        "node_modules/@kit/core/package.json",
        r#"{ "name": "@kit/core", "dependencies": { "@kit/types": "1", "pg": "8" } }"#,
    );
    project.write(
        "node_modules/@kit/core/node_modules/@kit/types/package.json",
        r#"{ "name": "@kit/types", "devDependencies": { "@kit/core": "1" } }"#,
    );
    assert_eq!(
        project.kit(&["inspect", "deps", "--json"]).json(),
        json!([
            { "name": "app", "dependsOn": ["@kit/cli", "@kit/core"] },
            { "name": "@kit/cli", "dependsOn": [] },
            { "name": "@kit/core", "dependsOn": ["@kit/types"] },
            { "name": "@kit/types", "dependsOn": [] },
        ])
    );
}

#[test]
fn the_pipeline_has_six_hooks() {
    let project = Project::new(&[]);
    let pipeline = project.kit(&["inspect", "build-pipeline", "--json"]).json();
    let names: Vec<&Value> = pipeline["hooks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hook| &hook["name"])
        .collect();
    assert_eq!(
        names,
        [
            "beforeTransform",
            "afterTypeParse",
            "afterValidators",
            "afterRouteTable",
            "emit",
            "done"
        ]
    );
    assert_eq!(
        (&pipeline["lastBuildStatus"], &pipeline["outputDir"]),
        (&json!("none"), &json!(".kit"))
    );
    let pipeline = built().kit(&["inspect", "build-pipeline", "--json"]).json();
    assert_eq!(pipeline["lastBuildStatus"], "cached");
}

#[test]
fn a_project_that_is_not_built_is_an_error() {
    let project = Project::new(&[]);
    for subject in [
        &["routes"][..],
        &["route", "GET /"],
        &["middleware"],
        &["schema", "Note"],
    ] {
        let args: Vec<&str> = ["inspect"].iter().chain(subject).copied().collect();
        let outcome = project.kit(&args);
        assert_eq!((outcome.code, outcome.out.as_str()), (1, ""), "{args:?}");
        assert!(
            outcome.err.contains("help: run `kit build` first"),
            "{}",
            outcome.err
        );
    }
}

#[test]
fn a_damaged_registry_is_an_error() {
    let project = built();
    project.write(".kit/routes.json", "[{]");
    let outcome = project.kit(&["inspect", "routes"]);
    assert_eq!(outcome.code, 1);
    assert!(
        outcome
            .err
            .starts_with("error: .kit/routes.json cannot be read: "),
        "{}",
        outcome.err
    );
}

/// A sidecar that gives one answer; what it was asked comes back.
fn sidecar(status: &'static str, body: &'static str) -> (String, JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.windows(4).any(|window| window == b"\r\n\r\n") {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "the request ended early");
            request.extend_from_slice(&buffer[..count]);
        }
        write!(
            stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        String::from_utf8(request).unwrap()
    });
    (port, thread)
}

const ERROR: &str = r#"{"timestamp":"2026-01-01T00:00:00.000Z","traceId":"abc","code":"NOTE_NOT_FOUND","status":404,"message":"No\nnote","route":"GET /notes/:id","phase":"handler","details":{"id":"1"},"other":1}"#;

#[test]
fn errors_are_asked_of_the_sidecar() {
    let project = Project::new(&[]);
    let wrapped = Box::leak(format!(r#"{{"errors":[{ERROR}]}}"#).into_boxed_str());
    let bare = Box::leak(format!("[{ERROR}]").into_boxed_str());
    for body in [&*wrapped, &*bare] {
        let (port, asked) = sidecar("200 OK", body);
        let outcome = project.kit(&[
            "inspect",
            "errors",
            "--last",
            "3",
            "--json",
            "--debug-port",
            &port,
        ]);
        assert_eq!(
            outcome.json(),
            json!([{
                "timestamp": "2026-01-01T00:00:00.000Z", "traceId": "abc", "code": "NOTE_NOT_FOUND", "status": 404,
                "message": "No\nnote", "route": "GET /notes/:id", "phase": "handler", "details": { "id": "1" }
            }])
        );
        assert!(
            asked
                .join()
                .unwrap()
                .starts_with("GET /_debug/errors?last=3 HTTP/1.1\r\n")
        );
    }
    let (port, asked) = sidecar("200 OK", bare);
    let text = project.kit(&["inspect", "errors", "--debug-port", &port]).out;
    assert!(
        text.ends_with("404     NOTE_NOT_FOUND  GET /notes/:id  handler  abc    No note\n"),
        "{text}"
    );
    assert!(asked.join().unwrap().contains("last=10 "));
}

#[test]
fn latencies_are_asked_of_the_sidecar() {
    let project = Project::new(&[]);
    let body =
        r#"{"route":"/a b","window":"1h","count":2,"p50":1.5,"p95":2,"p99":3,"min":1,"max":3,"avgMs":1.7}"#;
    let (port, asked) = sidecar("200 OK", body);
    let outcome = project.kit(&[
        "inspect",
        "performance",
        "--route",
        "/a b",
        "--json",
        "--debug-port",
        &port,
    ]);
    assert_eq!(
        outcome.json(),
        json!({ "route": "/a b", "p50": 1.5, "p95": 2, "p99": 3, "count": 2, "avgMs": 1.7 })
    );
    let asked = asked.join().unwrap();
    assert!(
        asked.starts_with("GET /_debug/performance?route=%2Fa%20b HTTP/1.1\r\n")
            || asked.starts_with("GET /_debug/performance?route=/a%20b HTTP/1.1\r\n"),
        "{asked}"
    );
}

#[test]
fn the_server_is_asked_of_the_sidecar() {
    let project = Project::new(&[]);
    let body =
        r#"{"status":"ok","uptime":3,"adapter":"native","platform":"hyper 1","port":3000,"host":"::"}"#;
    let (port, asked) = sidecar("200 OK", body);
    let outcome = project.kit(&["inspect", "server", "--json", "--debug-port", &port]);
    assert_eq!(
        outcome.json(),
        json!({ "adapter": "native", "platform": "hyper 1", "status": "ok", "port": 3000, "host": "::" })
    );
    asked.join().unwrap();
}

#[test]
fn the_key_of_production_is_sent_and_a_refusal_says_what_to_do() {
    let mut project = Project::new(&[]);
    let body = r#"{"error":{"code":"UNAUTHORIZED","message":"X-Debug-Key is missing"}}"#;
    let (port, asked) = sidecar("401 Unauthorized", body);
    let outcome = project.kit(&["inspect", "server", "--debug-port", &port]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.err,
        format!(
            "error: http://127.0.0.1:{port}/_debug/health answered 401: X-Debug-Key is missing\n\
             help: put the app's debug key into the environment variable KIT_DEBUG_KEY\n"
        )
    );
    assert!(!asked.join().unwrap().to_lowercase().contains("x-debug-key"));
    project.set("KIT_DEBUG_KEY", "s3cret");
    let (port, asked) = sidecar("401 Unauthorized", body);
    let outcome = project.kit(&["inspect", "server", "--debug-port", &port]);
    assert!(
        outcome
            .err
            .ends_with("help: KIT_DEBUG_KEY is not the key that the app was configured with\n"),
        "{}",
        outcome.err
    );
    assert!(
        asked
            .join()
            .unwrap()
            .to_lowercase()
            .contains("x-debug-key: s3cret\r\n")
    );
}

#[test]
fn a_sidecar_that_is_not_there_is_an_error() {
    let project = Project::new(&[]);
    let port = {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port().to_string()
    };
    let outcome = project.kit(&["inspect", "errors", "--json", "--debug-port", &port]);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        outcome.json()["failures"][0]["message"],
        format!("no debug sidecar listens on port {port}")
    );
    let (port, asked) = sidecar("200 OK", "<html>");
    let outcome = project.kit(&["inspect", "errors", "--debug-port", &port]);
    assert!(
        outcome.err.starts_with(&format!(
            "error: what answers on port {port} is no debug sidecar: "
        )),
        "{}",
        outcome.err
    );
    asked.join().unwrap();
}

#[test]
fn wrong_usage_is_told_in_the_form_that_was_asked_for() {
    let project = Project::new(&[]);
    for args in [
        &["inspect", "errors", "--format", "json", "--last", "0"][..],
        &["inspect", "errors", "--json", "--debug-port", "70000"],
    ] {
        let outcome = project.kit(args);
        assert_eq!(outcome.code, 2, "{args:?}");
        assert_eq!(outcome.json()["code"], "USAGE_ERROR");
    }
    assert_eq!(project.kit(&["inspect"]).code, 2);
}
