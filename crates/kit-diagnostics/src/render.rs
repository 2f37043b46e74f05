//! Text form of diagnostics for people: code frames like those of rustc.

use std::borrow::Cow;
use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::{Diagnostic, Label, Severity};

/// Source of file texts for code frames.
pub trait Sources {
    /// Returns the text of a project file, or `None` if it is not available. A diagnostic then shows only the file name.
    fn text(&self, path: &str) -> Option<&str>;
}

/// Style of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Without escape sequences.
    Plain,
    /// Colours for a terminal.
    Colored,
}

/// Content of a code frame. Mistakes of other tools have codes outside of kit's registry, such as `TS2322`.
#[derive(Debug, Clone, Copy)]
pub struct Frame<'a> {
    /// Error or warning.
    pub severity: Severity,
    /// Code, printed in brackets.
    pub code: &'a str,
    /// Description of the mistake.
    pub message: &'a str,
    /// Locations.
    pub labels: &'a [Label],
    /// Reasons why the mistake matters.
    pub notes: &'a [String],
    /// Correction for the user to make.
    pub help: Option<&'a str>,
}

/// Renders one diagnostic, without a final line break.
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

/// Renders one code frame, without a final line break. Escapes control characters in all texts, so that neither sources nor
/// messages can send escape sequences to the terminal: names in messages come from the sources.
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

/// Clamps the range to character boundaries of the text: the renderer slices the text, and a slice inside of a character
/// panics.
fn clamp(text: &str, range: &Range<usize>) -> Range<usize> {
    let end = text.ceil_char_boundary(range.end.min(text.len()));
    text.floor_char_boundary(range.start.min(end))..end
}

/// Replaces control characters by visible symbols and removes characters that change the direction of writing.
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
