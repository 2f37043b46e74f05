//! Diagnostics: errors and warnings for the user.

use std::ops::Range;

use crate::{Code, Phase, codes};

/// Severity of a diagnostic. A phase with errors stops the build when the phase ends; warnings do not stop
/// the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The output would be wrong, so kit writes no output.
    Error,
    /// The output is correct, but it may not be what the user intends.
    Warning,
}

/// An error or a warning with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Code of the kind of mistake.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Description of the mistake, with names in backticks.
    pub message: String,
    /// Locations of the mistake. The first label that is primary is the main location.
    pub labels: Vec<Label>,
    /// Reasons why the mistake matters.
    pub notes: Vec<String>,
    /// Correction that the user can make.
    pub help: Option<String>,
    /// Text that corrects the mistake in place of the range of the main location. `None` if kit knows no such text.
    pub replacement: Option<String>,
}

impl Diagnostic {
    /// Creates an error.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: None,
            replacement: None,
        }
    }

    /// Creates a warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(code, message)
        }
    }

    /// Adds a location in the source.
    #[must_use]
    pub fn label(mut self, label: Label) -> Self {
        self.labels.push(label);
        self
    }

    /// Adds locations in the source.
    #[must_use]
    pub fn labels(mut self, labels: impl IntoIterator<Item = Label>) -> Self {
        self.labels.extend(labels);
        self
    }

    /// Adds a note: a reason why the mistake matters.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help: a correction that the user can make.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the text that corrects the mistake in place of the range of the main location. Editors offer this edit.
    #[must_use]
    pub fn replacement(mut self, text: impl Into<Option<String>>) -> Self {
        self.replacement = text.into();
        self
    }

    /// Returns the main location: the first primary label, or the first label if no label is primary.
    pub fn primary(&self) -> Option<&Label> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .or(self.labels.first())
    }
}

/// A range of a source file, with a short message that is printed beside the range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Path of the file relative to the project's root, with `/` on every platform.
    pub path: String,
    /// Range of byte offsets in the UTF-8 text of the file.
    pub range: Range<usize>,
    /// Line of the first byte, counted from 1. 0 if the label belongs to the whole file.
    pub line: u32,
    /// Column of the first byte, counted from 1 in UTF-16 code units. 0 if the label belongs to the whole
    /// file.
    pub column: u32,
    /// Short message beside the range. Empty if no message is needed.
    pub message: String,
    /// True if the label marks the mistake. False if it marks another location that explains the mistake.
    pub primary: bool,
}

impl Label {
    /// Creates the label for the location of a mistake. `range` is in bytes of the UTF-8 text.
    pub fn primary(path: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            path: path.into(),
            range,
            line: 0,
            column: 0,
            message: String::new(),
            primary: true,
        }
    }

    /// Creates the label for a location that explains the mistake. `range` is in bytes of the UTF-8 text.
    pub fn secondary(path: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            primary: false,
            ..Self::primary(path, range)
        }
    }

    /// Sets the line and the column of the range's start, both counted from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// Sets the message beside the range.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// Errors and warnings that a phase of the build found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Adds all diagnostics of another phase.
    pub fn extend(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    /// Returns true if at least one diagnostic is an error. Errors stop the build.
    pub fn has_errors(&self) -> bool {
        self.items
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Returns true if there are no diagnostics.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Returns the number of diagnostics.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns an iterator over the diagnostics in their current order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Returns the diagnostics in their order, for changes.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, Diagnostic> {
        self.items.iter_mut()
    }

    /// Keeps only the diagnostics for which `keep` returns true.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.items.retain(keep);
    }

    /// Sorts the diagnostics by file, position and code, and removes duplicates. Some diagnostics come before
    /// all others, because they often cause them: diagnostics of the phases `configuration` and `parse`, then
    /// diagnostics about invalid route keys.
    pub fn sort(&mut self) {
        fn key(diagnostic: &Diagnostic) -> (u8, &str, usize, Code) {
            let (path, start) = diagnostic
                .primary()
                .map_or(("", 0), |label| (label.path.as_str(), label.range.start));
            let code = diagnostic.code;
            let rank = match code.phase() {
                Phase::Configuration | Phase::Parse => 0,
                _ if code == codes::INVALID_ROUTE_KEY => 1,
                _ => 2,
            };
            (rank, path, start, code)
        }
        self.items.sort_by(|a, b| key(a).cmp(&key(b)));
        self.items.dedup();
    }
}

impl<'a> IntoIterator for &'a mut Diagnostics {
    type Item = &'a mut Diagnostic;
    type IntoIter = std::slice::IterMut<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

#[cfg(test)]
mod tests {
    use crate::{Code, Diagnostic, Diagnostics, Label, codes};

    #[test]
    fn sorts_errors_before_the_errors_that_they_cause() {
        let mut diagnostics = Diagnostics::default();
        let mut add = |code: Code, path: &str| {
            diagnostics.push(Diagnostic::new(code, "wrong").label(Label::primary(path, 3..4).at(1, 4)));
        };
        add(codes::UNKNOWN_HANDLER_KEY, "src/a.ts");
        add(codes::INVALID_ROUTE_KEY, "src/z.ts");
        add(codes::UNSUPPORTED_TYPE, "src/b.ts");
        add(codes::SYNTAX, "src/z.ts");
        diagnostics.sort();
        let order: Vec<(Code, &str)> = diagnostics
            .iter()
            .map(|diagnostic| (diagnostic.code, diagnostic.labels[0].path.as_str()))
            .collect();
        assert_eq!(
            order,
            [
                (codes::SYNTAX, "src/z.ts"),
                (codes::INVALID_ROUTE_KEY, "src/z.ts"),
                (codes::UNKNOWN_HANDLER_KEY, "src/a.ts"),
                (codes::UNSUPPORTED_TYPE, "src/b.ts"),
            ]
        );
    }
}
