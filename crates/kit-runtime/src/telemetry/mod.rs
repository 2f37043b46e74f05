//! Export of requests and logs to an OpenTelemetry collector. It needs the crate feature `otlp`, and environment
//! variables that name a collector. Otherwise no data is recorded, and this module has no cost.

#[cfg(feature = "otlp")]
mod client;
#[cfg(feature = "otlp")]
mod convert;
#[cfg(not(feature = "otlp"))]
mod disabled;
#[cfg(feature = "otlp")]
mod export;
#[cfg(feature = "otlp")]
mod request_metrics;
#[cfg(feature = "otlp")]
mod request_spans;
#[cfg(feature = "otlp")]
mod span_factory;
#[cfg(feature = "otlp")]
mod trace;
#[cfg(feature = "otlp")]
mod tracing_spans;

#[cfg(not(feature = "otlp"))]
pub(crate) use disabled::{Trace, application_spans, dropped, ids_of, log, start};
#[cfg(feature = "otlp")]
pub(crate) use export::{dropped, log, start};
#[cfg(feature = "otlp")]
pub(crate) use trace::Trace;
#[cfg(feature = "otlp")]
pub(crate) use tracing_spans::{application_spans, ids_of};

use axum::http::StatusCode;

use crate::http::Context;

/// Result of a request, for its trace.
pub(crate) struct Outcome {
    /// Status of the response; `None` if the client left before the response.
    pub(crate) status: Option<StatusCode>,
    /// Message of the error, in the form that is logged.
    pub(crate) error: Option<String>,
}

/// Ends the trace of a request when it is dropped, unless the trace was ended before. A client may leave
/// before the response, so that only the drop is certain.
pub(crate) struct TraceGuard<'a> {
    context: &'a Context,
    outcome: Outcome,
}

impl<'a> TraceGuard<'a> {
    pub(crate) fn of(context: &'a Context) -> Self {
        let outcome = Outcome {
            status: None,
            error: None,
        };
        Self { context, outcome }
    }

    /// Records the error of a request.
    pub(crate) fn failed(&mut self, message: impl FnOnce() -> String) {
        if self.context.trace().is_kept() {
            self.outcome.error = Some(message());
        }
    }

    /// Ends the trace with the status of the response.
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.outcome.status = Some(status);
    }
}

impl Drop for TraceGuard<'_> {
    fn drop(&mut self) {
        self.context.trace().end(self.context, &self.outcome);
    }
}
