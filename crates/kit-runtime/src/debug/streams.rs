//! WebSockets, and responses that are streams of events or lines: the form of `StreamRecord` in `packages/types/src/observe.ts`, with
//! hidden values replaced.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use serde_json::{Map, Value, json};

use super::answer::{Refusal, truncate};
use super::history::history;
use super::query::Query;
use super::record_json::unix_milliseconds;
use super::recorded::Recorded;
use super::redaction::Redaction;
use super::routes::routes_named;
use super::state::State;
use crate::Error;
use crate::http::Segment;

/// Maximum number of streams that are kept.
const KEPT: usize = 200;
/// Maximum number of messages of a stream that are kept.
const MESSAGES: usize = 20;
/// Maximum length of a message whose text is kept, in UTF-16 code units as on Node.
const MESSAGE_LENGTH: usize = 1_024;
/// Maximum number of streams in a response, unless the query has a limit.
const DEFAULT_LIMIT: usize = 100;

/// Format of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamKind {
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))] // Reason: only WebSockets have this format.
    Socket,
    Events,
    Lines,
}

/// Reason for the end of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StreamResult {
    /// All messages were sent.
    Complete,
    /// The application closed the stream.
    Closed,
    /// The client left.
    Disconnected,
    /// The handler failed.
    Failed,
}

/// Streams that the sidecar shows.
static STREAMS: Mutex<List> = Mutex::new(List {
    open: Vec::new(),
    ended: VecDeque::new(),
    missed: 0,
});

#[derive(Debug)]
struct List {
    /// Open streams, the oldest first.
    open: Vec<Arc<StreamLog>>,
    /// Ended streams, the oldest first.
    ended: VecDeque<Arc<StreamLog>>,
    /// Number of streams that were not kept, because too many were open.
    missed: u64,
}

/// Record of one stream.
#[derive(Debug)]
struct StreamLog {
    request_id: String,
    trace_id: String,
    kind: StreamKind,
    protocol: Option<&'static str>,
    route: &'static str,
    /// Path and query, without redaction.
    target: String,
    segments: &'static [Segment],
    progress: Mutex<Progress>,
}

#[derive(Debug)]
struct Progress {
    begun: SystemTime,
    received: Count,
    sent: Count,
    /// Latest messages, the oldest first. Empty in production.
    messages: VecDeque<Message>,
    end: Option<End>,
}

#[derive(Debug, Default)]
struct Count {
    messages: u64,
    bytes: usize,
}

#[derive(Debug)]
struct Message {
    time: SystemTime,
    direction: &'static str,
    bytes: usize,
    event: Option<&'static str>,
    text: Option<String>,
    /// True if the contract allows plain text.
    is_plain: bool,
}

#[derive(Debug)]
struct End {
    time: SystemTime,
    result: StreamResult,
    code: Option<u16>,
    reason: String,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Recording of a stream. `None` if the request is not recorded.
#[derive(Debug, Clone)]
pub(crate) struct RecordedStream(Option<Arc<StreamLog>>);

impl Recorded {
    /// Begins the recording of a stream. The sidecar shows the stream after [`RecordedStream::open`].
    pub(crate) fn stream(&self, kind: StreamKind, protocol: Option<&'static str>) -> RecordedStream {
        RecordedStream(self.recording().map(|recording| {
            let progress = recording.progress();
            Arc::new(StreamLog {
                request_id: recording.request_id.clone(),
                trace_id: recording.trace_id.clone(),
                kind,
                protocol,
                route: progress.route.unwrap_or_default(),
                target: recording.target.clone(),
                segments: progress.segments,
                progress: Mutex::new(Progress {
                    begun: SystemTime::now(),
                    received: Count::default(),
                    sent: Count::default(),
                    messages: VecDeque::new(),
                    end: None,
                }),
            })
        }))
    }
}

impl RecordedStream {
    /// Shows the stream as open.
    pub(crate) fn open(&self) {
        let Some(log) = &self.0 else { return };
        let mut list = lock(&STREAMS);
        if list.open.len() + list.ended.len() >= KEPT && list.ended.pop_front().is_none() {
            list.missed += 1;
            return;
        }
        list.open.push(Arc::clone(log));
    }

    /// Records a message of the client. `text` is `None` for a binary message. `is_plain` is true if the contract allows plain text.
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))] // Reason: only WebSockets have messages of the client.
    pub(crate) fn received(&self, text: Option<&str>, is_plain: bool, bytes: usize) {
        if let Some(log) = &self.0 {
            let mut progress = lock(&log.progress);
            progress.received.add(bytes);
            progress.keep("in", text, is_plain, bytes, None);
        }
    }

    /// Records a message to the client in JSON. The message has `bytes` bytes on the wire. `event` is the name of an event.
    pub(crate) fn sent(&self, text: &str, event: Option<&'static str>, bytes: usize) {
        self.keep_sent(Some(text), false, bytes, event);
    }

    /// Records a message of a WebSocket to the client, with the arguments of [`Self::received`].
    #[cfg(feature = "sockets")]
    pub(crate) fn sent_message(&self, text: Option<&str>, is_plain: bool, bytes: usize) {
        self.keep_sent(text, is_plain, bytes, None);
    }

    fn keep_sent(&self, text: Option<&str>, is_plain: bool, bytes: usize, event: Option<&'static str>) {
        if let Some(log) = &self.0 {
            let mut progress = lock(&log.progress);
            progress.sent.add(bytes);
            progress.keep("out", text, is_plain, bytes, event);
        }
    }

    /// Records the end. Later calls have no effect.
    pub(crate) fn end(&self, result: StreamResult, code: Option<u16>, reason: &str) {
        let Some(log) = &self.0 else { return };
        let mut progress = lock(&log.progress);
        if progress.end.is_some() {
            return;
        }
        progress.end = Some(End {
            time: SystemTime::now(),
            result,
            code,
            reason: reason.to_owned(),
        });
        // A stream that fails before its first message becomes an error response.
        let is_error = result == StreamResult::Failed && progress.sent.messages == 0;
        drop(progress);
        let mut list = lock(&STREAMS);
        let Some(at) = list.open.iter().position(|open| Arc::ptr_eq(open, log)) else {
            return;
        };
        let ended = list.open.remove(at);
        if !is_error {
            list.ended.push_back(ended);
        }
    }

    /// Runs the work of a response, and records its beginning and its end.
    pub(crate) async fn watch(self, work: impl Future<Output = Result<(), Error>>) -> Result<(), Error> {
        /// Records the end of a stream whose client has left, because the work is dropped then.
        struct Ending(RecordedStream);

        impl Drop for Ending {
            fn drop(&mut self) {
                self.0.end(StreamResult::Disconnected, None, "");
            }
        }

        self.open();
        let ending = Ending(self);
        let result = work.await;
        match &result {
            Ok(()) if ending.0.is_cut_short() => ending.0.end(StreamResult::Closed, None, ""),
            Ok(()) => ending.0.end(StreamResult::Complete, None, ""),
            Err(error) => ending.0.end(StreamResult::Failed, None, error.message()),
        }
        result
    }

    /// Returns true if the stream ends because the server shuts down, which ends streams of events.
    fn is_cut_short(&self) -> bool {
        let kind = self.0.as_ref().map(|log| log.kind);
        kind == Some(StreamKind::Events) && crate::shutdown::is_closing()
    }
}

impl Count {
    fn add(&mut self, bytes: usize) {
        self.messages += 1;
        self.bytes += bytes;
    }

    fn json(&self) -> Value {
        json!({ "messages": self.messages, "bytes": self.bytes })
    }
}

impl Progress {
    fn keep(
        &mut self,
        direction: &'static str,
        text: Option<&str>,
        is_plain: bool,
        bytes: usize,
        event: Option<&'static str>,
    ) {
        if !history().is_some_and(super::history::History::keeps_content) {
            return;
        }
        if self.messages.len() == MESSAGES {
            self.messages.pop_front();
        }
        let text = text.filter(|text| text.encode_utf16().take(MESSAGE_LENGTH + 1).count() <= MESSAGE_LENGTH);
        self.messages.push_back(Message {
            time: SystemTime::now(),
            direction,
            bytes,
            event,
            text: text.map(str::to_owned),
            is_plain,
        });
    }
}

impl StreamLog {
    /// Returns the record without its messages.
    fn summary(&self, redaction: &Redaction) -> Map<String, Value> {
        let progress = lock(&self.progress);
        let kind = match self.kind {
            StreamKind::Socket => "socket",
            StreamKind::Events => "events",
            StreamKind::Lines => "lines",
        };
        let end = progress.end.as_ref().map(|end| {
            let result = match end.result {
                StreamResult::Complete => "complete",
                StreamResult::Closed => "closed",
                StreamResult::Disconnected => "disconnected",
                StreamResult::Failed => "failed",
            };
            json!({
                "time": unix_milliseconds(end.time),
                "result": result,
                "code": end.code,
                "reason": redaction.text(&end.reason),
            })
        });
        let members = [
            ("requestId", Value::from(self.request_id.as_str())),
            ("traceId", self.trace_id.as_str().into()),
            ("kind", kind.into()),
            ("protocol", self.protocol.into()),
            ("route", self.route.into()),
            ("target", redaction.target(&self.target, self.segments).into()),
            ("startTime", unix_milliseconds(progress.begun).into()),
            ("received", progress.received.json()),
            ("sent", progress.sent.json()),
            ("end", end.unwrap_or_default()),
        ];
        members
            .map(|(name, value)| (name.to_owned(), value))
            .into_iter()
            .collect()
    }

    /// Returns the record with its messages.
    fn json(&self, redaction: &Redaction) -> Value {
        let mut record = self.summary(redaction);
        let progress = lock(&self.progress);
        let messages = progress.messages.iter().map(|message| {
            let text = message.text.as_ref();
            json!({
                "time": unix_milliseconds(message.time),
                "direction": message.direction,
                "bytes": message.bytes,
                "event": message.event,
                "text": text.and_then(|text| redaction.message(text, message.is_plain)),
            })
        });
        record.insert("messages".to_owned(), messages.collect());
        record.into()
    }

    fn begun(&self) -> SystemTime {
        lock(&self.progress).begun
    }
}

/// Returns the streams without their messages: open ones, then ended ones, each with the newest first.
pub(super) fn streams(state: &State, query: &Query) -> Result<Value, Refusal> {
    let routes = query
        .text("route")
        .map(|name| routes_named(state, name))
        .transpose()?;
    let limit = query.limit(&["limit"], DEFAULT_LIMIT)?;
    let list = lock(&STREAMS);
    let missed = list.missed;
    let mut open = list.open.clone();
    let mut ended: Vec<_> = list.ended.iter().cloned().collect();
    drop(list);
    let mut count = 0;
    for (part, is_open) in [(&mut open, true), (&mut ended, false)] {
        part.retain(|log| routes.as_ref().is_none_or(|routes| routes.contains(&log.route)));
        part.sort_by_key(|log| std::cmp::Reverse(log.begun()));
        count += if is_open { part.len() } else { 0 };
    }
    let shown = open.iter().chain(&ended).take(limit);
    let shown = shown.map(|log| Value::from(log.summary(&state.redaction)));
    Ok(json!({ "open": count, "missed": missed, "streams": shown.collect::<Vec<_>>() }))
}

/// Returns one stream with its latest messages.
pub(super) fn stream(state: &State, request_id: &str) -> Result<Value, Refusal> {
    let list = lock(&STREAMS);
    let found = list.open.iter().chain(&list.ended);
    let found = found.rev().find(|log| log.request_id == request_id).cloned();
    drop(list);
    let Some(found) = found else {
        let id = truncate(request_id);
        return Err(Refusal::not_found(format!(
            "there is no stream {id}; the sidecar keeps only the last streams, which /_debug/streams lists"
        )));
    };
    Ok(json!({ "stream": found.json(&state.redaction) }))
}
