//! JSON of a recorded request: the form of `RequestRecord` in `packages/types/src/observe.ts`, with hidden values replaced.

use std::borrow::Cow;
use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

use super::recording::{Call, Progress, Recording, Step};
use super::redaction::Redaction;
use super::sql;
use crate::Timestamp;
use crate::http::{Phase, header_text};
use crate::redact::REDACTED;

/// Returns a duration in milliseconds, with three digits after the point.
pub(super) fn milliseconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1_000_000.0).round() / 1_000.0
}

/// Returns a time in milliseconds since 1970, with a fraction.
pub(super) fn unix_milliseconds(time: SystemTime) -> f64 {
    milliseconds(time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default())
}

fn iso(time: SystemTime) -> Value {
    Timestamp::from(time).to_string().into()
}

impl Recording {
    /// Returns the whole record.
    pub(super) fn json(&self, redaction: &Redaction) -> Value {
        let now = self.elapsed();
        let progress = self.progress();
        let spans = self.spans(&progress, redaction);
        let mut record = self.head(&progress, now, redaction);
        record.insert("lifecycle".to_owned(), self.lifecycle(&progress, now));
        record.insert("spans".to_owned(), spans.into());
        record.insert("isSampled".to_owned(), self.is_sampled.into());
        record.insert("traceState".to_owned(), json!(self.trace_state));
        let received = self.received(&progress, redaction);
        record.insert("received".to_owned(), received.unwrap_or_default());
        record.into()
    }

    /// Returns the request in the short form of lists.
    pub(super) fn summary(&self, redaction: &Redaction) -> Value {
        let now = self.elapsed();
        let progress = self.progress();
        let mut record = self.head(&progress, now, redaction);
        let fault = record.remove("fault").unwrap_or_default();
        record.remove("sequence");
        for name in ["code", "message"] {
            record.insert(name.to_owned(), fault.get(name).cloned().unwrap_or_default());
        }
        record.into()
    }

    /// Returns the spans: the root, the phases by start time, then the calls inside of the phases.
    pub(super) fn all_spans(&self, redaction: &Redaction) -> Vec<Value> {
        self.spans(&self.progress(), redaction)
    }

    /// Returns true if the request has a route with one of these names, a status of at least `status`, and began at or after a
    /// time in milliseconds since 1970.
    pub(super) fn is_selected(&self, routes: Option<&[&str]>, status: u64, since: Option<u64>) -> bool {
        let progress = self.progress();
        routes.is_none_or(|routes| progress.route.is_some_and(|route| routes.contains(&route)))
            && u64::from(progress.status) >= status
            && self.is_since(since)
    }

    /// Returns true if the request began at or after a time in milliseconds since 1970.
    pub(super) fn is_since(&self, since: Option<u64>) -> bool {
        since.is_none_or(|since| self.begun >= SystemTime::UNIX_EPOCH + Duration::from_millis(since))
    }

    fn head(&self, progress: &Progress, now: Duration, redaction: &Redaction) -> Map<String, Value> {
        let fault = progress.fault.as_ref().map(|fault| {
            json!({
                "code": fault.code,
                "name": fault.name,
                "message": redaction.text(&fault.message),
                "phase": fault.phase,
            })
        });
        let phase: Cow<'_, str> = match (&progress.fault, progress.ended, progress.steps.last()) {
            (Some(fault), ..) => fault.phase.as_str().into(),
            (None, Some(_), _) => "response".into(),
            (None, None, Some(step)) => step.phase.to_string().into(),
            (None, None, None) => "received".into(),
        };
        let values = json!({
            "sequence": self.sequence,
            "requestId": self.request_id,
            "traceId": self.trace_id,
            "method": self.method.as_str(),
            "target": redaction.target(&self.target, progress.segments),
            "route": progress.route,
            "status": progress.status,
            "startTime": unix_milliseconds(self.begun),
            "durationMs": milliseconds(progress.ended.unwrap_or(now)),
            "isActive": progress.ended.is_none(),
            "phase": phase,
            "fault": fault,
        });
        match values {
            Value::Object(map) => map,
            _ => Map::new(),
        }
    }

    /// Returns the completed phases. The last phase of an active request is its current phase.
    fn lifecycle(&self, progress: &Progress, now: Duration) -> Value {
        let end = progress.ended.unwrap_or(now);
        let first = progress.steps.first().map_or(end, |step| step.at);
        let received = json!({
            "phase": "received",
            "timestamp": iso(self.begun),
            "durationMs": milliseconds(first),
        });
        let mut phases = vec![received];
        for (number, step) in progress.steps.iter().enumerate() {
            let name = step.phase.to_string();
            let next = progress.steps.get(number + 1).map_or(end, |next| next.at);
            let mut phase = Map::new();
            let is_failed = progress.fault.as_ref().is_some_and(|fault| fault.phase == name);
            if name.starts_with("validation:") {
                phase.insert(
                    "result".to_owned(),
                    if is_failed { "fail" } else { "pass" }.into(),
                );
            }
            phase.insert("phase".to_owned(), name.into());
            phase.insert("timestamp".to_owned(), iso(self.begun + step.at));
            phase.insert(
                "durationMs".to_owned(),
                milliseconds(next.saturating_sub(step.at)).into(),
            );
            phases.push(phase.into());
        }
        if progress.ended.is_some() {
            phases.push(json!({
                "phase": "response",
                "timestamp": iso(self.begun + end),
                "durationMs": 0,
                "status": progress.status,
            }));
        }
        phases.into()
    }

    fn spans(&self, progress: &Progress, redaction: &Redaction) -> Vec<Value> {
        let route = progress.route;
        let is_failed = progress.fault.is_some() || progress.status >= 400;
        let mut attributes = vec![("http.method".to_owned(), json!(self.method.as_str()))];
        if let Some((_, path)) = route.and_then(|route| route.split_once(' ')) {
            attributes.push(("http.route".to_owned(), path.into()));
        }
        if progress.ended.is_some() {
            attributes.push(("http.status_code".to_owned(), progress.status.into()));
        }
        if progress.calls_left_out > 0 {
            attributes.push(("kit.calls.left_out".to_owned(), progress.calls_left_out.into()));
        }
        let message = progress.fault.as_ref().map(|fault| fault.message.as_str());
        let root = self.span(
            &Span {
                id: self.root,
                parent: self.parent.clone(),
                name: route.unwrap_or(self.method.as_str()).into(),
                kind: "server",
                source: None,
                at: Duration::ZERO,
                ended: progress.ended,
                error: is_failed.then(|| message.unwrap_or_default()),
                attributes: &attributes,
            },
            redaction,
        );
        let failed = progress.fault.as_ref().map(|fault| fault.phase.as_str());
        let steps = progress.steps.iter().enumerate();
        let phases = steps.filter_map(|(number, step)| {
            let name = name_of(step)?;
            let next = progress.steps.get(number + 1).map(|next| next.at);
            let is_failed = next.is_none() && failed == Some(name.as_str());
            let span = Span {
                id: step.id,
                parent: Some(hex(self.root)),
                name: name.into(),
                kind: "internal",
                source: None,
                at: step.at,
                ended: next.or(progress.ended),
                error: is_failed.then(|| message.unwrap_or_default()),
                attributes: &step.attributes,
            };
            Some(self.span(&span, redaction))
        });
        let calls = progress
            .calls
            .iter()
            .map(|call| self.call(call, progress, redaction));
        std::iter::once(root).chain(phases).chain(calls).collect()
    }

    fn call(&self, call: &Call, progress: &Progress, redaction: &Redaction) -> Value {
        let span = Span {
            id: call.id,
            parent: Some(hex(call.parent)),
            name: call.name.as_str().into(),
            kind: if call.source == "sqlx" {
                "client"
            } else {
                "internal"
            },
            source: Some(call.source),
            at: call.at,
            ended: call.ended.or(progress.ended),
            error: None,
            attributes: &call.attributes,
        };
        self.span(&span, redaction)
    }

    fn span(&self, span: &Span<'_>, redaction: &Redaction) -> Value {
        let mut record = Map::new();
        let mut set = |name: &str, value: Value| record.insert(name.to_owned(), value);
        set("traceId", self.trace_id.as_str().into());
        set("spanId", hex(span.id).into());
        if let Some(parent) = &span.parent {
            set("parentSpanId", parent.as_str().into());
        }
        set("name", span.name.as_ref().into());
        set("kind", span.kind.into());
        if let Some(source) = span.source {
            set("source", source.into());
        }
        set("startTime", iso(self.begun + span.at));
        if let Some(end) = span.ended {
            set("endTime", iso(self.begun + end));
        }
        set("offsetMs", milliseconds(span.at).into());
        if let Some(end) = span.ended {
            set("durationMs", milliseconds(end.saturating_sub(span.at)).into());
        }
        let status = match (span.error, span.ended) {
            (Some(_), _) => "error",
            (None, Some(_)) => "ok",
            (None, None) => "unset",
        };
        set("status", status.into());
        let attributes = span.attributes.iter().map(|(name, value)| {
            let shown = match value {
                Value::String(text) if span.source.is_some() => shown_text(name, text),
                value => value.clone(),
            };
            (name.clone(), redaction.attribute(name, shown))
        });
        let mut attributes: Map<_, _> = attributes.collect();
        if let Some(message) = span.error.filter(|message| !message.is_empty()) {
            attributes.insert("error.message".to_owned(), redaction.text(message).into());
        }
        set("attributes", attributes.into());
        record.into()
    }

    /// Returns headers and body as received. Returns `None` if they were not recorded.
    fn received(&self, progress: &Progress, redaction: &Redaction) -> Option<Value> {
        let headers = self.headers.as_ref()?;
        let shown = headers.keys().map(|name| {
            let text = header_text(headers, name.as_str()).unwrap_or_default();
            (name.as_str().to_owned(), Value::from(text.into_owned()))
        });
        let body = progress
            .body
            .bytes
            .as_deref()
            .and_then(|bytes| redaction.body(bytes));
        Some(json!({
            "headers": redaction.json(Value::Object(shown.collect())),
            "body": body,
            "bodyLength": progress.body.length,
        }))
    }
}

/// Parts of a span before it is written as JSON.
struct Span<'a> {
    id: u64,
    parent: Option<String>,
    name: Cow<'a, str>,
    kind: &'static str,
    source: Option<&'static str>,
    at: Duration,
    ended: Option<Duration>,
    /// Message of the error, empty if there is none. `None` if the span has not failed.
    error: Option<&'a str>,
    attributes: &'a [(String, Value)],
}

/// Returns the name of the span of a phase. Returns `None` for the phases before the route is known, which have no span.
fn name_of(step: &Step) -> Option<String> {
    match step.phase {
        Phase::Received | Phase::Normalize => None,
        phase => Some(phase.to_string()),
    }
}

/// Returns a text that a call reports without the data of users: without the literals of an SQL statement, and without the query
/// and the password of a URL.
fn shown_text(attribute: &str, text: &str) -> Value {
    match attribute {
        "db.statement" | "db.query.text" => sql::without_values(text).into(),
        "url.query" if !text.is_empty() => REDACTED.into(),
        "url.full" | "http.url" | "http.target" => without_query(text).into(),
        _ => text.into(),
    }
}

/// Removes the query, the fragment, the user name and the password from a URL.
fn without_query(url: &str) -> String {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = authority.rsplit('@').next().unwrap_or_default();
    format!("{scheme}://{host}{path}")
}

fn hex(id: u64) -> String {
    format!("{id:016x}")
}

#[cfg(test)]
mod tests {
    use super::shown_text;

    #[test]
    fn hides_queries_and_passwords_of_urls() {
        for (attribute, text, shown) in [
            (
                "url.full",
                "https://user:s3cr3t@a.example:8443/b@c?token=s3cr3t#s3cr3t",
                "https://a.example:8443/b@c",
            ),
            ("http.url", "http://a.example?token=s3cr3t", "http://a.example"),
            ("http.target", "/notes?token=s3cr3t", "/notes"),
            ("url.query", "token=s3cr3t", "[redacted]"),
            ("url.query", "", ""),
            ("db.statement", "SELECT 's3cr3t'", "SELECT ?"),
            ("note", "why?", "why?"),
        ] {
            assert_eq!(shown_text(attribute, text), shown, "{attribute}");
        }
    }
}
