//! Spans of a request: one for the request, and one for each of its phases.

use std::borrow::Cow;
use std::str::FromStr as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use opentelemetry::KeyValue;
use opentelemetry::trace::{SpanId, SpanKind, Status, TraceId, TraceState};
use opentelemetry_sdk::trace::SpanData;
use serde_json::Value;

use super::span_factory::{Parent, SpanFactory};
use super::{Outcome, convert, export};
use crate::http::{Context, Phase, parent_span, random_span_id};
use crate::redact::redactor;

/// Maximum length of the header `tracestate` according to W3C Trace Context, in bytes.
const STATE_BYTES: usize = 512;

/// Trace of a request. `None` if spans are not exported.
pub(crate) struct Trace(Option<RequestTrace>);

struct RequestTrace {
    root: SpanId,
    begun: SystemTime,
    steps: Mutex<Vec<PhaseSpan>>,
}

/// A phase of the request. It ends when the next phase begins.
struct PhaseSpan {
    phase: Phase,
    id: SpanId,
    begun: SystemTime,
    attributes: Vec<KeyValue>,
}

impl Trace {
    pub(crate) fn begin() -> Self {
        Self(export::exports_spans().then(|| RequestTrace {
            root: SpanId::from(random_span_id()),
            begun: SystemTime::now(),
            steps: Mutex::default(),
        }))
    }

    /// Returns true if spans are recorded and exported.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn enter(&self, phase: Phase) {
        let Some(kept) = &self.0 else { return };
        kept.steps().push(PhaseSpan {
            phase,
            id: SpanId::from(random_span_id()),
            begun: SystemTime::now(),
            attributes: Vec::new(),
        });
    }

    /// Returns the id of the current span: 16 hexadecimal digits.
    pub(crate) fn span_id(&self) -> Option<String> {
        Some(self.0.as_ref()?.current().to_string())
    }

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

    /// Sets an attribute of the current span.
    pub(crate) fn set_attribute(&self, name: &'static str, value: impl FnOnce() -> Value) {
        let Some(kept) = &self.0 else { return };
        if let Some(step) = kept.steps().last_mut() {
            step.attributes.retain(|attribute| attribute.key.as_str() != name);
            let value = convert::attribute(redactor().value(name, value()));
            step.attributes.push(KeyValue::new(name, value));
        }
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

impl RequestTrace {
    /// Returns the id of the current span.
    fn current(&self) -> SpanId {
        let steps = self.steps();
        let current = steps.last().filter(|step| step.name().is_some());
        current.map_or(self.root, |step| step.id)
    }

    fn steps(&self) -> MutexGuard<'_, Vec<PhaseSpan>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PhaseSpan {
    /// Returns the name of the span. Returns `None` for the phases before the route is known, which have no span.
    fn name(&self) -> Option<Cow<'static, str>> {
        match self.phase {
            Phase::Received | Phase::Normalize => None,
            phase => Some(phase.to_string().into()),
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
