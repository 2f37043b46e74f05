//! Calls inside of requests: the queries that sqlx reports, and the spans that the application creates with `tracing`.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::LookupSpan;

use super::recording::Recording;
use super::settings::DebugSettings;
use super::sql;
use crate::http;
use crate::log_fields::Fields;

/// Target of the events with which sqlx reports the end of a statement.
const QUERIES: &str = "sqlx::query";

/// Returns the layer that records calls. Returns `None` if the sidecar is off, so that the log costs nothing more. `LOG_LEVEL`
/// applies to the log only.
pub(crate) fn calls<S>() -> Option<impl Layer<S>>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    // The start of the sidecar reports settings that are invalid.
    let is_on = DebugSettings::load().is_ok_and(|settings| settings.is_some());
    let filter = filter_fn(is_call).with_max_level_hint(LevelFilter::DEBUG);
    is_on.then(|| Calls.with_filter(filter))
}

fn is_call(metadata: &Metadata<'_>) -> bool {
    if metadata.is_span() {
        return *metadata.level() <= Level::INFO;
    }
    metadata.target() == QUERIES && *metadata.level() <= Level::DEBUG
}

struct Calls;

/// Call that has not ended yet.
struct OpenCall {
    recording: Arc<Recording>,
    id: u64,
}

/// Returns the recording of the current request.
fn current() -> Option<Arc<Recording>> {
    http::current()?.recorded().recording().cloned()
}

/// Returns the fields of a span.
fn attributes(fields: Fields) -> Vec<(String, Value)> {
    fields.into_data().into_iter().collect()
}

impl<S> Layer<S> for Calls
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, given: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let around = span.parent();
        let parent = around.as_ref().and_then(|around| {
            let extensions = around.extensions();
            let open = extensions.get::<OpenCall>()?;
            Some((Arc::clone(&open.recording), open.id))
        });
        let (recording, parent) = match parent {
            Some((recording, id)) => (recording, Some(id)),
            None => match current() {
                Some(recording) => (recording, None),
                None => return,
            },
        };
        let mut fields = Fields::default();
        given.record(&mut fields);
        let begun = recording.begin_call(parent, span.name().to_owned(), "tracing", attributes(fields));
        if let Some(id) = begun {
            span.extensions_mut().insert(OpenCall { recording, id });
        }
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let extensions = span.extensions();
        let Some(open) = extensions.get::<OpenCall>() else {
            return;
        };
        let mut fields = Fields::default();
        values.record(&mut fields);
        open.recording
            .set_call_attributes(open.id, attributes(fields).into_iter());
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let Some(recording) = current() else { return };
        let parent = context.event_span(event).and_then(|span| {
            let extensions = span.extensions();
            extensions.get::<OpenCall>().map(|open| open.id)
        });
        let mut query = Query::default();
        event.record(&mut query);
        let statement = if query.statement.is_empty() {
            query.summary
        } else {
            query.statement
        };
        // Comments and literals may contain values of users.
        let statement = sql::without_values(statement.trim());
        let verb = statement
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .find(|word| !word.is_empty());
        let name = format!("sqlx {}", verb.unwrap_or("query").to_uppercase());
        let attributes = [
            ("db.system.name", "postgresql".into()),
            ("db.query.text", statement.into()),
            ("db.response.returned_rows", query.rows.into()),
        ];
        let attributes = attributes.map(|(name, value): (&str, Value)| (name.to_owned(), value));
        let duration = Duration::try_from_secs_f64(query.seconds).unwrap_or_default();
        recording.add_ended_call(parent, name, "sqlx", attributes.into(), duration);
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let open = span.extensions_mut().remove::<OpenCall>();
        if let Some(OpenCall { recording, id }) = open {
            recording.end_call(id);
        }
    }
}

/// Fields of an event of sqlx.
#[derive(Default)]
struct Query {
    /// First words of the statement, or the whole statement if it is short.
    summary: String,
    statement: String,
    rows: u64,
    seconds: f64,
}

impl Visit for Query {
    fn record_debug(&mut self, _field: &Field, _value: &dyn fmt::Debug) {}

    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.clone_into(&mut self.statement),
            _ => {}
        }
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        if field.name() == "rows_returned" {
            self.rows = value;
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.seconds = value;
        }
    }
}
