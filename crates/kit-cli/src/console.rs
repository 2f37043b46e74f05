//! Output of commands: text with colours for people, JSON for programs.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use kit_diagnostics::{Code, Diagnostics, Severity, Sources, render};
use serde::Serialize;

use crate::{Environment, Stream};

/// Maximum number of errors that are printed. Users start with the first errors.
const MAX_ERRORS: usize = 50;

/// Maximum number of warnings that are printed.
const MAX_WARNINGS: usize = 20;

/// Prints the results and messages of one command.
pub(crate) struct Console<'a> {
    environment: &'a dyn Environment,
    json: bool,
    lines: Cell<bool>,
    /// True if `--no-color` is given.
    plain: bool,
    broken: Cell<bool>,
    left: Cell<bool>,
}

impl<'a> Console<'a> {
    pub(crate) fn new(environment: &'a dyn Environment, json: bool) -> Self {
        Self {
            environment,
            json,
            lines: Cell::new(false),
            plain: false,
            broken: Cell::new(false),
            left: Cell::new(false),
        }
    }

    /// Disables colours if `plain` is true, for `--no-color`.
    pub(crate) fn plain(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }

    /// Returns true if results are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// From now on, prints each JSON result on one line, for a command with several results.
    pub(crate) fn use_lines(&self) {
        self.lines.set(true);
    }

    /// Returns true if no further result can be written, because the reader has closed the output or a write failed.
    pub(crate) fn is_closed(&self) -> bool {
        self.left.get() || self.broken.get()
    }

    /// Returns true if a result could not be written. Returns false if the reader closed the output early, as
    /// in `kit build --json | head -1`, which is not a failure.
    pub(crate) fn has_write_error(&self) -> bool {
        self.broken.get()
    }

    /// Returns true if standard error is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.environment.is_terminal(Stream::Err)
    }

    /// Prints a result as JSON, if JSON is requested.
    pub(crate) fn json(&self, value: &impl Serialize) {
        if self.json {
            let text = if self.lines.get() {
                serde_json::to_string(value)
            } else {
                serde_json::to_string_pretty(value)
            };
            let text = text.expect("reports have string keys and finite numbers");
            self.write(Stream::Out, &format!("{text}\n"));
        }
    }

    /// Prints a result as text, unless JSON is requested.
    pub(crate) fn result(&self, text: &str) {
        if !self.json {
            self.write(Stream::Out, &format!("{text}\n"));
        }
    }

    /// Prints a progress message on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.write(Stream::Err, &format!("{text}\n"));
    }

    /// Prints an error without a location in the sources.
    pub(crate) fn error(&self, message: &str) {
        let style = AnsiColor::Red.on_default().bold();
        self.note(&format!("{}: {message}", self.paint(Stream::Err, style, "error")));
    }

    /// Prints a warning. If JSON is requested, prints nothing, because the JSON contains the warnings.
    pub(crate) fn warning(&self, message: &str) {
        if !self.json {
            let style = AnsiColor::Yellow.on_default().bold();
            self.note(&format!(
                "{}: {message}",
                self.paint(Stream::Err, style, "warning")
            ));
        }
    }

    /// Prints diagnostics with excerpts of the sources, the numbers of errors and warnings, and the command that explains the
    /// error codes.
    pub(crate) fn diagnostics(&self, diagnostics: &Diagnostics, sources: &dyn Sources) {
        self.print_diagnostics(diagnostics, sources, "nothing was written");
    }

    /// Prints diagnostics that a build reported after it had written the artifacts.
    pub(crate) fn late_diagnostics(&self, diagnostics: &Diagnostics, sources: &dyn Sources) {
        self.print_diagnostics(diagnostics, sources, "the artifacts are written");
    }

    fn print_diagnostics(&self, diagnostics: &Diagnostics, sources: &dyn Sources, end: &str) {
        let style = if self.colors(Stream::Err) {
            kit_diagnostics::Style::Colored
        } else {
            kit_diagnostics::Style::Plain
        };
        let mut text = String::new();
        let (mut errors, mut warnings) = (0, 0);
        let mut explained: Vec<Code> = Vec::new();
        for diagnostic in diagnostics {
            let (count, most) = match diagnostic.severity {
                Severity::Error => (&mut errors, MAX_ERRORS),
                Severity::Warning => (&mut warnings, MAX_WARNINGS),
            };
            *count += 1;
            if *count <= most {
                // Writing to a string cannot fail.
                let _ = writeln!(text, "{}\n", render(diagnostic, sources, style));
                if diagnostic.severity == Severity::Error && !explained.contains(&diagnostic.code) {
                    explained.push(diagnostic.code);
                }
            }
        }
        let more: Vec<String> = [(errors, MAX_ERRORS, "error"), (warnings, MAX_WARNINGS, "warning")]
            .into_iter()
            .filter(|(count, most, _)| count > most)
            .map(|(count, most, noun)| quantity(count - most, noun))
            .collect();
        if !more.is_empty() {
            let _ = writeln!(text, "… and {} more; `--json` lists all\n", more.join(" and "));
        }
        if errors > 0 {
            let mut line = quantity(errors, "error");
            if warnings > 0 {
                let _ = write!(line, " and {}", quantity(warnings, "warning"));
            }
            let _ = writeln!(text, "{line}; {end}");
            if let Some((first, others)) = explained.split_first() {
                let _ = write!(text, "`kit explain {first}` gives details about the error");
                if !others.is_empty() {
                    let others: Vec<String> = others.iter().map(Code::to_string).collect();
                    let _ = write!(text, "; there are pages on {} too", others.join(", "));
                }
                text.push('\n');
            }
        }
        if !text.is_empty() {
            self.write(Stream::Err, &text);
        }
    }

    /// Returns the text with colours, if the stream shows colours.
    pub(crate) fn paint(&self, stream: Stream, style: Style, text: &str) -> String {
        if self.colors(stream) {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Returns true if the stream is a terminal, unless `NO_COLOR` is set to any value or `TERM` is `dumb`.
    pub(crate) fn colors(&self, stream: Stream) -> bool {
        let set = |name| self.environment.var(name).is_some_and(|value| !value.is_empty());
        !self.plain
            && self.environment.is_terminal(stream)
            && !set("NO_COLOR")
            && self.environment.var("TERM").as_deref() != Some("dumb")
    }

    /// Writes the text as it is, without a line break.
    pub(crate) fn write(&self, stream: Stream, text: &str) {
        match self.environment.write(stream, text) {
            Err(error) if stream == Stream::Out && error.kind() == io::ErrorKind::BrokenPipe => {
                self.left.set(true);
            }
            Err(error) if stream == Stream::Out => {
                self.broken.set(true);
                // Report the error on standard error. If that fails too, the command still exits with 1.
                let _ = self.environment.write(
                    Stream::Err,
                    &format!("error: cannot write to standard output: {error}\n"),
                );
            }
            _ => {}
        }
    }
}

/// Returns a duration in milliseconds, with three decimal places.
#[allow(clippy::cast_precision_loss)] // Reason: 2^53 microseconds are 285 years.
pub(crate) fn milliseconds(took: Duration) -> f64 {
    took.as_micros() as f64 / 1000.0
}

/// Returns a number with a noun in singular or plural: `1 route`, `2 routes`.
pub(crate) fn quantity(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
