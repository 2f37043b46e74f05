//! Record of a request and its phases, from which `request_spans.rs` makes the spans.

use std::borrow::Cow;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use opentelemetry::KeyValue;
use opentelemetry::trace::SpanId;
use serde_json::Value;

use super::{convert, export};
use crate::http::{Phase, random_span_id};
use crate::redact::redactor;

/// Trace of a request. `None` if spans are not exported.
pub(crate) struct Trace(pub(super) Option<RequestTrace>);

pub(super) struct RequestTrace {
    pub(super) root: SpanId,
    pub(super) begun: SystemTime,
    steps: Mutex<Vec<PhaseSpan>>,
}

/// A phase of the request. It ends when the next phase begins.
pub(super) struct PhaseSpan {
    phase: Phase,
    pub(super) id: SpanId,
    pub(super) begun: SystemTime,
    pub(super) attributes: Vec<KeyValue>,
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

    /// Sets an attribute of the current span.
    pub(crate) fn set_attribute(&self, name: &'static str, value: impl FnOnce() -> Value) {
        let Some(kept) = &self.0 else { return };
        if let Some(step) = kept.steps().last_mut() {
            step.attributes.retain(|attribute| attribute.key.as_str() != name);
            let value = convert::attribute(redactor().value(name, value()));
            step.attributes.push(KeyValue::new(name, value));
        }
    }
}

impl RequestTrace {
    /// Returns the id of the current span.
    pub(super) fn current(&self) -> SpanId {
        let steps = self.steps();
        let current = steps.last().filter(|step| step.name().is_some());
        current.map_or(self.root, |step| step.id)
    }

    pub(super) fn steps(&self) -> MutexGuard<'_, Vec<PhaseSpan>> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PhaseSpan {
    /// Returns the name of the span. Returns `None` for the phases before the route is known, which have no span.
    pub(super) fn name(&self) -> Option<Cow<'static, str>> {
        match self.phase {
            Phase::Received | Phase::Normalize => None,
            phase => Some(phase.to_string().into()),
        }
    }
}
