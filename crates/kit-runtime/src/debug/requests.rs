//! Responses about requests, their spans, their errors and their log entries.

use std::sync::Arc;

use serde_json::{Value, json};

use super::answer::{Refusal, truncate};
use super::history::{SEVERITIES, now_ms};
use super::query::Query;
use super::recording::Recording;
use super::ring::KeptText;
use super::routes::routes_named;
use super::state::State;

const DEFAULT_LIMIT: usize = 100;
/// Maximum number of traces in the list.
const TRACES: usize = 100;
/// Maximum number of log entries of one request.
const LOGS_OF_REQUEST: usize = 1_000;
const FEED_LIMIT: usize = 200;

type Answer = Result<Value, Refusal>;

/// Returns the time that the parameter `since` names, in milliseconds since 1970.
fn since(query: &Query) -> Result<Option<u64>, Refusal> {
    let duration = query.duration("since", u64::MAX)?;
    Ok(duration.map(|ms| now_ms().saturating_sub(ms)))
}

fn json_of(state: &State, recordings: &[Arc<Recording>]) -> Vec<Value> {
    recordings
        .iter()
        .map(|recording| recording.json(&state.redaction))
        .collect()
}

pub(super) fn requests(state: &State, query: &Query) -> Answer {
    let routes = query
        .text("route")
        .map(|name| routes_named(state, name))
        .transpose()?;
    let status = query.whole("status", 100, 599)?.unwrap_or(0);
    let (since, limit) = (since(query)?, query.limit(&["limit"], DEFAULT_LIMIT)?);
    let found = state.history.finished(limit, |recording| {
        recording.is_selected(routes.as_deref(), status, since)
    });
    Ok(json!({
        "requests": json_of(state, &found),
        "active": json_of(state, &state.history.active()),
    }))
}

/// Returns one request with its log entries and its error.
pub(super) fn request(state: &State, request_id: &str) -> Answer {
    let Some(found) = state.history.find(request_id) else {
        let id = truncate(request_id);
        return Err(Refusal::not_found(format!(
            "there is no request {id}; the sidecar keeps only the last requests, which /_debug/requests lists"
        )));
    };
    let is_own = |entry: &KeptText| entry.request_id.as_deref() == Some(request_id);
    let error = state.history.errors(1, is_own).into_iter().next();
    Ok(json!({
        "request": found.json(&state.redaction),
        "error": error.map(|error| state.redaction.error(&error)),
        "logs": logs_of(state, LOGS_OF_REQUEST, is_own),
    }))
}

pub(super) fn errors(state: &State, query: &Query) -> Answer {
    let (since, limit) = (since(query)?, query.limit(&["limit", "last"], DEFAULT_LIMIT)?);
    let found = state.history.errors(limit, |entry| is_since(entry, since));
    let errors: Vec<_> = found.iter().map(|error| state.redaction.error(error)).collect();
    Ok(json!({ "errors": errors }))
}

pub(super) fn logs(state: &State, query: &Query) -> Answer {
    let levels = SEVERITIES.map(|(level, _)| level);
    let level = query.one_of("level", &levels)?;
    let severity = SEVERITIES.iter().find(|(name, _)| Some(*name) == level);
    let severity = severity.map_or(0, |(_, severity)| *severity);
    let (since, limit) = (since(query)?, query.limit(&["limit"], DEFAULT_LIMIT)?);
    let request_id = query.text("requestId");
    let found = logs_of(state, limit, |entry| {
        entry.severity >= severity
            && is_since(entry, since)
            && request_id.is_none_or(|id| entry.request_id.as_deref() == Some(id))
    });
    Ok(json!({ "logs": found }))
}

fn logs_of(state: &State, limit: usize, is_wanted: impl Fn(&KeptText) -> bool) -> Vec<Value> {
    let found = state.history.logs(limit, is_wanted);
    found.iter().map(|entry| state.redaction.log(entry)).collect()
}

fn is_since(entry: &KeptText, since: Option<u64>) -> bool {
    since.is_none_or(|since| entry.time >= since)
}

pub(super) fn spans(state: &State, query: &Query) -> Answer {
    let (since, limit) = (since(query)?, query.limit(&["limit"], 1_000)?);
    let found = state
        .history
        .finished(limit, |recording| recording.is_since(since));
    let spans = found
        .iter()
        .flat_map(|recording| recording.all_spans(&state.redaction));
    Ok(json!({ "spans": spans.take(limit).collect::<Vec<_>>() }))
}

/// Returns the spans of the last requests as trees.
pub(super) fn traces(state: &State) -> Value {
    let found = state.history.finished(TRACES, |_| true);
    let traces = found.iter().filter_map(|recording| {
        let mut spans = recording.all_spans(&state.redaction).into_iter();
        let root = spans.next()?;
        Some(tree(root, &spans.collect::<Vec<_>>()))
    });
    json!({ "traces": traces.collect::<Vec<_>>() })
}

/// Adds the children of a span to it. The depth is at most the number of calls of a request.
fn tree(mut span: Value, others: &[Value]) -> Value {
    let id = span["spanId"].clone();
    let children = others.iter().filter(|other| other["parentSpanId"] == id);
    span["children"] = children.map(|child| tree(child.clone(), others)).collect();
    span
}

/// Returns short descriptions of the requests that finished since the last poll, and of the requests in progress. The page
/// sends its position in the query, so the sidecar stores nothing about the page.
pub(super) fn feed(state: &State, query: &Query) -> Answer {
    let limit = query.limit(&["limit"], FEED_LIMIT)?;
    let instance = &state.instance;
    let position = query.text("after").and_then(|after| after.split_once('.'));
    let after = position
        .filter(|(of, _)| of == instance)
        .and_then(|(_, number)| number.parse().ok());
    let count = state.history.finished_count();
    let (found, skipped) = match after {
        None => (state.history.finished(limit, |_| true), 0),
        Some(after) => {
            let finished = state.history.finished_after(after, limit);
            (finished.records, finished.skipped)
        }
    };
    let summaries = |recordings: &[Arc<Recording>]| -> Vec<Value> {
        recordings
            .iter()
            .map(|recording| recording.summary(&state.redaction))
            .collect()
    };
    Ok(json!({
        "instance": instance,
        "next": format!("{instance}.{count}"),
        "active": summaries(&state.history.active()),
        "requests": summaries(&found),
        "skipped": skipped,
    }))
}
