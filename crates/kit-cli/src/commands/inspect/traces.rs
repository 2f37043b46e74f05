//! `kit inspect traces`: the spans of the latest requests of a running application.

use std::fmt::Write as _;

use serde_json::Value;

use super::runtime::{cell_text, unexpected};
use super::sidecar::request;
use crate::context::Context;
use crate::failure::CommandError;

/// Maximum depth of spans that the text shows.
const MAX_DEPTH: usize = 20;

/// Prints the latest traces, the newest first. `route` is the name of the root span, such as `GET /notes/:id`.
pub(super) fn run(
    route: Option<&str>,
    last: u32,
    port: u16,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let answer = request("/_debug/traces", &[], port, context)?;
    let Some(traces) = answer["traces"].as_array() else {
        return Err(unexpected("a list of traces"));
    };
    let is_wanted = |trace: &&Value| route.is_none_or(|route| trace["name"] == route);
    let traces: Vec<&Value> = traces
        .iter()
        .filter(is_wanted)
        .take(usize::try_from(last).unwrap_or(usize::MAX))
        .collect();
    context.console.json(&traces);
    let mut text = String::new();
    for trace in &traces {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", cell_text(&trace["traceId"]));
        add(&mut text, trace, 1);
    }
    let text = if traces.is_empty() {
        "no traces"
    } else {
        text.trim_end()
    };
    context.console.result(text);
    Ok(())
}

/// Adds a line for a span, and indented lines for its children.
fn add(text: &mut String, span: &Value, depth: usize) {
    let failed = if span["status"] == "error" { "  error" } else { "" };
    let duration = span["durationMs"]
        .as_f64()
        .map_or_else(|| "active".to_owned(), |ms| format!("{ms} ms"));
    let indent = "  ".repeat(depth);
    let _ = writeln!(text, "{indent}{}  {duration}{failed}", cell_text(&span["name"]));
    if depth < MAX_DEPTH {
        for child in span["children"].as_array().into_iter().flatten() {
            add(text, child, depth + 1);
        }
    }
}
