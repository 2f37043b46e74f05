//! Diagnostics as text for people: messages with excerpts of the source (code frames), like the diagnostics
//! of rustc.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Label, Severity};

/// Provider of the source texts that code frames show.
pub trait Sources {
    /// Returns the text of a project file. Returns `None` if the text is not available. In this case the
    /// diagnostic shows only the name of the file.
    fn text(&self, path: &str) -> Option<&str>;
}

/// Style of the printed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text without escape sequences, for files and tests.
    Plain,
    /// Text with colours, for a terminal.
    Colored,
}

/// Content of a code frame. The content can also be an error of another tool, whose code is not in kit's
/// registry, such as `TS2322`.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Error or warning.
    pub severity: Severity,
    /// Code of the mistake, printed in brackets after the severity.
    pub code: &'a str,
    /// Description of the mistake.
    pub message: &'a str,
    /// Locations of the mistake.
    pub labels: &'a [Label],
    /// Reasons why the mistake matters.
    pub notes: &'a [String],
    /// Correction that the user can make.
    pub help: Option<&'a str>,
}

/// Returns a diagnostic as text, without a line break at the end.
pub fn render(diagnostic: &Diagnostic, sources: &dyn Sources, style: Style) -> String {
    let frame = Frame {
        severity: diagnostic.severity,
        code: &diagnostic.code.name(),
        message: &diagnostic.message,
        labels: &diagnostic.labels,
        notes: &diagnostic.notes,
        help: diagnostic.help.as_deref(),
    };
    render_frame(frame, sources, style)
}

/// Returns a code frame as text, without a line break at the end. Escapes control characters in the sources
/// and messages, so that they cannot send escape sequences to the terminal.
pub fn render_frame(frame: Frame<'_>, sources: &dyn Sources, style: Style) -> String {
    let level = match frame.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let message = escape_control(frame.message);
    let mut group = Group::with_title(level.primary_title(message).id(frame.code));
    let mut files: Vec<&str> = Vec::new();
    for label in frame.labels {
        if !files.contains(&label.path.as_str()) {
            files.push(&label.path);
        }
    }
    for file in files {
        let path = escape_control(file);
        let Some(text) = sources.text(file) else {
            group = group.element(Origin::path(path));
            continue;
        };
        let annotations = frame
            .labels
            .iter()
            .filter(|label| label.path == file)
            .map(|label| {
                let kind = if label.primary {
                    AnnotationKind::Primary
                } else {
                    AnnotationKind::Context
                };
                kind.span(clamp(text, &label.range))
                    .label(escape_control(&label.message))
            });
        group = group.element(Snippet::source(text).path(path).annotations(annotations));
    }
    for note in frame.notes {
        group = group.element(Level::NOTE.message(escape_control(note)));
    }
    if let Some(help) = frame.help {
        group = group.element(Level::HELP.message(escape_control(help)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colored => Renderer::styled(),
    };
    renderer.render(&[group])
}

/// Moves the ends of a range to the nearest boundaries of characters within the text. The renderer slices the
/// text, and a slice that starts or ends inside of a character panics.
fn clamp(text: &str, range: &Range<usize>) -> Range<usize> {
    let end = text.ceil_char_boundary(range.end.min(text.len()));
    text.floor_char_boundary(range.start.min(end))..end
}

/// Replaces control characters by visible symbols, and characters that change the direction of writing by
/// U+FFFD.
fn escape_control(text: &str) -> Cow<'_, str> {
    let hidden = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t')
            || matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let picture = |letter: char| match u32::from(letter) {
        code @ 0..=0x1f => char::from_u32(0x2400 + code).unwrap_or('\u{fffd}'),
        0x7f => '\u{2421}',
        _ => '\u{fffd}',
    };
    text.chars()
        .map(|letter| if hidden(letter) { picture(letter) } else { letter })
        .collect()
}
