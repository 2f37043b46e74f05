//! A diagnostic and a collection of them.

use std::ops::Range;

use crate::{Code, Phase, codes};

/// Severity of a diagnostic. Errors stop the build at the end of the phase; warnings do not stop it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The output would be wrong, so kit writes none.
    Error,
    /// The output is correct, but may not be what the user intends.
    Warning,
}

/// An error or a warning with its explanation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Kind of the mistake.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// Description of the mistake, with names in backticks.
    pub message: String,
    /// Locations; the first primary label is the main location.
    pub labels: Vec<Label>,
    /// Reasons why the mistake matters.
    pub notes: Vec<String>,
    /// Correction for the user to make.
    pub help: Option<String>,
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
        }
    }

    /// Creates a warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(code, message)
        }
    }

    /// Adds a location.
    #[must_use]
    pub fn label(mut self, label: Label) -> Self {
        self.labels.push(label);
        self
    }

    /// Adds locations.
    #[must_use]
    pub fn labels(mut self, labels: impl IntoIterator<Item = Label>) -> Self {
        self.labels.extend(labels);
        self
    }

    /// Adds a reason.
    #[must_use]
    pub fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Sets the help: the correction for the user to make.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Returns the main location: the first primary label, or else the first label.
    pub fn primary(&self) -> Option<&Label> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .or(self.labels.first())
    }
}

/// A range of a file with a short message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Path relative to the project's root, with `/`.
    pub path: String,
    /// Range in bytes of the UTF-8 text.
    pub range: Range<usize>,
    /// Line of the start, from 1, or 0 for the whole file.
    pub line: u32,
    /// Column of the start, from 1, in UTF-16 code units, or 0 for the whole file.
    pub column: u32,
    /// Short message; may be empty.
    pub message: String,
    /// True for the location of the mistake, false for a location that explains it.
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

    /// Sets line and column of the start, both from 1.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// Sets the message.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// Errors and warnings of a phase.
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

    /// Returns true if a diagnostic is an error, which stops the build.
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

    /// Returns an iterator over the diagnostics, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Sorts by file, position and code, and removes duplicates. Mistakes that cause others come first: unreadable files, then
    /// invalid route keys.
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
    fn sorts_causes_before_their_consequences() {
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
