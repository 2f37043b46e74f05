//! Log: one JSON object per line on standard output, with the same fields as kit's TypeScript runtime.

use std::time::SystemTime;

use serde_json::{Map, Value, json};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::{LookupSpan, Scope, SpanRef};
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::log_fields::Fields;
use crate::log_level::AboveLowest;
use crate::redact;
use crate::variables::variable;
use crate::{Error, SERVER_ADAPTER, Timestamp, debug, http, log_level, stdout, telemetry};

/// Writes the events of `tracing` to standard output. `LOG_LEVEL` is the lowest level that is written: `trace`,
/// `debug`, `info` (the default), `warn`, `error`, or `fatal`, which writes nothing because no event has this level.
/// `LOG_REDACT` and `LOG_REDACT_DEFAULTS` determine which values are hidden.
pub(crate) fn start() -> Result<(), Error> {
    let level = level(&variable("LOG_LEVEL").unwrap_or_default())?;
    redact::load()?;
    let installed = subscriber().try_init();
    // If the program has already installed a subscriber, that subscriber stays.
    if installed.is_ok() {
        log_level::installed();
    }
    log_level::set(level);
    Ok(())
}

/// Returns the subscriber of the process. Each layer must name its lowest level. Otherwise libraries create events of every
/// level, for nothing: sqlx would format each statement.
fn subscriber() -> impl Subscriber + Send + Sync {
    tracing_subscriber::registry()
        .with(telemetry::application_spans())
        .with(debug::calls())
        .with(Lines.with_filter(AboveLowest))
}

/// Sets the level that the application gives to the log. Does nothing if `LOG_LEVEL` is set or if there is no such level.
pub(crate) fn apply_default_level() {
    if let Ok(level) = level(&variable("LOG_LEVEL").unwrap_or_default()) {
        log_level::set(level);
    }
}

fn level(name: &str) -> Result<LevelFilter, Error> {
    match name.to_ascii_lowercase().as_str() {
        "trace" => Ok(LevelFilter::TRACE),
        "debug" => Ok(LevelFilter::DEBUG),
        "" | "info" => Ok(LevelFilter::INFO),
        "warn" => Ok(LevelFilter::WARN),
        "error" => Ok(LevelFilter::ERROR),
        "fatal" => Ok(LevelFilter::OFF),
        _ => Err(Error::internal(format!(
            "LOG_LEVEL is `{name}`, which is not a log level; use trace, debug, info, warn, error or fatal"
        ))),
    }
}

struct Lines;

/// Fields of a span of `tracing`, for the log entries inside of it.
struct SpanFields(Map<String, Value>);

impl<S> Layer<S> for Lines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        attributes.record(&mut fields);
        span.extensions_mut().insert(SpanFields(fields.into_data()));
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut fields = Fields::default();
        values.record(&mut fields);
        if let Some(SpanFields(known)) = span.extensions_mut().get_mut() {
            known.extend(fields.into_data());
        }
    }

    fn on_event(&self, event: &Event<'_>, context: Context<'_, S>) {
        let mut fields = Fields::of_event(event.metadata());
        event.record(&mut fields);
        let level = *event.metadata().level();
        let mut entry = entry(level, fields);
        let around = || context.event_scope(event).into_iter().flatten();
        if let Some((trace, span)) = around().find_map(|span| telemetry::ids_of(&span)) {
            entry.insert("traceId".to_owned(), json!(trace));
            entry.insert("spanId".to_owned(), json!(span));
        }
        let spans = context.event_scope(event).into_iter().flat_map(Scope::from_root);
        let spans: Vec<Value> = spans.map(|span| span_json(&span)).collect();
        if !spans.is_empty() {
            entry.insert("spans".to_owned(), Value::Array(spans));
        }
        telemetry::log(level, &entry);
        debug::log(level, &entry);
        stdout::line(&Value::Object(entry).to_string());
    }
}

/// Returns a span as JSON: its name, and its fields as `data` if it has any.
fn span_json<S>(span: &SpanRef<'_, S>) -> Value
where
    S: for<'a> LookupSpan<'a>,
{
    let extensions = span.extensions();
    match extensions.get() {
        Some(SpanFields(fields)) if !fields.is_empty() => json!({ "name": span.name(), "data": fields }),
        _ => json!({ "name": span.name() }),
    }
}

/// Creates the JSON object of one log entry.
fn entry(level: Level, mut fields: Fields) -> Map<String, Value> {
    let mut entry = Map::new();
    entry.insert("level".to_owned(), json!(level.as_str().to_ascii_lowercase()));
    entry.insert("message".to_owned(), json!(fields.message));
    entry.insert("timestamp".to_owned(), json!(Timestamp::from(SystemTime::now())));
    if let Some(request) = http::current() {
        entry.insert("traceId".to_owned(), json!(request.trace_id()));
        if let Some(span) = request.trace().span_id() {
            entry.insert("spanId".to_owned(), json!(span));
        }
        if let Some(route) = request.route() {
            entry.insert("route".to_owned(), json!(route));
        }
        entry.insert("phase".to_owned(), json!(request.phase().to_string()));
        entry.insert("requestId".to_owned(), json!(request.request_id()));
    } else if fields.is_of_runtime {
        // The HTTP engine refused the request, so there is a trace id in the response but no request.
        if let Some(trace) = fields.data.remove("traceId") {
            entry.insert("traceId".to_owned(), trace);
        }
    }
    entry.insert("serverAdapter".to_owned(), json!(SERVER_ADAPTER));
    if !fields.data.is_empty() {
        entry.insert("data".to_owned(), Value::Object(fields.data));
    }
    entry
}

#[cfg(test)]
mod tests {
    use tracing::Subscriber as _;
    use tracing_subscriber::filter::LevelFilter;

    use super::{level, subscriber};

    #[test]
    fn asks_libraries_for_no_events_below_the_lowest_level() {
        let lowest = subscriber().max_level_hint();
        assert!(
            lowest.is_some_and(|lowest| lowest < LevelFilter::TRACE),
            "{lowest:?}"
        );
    }

    #[test]
    fn parses_the_names_of_log_levels() {
        assert_eq!(level("").ok(), Some(LevelFilter::INFO));
        assert_eq!(level("Warn").ok(), Some(LevelFilter::WARN));
        assert_eq!(level("fatal").ok(), Some(LevelFilter::OFF));
        let error = level("loud").expect_err("it is none");
        assert!(error.message().starts_with("LOG_LEVEL is `loud`"));
    }
}
