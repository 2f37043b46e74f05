//! Definitions, symbols and new names of routes.

use serde_json::{Value, json};

use super::editor::{Editor, slice};
use super::{APP, HANDLERS, ROUTES, TEST, TYPES, notes};

#[test]
fn definition_leads_from_contracts_to_handlers_and_from_all_other_places_to_contracts() {
    let mut editor = Editor::new(notes());
    let method = "textDocument/definition";
    let contract = editor.at(
        method,
        "src/notes.routes.ts",
        ROUTES,
        "GET /notes/:id",
        &json!({}),
    );
    let handler = editor.at(
        method,
        "src/notes.handlers.ts",
        HANDLERS,
        "GET /notes/:id",
        &json!({}),
    );
    let call = editor.at(method, "test/notes.test.ts", TEST, "/notes/:id", &json!({}));
    let entity = editor.at(method, "src/notes.types.ts", TYPES, "User.id", &json!({}));
    // The word is in no tag that names an entity.
    let nothing = editor.at(method, "src/notes.types.ts", TYPES, "email @unique", &json!({}));
    let sent = editor.end();
    let target = |id: u32, path: &str, text: &str| {
        let location = sent.result(id);
        assert!(location["uri"].as_str().unwrap().ends_with(path), "{location}");
        let line = usize::try_from(location["range"]["start"]["line"].as_u64().unwrap()).unwrap();
        text.lines().nth(line).unwrap().to_owned()
    };
    assert!(target(contract, "src/notes.handlers.ts", HANDLERS).contains("\"GET /notes/:id\": ("));
    assert!(target(handler, "src/notes.routes.ts", ROUTES).contains("\"GET /notes/:id\": Route<"));
    assert!(target(call, "src/notes.routes.ts", ROUTES).contains("\"GET /notes/:id\": Route<"));
    assert_eq!(target(entity, "src/notes.types.ts", TYPES), "  id: string;");
    assert_eq!(sent.result(entity)["range"]["start"]["line"], 3);
    assert_eq!(sent.result(nothing), &Value::Null);
}

#[test]
fn symbols_are_the_routes_of_a_document_and_of_all_projects() {
    let mut editor = Editor::new(notes());
    let document = json!({ "textDocument": { "uri": editor.uri("src/notes.routes.ts") } });
    let of_document = editor.request("textDocument/documentSymbol", &document);
    let of_workspace = editor.request("workspace/symbol", &json!({ "query": "get :ID" }));
    let sent = editor.end();
    let names = |id: u32| -> Vec<String> {
        let symbols = sent.result(id).as_array().unwrap();
        symbols
            .iter()
            .map(|symbol| symbol["name"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(names(of_document), ["GET /notes/:id", "GET /notes"]);
    assert_eq!(names(of_workspace), ["GET /notes/:id"]);
}

#[test]
fn rename_changes_the_contract_the_handler_and_calls_of_clients() {
    let mut editor = Editor::new(notes());
    let name = json!({ "newName": "POST /memos/:id" });
    let prepared = editor.at(
        "textDocument/prepareRename",
        "src/notes.routes.ts",
        ROUTES,
        "GET /notes/:id",
        &json!({}),
    );
    let id = editor.at(
        "textDocument/rename",
        "src/notes.routes.ts",
        ROUTES,
        "GET /notes/:id",
        &name,
    );
    let path = json!({ "newName": "/memos/:id" });
    let from_call = editor.at(
        "textDocument/rename",
        "test/notes.test.ts",
        TEST,
        "/notes/:id",
        &path,
    );
    let sent = editor.end();
    assert_eq!(sent.result(prepared)["placeholder"], "GET /notes/:id");
    let edits = |id: u32| {
        let changes = sent.result(id)["changes"].as_object().unwrap().clone();
        let mut edits: Vec<String> = Vec::new();
        for (uri, list) in &changes {
            for edit in list.as_array().unwrap() {
                let name = uri.rsplit('/').next().unwrap();
                let text = match name {
                    "notes.routes.ts" => ROUTES,
                    "notes.handlers.ts" => HANDLERS,
                    _ => TEST,
                };
                edits.push(format!(
                    "{name} {} -> {}",
                    slice(text, &edit["range"]),
                    edit["newText"].as_str().unwrap()
                ));
            }
        }
        edits.sort();
        edits
    };
    assert_eq!(
        edits(id),
        [
            "notes.handlers.ts GET /notes/:id -> POST /memos/:id",
            "notes.routes.ts GET /notes/:id -> POST /memos/:id",
            "notes.test.ts /notes/:id -> /memos/:id",
            "notes.test.ts get -> post",
        ]
    );
    assert_eq!(
        edits(from_call),
        [
            "notes.handlers.ts GET /notes/:id -> GET /memos/:id",
            "notes.routes.ts GET /notes/:id -> GET /memos/:id",
            "notes.test.ts /notes/:id -> /memos/:id",
        ]
    );
}

#[test]
fn rename_leaves_out_calls_of_a_router_from_another_file() {
    let project = notes();
    project.write(
        "test/router.ts",
        "import { Router } from \"express\";\nexport const router = Router();\n",
    );
    project.write(
        "test/notes.test.ts",
        "import { router } from \"./router.ts\";\nrouter.get(\"/notes/:id\");\n",
    );
    let mut editor = Editor::new(project);
    let name = json!({ "newName": "GET /memos/:id" });
    let id = editor.at(
        "textDocument/rename",
        "src/notes.routes.ts",
        ROUTES,
        "GET /notes/:id",
        &name,
    );
    let sent = editor.end();
    let changes = sent.result(id)["changes"].as_object().unwrap();
    let mut files: Vec<&str> = changes.keys().filter_map(|uri| uri.rsplit('/').next()).collect();
    files.sort_unstable();
    assert_eq!(files, ["notes.handlers.ts", "notes.routes.ts"]);
}

#[test]
fn rename_keeps_the_prefix_of_the_group() {
    let routes = ROUTES
        .replace("/notes/:id", "/:id")
        .replace("GET /notes", "GET /");
    let handlers = HANDLERS
        .replace("/notes/:id", "/:id")
        .replace("GET /notes", "GET /");
    let app = APP.replace(
        "{ handlers: noteHandlers }",
        "{ prefix: \"/notes\", handlers: noteHandlers, on: { \"GET /:id\": { timeoutMs: 5 } } }",
    );
    let project = notes();
    project.write("src/notes.routes.ts", &routes);
    project.write("src/notes.handlers.ts", &handlers);
    project.write("src/app.ts", &app);
    let mut editor = Editor::new(project);
    let method = "textDocument/rename";
    let key = json!({ "newName": "GET /:noteId" });
    let from_contract = editor.at(method, "src/notes.routes.ts", &routes, "GET /:id", &key);
    let path = json!({ "newName": "/notes/all" });
    let from_call = editor.at(method, "test/notes.test.ts", TEST, "/notes`", &path);
    let outside = json!({ "newName": "/memos" });
    let outside = editor.at(method, "test/notes.test.ts", TEST, "/notes`", &outside);
    let sent = editor.end();
    let edits = |id: u32| {
        let changes = sent.result(id)["changes"].as_object().unwrap();
        let mut edits: Vec<String> = changes
            .iter()
            .flat_map(|(uri, edits)| {
                let name = uri.rsplit('/').next().unwrap();
                let edits = edits.as_array().unwrap().iter();
                edits.map(move |edit| format!("{name}: {}", edit["newText"].as_str().unwrap()))
            })
            .collect();
        edits.sort();
        edits
    };
    assert_eq!(
        edits(from_contract),
        [
            "app.ts: GET /:noteId",
            "notes.handlers.ts: GET /:noteId",
            "notes.routes.ts: GET /:noteId",
            "notes.test.ts: /notes/:noteId",
        ]
    );
    assert_eq!(
        edits(from_call),
        [
            "notes.handlers.ts: GET /all",
            "notes.routes.ts: GET /all",
            "notes.test.ts: /notes/all",
            "notes.test.ts: GET /notes/all",
        ]
    );
    let message = sent.answer(outside)["error"]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the path must begin with `/notes`"),
        "{message}"
    );
}

#[test]
fn rename_refuses_names_that_no_route_can_have() {
    let project = notes();
    let more = ROUTES.replace(
        "  \"GET /notes\":",
        "  \"PUT /notes/:key\": Route<{ params: { key: string } }>;\n  \"GET /notes\":",
    );
    project.write("src/notes.routes.ts", &more);
    let mut editor = Editor::new(project);
    let mut rename = |name: &str| {
        let name = json!({ "newName": name });
        editor.at(
            "textDocument/rename",
            "src/notes.routes.ts",
            ROUTES,
            "GET /notes/:id",
            &name,
        )
    };
    let wrong = [
        ("GET /notes", "already has the route `GET /notes`"),
        ("PUT /notes/:other", "already has the route `PUT /notes/:key`"),
        ("/notes", "is not a route key"),
        ("FETCH /a", "does not support the method `FETCH`"),
        ("GET notes", "is not a path of a route"),
        ("GET /a\"b", "is not a path of a route"),
        ("WS /a", "cannot turn a route into a WebSocket"),
    ]
    .map(|(name, reason)| (rename(name), reason));
    let nothing = editor.at(
        "textDocument/rename",
        "src/notes.routes.ts",
        ROUTES,
        "import",
        &json!({ "newName": "x" }),
    );
    let sent = editor.end();
    for (id, reason) in wrong {
        let message = sent.answer(id)["error"]["message"].as_str().unwrap();
        assert!(message.contains(reason), "{reason}: {message}");
    }
    assert!(
        sent.answer(nothing)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("there is no route")
    );
}
