//! What an OpenTelemetry collector is told of requests and the log: with the feature `otlp`, and where the environment names a collector. Without
//! it nothing is kept, and nothing here costs anything.

#[cfg(feature = "otlp")]
mod convert;
#[cfg(feature = "otlp")]
mod export;
#[cfg(not(feature = "otlp"))]
mod nothing;
#[cfg(feature = "otlp")]
mod own;
#[cfg(feature = "otlp")]
mod trace;

#[cfg(feature = "otlp")]
pub(crate) use export::{log, start};
#[cfg(not(feature = "otlp"))]
pub(crate) use nothing::{Trace, ids_of, log, own_spans, start};
#[cfg(feature = "otlp")]
pub(crate) use own::{ids_of, own_spans};
#[cfg(feature = "otlp")]
pub(crate) use trace::Trace;

use axum::http::StatusCode;

use crate::http::Context;

/// How a request ended.
pub(crate) struct Outcome {
    /// None where its client left before there was an answer.
    pub(crate) status: Option<StatusCode>,
    /// What the log says of its error.
    pub(crate) error: Option<String>,
}

/// Ends the trace of a request, at the latest when it goes out of scope: whoever waits for an answer may leave.
pub(crate) struct Ending<'a> {
    context: &'a Context,
    outcome: Outcome,
}

impl<'a> Ending<'a> {
    pub(crate) fn of(context: &'a Context) -> Self {
        let outcome = Outcome {
            status: None,
            error: None,
        };
        Self { context, outcome }
    }

    /// Notes the error that is answered.
    pub(crate) fn failed(&mut self, message: impl FnOnce() -> String) {
        if self.context.trace().is_kept() {
            self.outcome.error = Some(message());
        }
    }

    /// Ends it with an answer of that status.
    pub(crate) fn answered(mut self, status: StatusCode) {
        self.outcome.status = Some(status);
    }
}

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.context.trace().end(self.context, &self.outcome);
    }
}
