//! Recording of one request: its phases, the calls inside of them, and its result.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use serde_json::Value;

use crate::http::{
    Phase, Segment, header_text, next_request_id, random_span_id, random_trace_id, read_traceparent,
};

/// Maximum number of calls of one request that are recorded.
const MOST_CALLS: usize = 100;
/// Maximum number of attributes of one span.
const MOST_ATTRIBUTES: usize = 256;

/// Maximum length of a text that is an attribute, in bytes. A longer text is truncated.
const MOST_TEXT_BYTES: usize = 8 * 1024;
/// Maximum number of bytes of the attributes of all calls of one request.
const MOST_CALL_BYTES: usize = 64 * 1024;

/// Recording of one request.
pub(crate) struct Recording {
    /// Number of the request within its process, from 1.
    pub(super) sequence: u64,
    pub(super) begun: SystemTime,
    pub(super) start: Instant,
    pub(super) method: Method,
    /// Path and query, without redaction.
    pub(super) target: String,
    pub(super) trace_id: String,
    pub(super) request_id: String,
    /// Id of the client's span.
    pub(super) parent: Option<String>,
    pub(super) is_sampled: bool,
    pub(super) trace_state: Option<String>,
    pub(super) root: u64,
    /// Headers as received. `None` in production.
    pub(super) headers: Option<HeaderMap>,
    progress: Mutex<Progress>,
}

/// Parts of a recording that change.
#[derive(Default)]
pub(super) struct Progress {
    /// Method and path pattern, such as `GET /notes/:id`.
    pub(super) route: Option<&'static str>,
    /// Segments of the path pattern. Empty if no route has the path.
    pub(super) segments: &'static [Segment],
    pub(super) steps: Vec<Step>,
    pub(super) calls: Vec<Call>,
    /// Number of bytes of the attributes of all calls.
    pub(super) call_bytes: usize,
    /// Number of calls that are not in `calls`, because the request had too many.
    pub(super) calls_left_out: u64,
    pub(super) body: ReceivedBody,
    pub(super) fault: Option<Fault>,
    pub(super) status: u16,
    /// Duration of the request. `None` while the request is in progress.
    pub(super) ended: Option<Duration>,
}

/// A phase of the request. It ends when the next phase begins.
pub(super) struct Step {
    pub(super) phase: Phase,
    pub(super) at: Duration,
    pub(super) id: u64,
    pub(super) attributes: Vec<(String, Value)>,
}

/// A call inside of a phase: a query, or a span of the application.
pub(super) struct Call {
    pub(super) id: u64,
    pub(super) parent: u64,
    pub(super) name: String,
    /// Reporter of the call: `sqlx`, `tracing`.
    pub(super) source: &'static str,
    pub(super) at: Duration,
    pub(super) ended: Option<Duration>,
    pub(super) attributes: Vec<(String, Value)>,
}

/// Body of the request.
#[derive(Default)]
pub(super) struct ReceivedBody {
    /// Bytes as received. `None` if there was no body, or if it was not recorded.
    pub(super) bytes: Option<Vec<u8>>,
    /// Number of bytes; -1 for a body in chunks whose length the client has not declared.
    pub(super) length: i64,
}

/// Reason for an error response.
pub(super) struct Fault {
    pub(super) code: String,
    pub(super) name: &'static str,
    pub(super) message: String,
    pub(super) phase: String,
}

impl Recording {
    pub(super) fn new(sequence: u64, parts: &Parts, keeps_content: bool) -> Self {
        let trace_parent = header_text(&parts.headers, "traceparent");
        let trace_parent = trace_parent.as_deref();
        let client_trace = trace_parent.and_then(read_traceparent);
        let field = |number| {
            let field = trace_parent.and_then(|text| text.split('-').nth(number));
            field.filter(|_| client_trace.is_some())
        };
        let flags = field(3).and_then(|flags| u8::from_str_radix(flags, 16).ok());
        let trace_state = header_text(&parts.headers, "tracestate");
        let target = parts.uri.path_and_query();
        Self {
            sequence,
            begun: SystemTime::now(),
            start: Instant::now(),
            method: parts.method.clone(),
            target: target.map_or("/", |target| target.as_str()).to_owned(),
            trace_id: client_trace.map_or_else(random_trace_id, str::to_owned),
            request_id: next_request_id(),
            parent: field(2).map(str::to_owned),
            is_sampled: flags.is_none_or(|flags| flags & 1 == 1),
            trace_state: trace_state
                .filter(|_| client_trace.is_some())
                .map(std::borrow::Cow::into_owned),
            root: random_span_id(),
            headers: keeps_content.then(|| parts.headers.clone()),
            progress: Mutex::default(),
        }
    }

    pub(super) fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the time since the request has arrived.
    pub(super) fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Begins a call inside of the current phase, or inside of another call. Returns the id of the call, or `None` if the
    /// request has too many.
    pub(super) fn begin_call(
        &self,
        parent: Option<u64>,
        name: String,
        source: &'static str,
        attributes: Vec<(String, Value)>,
    ) -> Option<u64> {
        self.add_call(parent, name, source, attributes, Duration::ZERO, false)
    }

    /// Adds a call that has just ended after a duration.
    pub(super) fn add_ended_call(
        &self,
        parent: Option<u64>,
        name: String,
        source: &'static str,
        attributes: Vec<(String, Value)>,
        duration: Duration,
    ) {
        self.add_call(parent, name, source, attributes, duration, true);
    }

    fn add_call(
        &self,
        parent: Option<u64>,
        name: String,
        source: &'static str,
        attributes: Vec<(String, Value)>,
        passed: Duration,
        has_ended: bool,
    ) -> Option<u64> {
        let now = self.elapsed();
        let attributes: Vec<_> = attributes
            .into_iter()
            .map(|(name, value)| (name, truncated(value)))
            .collect();
        let bytes: usize = attributes.iter().map(size_of_attribute).sum();
        let mut progress = self.progress();
        let has_room = progress.calls.len() < MOST_CALLS && progress.call_bytes + bytes <= MOST_CALL_BYTES;
        if progress.ended.is_some() {
            return None;
        }
        if !has_room {
            progress.calls_left_out += 1;
            return None;
        }
        progress.call_bytes += bytes;
        let current = progress.steps.last().map_or(self.root, |step| step.id);
        let id = random_span_id();
        progress.calls.push(Call {
            id,
            parent: parent.unwrap_or(current),
            name,
            source,
            at: now.saturating_sub(passed),
            ended: has_ended.then_some(now),
            attributes,
        });
        Some(id)
    }

    /// Sets attributes of a call.
    pub(super) fn set_call_attributes(&self, id: u64, attributes: impl Iterator<Item = (String, Value)>) {
        let mut progress = self.progress();
        // A span can outlive its request.
        if progress.ended.is_some() {
            return;
        }
        let mut bytes = progress.call_bytes;
        if let Some(call) = progress.calls.iter_mut().find(|call| call.id == id) {
            for (name, value) in attributes {
                let attribute = (name, truncated(value));
                let more = size_of_attribute(&attribute);
                if bytes + more <= MOST_CALL_BYTES {
                    bytes += more;
                    set(&mut call.attributes, &attribute.0, attribute.1);
                }
            }
        }
        progress.call_bytes = bytes;
    }

    /// Ends the recording. Returns the duration of the request, and the reference of its route, which is empty for an unknown route.
    pub(super) fn end(&self, status: u16) -> (Duration, &'static str) {
        let duration = self.elapsed();
        let mut progress = self.progress();
        progress.status = status;
        progress.ended = Some(duration);
        (duration, progress.route.unwrap_or_default())
    }

    pub(super) fn end_call(&self, id: u64) {
        let now = self.elapsed();
        if let Some(call) = self.progress().calls.iter_mut().find(|call| call.id == id) {
            call.ended = Some(now);
        }
    }
}

pub(super) fn set(attributes: &mut Vec<(String, Value)>, name: &str, value: Value) {
    attributes.retain(|(known, _)| known != name);
    if attributes.len() < MOST_ATTRIBUTES {
        attributes.push((name.to_owned(), truncated(value)));
    }
}

/// Returns the estimated number of bytes of an attribute.
fn size_of_attribute((name, value): &(String, Value)) -> usize {
    name.len() + value.as_str().map_or(8, str::len)
}

fn truncated(value: Value) -> Value {
    match value {
        Value::String(mut text) if text.len() > MOST_TEXT_BYTES => {
            let is_boundary = |at: &usize| text.is_char_boundary(*at);
            let end = (0..=MOST_TEXT_BYTES).rev().find(is_boundary);
            text.truncate(end.unwrap_or_default());
            text.push('…');
            text.into()
        }
        value => value,
    }
}

/// Returns the number of a process-wide counter, from 1.
pub(super) fn next_sequence() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

#[cfg(test)]
mod tests {
    use axum::http::Request;

    use super::{MOST_CALL_BYTES, Recording};

    #[test]
    fn keeps_a_bounded_number_of_bytes_of_calls_and_nothing_after_the_end() {
        let (parts, ()) = Request::new(()).into_parts();
        let recording = Recording::new(1, &parts, false);
        let long = || vec![("argument".to_owned(), "ä".repeat(10_000).into())];
        let begun = (0..100).filter_map(|_| recording.begin_call(None, "call".to_owned(), "tracing", long()));
        let begun: Vec<u64> = begun.collect();
        assert!((5..10).contains(&begun.len()), "{}", begun.len());
        recording.set_call_attributes(begun[0], long().into_iter());
        assert!(recording.progress().call_bytes <= MOST_CALL_BYTES);
        let left_out = recording.progress().calls_left_out;
        assert_eq!(begun.len() as u64 + left_out, 100);
        recording.end(200);
        recording.set_call_attributes(begun[0], [("late".to_owned(), 1.into())].into_iter());
        assert_eq!(recording.progress().calls[0].attributes.len(), 1);
    }
}
