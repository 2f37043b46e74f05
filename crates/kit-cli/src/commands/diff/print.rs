//! Text of a comparison: for people, and as annotations of GitHub Actions.

use std::fmt::Write as _;

use kit_diagnostics::{Frame, Label, Severity, Style, render_frame};
use kit_diff::{Change, Consequence};
use serde_json::Value;

use super::state::State;
use super::{Counts, Line, Report};
use crate::Stream;
use crate::console::quantity;
use crate::context::Context;

/// Maximum number of changes that are shown with an excerpt of the source.
const MAX_FRAMES: usize = 50;

/// Maximum length of a value in characters. Longer values are cut.
const MAX_VALUE: usize = 80;

/// Returns all changes as text.
pub(super) fn text(
    report: &Report<'_>,
    changes: &[Change],
    (old, new): (&State, &State),
    context: &Context<'_>,
) -> String {
    let style = if context.console.colors(Stream::Out) {
        Style::Colored
    } else {
        Style::Plain
    };
    let mut text = String::new();
    let shown: Vec<&Line<'_>> = report
        .changes
        .iter()
        .filter(|line| line.accepted.is_none() && line.change.consequence != Consequence::Compatible)
        .collect();
    for line in shown.iter().take(MAX_FRAMES) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}\n",
            frame(line, if line.state == "new" { new } else { old }, style)
        );
    }
    if shown.len() > MAX_FRAMES {
        let _ = writeln!(
            text,
            "… and {} more; `--json` lists all\n",
            shown.len() - MAX_FRAMES
        );
    }
    for line in &report.changes {
        let Change {
            consequence, message, ..
        } = line.change;
        match line.accepted {
            Some(reason) => {
                let _ = writeln!(text, "accepted: {}: {reason}", line.id);
            }
            None if *consequence == Consequence::Compatible => {
                let _ = writeln!(text, "compatible: {}: {message}", line.change.full_place());
            }
            None => {}
        }
    }
    for entry in &report.unused_accepted {
        let _ = writeln!(
            text,
            "not found: {entry}, which is accepted; remove the entry if the old state contains the change"
        );
    }
    text.push_str(&summary(report, changes.is_empty()));
    text
}

fn frame(line: &Line<'_>, state: &State, style: Style) -> String {
    let change = line.change;
    let message = format!("{}: {}", change.full_place(), change.message);
    let is_new = line.state == "new";
    let span = if is_new { change.new_span } else { change.old_span };
    let labels: Vec<Label> = span
        .zip(line.path)
        .map(|(span, path)| {
            let range = span.start as usize..span.end as usize;
            let message = if is_new { "" } else { "in the old state" };
            // Without the source text, the path has the position.
            let path = match state.sources.text(path) {
                Some(_) => path.to_owned(),
                None => format!("{path}:{}:{}", span.line, span.column),
            };
            Label::primary(path, range)
                .at(span.line, span.column)
                .message(message)
        })
        .into_iter()
        .collect();
    let notes: Vec<String> = shown_value(change).into_iter().collect();
    let help = format!(
        "to accept the change, write `{}` with a reason into the file of accepted changes (api-changes.json)",
        line.id
    );
    let frame = Frame {
        severity: if change.consequence.is_breaking() {
            Severity::Error
        } else {
            Severity::Warning
        },
        code: change.consequence.name(),
        message: &message,
        labels: &labels,
        notes: &notes,
        help: Some(&help),
    };
    render_frame(frame, state.sources.as_ref(), style)
}

/// Returns a sentence with the value that shows a change.
fn shown_value(change: &Change) -> Option<String> {
    let verb = match change.consequence {
        Consequence::BreaksRequests => "the old contract accepts this value, and the new one refuses it",
        Consequence::BreaksAnswers => {
            "the new server can send this value, and the old type does not contain it"
        }
        Consequence::BreaksJobs => "one release stores this value, and a worker of the other refuses it",
        Consequence::NeedsEnvironment => {
            "the old release accepts these variables, and the new one does not start with them"
        }
        Consequence::LosesData | Consequence::RenamesClient | Consequence::Compatible => return None,
    };
    let value = change.value.as_ref().or(change.example.as_ref())?;
    Some(format!("{verb}: {}", short(value)))
}

/// Returns a value as JSON. Cuts long texts and arrays.
fn short(value: &Value) -> String {
    let text = value.to_string();
    let length = text.chars().count();
    if length <= MAX_VALUE {
        return text;
    }
    let start: String = text.chars().take(40).collect();
    let size = match value {
        Value::String(text) => quantity(text.chars().count(), "character"),
        Value::Array(items) => quantity(items.len(), "item"),
        _ => quantity(length, "character"),
    };
    format!("{start}… ({size})")
}

fn summary(report: &Report<'_>, is_same: bool) -> String {
    let Report { old, new, counts, .. } = report;
    if is_same && report.unused_accepted.is_empty() {
        return format!("{old} and {new} have the same contracts");
    }
    let Counts {
        breaks_requests,
        breaks_answers,
        breaks_jobs,
        loses_data,
        needs_environment,
        renames_client,
        compatible,
        accepted,
    } = counts;
    let parts: Vec<String> = [
        (*breaks_requests, "breaks requests", "break requests"),
        (*breaks_answers, "breaks answers", "break answers"),
        (*breaks_jobs, "breaks jobs", "break jobs"),
        (*loses_data, "loses data", "lose data"),
        (
            *needs_environment,
            "needs other environment variables",
            "need other environment variables",
        ),
        (
            *renames_client,
            "renames parts of the client",
            "rename parts of the client",
        ),
        (*accepted, "is accepted", "are accepted"),
        (*compatible, "is compatible", "are compatible"),
    ]
    .into_iter()
    .filter(|(count, ..)| *count > 0)
    .map(|(count, one, many)| {
        format!(
            "{} {}",
            quantity(count, "change"),
            if count == 1 { one } else { many }
        )
    })
    .collect();
    format!(
        "{old} to {new}: {}",
        if parts.is_empty() {
            "no changes".to_owned()
        } else {
            parts.join(", ")
        }
    )
}

/// Returns the changes as workflow commands of GitHub Actions, one a line.
pub(super) fn annotations(report: &Report<'_>, prefix: &str) -> String {
    let mut lines = Vec::new();
    for line in &report.changes {
        let consequence = line.change.consequence;
        if line.accepted.is_some() || consequence == Consequence::Compatible {
            continue;
        }
        let level = if consequence.is_breaking() {
            "error"
        } else {
            "warning"
        };
        let mut properties = Vec::new();
        // A place of the old state is not in the files of the pull request.
        if let Some((path, span)) = line.near {
            properties.push(format!("file={}", property(&format!("{prefix}{path}"))));
            properties.push(format!("line={}", span.line));
            properties.push(format!("col={}", span.column));
        }
        properties.push(format!(
            "title={}",
            property(&format!("kit diff: {}", consequence.name()))
        ));
        let mut message = format!("{}: {}", line.id, line.change.message);
        if let Some(value) = shown_value(line.change) {
            message = format!("{message}; {value}");
        }
        lines.push(format!(
            "::{level} {}::{}",
            properties.join(","),
            escaped(&message)
        ));
    }
    for entry in &report.unused_accepted {
        lines.push(format!(
            "::warning title=kit diff::{}",
            escaped(&format!("not found: {entry}, which is accepted"))
        ));
    }
    lines.join("\n")
}

/// Escapes the message of a workflow command.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn property(text: &str) -> String {
    escaped(text).replace(':', "%3A").replace(',', "%2C")
}
