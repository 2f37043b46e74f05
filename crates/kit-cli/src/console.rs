//! How a command speaks: to people with code frames and colours, to programs with JSON.

use std::cell::Cell;
use std::fmt::Write as _;
use std::io;
use std::time::Duration;

use anstyle::{AnsiColor, Style};
use kit_diagnostics::{Code, Diagnostics, Severity, Sources, render};
use serde::Serialize;

use crate::{Environment, Stream};

/// A terminal shows as many errors: who has more reads the first ones first.
const MOST_ERRORS: usize = 50;

/// And as many warnings.
const MOST_WARNINGS: usize = 20;

/// The output of one command.
pub(crate) struct Console<'a> {
    environment: &'a dyn Environment,
    json: bool,
    lines: Cell<bool>,
    /// Whether a person asked for no colours.
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

    /// Without colours where that was asked for: `--no-color`.
    pub(crate) fn plain(mut self, plain: bool) -> Self {
        self.plain = plain;
        self
    }

    /// Whether results are JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Has each result that is JSON be one line, for a command that has several.
    pub(crate) fn use_lines(&self) {
        self.lines.set(true);
    }

    /// Whether nobody reads results any more.
    pub(crate) fn is_left(&self) -> bool {
        self.left.get() || self.broken.get()
    }

    /// Whether a result could not be written. A reader that left (`kit build --json | head -1`) is no failure.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Whether a person watches what happens.
    pub(crate) fn is_watched(&self) -> bool {
        self.environment.is_terminal(Stream::Err)
    }

    /// A result as JSON, where JSON was asked for.
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

    /// A result in words, where JSON was not asked for.
    pub(crate) fn result(&self, text: &str) {
        if !self.json {
            self.write(Stream::Out, &format!("{text}\n"));
        }
    }

    /// What happens on the way.
    pub(crate) fn note(&self, text: &str) {
        self.write(Stream::Err, &format!("{text}\n"));
    }

    /// A failure without a place in the sources.
    pub(crate) fn error(&self, message: &str) {
        let style = AnsiColor::Red.on_default().bold();
        self.note(&format!("{}: {message}", self.paint(Stream::Err, style, "error")));
    }

    /// What a person should know although nothing failed. With JSON, warnings are part of the document.
    pub(crate) fn warning(&self, message: &str) {
        if !self.json {
            let style = AnsiColor::Yellow.on_default().bold();
            self.note(&format!(
                "{}: {message}",
                self.paint(Stream::Err, style, "warning")
            ));
        }
    }

    /// Diagnostics as code frames, a last line that counts them, and where to read more.
    pub(crate) fn diagnostics(&self, diagnostics: &Diagnostics, sources: &dyn Sources) {
        self.tell(diagnostics, sources, "nothing was written");
    }

    /// The same, of a build whose artifacts are written.
    pub(crate) fn late_diagnostics(&self, diagnostics: &Diagnostics, sources: &dyn Sources) {
        self.tell(diagnostics, sources, "the artifacts are written");
    }

    fn tell(&self, diagnostics: &Diagnostics, sources: &dyn Sources, end: &str) {
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
                Severity::Error => (&mut errors, MOST_ERRORS),
                Severity::Warning => (&mut warnings, MOST_WARNINGS),
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
        let more: Vec<String> = [
            (errors, MOST_ERRORS, "error"),
            (warnings, MOST_WARNINGS, "warning"),
        ]
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
                let _ = write!(text, "`kit explain {first}` says more about the error");
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

    /// Text in a style, where the stream shows styles.
    pub(crate) fn paint(&self, stream: Stream, style: Style, text: &str) -> String {
        if self.colors(stream) {
            format!("{style}{text}{style:#}")
        } else {
            text.to_owned()
        }
    }

    /// Colours on a terminal, unless `NO_COLOR` is set (to anything, as its convention has it) or the terminal is dumb.
    pub(crate) fn colors(&self, stream: Stream) -> bool {
        let set = |name| self.environment.var(name).is_some_and(|value| !value.is_empty());
        !self.plain
            && self.environment.is_terminal(stream)
            && !set("NO_COLOR")
            && self.environment.var("TERM").as_deref() != Some("dumb")
    }

    /// Writes text as it is.
    pub(crate) fn write(&self, stream: Stream, text: &str) {
        match self.environment.write(stream, text) {
            Err(error) if stream == Stream::Out && error.kind() == io::ErrorKind::BrokenPipe => {
                self.left.set(true);
            }
            Err(error) if stream == Stream::Out => {
                self.broken.set(true);
                // Standard error is the last place to say so; where that fails too the exit code still does.
                let _ = self.environment.write(
                    Stream::Err,
                    &format!("error: cannot write to standard output: {error}\n"),
                );
            }
            _ => {}
        }
    }
}

/// Milliseconds, to the microsecond.
#[allow(clippy::cast_precision_loss)] // Reason: 2^53 microseconds are 285 years.
pub(crate) fn milliseconds(took: Duration) -> f64 {
    took.as_micros() as f64 / 1000.0
}

/// `1 route`, `2 routes`.
pub(crate) fn quantity(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}
