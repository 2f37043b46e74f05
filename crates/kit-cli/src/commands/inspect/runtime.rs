//! `kit inspect errors`, `performance` and `server`: data from the debug sidecar of a running application.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use super::sidecar::request;
use super::table::{EMPTY_CELL, cell, table};
use crate::context::Context;
use crate::failure::{CommandError, Problem};

/// Prints the latest errors.
pub(super) fn errors(last: u32, port: u16, verbose: bool, context: &Context<'_>) -> Result<(), CommandError> {
    let count = last.to_string();
    let answer = request("/_debug/errors", &[("last", &count)], port, context)?;
    // The sidecar sends a list, or an object with the list in `errors`.
    let list = answer.get("errors").unwrap_or(&answer);
    let Some(list) = list.as_array() else {
        return Err(unexpected("a list of errors"));
    };
    let errors: Vec<ErrorReport<'_>> = list
        .iter()
        .take(usize::try_from(last).unwrap_or(usize::MAX))
        .map(ErrorReport::of)
        .collect();
    context.console.json(&errors);
    if errors.is_empty() {
        context.console.result("no errors");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = errors
        .iter()
        .map(|error| {
            vec![
                cell_text(error.timestamp),
                cell_text(error.status),
                cell_text(error.code),
                cell_text(error.route),
                cell_text(error.phase),
                cell_text(error.trace_id),
                cell_text(error.message),
            ]
        })
        .collect();
    let headings = ["TIME", "STATUS", "CODE", "ROUTE", "PHASE", "TRACE", "MESSAGE"];
    let mut text = table(&headings, &rows);
    if verbose {
        for error in errors.iter().filter(|error| !error.details.is_null()) {
            // Writing to a string cannot fail.
            let _ = write!(text, "\n\n{}\n{:#}", cell_text(error.trace_id), error.details);
        }
    }
    context.console.result(&text);
    Ok(())
}

/// One error with all its fields. A field that the sidecar does not send is null.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ErrorReport<'a> {
    timestamp: &'a Value,
    trace_id: &'a Value,
    code: &'a Value,
    status: &'a Value,
    message: &'a Value,
    route: &'a Value,
    phase: &'a Value,
    details: &'a Value,
}

impl<'a> ErrorReport<'a> {
    fn of(error: &'a Value) -> Self {
        // Indexing a JSON object with a missing key gives null.
        Self {
            timestamp: &error["timestamp"],
            trace_id: &error["traceId"],
            code: &error["code"],
            status: &error["status"],
            message: &error["message"],
            route: &error["route"],
            phase: &error["phase"],
            details: &error["details"],
        }
    }
}

/// Prints the latencies of a route.
pub(super) fn performance(route: &str, port: u16, context: &Context<'_>) -> Result<(), CommandError> {
    let answer = request("/_debug/performance", &[("route", route)], port, context)?;
    if !answer.is_object() {
        return Err(unexpected("an object of latencies"));
    }
    let report = Performance {
        route: match &answer["route"] {
            Value::String(route) => route,
            _ => route,
        },
        p50: &answer["p50"],
        p95: &answer["p95"],
        p99: &answer["p99"],
        count: &answer["count"],
        avg_ms: &answer["avgMs"],
    };
    context.console.json(&report);
    let text = if report.count.as_u64() == Some(0) {
        format!("no requests of {} yet", report.route)
    } else {
        let row = vec![
            report.route.to_owned(),
            cell_text(report.count),
            cell_text(report.p50),
            cell_text(report.p95),
            cell_text(report.p99),
            cell_text(report.avg_ms),
        ];
        table(
            &["ROUTE", "REQUESTS", "P50 MS", "P95 MS", "P99 MS", "AVG MS"],
            &[row],
        )
    };
    context.console.result(&text);
    Ok(())
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Performance<'a> {
    route: &'a str,
    p50: &'a Value,
    p95: &'a Value,
    p99: &'a Value,
    count: &'a Value,
    avg_ms: &'a Value,
}

/// Prints information about the server.
pub(super) fn server(port: u16, context: &Context<'_>) -> Result<(), CommandError> {
    let health = request("/_debug/health", &[], port, context)?;
    if !health.is_object() {
        return Err(unexpected("an object of the server's health"));
    }
    // A sidecar may send these properties at the top level or in an object `server`.
    let member = |name: &str| match (&health[name], &health["server"][name]) {
        (Value::Null, nested) => nested.clone(),
        (own, _) => own.clone(),
    };
    let report = Server {
        adapter: member("adapter"),
        platform: member("platform"),
        status: member("status"),
        port: member("port"),
        host: member("host"),
    };
    context.console.json(&report);
    let lines = [
        ("adapter", &report.adapter),
        ("platform", &report.platform),
        ("status", &report.status),
        ("host", &report.host),
        ("port", &report.port),
    ];
    let lines: Vec<String> = lines
        .iter()
        .map(|(name, value)| format!("{name:9} {}", cell_text(value)))
        .collect();
    context.console.result(&lines.join("\n"));
    Ok(())
}

#[derive(Serialize)]
struct Server {
    adapter: Value,
    platform: Value,
    status: Value,
    port: Value,
    host: Value,
}

/// Formats a value for a cell of a table: strings without quotes, everything on one line.
pub(super) fn cell_text(value: &Value) -> String {
    match value {
        Value::Null => EMPTY_CELL.to_owned(),
        Value::String(text) => cell(Some(&text.split_whitespace().collect::<Vec<_>>().join(" "))),
        other => other.to_string(),
    }
}

pub(super) fn unexpected(what: &str) -> CommandError {
    Problem::inspection(format!("the debug sidecar did not return {what}"))
        .help("install @kit/plugin-debug and @kit/cli in the same version")
        .into()
}
