//! Tests of `kit inspect` with the results of a build.
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use crate::support::Project;
use serde_json::{Value, json};

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

pub(crate) fn built() -> Project {
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
fn lists_routes_with_their_types() {
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

const CHAT: &str = "\
import { createApp, defineHandlers } from \"@kit/core\";
import type { Events, Route, Socket } from \"@kit/types\";

export interface NewMessage { text: string }
export interface Message extends NewMessage { author: string }
export interface Progress { percent: number }
export interface ChatRoutes {
  \"WS /rooms/:room\": Route<{ params: { room: string }; socket: Socket<{ in: NewMessage; out: Message }> }>;
  \"GET /jobs\": Route<{ response: Events<{ progress: Progress; done: void }> }>;
}
export const handlers = defineHandlers<ChatRoutes>({
  \"WS /rooms/:room\": async () => undefined,
  \"GET /jobs\": () => { throw new Error(); },
});
export const app = createApp({
  routes: [{ handlers }],
  staticFiles: [{ dir: \"public\" }, { dir: \"dist/assets\", prefix: \"/assets\" }],
});
";

#[test]
fn lists_messages_of_websockets_events_and_static_files() {
    let project = Project::new(&[("src/chat.routes.ts", CHAT)]);
    let build = project.kit(&["build"]);
    assert_eq!(build.code, 0, "{}{}", build.out, build.err);
    let outcome = project.kit(&["inspect", "routes", "--json"]);
    let files = |path: &str, directory: &str| {
        json!({
            "method": "GET", "path": path, "params": {}, "query": null, "body": null, "response": null,
            "files": directory
        })
    };
    assert_eq!(
        outcome.json(),
        json!([
            {
                "method": "WS", "path": "/rooms/:room", "params": { "room": "string" }, "query": null,
                "body": null, "response": null, "socket": { "in": "NewMessage", "out": "Message" }
            },
            {
                "method": "GET", "path": "/jobs", "params": {}, "query": null, "body": null,
                "response": null, "responseFormat": "Events",
                "events": { "progress": "Progress", "done": null }
            },
            files("/*", "public"),
            files("/assets/*", "dist/assets"),
        ])
    );
    let text = project.kit(&["inspect", "routes"]).out;
    for line in [
        "WS      /rooms/:room  room: string  -      in NewMessage  out Message",
        "GET     /jobs         -             -      -              Events<progress: Progress, done>",
        "GET     /assets/*     -             -      -              files of dist/assets",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let route = project.kit(&["inspect", "route", "WS /rooms/:room"]);
    assert_eq!(route.code, 0, "{}", route.err);
    assert!(route.out.contains("in NewMessage"), "{}", route.out);
    let schema = project.kit(&["inspect", "schema", "Progress", "--json"]);
    assert_eq!(
        schema.json()["usedBy"],
        json!([{ "route": "GET /jobs", "as": "event" }])
    );
}

#[test]
fn shows_the_location_of_a_routes_handler() {
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
    // `status` has a default, so a request may omit it and it is not required.
    assert_eq!(verbose["schemas"]["body"]["required"], json!(["title"]));
    assert_eq!(
        verbose["schemas"]["response"]["required"],
        json!(["id", "title", "status"])
    );
}

#[test]
fn shows_the_slots_replies_failures_and_limits_of_a_route() {
    let routes = "\
import type { Failure, Reply, Route } from \"@kit/types\";

export interface OrderRoutes {
  /** @operation placeOrder */
  \"POST /orders\": Route<{
    headers: { \"x-tenant\": string };
    cookies: { sid: string };
    body: { article: string };
    response: Reply<201, { id: string }, { location: string }> | Reply<204>;
    errors: Failure<409, \"SOLD_OUT\", { left: number }>;
  }>;
  \"GET /orders\": Route<{ response: string[] }>;
}
";
    let app = "\
import { createApp, defineHandlers } from \"@kit/core\";
import type { OrderRoutes } from \"./orders.routes.ts\";

export const handlers = defineHandlers<OrderRoutes>({
  \"POST /orders\": ({ reply }) => reply(204),
  \"GET /orders\": () => [],
});
export const app = createApp({
  routes: [{ handlers, on: { \"POST /orders\": { limits: { bodyBytes: 64 * 1024 }, requestTimeoutMs: 500 } } }],
});
";
    let project = Project::new(&[
        ("src/orders.types.ts", "export {};\n"),
        ("src/orders.routes.ts", routes),
        ("src/app.ts", app),
    ]);
    let build = project.kit(&["build"]);
    assert_eq!(build.code, 0, "{}{}", build.out, build.err);
    assert_eq!(
        project.kit(&["inspect", "routes"]).out,
        "\
METHOD  PATH     PARAMS  QUERY  HEADERS            COOKIES            BODY            RESPONSE
POST    /orders  -       -      PostOrdersHeaders  PostOrdersCookies  PostOrdersBody  201 PostOrdersReply201, 204
GET     /orders  -       -      -                  -                  -               GetOrdersResponse
"
    );
    assert_eq!(
        project.kit(&["inspect", "route", "POST /orders"]).out,
        "\
POST /orders
  params        -
  query         -
  body          PostOrdersBody
  response      201 PostOrdersReply201, 204
  status        201, 204
  middleware    -
  handler       src/app.ts:5 (handlers)
  headers       PostOrdersHeaders
  cookies       PostOrdersCookies
  sent headers  201 PostOrdersReply201Headers
  failures      409 SOLD_OUT PostOrdersSoldOutDetails
  operation     placeOrder
  limits        body 65536 bytes, request 500 ms
"
    );
    let verbose = project
        .kit(&["inspect", "route", "POST /orders", "--json", "--verbose"])
        .json();
    assert_eq!(verbose["limits"], json!({ "bodyBytes": 65536, "timeoutMs": 500 }));
    assert_eq!(
        verbose["replies"][1],
        json!({ "status": 204, "body": null, "headers": null })
    );
    let parts: Vec<&String> = verbose["schemas"].as_object().unwrap().keys().collect();
    assert_eq!(
        parts,
        [
            "headers",
            "cookies",
            "body",
            "reply 201",
            "reply 201 headers",
            "SOLD_OUT details"
        ]
    );
    let schema = project.kit(&["inspect", "schema", "PostOrdersCookies"]).out;
    assert!(schema.contains("cookies of POST /orders"), "{schema}");
    assert!(schema.contains("@sensitive"), "{schema}");
}

#[test]
fn suggests_the_nearest_route_for_an_unknown_route() {
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
fn lists_routes_that_use_a_type_through_other_types() {
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
fn lists_middleware_including_the_built_in_middleware() {
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
fn shows_rules_and_uses_of_a_type() {
    let project = built();
    let schema = project.kit(&["inspect", "schema", "Note", "--json"]).json();
    assert_eq!(schema["name"], "Note");
    assert_eq!(
        schema["properties"],
        json!([
            { "name": "id", "type": "string", "format": "uuid", "required": true, "tags": ["@id", "@generated uuid", "@format uuid"] },
            { "name": "title", "type": "string", "minLength": 1, "maxLength": 20, "required": true, "tags": ["@minLength 1", "@maxLength 20"] },
            { "name": "author", "type": "string", "format": "email", "maxLength": 254, "required": false, "tags": ["@format email"] },
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
fn inspect_dependencies_finds_packages_in_the_same_directories_as_node() {
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
fn lists_the_six_hooks_of_a_build() {
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
fn reports_a_project_that_is_not_built() {
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
fn reports_a_damaged_artifact() {
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

#[test]
fn reports_wrong_usage_in_the_requested_format() {
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
