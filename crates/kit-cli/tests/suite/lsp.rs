//! Tests of `kit lsp` on the level of its protocol. `packages/cli/test/lsp.test.ts` tests the streams and an editor.
//!
//! tidy: long because the tests share one project and one simulated editor
#![allow(clippy::unwrap_used)] // Reason: helpers of tests may panic like tests.

use std::collections::VecDeque;

use crate::support::{Input, Project};
use serde_json::{Value, json};

const TYPES: &str = "\
/** @table */
export interface User {
  /** @id @generated uuid */
  id: string;
  /** @format email @unique */
  email: string;
}

/** A text with a title. @table */
export interface Note {
  /** @id @generated uuid */
  id: string;
  /** @references User.id cascade @index */
  userId: string;
  /**
   * Shown in lists.
   * @minLength 1 @maxLength 200
   */
  title: string;
}
";

const ROUTES: &str = "\
import type { Route } from \"@kit/types\";
import type { Note } from \"./notes.types.ts\";

export interface NoteRoutes {
  /** @summary One note @throws NOTE_NOT_FOUND 404 There is no such note. */
  \"GET /notes/:id\": Route<{ params: { id: Note[\"id\"] }; response: Note }>;
  \"GET /notes\": Route<{ response: Note[] }>;
}
";

const HANDLERS: &str = "\
import { defineHandlers } from \"@kit/core\";
import type { NoteRoutes } from \"./notes.routes.ts\";

export const noteHandlers = defineHandlers<NoteRoutes>({
  \"GET /notes/:id\": ({ ctx }) => ctx.fail(404, \"NOTE_NOT_FOUND\", \"\"),
  \"GET /notes\": () => [],
});
";

const APP: &str = "\
import { createApp } from \"@kit/core\";
import { noteHandlers } from \"./notes.handlers.ts\";

export const app = createApp({ routes: [{ handlers: noteHandlers }] });
";

const TEST: &str = "\
import { api } from \"./api.ts\";
await api.get(\"/notes/:id\", { params: { id } });
const keys = [\"GET /notes/:id\"];
await api.get(`/notes`);
await api.request(\"GET /notes\");
new Map().get(\"/notes\");
";

fn notes() -> Project {
    Project::new(&[
        (
            "package.json",
            "{ \"dependencies\": { \"@kit/core\": \"0.1.0\" } }",
        ),
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/notes.handlers.ts", HANDLERS),
        ("src/app.ts", APP),
        ("test/notes.test.ts", TEST),
    ])
}

/// Messages of an editor.
struct Editor {
    project: Project,
    parts: VecDeque<Input>,
    next: u32,
}

impl Editor {
    /// An editor that has not sent a message yet.
    fn silent(project: Project) -> Self {
        Self {
            project,
            parts: VecDeque::new(),
            next: 0,
        }
    }

    /// An editor that has initialized the server, with the project as the only folder.
    fn new(project: Project) -> Self {
        let mut editor = Self::silent(project);
        let folder = json!({ "uri": editor.uri(""), "name": "app" });
        editor.request(
            "initialize",
            &json!({ "capabilities": {}, "workspaceFolders": [folder] }),
        );
        editor.notify("initialized", &json!({}));
        editor.idle();
        editor
    }

    fn uri(&self, path: &str) -> String {
        let root = self.project.root.display();
        if path.is_empty() {
            format!("file://{root}")
        } else {
            format!("file://{root}/{path}")
        }
    }

    fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.parts.push_back(Input::Bytes(frame.into_bytes()));
    }

    /// Sends a request, and returns its id.
    fn request(&mut self, method: &str, params: &Value) -> u32 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends nothing for a moment, in which the server analyzes what has changed.
    fn idle(&mut self) {
        self.parts.push_back(Input::Action(Box::new(|| {})));
    }

    fn open(&mut self, path: &str, text: &str) {
        let document =
            json!({ "uri": self.uri(path), "languageId": "typescript", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        self.idle();
    }

    /// Replaces the text of a document.
    fn change(&mut self, path: &str, version: u32, text: &str) {
        let document = json!({ "uri": self.uri(path), "version": version });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.idle();
    }

    /// Sends a request about the position of `needle` in a text, plus `plus` characters.
    fn at(&mut self, method: &str, path: &str, text: &str, needle: &str, more: &Value) -> u32 {
        let offset = text.find(needle).expect("the text contains the needle") + 1;
        let line = text[..offset].matches('\n').count();
        let column = text[..offset]
            .rsplit('\n')
            .next()
            .unwrap_or_default()
            .encode_utf16()
            .count();
        let mut params = json!({
            "textDocument": { "uri": self.uri(path) },
            "position": { "line": line, "character": column },
        });
        for (name, value) in more.as_object().into_iter().flatten() {
            params[name] = value.clone();
        }
        self.request(method, &params)
    }

    /// Ends the server, and returns what the server has sent.
    fn end(mut self) -> Sent {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.stop(0)
    }

    /// Lets the server read all messages, checks its exit code, and returns what the server has sent.
    fn stop(self, code: u8) -> Sent {
        *self.project.host.input.borrow_mut() = self.parts;
        let outcome = self.project.kit(&["lsp"]);
        assert_eq!(outcome.code, code, "{}", outcome.err);
        let mut messages = Vec::new();
        let mut rest = outcome.out.as_str();
        while let Some(text) = rest.strip_prefix("Content-Length: ") {
            let (length, text) = text
                .split_once("\r\n\r\n")
                .expect("a header ends with an empty line");
            let (message, after) = text.split_at(length.parse().expect("the length is a number"));
            messages.push(serde_json::from_str(message).expect("a message is JSON"));
            rest = after;
        }
        assert_eq!(rest, "");
        Sent {
            messages,
            project: self.project,
        }
    }
}

/// Messages of the server.
struct Sent {
    messages: Vec<Value>,
    project: Project,
}

impl Sent {
    /// Returns the answer to a request.
    fn answer(&self, id: u32) -> &Value {
        let answer = self
            .messages
            .iter()
            .find(|message| message["id"] == id && message["method"].is_null());
        answer.unwrap_or_else(|| panic!("no answer to {id}: {:?}", self.messages))
    }

    fn result(&self, id: u32) -> &Value {
        let answer = self.answer(id);
        assert!(answer["error"].is_null(), "{answer}");
        &answer["result"]
    }

    /// Returns the diagnostics of a file, in the order in which the server has sent them.
    fn diagnostics(&self, path: &str) -> Vec<&Value> {
        let end = format!("/{path}");
        self.messages
            .iter()
            .filter(|message| message["method"] == "textDocument/publishDiagnostics")
            .map(|message| &message["params"])
            .filter(|params| params["uri"].as_str().is_some_and(|uri| uri.ends_with(&end)))
            .collect()
    }
}

/// Returns the text of a range in a text of one-byte characters.
fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + usize::try_from(position["character"].as_u64().unwrap()).unwrap()
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}

#[test]
fn sends_the_mistakes_of_unsaved_text_and_removes_them_after_the_correction() {
    let mut editor = Editor::new(notes());
    editor.open("src/notes.types.ts", TYPES);
    let wrong = TYPES.replace("@format email", "@format emial");
    editor.change("src/notes.types.ts", 2, &wrong);
    editor.change("src/notes.types.ts", 3, TYPES);
    let sent = editor.end();
    let found = sent.diagnostics("src/notes.types.ts");
    let [mistake, corrected] = found.as_slice() else {
        panic!("{found:#?}");
    };
    let diagnostic = &mistake["diagnostics"][0];
    assert_eq!(diagnostic["code"], "KIT1302");
    assert_eq!(diagnostic["severity"], 1);
    assert_eq!(diagnostic["source"], "kit");
    assert_eq!(
        diagnostic["message"],
        "unknown format `emial`\nhelp: did you mean `@format email`?"
    );
    assert_eq!(slice(&wrong, &diagnostic["range"]), "@format emial");
    assert_eq!(
        (&mistake["version"], &corrected["version"]),
        (&json!(2), &json!(3))
    );
    assert_eq!(corrected["diagnostics"], json!([]));
}

#[test]
fn sends_mistakes_in_files_that_are_not_open_with_related_places() {
    let mut editor = Editor::new(notes());
    let without = HANDLERS.replace("  \"GET /notes\": () => [],\n", "");
    editor.open("src/notes.handlers.ts", &without);
    let other = ROUTES.replace("\"GET /notes\":", "\"GET /noted\":");
    editor.change("src/notes.handlers.ts", 2, HANDLERS);
    editor.project.write("src/notes.routes.ts", &other);
    let sent = editor.end();
    // The folder was analyzed first, when the file on the disk had another key.
    let all = sent.diagnostics("src/notes.handlers.ts");
    let messages: Vec<&str> = all
        .iter()
        .flat_map(|params| params["diagnostics"].as_array().unwrap())
        .map(|diagnostic| diagnostic["message"].as_str().unwrap())
        .collect();
    assert!(
        messages
            .iter()
            .any(|message| message.contains("has no handler for `GET /noted`")),
        "{messages:?}"
    );
    let related = all
        .iter()
        .flat_map(|params| params["diagnostics"].as_array().unwrap())
        .find_map(|diagnostic| diagnostic["relatedInformation"].get(0))
        .expect("the error names the contract");
    assert_eq!(related["message"], "the contract");
    assert!(
        related["location"]["uri"]
            .as_str()
            .unwrap()
            .ends_with("src/notes.routes.ts")
    );
    assert_eq!(slice(&other, &related["location"]["range"]), "\"GET /noted\"");
}

#[test]
fn hover_shows_the_rules_and_the_column_of_a_property() {
    let mut editor = Editor::new(notes());
    let id = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        TYPES,
        "title:",
        &json!({}),
    );
    let sent = editor.end();
    let hover = sent.result(id);
    assert_eq!(
        hover["contents"]["value"],
        "```ts\ntitle: string\n```\n\nShown in lists.\n\nRules: `@minLength 1` `@maxLength 200`\n\n\
         Column: `title varchar(200) not null` of `notes`\n"
    );
    assert_eq!(slice(TYPES, &hover["range"]), "title");
}

#[test]
fn hover_shows_the_table_and_the_properties_of_a_type_at_each_use() {
    let mut editor = Editor::new(notes());
    let declared = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        TYPES,
        "Note {",
        &json!({}),
    );
    let used = editor.at(
        "textDocument/hover",
        "src/notes.routes.ts",
        ROUTES,
        "Note[]",
        &json!({}),
    );
    let sent = editor.end();
    let text = sent.result(used)["contents"]["value"].as_str().unwrap();
    assert!(
        text.starts_with("```ts\ninterface Note\n```\n\nA text with a title.\n\nTable: `notes`\n"),
        "{text}"
    );
    assert!(
        text.contains("- `title: string` `@minLength 1` `@maxLength 200`\n"),
        "{text}"
    );
    assert_eq!(sent.result(declared)["contents"], sent.result(used)["contents"]);
}

#[test]
fn hover_shows_a_route_at_its_contract_its_handler_and_its_calls() {
    let mut editor = Editor::new(notes());
    let contract = editor.at(
        "textDocument/hover",
        "src/notes.routes.ts",
        ROUTES,
        "GET /notes/:id",
        &json!({}),
    );
    let handler = editor.at(
        "textDocument/hover",
        "src/notes.handlers.ts",
        HANDLERS,
        "GET /notes/:id",
        &json!({}),
    );
    let call = editor.at(
        "textDocument/hover",
        "test/notes.test.ts",
        TEST,
        "/notes/:id",
        &json!({}),
    );
    let sent = editor.end();
    let text = sent.result(contract)["contents"]["value"].as_str().unwrap();
    for line in [
        "```ts\nGET /notes/:id\n```\n\nOne note\n",
        "- params: `{ id: string }`\n",
        "- 200 `Note`\n",
        "- 404 `NOTE_NOT_FOUND` There is no such note.\n",
        "- handler: `noteHandlers` in src/notes.handlers.ts:5\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    assert_eq!(
        sent.result(handler)["contents"],
        sent.result(contract)["contents"]
    );
    assert_eq!(sent.result(call)["contents"], sent.result(contract)["contents"]);
}

#[test]
fn hover_explains_doc_tags_and_lists_the_routes_of_a_group() {
    let mut editor = Editor::new(notes());
    let method = "textDocument/hover";
    let tag = editor.at(method, "src/notes.types.ts", TYPES, "@maxLength", &json!({}));
    let argument = editor.at(method, "src/notes.types.ts", TYPES, "uuid", &json!({}));
    let group = editor.at(method, "src/notes.routes.ts", ROUTES, "NoteRoutes {", &json!({}));
    let used = editor.at(
        method,
        "src/notes.handlers.ts",
        HANDLERS,
        "NoteRoutes>",
        &json!({}),
    );
    let sent = editor.end();
    let hover = sent.result(tag);
    assert_eq!(slice(TYPES, &hover["range"]), "@maxLength");
    assert_eq!(
        hover["contents"]["value"],
        "`@maxLength n`\n\nthe maximum number of characters\n\nOn: property, alias\n"
    );
    assert_eq!(sent.result(argument), &Value::Null);
    assert_eq!(
        sent.result(group)["contents"]["value"],
        "```ts\ninterface NoteRoutes\n```\n\n- `GET /notes/:id` One note\n- `GET /notes`\n"
    );
    assert_eq!(sent.result(used)["contents"], sent.result(group)["contents"]);
}

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
fn ends_with_the_process_of_the_editor() {
    let mut editor = Editor::silent(notes());
    editor.request("initialize", &json!({ "processId": 4321, "capabilities": {} }));
    let sent = editor.end();
    assert!(
        sent.project
            .host
            .asked
            .borrow()
            .contains(&"end input with 4321".to_owned())
    );
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

#[test]
fn code_actions_correct_mistakes_with_a_suggestion() {
    let mut editor = Editor::new(notes());
    let wrong = TYPES
        .replace("@format email", "@format emial")
        .replace("userId: string", "userId: Usr[\"id\"]");
    editor.open("src/notes.types.ts", &wrong);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let document = json!({ "uri": editor.uri("src/notes.types.ts") });
    let all = json!({ "textDocument": document, "range": whole, "context": { "diagnostics": [] } });
    let id = editor.request("textDocument/codeAction", &all);
    let first = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } });
    let none = json!({ "textDocument": document, "range": first, "context": { "diagnostics": [] } });
    let none = editor.request("textDocument/codeAction", &none);
    let sent = editor.end();
    let actions = sent.result(id).as_array().unwrap();
    let edits: Vec<(String, String)> = actions
        .iter()
        .flat_map(|action| action["edit"]["changes"].as_object().unwrap().values())
        .map(|edits| {
            (
                slice(&wrong, &edits[0]["range"]).to_owned(),
                edits[0]["newText"].as_str().unwrap().to_owned(),
            )
        })
        .collect();
    let expected = [("@format emial", "@format email"), ("Usr", "User")];
    assert_eq!(edits, expected.map(|(from, to)| (from.to_owned(), to.to_owned())));
    assert_eq!(sent.result(none), &json!([]));
}

#[test]
fn code_actions_correct_the_key_of_a_handler() {
    let mut editor = Editor::new(notes());
    let wrong = HANDLERS.replace("GET /notes/:id", "GET /note/:id");
    editor.open("src/notes.handlers.ts", &wrong);
    let whole = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } });
    let document = json!({ "uri": editor.uri("src/notes.handlers.ts") });
    let all = json!({ "textDocument": document, "range": whole, "context": { "diagnostics": [] } });
    let id = editor.request("textDocument/codeAction", &all);
    let sent = editor.end();
    let edits = &sent.result(id)[0]["edit"]["changes"]
        [format!("file://{}/src/notes.handlers.ts", sent.project.root.display())];
    assert_eq!(slice(&wrong, &edits[0]["range"]), "\"GET /note/:id\"");
    assert_eq!(edits[0]["newText"], "\"GET /notes/:id\"");
}

#[test]
fn a_syntax_error_in_the_contracts_is_the_only_error() {
    let mut editor = Editor::new(notes());
    editor.open("src/notes.routes.ts", ROUTES);
    let wrong = ROUTES.replace("response: Note[] }", "response: }");
    editor.change("src/notes.routes.ts", 2, &wrong);
    let sent = editor.end();
    assert_eq!(sent.diagnostics("src/notes.routes.ts").len(), 1);
    assert!(sent.diagnostics("src/notes.handlers.ts").is_empty());
}

#[test]
fn hover_says_nothing_about_a_property_with_an_error() {
    let mut editor = Editor::new(notes());
    let wrong = TYPES.replace("title: string", "title: strin");
    editor.open("src/notes.types.ts", &wrong);
    let property = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        &wrong,
        "title:",
        &json!({}),
    );
    let whole = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        &wrong,
        "Note {",
        &json!({}),
    );
    let sent = editor.end();
    assert_eq!(sent.result(property), &Value::Null);
    let text = sent.result(whole)["contents"]["value"].as_str().unwrap();
    assert!(!text.contains("`title"), "{text}");
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
fn wrong_messages_get_errors_and_do_not_end_the_server() {
    let mut editor = Editor::silent(notes());
    let early = editor.request("textDocument/hover", &json!({}));
    editor.request("initialize", &json!({ "capabilities": {} }));
    let again = editor.request("initialize", &json!({ "capabilities": {} }));
    editor.notify("initialized", &json!({}));
    editor.notify("textDocument/didChange", &json!({ "wrong": true }));
    editor.notify("$/unknown", &json!({}));
    let unknown = editor.request("textDocument/colors", &json!({}));
    let invalid = editor.request("textDocument/hover", &json!({ "position": 1 }));
    editor
        .parts
        .push_back(Input::Bytes(b"Content-Length: 5\r\n\r\n{ab}}".to_vec()));
    editor.send(&json!({ "jsonrpc": "2.0" }));
    let shutdown = editor.request("shutdown", &Value::Null);
    let late = editor.request("textDocument/hover", &json!({}));
    editor.notify("exit", &Value::Null);
    let sent = editor.stop(0);
    let code = |id: u32| sent.answer(id)["error"]["code"].as_i64();
    assert_eq!(
        [early, again, unknown, invalid, shutdown, late].map(code),
        [
            Some(-32002),
            Some(-32600),
            Some(-32601),
            Some(-32602),
            None,
            Some(-32600),
        ]
    );
    let without_id: Vec<i64> = sent
        .messages
        .iter()
        .filter(|message| message.get("id") == Some(&Value::Null))
        .map(|message| message["error"]["code"].as_i64().unwrap())
        .collect();
    assert_eq!(without_id, [-32700, -32600]);
    assert!(
        sent.messages
            .iter()
            .any(|message| message["method"] == "window/logMessage")
    );
}

#[test]
fn positions_and_documents_outside_get_empty_answers() {
    let mut editor = Editor::new(notes());
    let far = json!({ "position": { "line": 9_999, "character": 9_999 } });
    let far = editor.at("textDocument/hover", "src/notes.types.ts", TYPES, "title:", &far);
    let missing = editor.at(
        "textDocument/hover",
        "src/missing.ts",
        TYPES,
        "title:",
        &json!({}),
    );
    let position = json!({ "line": 0, "character": 0 });
    let mut other = |uri: &str| {
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        editor.request("textDocument/hover", &params)
    };
    let others = [
        other("file:///kit-nowhere/a.ts"),
        other("untitled:Untitled-1"),
        other("https://kit.test/a.ts"),
    ];
    editor.notify(
        "textDocument/didOpen",
        &json!({ "textDocument": {
        "uri": "untitled:Untitled-1", "languageId": "typescript", "version": 1, "text": "interface A {}",
    } }),
    );
    let sent = editor.end();
    for id in [far, missing].into_iter().chain(others) {
        assert_eq!(sent.result(id), &Value::Null);
    }
}

#[test]
fn cancelled_requests_that_wait_are_answered_with_an_error() {
    let mut editor = Editor::new(notes());
    let mut bytes = Vec::new();
    // All messages arrive at once.
    let before = editor.parts.len();
    let kept = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        TYPES,
        "title:",
        &json!({}),
    );
    let cancelled = editor.at(
        "textDocument/hover",
        "src/notes.types.ts",
        TYPES,
        "title:",
        &json!({}),
    );
    editor.notify("$/cancelRequest", &json!({ "id": cancelled }));
    editor.notify("$/cancelRequest", &json!({ "id": 999 }));
    for part in editor.parts.drain(before..) {
        if let Input::Bytes(more) = part {
            bytes.extend(more);
        }
    }
    editor.parts.push_back(Input::Bytes(bytes));
    let sent = editor.end();
    assert_eq!(sent.answer(cancelled)["error"]["code"], -32800);
    assert!(sent.result(kept)["contents"]["value"].is_string());
}

#[test]
fn exits_with_1_if_the_stream_ends_or_does_not_consist_of_messages() {
    let editor = Editor::new(notes());
    editor.stop(1);
    let mut editor = Editor::new(notes());
    editor.notify("exit", &Value::Null);
    editor.stop(1);
    let mut editor = Editor::silent(notes());
    editor
        .parts
        .push_back(Input::Bytes(b"GET / HTTP/1.1\r\n\r\n".to_vec()));
    let sent = editor.stop(1);
    assert_eq!(sent.messages[0]["error"]["code"], -32700);
}

#[test]
fn projects_of_several_folders_are_separate_and_removed_folders_lose_their_diagnostics() {
    let project = Project::new(&[
        (
            "a/package.json",
            "{ \"dependencies\": { \"@kit/core\": \"0.1.0\" } }",
        ),
        (
            "a/src/a.types.ts",
            "/** @table */\nexport interface A { id: string }\n",
        ),
        (
            "b/package.json",
            "{ \"dependencies\": { \"@kit/core\": \"0.1.0\" } }",
        ),
        (
            "b/src/b.types.ts",
            "/** @table */\nexport interface B { id: string }\n",
        ),
    ]);
    let mut editor = Editor::silent(project);
    let folder = |editor: &Editor, name: &str| json!({ "uri": editor.uri(name), "name": name });
    let a = folder(&editor, "a");
    editor.request(
        "initialize",
        &json!({ "capabilities": {}, "workspaceFolders": [a] }),
    );
    editor.notify("initialized", &json!({}));
    editor.idle();
    let b = folder(&editor, "b");
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        &json!({ "event": { "added": [b], "removed": [] } }),
    );
    editor.idle();
    let a = folder(&editor, "a");
    editor.notify(
        "workspace/didChangeWorkspaceFolders",
        &json!({ "event": { "added": [], "removed": [a] } }),
    );
    editor.idle();
    let sent = editor.end();
    let counts = |path: &str| -> Vec<usize> {
        let diagnostics = sent.diagnostics(path);
        diagnostics
            .iter()
            .map(|params| params["diagnostics"].as_array().unwrap().len())
            .collect()
    };
    assert_eq!(counts("a/src/a.types.ts"), [1, 0]);
    assert_eq!(counts("b/src/b.types.ts"), [1]);
}

#[test]
fn mistakes_in_the_configuration_are_diagnostics_of_its_file() {
    let mut project = notes();
    project.write("kit.config.ts", "export default { outputDir: 1 };\n");
    project.host.config = Some(Ok(json!({ "outputDir": 1 })));
    let sent = Editor::new(project).end();
    let found = sent.diagnostics("kit.config.ts");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0]["diagnostics"][0]["message"]
            .as_str()
            .unwrap()
            .contains("outputDir")
    );
}

#[test]
fn asks_editors_that_can_watch_files_and_sees_changes_on_the_disk() {
    let mut editor = Editor::silent(notes());
    let folder = json!({ "uri": editor.uri(""), "name": "app" });
    let watching = json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } });
    editor.request(
        "initialize",
        &json!({ "capabilities": watching, "workspaceFolders": [folder] }),
    );
    editor.notify("initialized", &json!({}));
    editor.idle();
    let path = editor.project.root.join("src/notes.types.ts");
    let wrong = TYPES.replace("@format email", "@format emial");
    #[allow(clippy::disallowed_methods)] // Reason: the test edits a file of the project.
    let edit = move || std::fs::write(&path, &wrong).expect("the project can be written");
    editor.parts.push_back(Input::Action(Box::new(edit)));
    let uri = editor.uri("src/notes.types.ts");
    editor.notify(
        "workspace/didChangeWatchedFiles",
        &json!({ "changes": [{ "uri": uri, "type": 2 }] }),
    );
    editor.idle();
    let sent = editor.end();
    assert!(
        sent.messages
            .iter()
            .any(|message| message["method"] == "client/registerCapability")
    );
    let found = sent.diagnostics("src/notes.types.ts");
    assert_eq!(found[0]["diagnostics"][0]["code"], "KIT1302");
}

#[test]
fn half_written_files_get_answers_at_each_position() {
    let mut editor = Editor::new(notes());
    let mut requests = Vec::new();
    for (path, text) in [
        ("src/notes.types.ts", TYPES),
        ("src/notes.routes.ts", ROUTES),
        ("src/notes.handlers.ts", HANDLERS),
    ] {
        editor.open(path, text);
        for (version, end) in (0..text.len()).step_by(7).enumerate() {
            let half = &text[..end];
            editor.change(path, u32::try_from(version).unwrap() + 2, half);
            let line = half.matches('\n').count();
            let column = half.rsplit('\n').next().unwrap_or_default().len();
            for method in ["hover", "definition", "prepareRename"] {
                let position = json!({ "line": line, "character": column });
                let params = json!({ "textDocument": { "uri": editor.uri(path) }, "position": position });
                requests.push(editor.request(&format!("textDocument/{method}"), &params));
            }
        }
        editor.change(path, 9_999, text);
    }
    let sent = editor.end();
    assert!(requests.len() > 300);
    for id in requests {
        sent.result(id);
    }
    // The last text of each file has no mistakes.
    for path in [
        "src/notes.types.ts",
        "src/notes.routes.ts",
        "src/notes.handlers.ts",
    ] {
        let last = sent
            .diagnostics(path)
            .last()
            .map(|params| params["diagnostics"].clone());
        assert_eq!(last, Some(json!([])), "{path}");
    }
}

#[test]
fn writes_no_files() {
    let mut editor = Editor::new(notes());
    editor.open("src/notes.types.ts", TYPES);
    let before = editor.project.tree("");
    let sent = editor.end();
    assert_eq!(sent.project.tree(""), before);
    assert!(!sent.project.root.join(".kit").exists());
}
