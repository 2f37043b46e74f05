//! Messages that are wrong, cancelled or unusual, and the end of the server.

use serde_json::{Value, json};

use super::editor::Editor;
use super::{HANDLERS, ROUTES, TYPES, notes};
use crate::support::Input;

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
