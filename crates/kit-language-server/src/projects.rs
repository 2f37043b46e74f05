//! The projects of the open documents and folders, and their diagnostics.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kit_build::{Disk, FileSystem as _, Rerun, TypeRunState, display_path, project_of};
use lsp_types::PublishDiagnosticsParams;
use serde_json::json;

use crate::connection::Failed;
use crate::protocol::Outgoing;
use crate::published::{self, FileDiagnostics};
use crate::state::{Edit, Server, Work};
use crate::view::View;

impl Server<'_> {
    /// Marks the projects as changed that a file can change: its own project, and projects that have read the file.
    pub(crate) fn change(&mut self, path: &Path, edit: Edit) {
        if let Some(root) = project_of(path) {
            self.projects.entry(root).or_default().change(edit);
        }
        for project in self.projects.values_mut() {
            let analyzed = project.analyzed.as_ref();
            let has_read = analyzed
                .is_some_and(|analyzed| analyzed.analysis.dependencies.iter().any(|read| read == path));
            if has_read {
                project.change(edit);
            }
        }
    }

    /// Returns a project with work, and the work.
    pub(crate) fn next_work(&self) -> Option<(PathBuf, Work)> {
        self.projects
            .iter()
            .find_map(|(root, project)| Some((root.clone(), project.work()?)))
    }

    /// Does a part of the work for a project.
    pub(crate) async fn work(&mut self, root: &Path, work: Work) {
        match work {
            Work::Analyze(rerun) => self.analyze(root, rerun).await,
            Work::StartTypeScript => {
                let Some(project) = self.projects.get_mut(root) else {
                    return;
                };
                project.needs_types = false;
                project.type_runs += 1;
                project.type_run = project.session.start_typescript(root);
            }
        }
    }

    /// Takes over the types of each TypeScript that has ended. Returns true if TypeScript runs for a project.
    pub(crate) fn take_types(&mut self) -> bool {
        let mut runs = false;
        for (root, project) in &mut self.projects {
            let Some(run) = &mut project.type_run else {
                continue;
            };
            let state = project.session.take_types(root, run);
            if state == TypeRunState::Running {
                runs = true;
                continue;
            }
            project.type_run = None;
            project.has_changed = true;
            // The types may show that other files need types too.
            project.needs_types |= state == TypeRunState::Inferred;
        }
        runs
    }

    /// Analyzes a project, and sends the diagnostics that changed.
    async fn analyze(&mut self, root: &Path, rerun: Rerun) {
        let Some(project) = self.projects.get_mut(root) else {
            return;
        };
        project.has_changed = false;
        project.needs_plugins = false;
        let files = Arc::new(self.documents.overlay());
        let result = self
            .connection
            .analyze(root, files, rerun, &mut project.session)
            .await;
        let mut failure = None;
        let found = match result {
            Ok(analyzed) => {
                let mut diagnostics = analyzed.warnings.clone();
                diagnostics.extend(analyzed.analysis.diagnostics.clone());
                let place = config_file(root, &analyzed.config.options_file);
                let sources = &analyzed.analysis.sources;
                project.needs_plugins = analyzed.analysis.is_provisional;
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
            Err(Failed::Interrupted) => {
                project.needs_plugins = true;
                return;
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
        if self.projects.get(root)?.has_changed {
            self.analyze(root, Rerun::Nothing).await;
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
