//! The form for people: code frames as rustc draws them.

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Severity};

/// Where the text of a labelled file comes from.
pub trait Sources {
    /// The text of a file of the project, or nothing where it cannot be had: only its name is shown then.
    fn text(&self, path: &str) -> Option<&str>;
}

/// How output looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// No escape sequences.
    Plain,
    /// Colours for a terminal.
    Colored,
}

/// Draws one diagnostic, without a final line break.
pub fn render(diagnostic: &Diagnostic, sources: &dyn Sources, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let code = diagnostic.code.name();
    let mut group = Group::with_title(level.primary_title(diagnostic.message.as_str()).id(code.as_str()));
    let mut files: Vec<&str> = Vec::new();
    for label in &diagnostic.labels {
        if !files.contains(&label.path.as_str()) {
            files.push(&label.path);
        }
    }
    for file in files {
        let Some(text) = sources.text(file) else {
            group = group.element(Origin::path(file));
            continue;
        };
        let annotations = diagnostic
            .labels
            .iter()
            .filter(|label| label.path == file)
            .map(|label| {
                let kind = if label.primary {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                let end = label.range.end.min(text.len());
                kind.span(label.range.start.min(end)..end)
                    .label(label.message.as_str())
            });
        group = group.element(Snippet::source(text).path(file).annotations(annotations));
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(note.as_str()));
    }
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled(),
    };
    renderer.render(&[group])
}
