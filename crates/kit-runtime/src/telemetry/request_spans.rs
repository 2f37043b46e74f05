//! Spans of a request: one for the request, and one for each of its phases.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::time::SystemTime;

use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, SpanKind, Status, TraceId, TraceState};
use opentelemetry_sdk::trace::SpanData;

use super::span_factory::{Parent, SpanFactory};
use super::trace::Trace;
use super::{Outcome, export};
use crate::http::{Context, parent_span};

/// Maximum length of the header `tracestate` according to W3C Trace Context, in bytes.
const STATE_BYTES: usize = 512;

impl Trace {
    /// Returns the parent for a span that the application creates. Returns `None` if the request is not exported.
    pub(super) fn parent(&self, context: &Context) -> Option<Parent> {
        let kept = self.0.as_ref()?;
        if parent_span(context).is_some_and(|(_, is_sampled)| !is_sampled) {
            return None;
        }
        Some(Parent {
            trace: TraceId::from_hex(context.trace_id()).unwrap_or(TraceId::INVALID),
            state: state_of(context),
            span: kept.current(),
        })
    }

    /// Ends the trace and exports its spans.
    pub(crate) fn end(&self, context: &Context, outcome: &Outcome) {
        let Some(kept) = &self.0 else { return };
        let parent = parent_span(context);
        // The caller that began the trace decided not to sample it.
        if parent.is_some_and(|(_, is_sampled)| !is_sampled) {
            return;
        }
        let now = SystemTime::now();
        let trace = SpanFactory {
            id: TraceId::from_hex(context.trace_id()).unwrap_or(TraceId::INVALID),
            state: state_of(context),
        };
        let has_failed =
            outcome.error.is_some() || outcome.status.is_none_or(|status| status.as_u16() >= 400);
        let mut attributes = vec![KeyValue::new("http.method", context.method().to_string())];
        if let Some(route) = context.route() {
            let path = route.split_once(' ').map_or(route, |(_, path)| path);
            attributes.push(KeyValue::new("http.route", path));
        }
        if let Some(status) = outcome.status {
            attributes.push(KeyValue::new("http.status_code", i64::from(status.as_u16())));
        }
        let message = has_failed.then(|| message_of(outcome));
        let name = context
            .route()
            .map_or_else(|| context.method().to_string().into(), Cow::Borrowed);
        let parent_id = parent.map_or(SpanId::INVALID, |(id, _)| SpanId::from(id));
        let mut root = trace.span(kept.root, parent_id, name, (kept.begun, now));
        root.span_kind = SpanKind::Server;
        root.parent_span_is_remote = parent.is_some();
        root.attributes = attributes;
        fail(&mut root, message.clone());
        export::span(root);

        let steps = std::mem::take(&mut *kept.steps());
        let ends = steps.iter().skip(1).map(|step| step.begun).chain([now]);
        let ends: Vec<SystemTime> = ends.collect();
        let count = steps.len();
        for (number, (step, end)) in steps.into_iter().zip(ends).enumerate() {
            let Some(name) = step.name() else { continue };
            let mut span = trace.span(step.id, kept.root, name, (step.begun, end));
            span.attributes = step.attributes;
            // The last phase is the phase in which the request failed.
            let is_last = number + 1 == count;
            fail(
                &mut span,
                message.clone().filter(|_| is_last && outcome.error.is_some()),
            );
            export::span(span);
        }
    }
}

fn fail(span: &mut SpanData, message: Option<String>) {
    if let Some(message) = message {
        span.attributes
            .push(KeyValue::new("error.message", message.clone()));
        span.status = Status::error(message);
    }
}

fn message_of(outcome: &Outcome) -> String {
    let reason = || match outcome.status {
        Some(status) => status
            .canonical_reason()
            .map_or_else(|| status.as_str().to_owned(), str::to_owned),
        None => "the client left before the response".to_owned(),
    };
    outcome.error.clone().unwrap_or_else(reason)
}

fn state_of(context: &Context) -> TraceState {
    let header = context
        .header("tracestate")
        .filter(|text| text.len() <= STATE_BYTES);
    header
        .and_then(|text| TraceState::from_str(&text).ok())
        .unwrap_or_default()
}
