//! Replaces the telemetry modules if the crate feature `otlp` is off. Nothing is exported.

use serde_json::{Map, Value};
use tracing::Level;
use tracing_subscriber::layer::Identity;
use tracing_subscriber::registry::{LookupSpan, SpanRef};

use super::Outcome;
use crate::Error;
use crate::http::{Context, Phase};

/// Replacement for the guard of the exporter in programs without OpenTelemetry. Does nothing.
pub(crate) struct Exporting;

#[allow(clippy::unnecessary_wraps)] // Reason: same signature as with the feature.
pub(crate) fn start() -> Result<Exporting, Error> {
    Ok(Exporting)
}

pub(crate) fn log(_level: Level, _entry: &Map<String, Value>) {}

/// Returns the number of items that were not exported, by their kind.
pub(crate) fn dropped() -> [(&'static str, u64); 0] {
    []
}

/// Returns no layer. An [`Identity`] would have no lowest level, so that libraries would create events of every level.
pub(crate) fn application_spans() -> Option<Identity> {
    None
}

pub(crate) fn ids_of<S>(_span: &SpanRef<'_, S>) -> Option<(String, String)>
where
    S: for<'a> LookupSpan<'a>,
{
    None
}

/// Replacement for the trace of a request in programs without OpenTelemetry. Records nothing.
pub(crate) struct Trace;

#[allow(clippy::unused_self)] // Reason: same signature as with the feature.
impl Trace {
    pub(crate) fn begin() -> Self {
        Self
    }

    pub(crate) fn is_kept(&self) -> bool {
        false
    }

    pub(crate) fn enter(&self, _phase: Phase) {}

    pub(crate) fn span_id(&self) -> Option<String> {
        None
    }

    pub(crate) fn set_attribute(&self, _name: &'static str, _value: impl FnOnce() -> Value) {}

    pub(crate) fn end(&self, _context: &Context, _outcome: &Outcome) {}
}
