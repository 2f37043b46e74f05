//! Replaces the debug sidecar if the crate feature `debug` is off. Nothing is recorded.

use std::net::SocketAddr;
use std::sync::OnceLock;

use axum::body::Bytes;
use axum::http::HeaderMap;
use axum::http::request::Parts;
use serde_json::{Map, Value};
use tracing::Level;
use tracing_subscriber::layer::Identity;

use crate::Error;
use crate::http::{Context, Phase, Segment};

/// Returns no layer. An [`Identity`] would have no lowest level, so that libraries would create events of every level.
pub(crate) fn calls() -> Option<Identity> {
    None
}

pub(crate) fn log(_level: Level, _entry: &Map<String, Value>) {}

pub(crate) fn failed(_context: &Context, _error: &Error) {}

#[allow(clippy::unused_async, clippy::unnecessary_wraps)] // Reason: same signature as with the feature.
pub(crate) async fn serve(_address: SocketAddr) -> Result<(), Error> {
    let is_given = |name: &str| std::env::var(name).is_ok_and(|value| !value.is_empty() && value != "off");
    // A warning and no error, because an application on Node may get the same variables.
    if let Some(name) = ["DEBUG_PORT", "DEBUG_KEY", "DEBUG_MODE"]
        .into_iter()
        .find(|name| is_given(name))
    {
        tracing::warn!(
            "{name} is set, but this server was built without the debug sidecar: add @kit/plugin-debug to package.json, and run `kit build`"
        );
    }
    Ok(())
}

/// Replacement for the recording of a stream. Records nothing.
#[derive(Debug, Clone)]
pub(crate) struct RecordedStream;

/// Format of a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum StreamKind {
    #[cfg(feature = "sockets")]
    Socket,
    Events,
    Lines,
}

/// Reason for the end of a WebSocket.
#[cfg(feature = "sockets")]
#[derive(Debug, Clone, Copy)]
pub(crate) enum StreamResult {
    Closed,
    Disconnected,
}

#[allow(clippy::unused_self)] // Reason: same signature as with the feature.
impl RecordedStream {
    #[cfg(feature = "sockets")]
    pub(crate) fn open(&self) {}

    #[cfg(feature = "sockets")]
    pub(crate) fn received(&self, _text: Option<&str>, _is_plain: bool, _bytes: usize) {}

    pub(crate) fn sent(&self, _text: &str, _event: Option<&'static str>, _bytes: usize) {}

    #[cfg(feature = "sockets")]
    pub(crate) fn sent_message(&self, _text: Option<&str>, _is_plain: bool, _bytes: usize) {}

    #[cfg(feature = "sockets")]
    pub(crate) fn end(&self, _result: StreamResult, _code: Option<u16>, _reason: &str) {}

    pub(crate) async fn watch(self, work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
        work.await
    }
}

/// Replacement for the recording of a request. Records nothing.
pub(crate) struct Recorded;

#[allow(clippy::unused_self)] // Reason: same signature as with the feature.
impl Recorded {
    pub(crate) fn begin(_parts: &Parts) -> Self {
        Self
    }

    pub(crate) fn ids(&self) -> (OnceLock<String>, OnceLock<String>) {
        (OnceLock::new(), OnceLock::new())
    }

    pub(crate) fn is_kept(&self) -> bool {
        false
    }

    pub(crate) fn enter(&self, _phase: Phase) {}

    pub(crate) fn set_route(&self, _reference: &'static str, _segments: &'static [Segment]) {}

    pub(crate) fn set_segments(&self, _segments: &'static [Segment]) {}

    pub(crate) fn set_attribute(&self, _name: &str, _value: impl FnOnce() -> Value) {}

    pub(crate) fn set_body(&self, _bytes: Option<&Bytes>, _headers: &HeaderMap) {}

    pub(crate) fn running(&self) -> RunningRequest {
        RunningRequest
    }

    pub(crate) fn stream(&self, _kind: StreamKind, _protocol: Option<&'static str>) -> RecordedStream {
        RecordedStream
    }
}

/// Replacement for a recorded request whose response has not ended yet. Records nothing.
pub(crate) struct RunningRequest;

#[allow(clippy::unused_self)] // Reason: same signature as with the feature.
impl RunningRequest {
    pub(crate) fn answered(self, response: axum::response::Response) -> axum::response::Response {
        response
    }

    #[cfg(feature = "sockets")]
    pub(crate) fn upgraded(self, _status: axum::http::StatusCode) {}
}
