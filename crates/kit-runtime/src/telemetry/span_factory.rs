//! New spans, and the trace and parent that they belong to.

use std::borrow::Cow;
use std::time::SystemTime;

use opentelemetry::trace::{SpanContext, SpanId, SpanKind, Status, TraceFlags, TraceId, TraceState};
use opentelemetry_sdk::trace::{SpanData, SpanEvents, SpanLinks};

use super::export;

/// Parent of a new span.
pub(super) struct Parent {
    pub(super) trace: TraceId,
    pub(super) state: TraceState,
    /// Id of the parent span; invalid for the first span of a trace.
    pub(super) span: SpanId,
}

/// Creates the spans of one trace.
pub(super) struct SpanFactory {
    pub(super) id: TraceId,
    pub(super) state: TraceState,
}

impl SpanFactory {
    pub(super) fn span(
        &self,
        id: SpanId,
        parent: SpanId,
        name: Cow<'static, str>,
        (start_time, end_time): (SystemTime, SystemTime),
    ) -> SpanData {
        SpanData {
            span_context: SpanContext::new(self.id, id, TraceFlags::SAMPLED, false, self.state.clone()),
            parent_span_id: parent,
            parent_span_is_remote: false,
            span_kind: SpanKind::Internal,
            name,
            start_time,
            end_time,
            attributes: Vec::new(),
            dropped_attributes_count: 0,
            events: SpanEvents::default(),
            links: SpanLinks::default(),
            status: Status::Ok,
            instrumentation_scope: export::scope(),
        }
    }
}
