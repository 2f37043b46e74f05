//! Diagnostics of projects, and actions that correct mistakes.

use serde_json::json;

use super::editor::{Editor, slice};
use super::{HANDLERS, ROUTES, TYPES, notes};
use crate::support::{Input, Project};

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
fn writes_no_files() {
    let mut editor = Editor::new(notes());
    editor.open("src/notes.types.ts", TYPES);
    let before = editor.project.tree("");
    let sent = editor.end();
    assert_eq!(sent.project.tree(""), before);
    assert!(!sent.project.root.join(".kit").exists());
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
