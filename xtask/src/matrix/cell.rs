//! Results of the platforms, as a table in Markdown and as JSON.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Result of a step on a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cell {
    /// The step succeeded, with this figure.
    Good(String),
    /// The step failed, for this reason.
    Bad(String),
    /// The step did not run here, for this reason.
    Untried(String),
}

impl Cell {
    fn state(&self) -> &'static str {
        match self {
            Self::Good(_) => "good",
            Self::Bad(_) => "bad",
            Self::Untried(_) => "untried",
        }
    }

    fn text(&self) -> &str {
        match self {
            Self::Good(text) | Self::Bad(text) | Self::Untried(text) => text,
        }
    }

    fn of(value: &Value) -> Option<Self> {
        let text = value["text"].as_str()?.to_owned();
        match value["state"].as_str()? {
            "good" => Some(Self::Good(text)),
            "bad" => Some(Self::Bad(text)),
            "untried" => Some(Self::Untried(text)),
            _ => None,
        }
    }
}

/// Steps, in the order in which they run, with the titles of their columns.
pub(super) const STEPS: [(&str, &str); 8] = [
    ("compiler", "compiler addon"),
    ("server", "server addon"),
    ("glibc", "newest symbol of glibc"),
    ("load", "addons load"),
    ("build", "`kit build`"),
    ("http", "`http.test.ts`"),
    ("bodies", "`bodies.test.ts`"),
    ("tls", "TLS and HTTP/2"),
];

/// Results of one platform.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) platform: String,
    /// Target of Rust that was built.
    pub(super) target: String,
    /// Programs that ran Node, or the reason why none did.
    pub(super) runner: String,
    /// Commit that was built.
    pub(super) commit: String,
    /// Results in the order of [`STEPS`].
    pub(super) cells: Vec<Cell>,
}

impl Row {
    pub(super) fn to_json(&self) -> Value {
        let mut steps = serde_json::Map::new();
        for ((name, _), cell) in STEPS.iter().zip(&self.cells) {
            steps.insert(
                (*name).to_owned(),
                json!({ "state": cell.state(), "text": cell.text() }),
            );
        }
        json!({
            "platform": self.platform,
            "target": self.target,
            "runner": self.runner,
            "commit": self.commit,
            "steps": steps,
        })
    }

    pub(super) fn of(value: &Value) -> Option<Self> {
        let text = |name: &str| value[name].as_str().map(str::to_owned);
        Some(Self {
            platform: text("platform")?,
            target: text("target")?,
            runner: text("runner")?,
            commit: text("commit")?,
            cells: STEPS
                .iter()
                .map(|(name, _)| match &value["steps"][name] {
                    Value::Null => Some(Cell::Untried("the step is newer than this run".to_owned())),
                    step => Cell::of(step),
                })
                .collect::<Option<_>>()?,
        })
    }

    /// Returns true if no step failed.
    pub(super) fn is_good(&self) -> bool {
        !self.cells.iter().any(|cell| matches!(cell, Cell::Bad(_)))
    }
}

/// Replaces the rows of the same platforms, adds the others, and sorts the rows by the order of the platforms.
pub(super) fn merged(earlier: Vec<Row>, newer: Vec<Row>, order: &[&str]) -> Vec<Row> {
    let mut rows: Vec<Row> = earlier
        .into_iter()
        .filter(|row| newer.iter().all(|new| new.platform != row.platform))
        .collect();
    rows.extend(newer);
    rows.sort_by_key(|row| order.iter().position(|name| *name == row.platform));
    rows
}

/// Formats the rows as a table in Markdown. Reasons are below the table, because they would make its columns too wide.
pub(super) fn table(rows: &[Row]) -> String {
    let mut text = String::from("| platform | run by |");
    for (_, title) in STEPS {
        let _ = write!(text, " {title} |");
    }
    let _ = writeln!(text, "\n|{}", "---|".repeat(STEPS.len() + 2));
    let mut notes = Vec::new();
    for row in rows {
        let _ = write!(text, "| {} | {} |", row.platform, row.runner);
        for ((_, title), cell) in STEPS.iter().zip(&row.cells) {
            match cell {
                Cell::Good(figure) => {
                    let _ = write!(text, " {figure} |");
                }
                Cell::Bad(reason) => {
                    text.push_str(" **fails** |");
                    notes.push(format!("- {}, {title}: **fails**: {reason}", row.platform));
                }
                Cell::Untried(reason) => {
                    text.push_str(" not tried |");
                    notes.push(format!("- {}, {title}: not tried: {reason}", row.platform));
                }
            }
        }
        text.push('\n');
    }
    if !notes.is_empty() {
        text.push('\n');
        text.push_str(&notes.join("\n"));
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::{Cell, Row, STEPS, merged, table};

    fn row(platform: &str, cell: Cell) -> Row {
        let mut cells = vec![Cell::Good("1 s".to_owned()); STEPS.len()];
        cells[3] = cell;
        Row {
            platform: platform.to_owned(),
            target: "t".to_owned(),
            runner: "Node 24".to_owned(),
            commit: "abc".to_owned(),
            cells,
        }
    }

    #[test]
    fn rows_are_the_same_after_they_are_written_and_read() {
        for cell in [
            Cell::Good("a".to_owned()),
            Cell::Bad("b".to_owned()),
            Cell::Untried("c".to_owned()),
        ] {
            let one = row("linux-x64-gnu", cell);
            assert_eq!(Row::of(&one.to_json()), Some(one));
        }
        assert_eq!(Row::of(&serde_json::json!({ "platform": "x" })), None);
    }

    #[test]
    fn steps_that_an_earlier_run_did_not_have_are_not_tried() {
        let mut value = row("linux-x64-gnu", Cell::Good("a".to_owned())).to_json();
        value["steps"].as_object_mut().unwrap().remove("tls");
        let cells = Row::of(&value).unwrap().cells;
        assert_eq!(cells[6], Cell::Good("1 s".to_owned()));
        assert_eq!(
            cells[7],
            Cell::Untried("the step is newer than this run".to_owned())
        );
        value["steps"]["tls"] = serde_json::json!({ "state": "unknown" });
        assert_eq!(Row::of(&value), None);
    }

    #[test]
    fn newer_rows_replace_earlier_rows_of_the_same_platform() {
        let good = || Cell::Good("5 ms".to_owned());
        let bad = || Cell::Bad("no".to_owned());
        let rows = merged(
            vec![row("b", bad()), row("a", good())],
            vec![row("b", good()), row("c", bad())],
            &["a", "b", "c"],
        );
        let names: Vec<_> = rows
            .iter()
            .map(|row| (row.platform.as_str(), row.is_good()))
            .collect();
        assert_eq!(names, [("a", true), ("b", true), ("c", false)]);
    }

    #[test]
    fn reasons_are_listed_below_the_table() {
        let text = table(&[
            row("a", Cell::Bad("it crashed".to_owned())),
            row("b", Cell::Untried("no emulator".to_owned())),
        ]);
        assert!(
            text.contains("\n| a | Node 24 | 1 s | 1 s | 1 s | **fails** | 1 s | 1 s | 1 s | 1 s |\n"),
            "{text}"
        );
        assert!(
            text.ends_with(
                "\n\n- a, addons load: **fails**: it crashed\n- b, addons load: not tried: no emulator\n"
            ),
            "{text}"
        );
    }
}
