//! Texts about the types, routes and doc tags under the cursor.

use serde_json::{Value, json};

use super::editor::{Editor, slice};
use super::{HANDLERS, ROUTES, TEST, TYPES, notes};

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
