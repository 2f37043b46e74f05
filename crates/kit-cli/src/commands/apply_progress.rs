//! Progress of commands that apply migrations.

use std::fmt::Write as _;

use anstyle::Style;
use kit_database::{Migration, PlannedChange};
use kit_migrate::{Event, Half, Planned};

use crate::Stream;
use crate::commands::change_lines::describe as describe_change;
use crate::console::{Console, milliseconds, quantity};

/// Prints progress while migrations are applied.
pub(crate) struct ProgressPrinter<'a> {
    pub(crate) console: &'a Console<'a>,
    pub(crate) migrations: &'a [Migration],
    /// True if the terminal can show a line that is erased afterwards.
    pub(crate) line: bool,
}

impl ProgressPrinter<'_> {
    pub(crate) fn print(&self, event: &Event<'_>) {
        if self.console.is_json() {
            return;
        }
        match event {
            Event::Planned(planned) => {
                let count = quantity(planned.len(), "migration");
                let text: Vec<String> = planned.iter().map(|one| describe(one, self.migrations)).collect();
                self.console
                    .note(&format!("to apply: {count}\n{}", text.join("\n")));
            }
            Event::Statement {
                name,
                number,
                of,
                line,
                title,
            } if self.line => {
                let text = format!("{name} {number}/{of}, line {line}: {title}");
                let text = self.console.paint(Stream::Err, Style::new().dimmed(), &text);
                self.console.write(Stream::Err, &format!("\r\x1b[2K{text}"));
            }
            Event::Waiting { what, pause } => {
                self.clear();
                self.console
                    .note(&format!("waiting for up to {:.1} s: {what}", pause.as_secs_f32()));
            }
            Event::Repaired(text) => {
                self.clear();
                self.console.note(text);
            }
            Event::Applied(applied) => {
                self.clear();
                self.console.result(&format!(
                    "{} {} in {:.0} ms",
                    verb(applied.half),
                    applied.name,
                    milliseconds(applied.duration)
                ));
            }
            _ => {}
        }
    }

    pub(crate) fn clear(&self) {
        if self.line {
            self.console.write(Stream::Err, "\r\x1b[2K");
        }
    }
}

/// Returns the word for a part of a migration that was run.
pub(crate) fn verb(half: Half) -> &'static str {
    match half {
        Half::Both => "applied",
        Half::First => "expanded",
        Half::Second => "contracted",
        Half::Undo => "undid",
    }
}

/// Describes a migration with its changes, one per line.
pub(crate) fn describe(planned: &Planned, migrations: &[Migration]) -> String {
    let mut marks = Vec::new();
    if planned.destructive {
        marks.push("destructive: needs --allow-destructive".to_owned());
    }
    if planned.out_of_order {
        marks.push("older than the newest applied migration".to_owned());
    }
    if planned.steps_done > 0 {
        marks.push(format!(
            "continues after {}",
            quantity(planned.steps_done, "step")
        ));
    }
    if planned.edited {
        marks.push("its SQL was edited: the list of changes is the one that kit planned".to_owned());
    }
    let marks = if marks.is_empty() {
        String::new()
    } else {
        format!(" ({})", marks.join("; "))
    };
    let mut text = format!("  {}{marks}", planned.name);
    for loss in &planned.losses {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n    line {}: `{}` {}",
            loss.line, loss.statement, loss.reason
        );
    }
    for finding in &planned.findings {
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "\n    line {}: `{}` {} ({})",
            finding.line,
            finding.statement,
            finding.reason,
            finding.risk.name()
        );
        if !finding.alternative.is_empty() {
            let _ = write!(text, "\n      instead: {}", finding.alternative);
        }
    }
    for change in changes(migrations, &planned.name) {
        let mut lines = String::new();
        describe_change(change, &mut lines);
        text += &lines.replace('\n', "\n  ");
    }
    text
}

/// Returns the changes that kit planned for a migration.
pub(crate) fn changes<'a>(migrations: &'a [Migration], name: &str) -> &'a [PlannedChange] {
    migrations
        .iter()
        .find(|migration| migration.name == name)
        .map_or(&[], |migration| &migration.changes)
}
