//! The projects of the open documents and folders, and their diagnostics.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_build::{Disk, FileSystem as _, Inference, display_path, project_of};
use lsp_types::PublishDiagnosticsParams;
use serde_json::json;

use crate::connection::Failed;
use crate::protocol::Outgoing;
use crate::published::{self, FileDiagnostics};
use crate::state::Server;
use crate::view::View;

impl Server<'_> {
    /// Marks the projects as changed that a file can change: its own project, and projects that have read the file.
    pub(crate) fn change(&mut self, path: &Path, inference: Inference) {
        if let Some(root) = project_of(path) {
            self.projects.entry(root).or_default().change(inference);
        }
        for project in self.projects.values_mut() {
            let analyzed = project.analyzed.as_ref();
            let has_read = analyzed
                .is_some_and(|analyzed| analyzed.analysis.dependencies.iter().any(|read| read == path));
            if has_read {
                project.change(inference);
            }
        }
    }

    /// Analyzes a project, and sends the diagnostics that changed.
    pub(crate) async fn analyze(&mut self, root: &Path) {
        let Some(project) = self.projects.get_mut(root) else {
            return;
        };
        let Some(inference) = project.changed.take() else {
            return;
        };
        let files = Arc::new(self.documents.overlay());
        let result = self
            .connection
            .analyze(root, files, inference, &mut project.session)
            .await;
        let mut failure = None;
        let found = match result {
            Ok(analyzed) => {
                let mut diagnostics = analyzed.warnings.clone();
                diagnostics.extend(analyzed.analysis.diagnostics.clone());
                let place = config_file(root, &analyzed.config.options_file);
                let sources = &analyzed.analysis.sources;
                let found = published::by_file(root, &place, &diagnostics, sources, &self.documents);
                project.analyzed = Some(analyzed);
                found
            }
            Err(Failed::Diagnostics(diagnostics, sources)) => {
                // The positions of the last analysis may not fit the current texts.
                project.analyzed = None;
                let place = config_file(root, "package.json");
                published::by_file(root, &place, &diagnostics, sources.as_ref(), &self.documents)
            }
            Err(Failed::Message(message)) => {
                project.analyzed = None;
                failure = Some(message);
                project.published.clone()
            }
        };
        let is_new = project.failure != failure;
        project.failure.clone_from(&failure);
        if let Some(message) = failure.filter(|_| is_new) {
            let params = json!({ "type": 1, "message": format!("kit cannot check this project: {message}") });
            self.send(&Outgoing::notification("window/showMessage", params));
        }
        self.publish(root, &found);
    }

    /// Sends the diagnostics of the files whose diagnostics changed.
    pub(crate) fn publish(&mut self, root: &Path, found: &FileDiagnostics) {
        let Some(project) = self.projects.get_mut(root) else {
            return;
        };
        let before = std::mem::replace(&mut project.published, found.clone());
        let paths: BTreeSet<&PathBuf> = before.keys().chain(found.keys()).collect();
        for path in paths {
            if before.get(path) == found.get(path) {
                continue;
            }
            let Some(uri) = self.documents.uri(path) else {
                continue;
            };
            let version = self.documents.get(path).map(|document| document.version);
            let diagnostics = found.get(path).cloned().unwrap_or_default();
            let params = PublishDiagnosticsParams::new(uri, diagnostics, version);
            let params = serde_json::to_value(params).expect("diagnostics have string keys");
            self.send(&Outgoing::notification("textDocument/publishDiagnostics", params));
        }
    }

    /// Returns the state of a project for a file, up to date. Returns `None` if the project cannot be analyzed. A file that cannot be read
    /// has an empty text.
    pub(crate) async fn view_of(&mut self, root: &Path, path: &Path) -> Option<View<'_>> {
        if self.projects.get(root)?.changed.is_some() {
            self.analyze(root).await;
        }
        let (root, project) = self.projects.get_key_value(root)?;
        let analyzed = project.analyzed.as_ref()?;
        let files = self.documents.overlay();
        let text = files.read(path).unwrap_or_default();
        Some(View {
            root,
            display: display_path(root, path),
            path: path.to_path_buf(),
            text,
            session: &project.session,
            analysis: &analyzed.analysis,
            config: &analyzed.config,
            documents: &self.documents,
            files,
        })
    }
}

/// Returns the name of the file to which diagnostics without a location belong.
fn config_file(root: &Path, name: &str) -> String {
    let exists = Disk.is_file(&root.join(name));
    if exists {
        name.to_owned()
    } else {
        "package.json".to_owned()
    }
}
