//! `kit inspect streams` and `kit inspect stream`: WebSockets and streams of a running application.

use serde_json::Value;

use super::runtime::{cell_text, unexpected};
use super::sidecar::request;
use super::table::{EMPTY_CELL, table};
use crate::context::Context;
use crate::failure::CommandError;

/// Prints the WebSockets and streams, open ones first.
pub(super) fn list(
    route: Option<&str>,
    last: u32,
    port: u16,
    context: &Context<'_>,
) -> Result<(), CommandError> {
    let limit = last.to_string();
    let mut query = vec![("limit", limit.as_str())];
    query.extend(route.map(|route| ("route", route)));
    let answer = request("/_debug/streams", &query, port, context)?;
    let Some(streams) = answer["streams"].as_array() else {
        return Err(unexpected("a list of streams"));
    };
    context.console.json(streams);
    if streams.is_empty() {
        context.console.result("no streams");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = streams
        .iter()
        .map(|stream| {
            vec![
                cell_text(&stream["requestId"]),
                cell_text(&stream["route"]),
                cell_text(&stream["target"]),
                cell_text(&stream["received"]["messages"]),
                cell_text(&stream["sent"]["messages"]),
                end(&stream["end"]),
            ]
        })
        .collect();
    let headings = ["REQUEST", "ROUTE", "TARGET", "RECEIVED", "SENT", "END"];
    context.console.result(&table(&headings, &rows));
    Ok(())
}

/// Prints one WebSocket or stream with its messages.
pub(super) fn one(request_id: &str, port: u16, context: &Context<'_>) -> Result<(), CommandError> {
    let id: String = url_segment(request_id);
    let answer = request(&format!("/_debug/streams/{id}"), &[], port, context)?;
    let stream = &answer["stream"];
    let Some(messages) = stream["messages"].as_array() else {
        return Err(unexpected("a stream"));
    };
    context.console.json(stream);
    let count = |name: &str| {
        let count = &stream[name];
        format!(
            "{} messages, {} bytes",
            cell_text(&count["messages"]),
            cell_text(&count["bytes"])
        )
    };
    let mut lines = vec![
        format!("route     {}", cell_text(&stream["route"])),
        format!("target    {}", cell_text(&stream["target"])),
    ];
    if let Some(protocol) = stream["protocol"].as_str() {
        lines.push(format!("protocol  {protocol}"));
    }
    lines.extend([
        format!("received  {}", count("received")),
        format!("sent      {}", count("sent")),
        format!("end       {}", end(&stream["end"])),
    ]);
    for message in messages {
        let text = match &message["text"] {
            Value::Null => format!("({} bytes)", cell_text(&message["bytes"])),
            text => cell_text(text),
        };
        let event = message["event"]
            .as_str()
            .map(|event| format!("{event} "))
            .unwrap_or_default();
        lines.push(format!(
            "{:<3}       {event}{text}",
            cell_text(&message["direction"])
        ));
    }
    context.console.result(&lines.join("\n"));
    Ok(())
}

/// Describes the end of a stream: `open`, `complete`, `closed 4001 As you wish`.
fn end(end: &Value) -> String {
    if end.is_null() {
        return "open".to_owned();
    }
    let parts = [&end["result"], &end["code"], &end["reason"]].map(cell_text);
    let parts = parts
        .iter()
        .filter(|part| !part.is_empty() && *part != EMPTY_CELL);
    parts.map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Escapes a text for one segment of a path.
fn url_segment(text: &str) -> String {
    use std::fmt::Write as _;
    let mut segment = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            segment.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(segment, "%{byte:02X}");
        }
    }
    segment
}
