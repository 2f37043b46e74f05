//! Diagnostics of the compiler as diagnostics of the protocol.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use kit_diagnostics::{Diagnostic, Diagnostics, Label, Severity, Sources};
use lsp_types::{
    DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString, Position, Range,
};

use crate::documents::Documents;
use crate::lines::Lines;
use crate::view::absolute;

/// Maximum number of diagnostics of a project that the server sends. Users start with the first ones.
const MAX_DIAGNOSTICS: usize = 1_000;

/// Diagnostics of the files of a project.
pub(crate) type FileDiagnostics = BTreeMap<PathBuf, Vec<lsp_types::Diagnostic>>;

/// Returns diagnostics by file. A diagnostic without a location belongs to the file that configures the project.
pub(crate) fn by_file(
    root: &Path,
    config_file: &str,
    diagnostics: &Diagnostics,
    sources: &dyn Sources,
    documents: &Documents,
) -> FileDiagnostics {
    let mut files = FileDiagnostics::new();
    for diagnostic in diagnostics.iter().take(MAX_DIAGNOSTICS) {
        let primary = diagnostic.primary();
        let display = primary.map_or(config_file, |label| label.path.as_str());
        let range = primary.map_or_else(Range::default, |label| range(label, sources));
        let converted = convert(root, diagnostic, range, sources, documents);
        files.entry(absolute(root, display)).or_default().push(converted);
    }
    files
}

fn convert(
    root: &Path,
    diagnostic: &Diagnostic,
    range: Range,
    sources: &dyn Sources,
    documents: &Documents,
) -> lsp_types::Diagnostic {
    let main = diagnostic.primary();
    let related: Vec<DiagnosticRelatedInformation> = diagnostic
        .labels
        .iter()
        .filter(|label| main.is_none_or(|main| !std::ptr::eq(*label, main)))
        .filter_map(|label| {
            let uri = documents.uri(&absolute(root, &label.path))?;
            let message = if label.message.is_empty() {
                "see here".to_owned()
            } else {
                label.message.clone()
            };
            let location = Location::new(uri, self::range(label, sources));
            Some(DiagnosticRelatedInformation { location, message })
        })
        .collect();
    lsp_types::Diagnostic {
        range,
        severity: Some(match diagnostic.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(diagnostic.code.name())),
        source: Some("kit".to_owned()),
        message: message(diagnostic),
        related_information: (!related.is_empty()).then_some(related),
        ..lsp_types::Diagnostic::default()
    }
}

/// Returns the message with its notes and help, as `kit build` prints them.
fn message(diagnostic: &Diagnostic) -> String {
    let mut text = diagnostic.message.clone();
    for note in &diagnostic.notes {
        text.push_str("\nnote: ");
        text.push_str(note);
    }
    if let Some(help) = &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    text
}

/// Returns the range of a label. If the text of the file is not known, returns the start of the label.
pub(crate) fn range(label: &Label, sources: &dyn Sources) -> Range {
    if let Some(text) = sources.text(&label.path) {
        return Lines::new(text).range(&label.range);
    }
    let start = Position::new(label.line.saturating_sub(1), label.column.saturating_sub(1));
    Range::new(start, start)
}
