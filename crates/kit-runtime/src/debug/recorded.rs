//! Handles with which the runtime records a request.

use std::sync::{Arc, OnceLock};

use axum::body::{Body, Bytes};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use hyper::body::{Body as _, Frame, SizeHint};
use serde_json::Value;

use super::history::history;
use super::recording::{Fault, ReceivedBody, Recording, Step, set};
use crate::http::{Phase, Segment, header_text, random_span_id};

/// Maximum number of bytes of a request body that are recorded. Bodies are recorded only in development.
const BODY_BYTES: usize = 8 * 1024;

/// Recording of a request. `None` if the sidecar is off.
#[derive(Clone, Default)]
pub(crate) struct Recorded(Option<Arc<Recording>>);

impl Recorded {
    /// Begins to record a request, if the sidecar is on.
    pub(crate) fn begin(parts: &Parts) -> Self {
        Self(history().map(|history| {
            history.begin(|sequence| Recording::new(sequence, parts, history.keeps_content()))
        }))
    }

    /// Returns the ids of the request: its trace id and its own id. The values are empty if the request is not recorded.
    pub(crate) fn ids(&self) -> (OnceLock<String>, OnceLock<String>) {
        match &self.0 {
            Some(recording) => (
                recording.trace_id.clone().into(),
                recording.request_id.clone().into(),
            ),
            None => (OnceLock::new(), OnceLock::new()),
        }
    }

    /// Returns true if the request is recorded.
    pub(crate) fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    pub(super) fn recording(&self) -> Option<&Arc<Recording>> {
        self.0.as_ref()
    }

    /// Records that a phase begins.
    pub(crate) fn enter(&self, phase: Phase) {
        let Some(recording) = &self.0 else { return };
        let step = Step {
            phase,
            at: recording.start.elapsed(),
            id: random_span_id(),
            attributes: Vec::new(),
        };
        recording.progress().steps.push(step);
    }

    pub(crate) fn set_route(&self, reference: &'static str, segments: &'static [Segment]) {
        if let Some(recording) = &self.0 {
            let mut progress = recording.progress();
            progress.route = Some(reference);
            progress.segments = segments;
        }
    }

    /// Records the segments of the path if no route has the method of the request. The names of hidden parameters are in them.
    pub(crate) fn set_segments(&self, segments: &'static [Segment]) {
        if let Some(recording) = &self.0 {
            recording.progress().segments = segments;
        }
    }

    /// Sets an attribute of the current phase.
    pub(crate) fn set_attribute(&self, name: &str, value: impl FnOnce() -> Value) {
        let Some(recording) = &self.0 else { return };
        if let Some(step) = recording.progress().steps.last_mut() {
            set(&mut step.attributes, name, value());
        }
    }

    /// Records the body of the request. `bytes` is `None` for a body that the handler reads in chunks.
    pub(crate) fn set_body(&self, bytes: Option<&Bytes>, headers: &HeaderMap) {
        let Some(recording) = self.0.as_ref().filter(|recording| recording.headers.is_some()) else {
            return;
        };
        let declared = header_text(headers, "content-length").and_then(|length| length.parse().ok());
        let body = match bytes {
            None => ReceivedBody {
                bytes: None,
                length: declared.unwrap_or(-1),
            },
            Some(bytes) => ReceivedBody {
                bytes: (1..=BODY_BYTES).contains(&bytes.len()).then(|| bytes.to_vec()),
                length: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
            },
        };
        recording.progress().body = body;
    }

    pub(super) fn set_fault(&self, fault: Fault) {
        if let Some(recording) = &self.0 {
            recording.progress().fault = Some(fault);
        }
    }

    /// Returns a value that ends the recording when it is dropped, unless it was ended before: the client may leave before the
    /// response.
    pub(crate) fn running(&self) -> RunningRequest {
        RunningRequest(self.0.clone())
    }
}

/// Request whose response has not ended yet.
pub(crate) struct RunningRequest(Option<Arc<Recording>>);

impl RunningRequest {
    /// Ends the recording with the status of the response: now, or after the last byte of a response that is a stream.
    pub(crate) fn answered(mut self, response: axum::response::Response) -> axum::response::Response {
        let Some(recording) = self.0.take() else {
            return response;
        };
        let status = response.status().as_u16();
        if response.body().size_hint().exact().is_some() {
            end(&recording, status);
            return response;
        }
        response.map(|inner| {
            Body::new(RecordedBody {
                inner,
                status,
                recording,
            })
        })
    }

    /// Ends the recording of a request that opened a WebSocket.
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))] // Reason: only WebSockets change the protocol.
    pub(crate) fn upgraded(mut self, status: StatusCode) {
        if let Some(recording) = self.0.take() {
            end(&recording, status.as_u16());
        }
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        let Some(recording) = self.0.take() else { return };
        let mut progress = recording.progress();
        let phase = progress.steps.last().map_or(Phase::Received, |step| step.phase);
        progress.fault.get_or_insert_with(|| Fault {
            code: "CLIENT_LEFT".to_owned(),
            name: "Error",
            message: "The client left before the response".to_owned(),
            phase: phase.to_string(),
        });
        drop(progress);
        end(&recording, 0);
    }
}

/// Body of a stream. The recording ends when the body is dropped, which is also after its last byte.
struct RecordedBody {
    inner: Body,
    status: u16,
    recording: Arc<Recording>,
}

impl hyper::body::Body for RecordedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        task: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        std::pin::Pin::new(&mut self.get_mut().inner).poll_frame(task)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for RecordedBody {
    fn drop(&mut self) {
        end(&self.recording, self.status);
    }
}

/// Ends a recording, and moves it to the finished requests of the history.
fn end(recording: &Arc<Recording>, status: u16) {
    let (duration, route) = recording.end(status);
    if let Some(history) = history() {
        history.ended(recording, route, status, duration);
    }
}
