//! Edits that correct mistakes.

use std::collections::HashMap;

use kit_diagnostics::Diagnostic;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, TextEdit, WorkspaceEdit};

use crate::published;
use crate::view::View;

/// Returns an action for each mistake in the range that kit knows how to correct.
pub(crate) fn actions(view: &View<'_>, params: &CodeActionParams) -> Vec<CodeActionOrCommand> {
    let only = params.context.only.as_deref();
    let is_wanted = only.is_none_or(|kinds| {
        kinds.contains(&CodeActionKind::QUICKFIX) || kinds.contains(&CodeActionKind::EMPTY)
    });
    if !is_wanted {
        return Vec::new();
    }
    let diagnostics = view.analysis.diagnostics.iter();
    diagnostics
        .filter_map(|diagnostic| action(view, params, diagnostic))
        .collect()
}

fn action(
    view: &View<'_>,
    params: &CodeActionParams,
    diagnostic: &Diagnostic,
) -> Option<CodeActionOrCommand> {
    let label = diagnostic.primary().filter(|label| label.path == view.display)?;
    let replacement = diagnostic.replacement.clone()?;
    let range = published::range(label, &view.analysis.sources);
    if range.end < params.range.start || params.range.end < range.start {
        return None;
    }
    let name = diagnostic.code.name();
    let code = Some(lsp_types::NumberOrString::String(name));
    let corrected = params.context.diagnostics.iter();
    let corrected = corrected.filter(|sent| sent.code == code && sent.range == range);
    let title = format!("Replace by `{replacement}`");
    let edit = TextEdit::new(range, replacement);
    let uri = params.text_document.uri.clone();
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(corrected.cloned().collect()),
        edit: Some(WorkspaceEdit::new(HashMap::from([(uri, vec![edit])]))),
        is_preferred: Some(true),
        ..CodeAction::default()
    }))
}
