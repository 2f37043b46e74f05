//! Simulated editor, which sends messages to `kit lsp` and reads the responses.

use std::collections::VecDeque;

use crate::support::{Input, Project};
use serde_json::{Value, json};

/// Messages of an editor.
pub(super) struct Editor {
    pub(super) project: Project,
    pub(super) parts: VecDeque<Input>,
    next: u32,
}

impl Editor {
    /// An editor that has not sent a message yet.
    pub(super) fn silent(project: Project) -> Self {
        Self {
            project,
            parts: VecDeque::new(),
            next: 0,
        }
    }

    /// An editor that has initialized the server, with the project as the only folder.
    pub(super) fn new(project: Project) -> Self {
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

    pub(super) fn uri(&self, path: &str) -> String {
        let root = self.project.root.display();
        if path.is_empty() {
            format!("file://{root}")
        } else {
            format!("file://{root}/{path}")
        }
    }

    pub(super) fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{text}", text.len());
        self.parts.push_back(Input::Bytes(frame.into_bytes()));
    }

    /// Sends a request, and returns its id.
    pub(super) fn request(&mut self, method: &str, params: &Value) -> u32 {
        self.next += 1;
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(super) fn notify(&mut self, method: &str, params: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Sends nothing for a moment, in which the server analyzes what has changed.
    pub(super) fn idle(&mut self) {
        self.parts.push_back(Input::Action(Box::new(|| {})));
    }

    pub(super) fn open(&mut self, path: &str, text: &str) {
        let document =
            json!({ "uri": self.uri(path), "languageId": "typescript", "version": 1, "text": text });
        self.notify("textDocument/didOpen", &json!({ "textDocument": document }));
        self.idle();
    }

    /// Replaces the text of a document.
    pub(super) fn change(&mut self, path: &str, version: u32, text: &str) {
        let document = json!({ "uri": self.uri(path), "version": version });
        self.notify(
            "textDocument/didChange",
            &json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
        self.idle();
    }

    /// Sends a request about the position of `needle` in a text, plus `plus` characters.
    pub(super) fn at(&mut self, method: &str, path: &str, text: &str, needle: &str, more: &Value) -> u32 {
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
    pub(super) fn end(mut self) -> Sent {
        self.request("shutdown", &Value::Null);
        self.notify("exit", &Value::Null);
        self.stop(0)
    }

    /// Lets the server read all messages, checks its exit code, and returns what the server has sent.
    pub(super) fn stop(self, code: u8) -> Sent {
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
pub(super) struct Sent {
    pub(super) messages: Vec<Value>,
    pub(super) project: Project,
}

impl Sent {
    /// Returns the answer to a request.
    pub(super) fn answer(&self, id: u32) -> &Value {
        let answer = self
            .messages
            .iter()
            .find(|message| message["id"] == id && message["method"].is_null());
        answer.unwrap_or_else(|| panic!("no answer to {id}: {:?}", self.messages))
    }

    pub(super) fn result(&self, id: u32) -> &Value {
        let answer = self.answer(id);
        assert!(answer["error"].is_null(), "{answer}");
        &answer["result"]
    }

    /// Returns the diagnostics of a file, in the order in which the server has sent them.
    pub(super) fn diagnostics(&self, path: &str) -> Vec<&Value> {
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
pub(super) fn slice<'t>(text: &'t str, range: &Value) -> &'t str {
    let offset = |position: &Value| {
        let line = usize::try_from(position["line"].as_u64().unwrap()).unwrap();
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + usize::try_from(position["character"].as_u64().unwrap()).unwrap()
    };
    &text[offset(&range["start"])..offset(&range["end"])]
}
