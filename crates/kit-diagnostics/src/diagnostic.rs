//! A diagnostic and a collection of them.

use std::ops::Range;

use crate::{Code, Phase, codes};

/// How bad it is. Errors stop the build at the end of the phase; warnings never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The output would be wrong: none is written.
    Error,
    /// The output is right, but perhaps not what was meant.
    Warning,
}

/// One mistake, explained.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// What was found, with the names involved in backticks.
    pub message: String,
    /// Where; the first primary label is *the* place.
    pub labels: Vec<Label>,
    /// Why it matters.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error.
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

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Warning,
            ..Self::new(code, message)
        }
    }

    /// Adds a place.
    #[must_use]
    pub fn label(mut self, label: Label) -> Self {
        self.labels.push(label);
        self
    }

    /// Adds places, where there are any.
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

    /// Says what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The place where it is reported.
    pub fn primary(&self) -> Option<&Label> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .or(self.labels.first())
    }
}

/// A stretch of a file with a remark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// Path relative to the project's root, with `/`.
    pub path: String,
    /// UTF-8 offsets.
    pub range: Range<usize>,
    /// Line of the start from 1, or 0 for the file as a whole.
    pub line: u32,
    /// Column of the start from 1 in UTF-16 units, or 0 for the file as a whole.
    pub column: u32,
    /// A short remark; may be empty.
    pub message: String,
    /// Whether this is the place itself or one that explains it.
    pub primary: bool,
}

impl Label {
    /// The place itself.
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

    /// A place that explains it.
    pub fn secondary(path: impl Into<String>, range: Range<usize>) -> Self {
        Self {
            primary: false,
            ..Self::primary(path, range)
        }
    }

    /// Line and column of the start.
    #[must_use]
    pub fn at(mut self, line: u32, column: u32) -> Self {
        (self.line, self.column) = (line, column);
        self
    }

    /// The remark.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.message = message.into();
        self
    }
}

/// All that a phase has to say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    items: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.items.push(diagnostic);
    }

    /// Adds all of another phase.
    pub fn extend(&mut self, other: Diagnostics) {
        self.items.extend(other.items);
    }

    /// Whether any stops the build.
    pub fn has_errors(&self) -> bool {
        self.items
            .iter()
            .any(|diagnostic| diagnostic.severity == Severity::Error)
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// All, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.items.iter()
    }

    /// Orders them by file, position and code, and drops exact repetitions. Mistakes that cause others come first: files that cannot be
    /// read, then route keys that cannot be read.
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
    fn causes_come_before_what_follows_from_them() {
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
