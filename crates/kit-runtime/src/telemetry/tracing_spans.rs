//! Exports the spans that the application creates with `tracing`. The parent of such a span is the phase of the
//! request in which it began.

use std::time::SystemTime;

use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, Status, TraceId, TraceState};
use tracing::span::{Attributes, Id, Record};
use tracing::{Level, Subscriber};
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::{Context, Layer};
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::span_factory::{Parent, SpanFactory};
use super::{convert, export};
use crate::http;
use crate::log_fields::Fields;

/// Returns the layer that exports the application's spans. `LOG_LEVEL` applies to the log only; spans are exported at
/// `info` and above.
pub(crate) fn application_spans<S>() -> impl Layer<S>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    let is_exported = filter_fn(|metadata| metadata.is_span() && *metadata.level() <= Level::INFO);
    ApplicationSpans.with_filter(is_exported.with_max_level_hint(LevelFilter::INFO))
}

/// Returns the trace id and the span id of a span in hexadecimal digits. Returns `None` if the span is not exported.
pub(crate) fn ids_of<S>(span: &SpanRef<'_, S>) -> Option<(String, String)>
where
    S: for<'a> LookupSpan<'a>,
{
    let extensions = span.extensions();
    let open = extensions.get::<OpenSpan>()?;
    Some((open.parent.trace.to_string(), open.id.to_string()))
}

/// An exported span that has not ended yet.
struct OpenSpan {
    parent: Parent,
    id: SpanId,
    begun: SystemTime,
    attributes: Vec<KeyValue>,
}

struct ApplicationSpans;

/// Returns the parent of a new span. The parent is the span that contains the new span, or else the phase of the
/// request. Returns `None` if the request is not exported.
fn parent_of<S>(span: &SpanRef<'_, S>) -> Option<Parent>
where
    S: for<'a> LookupSpan<'a>,
{
    if let Some(around) = span.parent() {
        let extensions = around.extensions();
        let open = extensions.get::<OpenSpan>()?;
        return Some(Parent {
            trace: open.parent.trace,
            state: open.parent.state.clone(),
            span: open.id,
        });
    }
    match http::current() {
        Some(request) => request.trace().parent(&request),
        // A task outside of any request begins its own trace.
        None => Some(Parent {
            trace: TraceId::from_hex(&http::random_trace_id()).ok()?,
            state: TraceState::default(),
            span: SpanId::INVALID,
        }),
    }
}

fn attributes(fields: Fields) -> impl Iterator<Item = KeyValue> {
    let data = fields.into_data().into_iter();
    data.map(|(name, value)| KeyValue::new(name, convert::attribute(value)))
}

impl<S> Layer<S> for ApplicationSpans
where
    S: Subscriber + for<'a> LookupSpan<'a>,
{
    fn on_new_span(&self, given: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        if !export::exports_spans() {
            return;
        }
        let Some(span) = context.span(id) else { return };
        let Some(parent) = parent_of(&span) else { return };
        let mut fields = Fields::default();
        given.record(&mut fields);
        span.extensions_mut().insert(OpenSpan {
            parent,
            id: SpanId::from(http::random_span_id()),
            begun: SystemTime::now(),
            attributes: attributes(fields).collect(),
        });
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let Some(span) = context.span(id) else { return };
        let mut extensions = span.extensions_mut();
        let Some(open) = extensions.get_mut::<OpenSpan>() else {
            return;
        };
        let mut fields = Fields::default();
        values.record(&mut fields);
        for attribute in attributes(fields) {
            open.attributes.retain(|known| known.key != attribute.key);
            open.attributes.push(attribute);
        }
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let Some(span) = context.span(&id) else { return };
        let open = span.extensions_mut().remove::<OpenSpan>();
        let Some(open) = open else { return };
        let Parent {
            trace,
            state,
            span: parent,
        } = open.parent;
        let spans = SpanFactory { id: trace, state };
        let time = (open.begun, SystemTime::now());
        let mut span_data = spans.span(open.id, parent, span.name().into(), time);
        span_data.attributes = open.attributes;
        // The status stays unset, because `tracing` does not report if the work succeeded.
        span_data.status = Status::Unset;
        export::span(span_data);
    }
}
