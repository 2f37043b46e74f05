//! The server: its state, and the dispatch of messages.
//!
//! The server handles one message after the other. An edit only marks its project as changed. The server analyzes a changed
//! project before the next request about the project, or as soon as no message waits, so that a burst of edits costs one
//! analysis. Plugins run only if no message waits, and a message interrupts them. TypeScript runs in a process of its own.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::Duration;

use lsp_types::{
    DidChangeTextDocumentParams, DidChangeWatchedFilesParams, DidChangeWorkspaceFoldersParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, DidSaveTextDocumentParams, InitializeParams,
    ServerInfo, Uri,
};
use serde_json::{Value, json};

use crate::capabilities::{WATCHED, capabilities};
use crate::connection::{Connection, Input};
use crate::documents::{Document, Documents, real_path};
use crate::frames::Frames;
use crate::protocol::{ErrorCode, Incoming, Outgoing, RequestError, parse};
use crate::published::FileDiagnostics;
use crate::state::{Edit, Phase, Server};
use crate::uri;

/// Number of messages from which on the server reads no further ones, until it has handled some.
const MAX_WAITING: usize = 1_000;

/// Time between two checks if TypeScript has ended.
const POLL: Duration = Duration::from_millis(20);

/// End of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The editor has asked the server to shut down, and then to exit.
    Clean,
    /// The editor has closed the stream or asked to exit without asking to shut down, or sent bytes that are no messages.
    Abrupt,
}

/// Serves an editor until the editor asks the server to exit.
pub async fn serve(connection: &dyn Connection) -> End {
    let mut server = Server {
        connection,
        phase: Phase::New,
        documents: Documents::default(),
        projects: BTreeMap::new(),
        folders: BTreeSet::new(),
        can_watch: false,
        is_closed: false,
    };
    server.run().await
}

impl Server<'_> {
    async fn run(&mut self) -> End {
        let mut frames = Frames::default();
        let mut queue: VecDeque<Incoming> = VecDeque::new();
        let mut has_ended = false;
        loop {
            let runs_typescript = self.take_types();
            let work = self.next_work();
            if !has_ended && queue.len() < MAX_WAITING {
                let wait = if !queue.is_empty() || work.is_some() {
                    Duration::ZERO
                } else if runs_typescript {
                    POLL
                } else {
                    Duration::MAX
                };
                match self.connection.read(wait).await {
                    Input::Bytes(bytes) => frames.push(&bytes),
                    Input::Nothing => {}
                    Input::End => has_ended = true,
                }
            }
            loop {
                match frames.next() {
                    Ok(Some(bytes)) => self.receive(&bytes, &mut queue),
                    Ok(None) => break,
                    Err(error) => {
                        let error = RequestError::new(ErrorCode::Parse, error.0);
                        self.send(&Outgoing::response(Value::Null, Err(error)));
                        return End::Abrupt;
                    }
                }
            }
            if let Some(message) = queue.pop_front() {
                if message.id.is_none() && message.method.as_deref() == Some("exit") {
                    return if self.phase == Phase::ShutDown {
                        End::Clean
                    } else {
                        End::Abrupt
                    };
                }
                self.handle(message).await;
            } else if has_ended || self.is_closed {
                return End::Abrupt;
            } else if let Some((root, work)) = work {
                self.work(&root, work).await;
            }
        }
    }

    /// Adds a message to the queue. A cancellation removes its request from the queue at once.
    fn receive(&mut self, bytes: &[u8], queue: &mut VecDeque<Incoming>) {
        let refuse =
            |code, reason: String| Outgoing::response(Value::Null, Err(RequestError::new(code, reason)));
        let value = match serde_json::from_slice::<Value>(bytes) {
            Ok(value) => value,
            Err(error) => {
                self.send(&refuse(
                    ErrorCode::Parse,
                    format!("the message is not JSON: {error}"),
                ));
                return;
            }
        };
        let message = value
            .is_object()
            .then(|| serde_json::from_value::<Incoming>(value));
        let Some(Ok(message)) = message else {
            let reason = "the message is not an object with a text as its `method`".to_owned();
            self.send(&refuse(ErrorCode::InvalidRequest, reason));
            return;
        };
        if message.method.as_deref() != Some("$/cancelRequest") {
            queue.push_back(message);
            return;
        }
        let id = &message.params["id"];
        if let Some(index) = queue.iter().position(|waiting| waiting.id.as_ref() == Some(id)) {
            queue.remove(index);
            let error = RequestError::new(ErrorCode::Cancelled, "the request was cancelled");
            self.send(&Outgoing::response(id.clone(), Err(error)));
        }
    }

    async fn handle(&mut self, message: Incoming) {
        let Incoming { id, method, params } = message;
        match (id, method) {
            (Some(id), Some(method)) => {
                let result = self.request(&method, params).await;
                self.send(&Outgoing::response(id, result));
            }
            (None, Some(method)) => {
                if self.phase == Phase::Running
                    && let Err(error) = self.notification(&method, params)
                {
                    let text = format!("the notification `{method}` is not valid: {}", error.message);
                    self.log(&text);
                }
            }
            // The answer to a request of the server. The server needs no answers.
            (Some(_), None) => {}
            (None, None) => {
                let error = RequestError::new(
                    ErrorCode::InvalidRequest,
                    "the message has neither `id` nor `method`",
                );
                self.send(&Outgoing::response(Value::Null, Err(error)));
            }
        }
    }

    async fn request(&mut self, method: &str, params: Value) -> Result<Value, RequestError> {
        match (self.phase, method) {
            (Phase::New, "initialize") => {
                let params: InitializeParams = parse(params)?;
                if let Some(process) = params.process_id {
                    self.connection.end_with(process).await;
                }
                self.phase = Phase::Running;
                Ok(self.initialize(&params))
            }
            (_, "initialize") => Err(RequestError::new(
                ErrorCode::InvalidRequest,
                "the server is already initialized",
            )),
            (Phase::New, _) => Err(RequestError::new(
                ErrorCode::NotInitialized,
                "send the request `initialize` first",
            )),
            (Phase::ShutDown, _) => Err(RequestError::new(
                ErrorCode::InvalidRequest,
                "the server is shutting down",
            )),
            (Phase::Running, "shutdown") => {
                self.phase = Phase::ShutDown;
                Ok(Value::Null)
            }
            (Phase::Running, method) => self.answer(method, params).await,
        }
    }

    fn initialize(&mut self, params: &InitializeParams) -> Value {
        let workspace = params.capabilities.workspace.as_ref();
        let watching = workspace.and_then(|workspace| workspace.did_change_watched_files.as_ref());
        self.can_watch = watching.and_then(|watching| watching.dynamic_registration) == Some(true);
        let folders = params
            .workspace_folders
            .iter()
            .flatten()
            .map(|folder| &folder.uri);
        #[allow(deprecated)] // Reason: editors without workspace folders send only the root.
        let root = params
            .root_uri
            .iter()
            .filter(|_| params.workspace_folders.is_none());
        self.folders = folders
            .chain(root)
            .filter_map(uri::path)
            .map(|path| real_path(&path))
            .collect();
        json!({ "capabilities": capabilities(), "serverInfo": ServerInfo {
            name: "kit".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
        } })
    }

    fn notification(&mut self, method: &str, params: Value) -> Result<(), RequestError> {
        match method {
            "initialized" => {
                if self.can_watch {
                    self.watch_files();
                }
                for folder in self.folders.clone() {
                    self.add_folder(&folder);
                }
            }
            "textDocument/didOpen" => {
                let params: DidOpenTextDocumentParams = parse(params)?;
                let document = params.text_document;
                if let Some(path) = uri::path(&document.uri) {
                    let path = real_path(&path);
                    self.change(&path, Edit::Saved);
                    self.documents.open(
                        path,
                        Document {
                            uri: document.uri,
                            version: document.version,
                            text: document.text.into(),
                        },
                    );
                }
            }
            "textDocument/didChange" => {
                let params: DidChangeTextDocumentParams = parse(params)?;
                if let Some(path) = uri::path(&params.text_document.uri) {
                    let path = real_path(&path);
                    if self
                        .documents
                        .change(&path, params.text_document.version, params.content_changes)
                    {
                        self.change(&path, Edit::Unsaved);
                    }
                }
            }
            "textDocument/didSave" => {
                let params: DidSaveTextDocumentParams = parse(params)?;
                self.change_uri(&params.text_document.uri);
            }
            "textDocument/didClose" => {
                let params: DidCloseTextDocumentParams = parse(params)?;
                if let Some(path) = uri::path(&params.text_document.uri) {
                    self.documents.close(&real_path(&path));
                }
                self.change_uri(&params.text_document.uri);
            }
            "workspace/didChangeWatchedFiles" => {
                let params: DidChangeWatchedFilesParams = parse(params)?;
                for change in &params.changes {
                    self.change_uri(&change.uri);
                }
            }
            "workspace/didChangeWorkspaceFolders" => {
                let params: DidChangeWorkspaceFoldersParams = parse(params)?;
                for folder in &params.event.removed {
                    if let Some(path) = uri::path(&folder.uri) {
                        self.remove_folder(&real_path(&path));
                    }
                }
                for folder in &params.event.added {
                    if let Some(path) = uri::path(&folder.uri) {
                        let path = real_path(&path);
                        self.folders.insert(path.clone());
                        self.add_folder(&path);
                    }
                }
            }
            // Other notifications, such as those that begin with `$/`, need no reaction.
            _ => {}
        }
        Ok(())
    }

    fn watch_files(&mut self) {
        let watchers: Vec<Value> = WATCHED
            .iter()
            .map(|glob| json!({ "globPattern": glob }))
            .collect();
        let registration = json!({ "registrations": [{
            "id": "kit-files",
            "method": "workspace/didChangeWatchedFiles",
            "registerOptions": { "watchers": watchers },
        }] });
        self.send(&Outgoing::request(
            "kit-files",
            "client/registerCapability",
            registration,
        ));
    }

    /// Analyzes the project in a folder, or the project that contains the folder, if any.
    fn add_folder(&mut self, folder: &Path) {
        self.change(&folder.join("package.json"), Edit::Saved);
    }

    /// Removes the projects in a folder that belong to no other folder, and their diagnostics.
    fn remove_folder(&mut self, folder: &Path) {
        self.folders.remove(folder);
        let gone: Vec<PathBuf> = self
            .projects
            .keys()
            .filter(|root| {
                root.starts_with(folder) && !self.folders.iter().any(|other| root.starts_with(other))
            })
            .cloned()
            .collect();
        for root in gone {
            self.publish(&root, &FileDiagnostics::new());
            self.projects.remove(&root);
        }
    }

    fn change_uri(&mut self, document: &Uri) {
        if let Some(path) = uri::path(document) {
            self.change(&real_path(&path), Edit::Saved);
        }
    }
}
