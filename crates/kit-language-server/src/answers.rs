//! Answers to requests of the editor.

use kit_build::project_of;
use lsp_types::{
    CodeActionParams, DocumentSymbolParams, GotoDefinitionParams, Hover, HoverContents, HoverParams,
    MarkupContent, MarkupKind, RenameParams, TextDocumentPositionParams, Uri, WorkspaceSymbolParams,
};
use serde_json::{Value, json};

use crate::documents::real_path;
use crate::lines::Lines;
use crate::protocol::{ErrorCode, RequestError, parse, result};
use crate::state::{Project, Server};
use crate::view::View;
use crate::{actions, definition, hover, rename, symbols, uri};

impl Server<'_> {
    /// Answers a request of an editor that has initialized the server.
    pub(crate) async fn answer(&mut self, method: &str, params: Value) -> Result<Value, RequestError> {
        match method {
            "textDocument/hover" => {
                let params: HoverParams = parse(params)?;
                let place = params.text_document_position_params;
                self.at(&place, |view, offset| {
                    hover::hover(view, offset).map(|(value, range)| Hover {
                        contents: HoverContents::Markup(MarkupContent {
                            kind: MarkupKind::Markdown,
                            value,
                        }),
                        range: Some(Lines::new(&view.text).range(&range)),
                    })
                })
                .await
            }
            "textDocument/definition" => {
                let params: GotoDefinitionParams = parse(params)?;
                self.at(&params.text_document_position_params, definition::definition)
                    .await
            }
            "textDocument/prepareRename" => {
                let place: TextDocumentPositionParams = parse(params)?;
                self.at(&place, |view, offset| {
                    rename::prepare(view, offset).map(|(range, placeholder)| {
                        json!({ "range": Lines::new(&view.text).range(&range), "placeholder": placeholder })
                    })
                })
                .await
            }
            "textDocument/rename" => {
                let params: RenameParams = parse(params)?;
                let view = self.view(&params.text_document_position.text_document.uri).await;
                let view = view.ok_or_else(|| {
                    RequestError::new(
                        ErrorCode::Failed,
                        "the document belongs to no project of kit, or the configuration of the project has mistakes",
                    )
                })?;
                let offset = Lines::new(&view.text).offset(params.text_document_position.position);
                let edit = rename::rename(&view, offset, &params.new_name);
                result(edit.map_err(|message| RequestError::new(ErrorCode::Failed, message))?)
            }
            "textDocument/documentSymbol" => {
                let params: DocumentSymbolParams = parse(params)?;
                let view = self.view(&params.text_document.uri).await;
                result(view.map(|view| symbols::of_document(&view)))
            }
            "textDocument/codeAction" => {
                let params: CodeActionParams = parse(params)?;
                let view = self.view(&params.text_document.uri).await;
                result(view.map(|view| actions::actions(&view, &params)))
            }
            "workspace/symbol" => {
                let params: WorkspaceSymbolParams = parse(params)?;
                let mut found = Vec::new();
                for root in self.projects.keys().cloned().collect::<Vec<_>>() {
                    let path = root.join("package.json");
                    if let Some(view) = self.view_of(&root, &path).await {
                        found.extend(symbols::of_workspace(&view, &params.query));
                    }
                }
                result(found)
            }
            _ => Err(RequestError::new(
                ErrorCode::MethodNotFound,
                format!("kit has no request `{method}`"),
            )),
        }
    }

    /// Answers a request about a position in a document. The answer is `null` if the document belongs to no project.
    async fn at<T: serde::Serialize>(
        &mut self,
        place: &TextDocumentPositionParams,
        answer: impl FnOnce(&View<'_>, usize) -> Option<T>,
    ) -> Result<Value, RequestError> {
        let view = self.view(&place.text_document.uri).await;
        result(view.and_then(|view| {
            let offset = Lines::new(&view.text).offset(place.position);
            answer(&view, offset)
        }))
    }

    /// Returns the state of the project of a document, up to date. Returns `None` if the document belongs to no project, or if
    /// the project cannot be analyzed.
    async fn view(&mut self, document: &Uri) -> Option<View<'_>> {
        let path = real_path(&uri::path(document)?);
        let root = project_of(&path)?;
        self.projects.entry(root.clone()).or_insert_with(Project::unknown);
        self.view_of(&root, &path).await
    }
}
