//! The command `kit inspect middleware`.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::built_project::Built;
use super::table::{EMPTY_CELL, table};
use crate::console::Console;
use crate::failure::CommandError;

/// Middleware in `middleware.json`.
#[derive(Serialize, Deserialize)]
struct Entry {
    name: String,
    priority: Option<Number>,
    r#type: String,
    /// True if the middleware is created with `defineWrapper`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    wrapper: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

pub(super) fn run(built: &Built, verbose: bool, console: &Console<'_>) -> Result<(), CommandError> {
    let mut entries: Vec<Entry> = built.read("middleware.json")?;
    if !verbose {
        for entry in &mut entries {
            (entry.file, entry.line) = (None, None);
        }
    }
    console.json(&entries);
    let mut headings = vec!["NAME", "PRIORITY", "TYPE"];
    if verbose {
        headings.push("WHERE");
    }
    let rows: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let priority = entry
                .priority
                .as_ref()
                .map_or(EMPTY_CELL.to_owned(), Number::to_string);
            let mut kind = entry.r#type.clone();
            if entry.wrapper {
                kind.push_str(", wrapper");
            }
            let mut row = vec![entry.name.clone(), priority, kind];
            if verbose {
                row.push(match (&entry.file, entry.line) {
                    (Some(file), Some(line)) => format!("{file}:{line}"),
                    _ => EMPTY_CELL.to_owned(),
                });
            }
            row
        })
        .collect();
    console.result(&table(&headings, &rows));
    Ok(())
}
