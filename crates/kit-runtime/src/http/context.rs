//! What is known of a request while it is under way.

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::http::header::AsHeaderName;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, request::Parts};

use crate::settings::settings;

use super::ids::{next_request_id, random_trace_id, read_traceparent};
use super::normal_uri::make_normal;
use super::routes::wildcard_of;
use super::source::Source;
use crate::telemetry::Trace;

tokio::task_local! {
    static CURRENT: Context;
}

/// The request that the task under way serves.
pub(crate) fn current() -> Option<Context> {
    CURRENT.try_with(Clone::clone).ok()
}

/// A step on the way of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// Its head is there.
    Received,
    /// What it asks for is looked up.
    Normalize,
    /// The middleware of that name runs.
    Middleware(&'static str),
    /// Its path parameters are read.
    Params,
    /// Its query is read.
    Query,
    /// Its body is read.
    Body,
    /// Its handler runs.
    Handler,
    /// Its answer is written as text.
    Serialization,
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Received => f.write_str("received"),
            Self::Normalize => f.write_str("server:normalize"),
            Self::Middleware(name) => write!(f, "middleware:{name}"),
            Self::Params => f.write_str("validation:params"),
            Self::Query => f.write_str("validation:query"),
            Self::Body => f.write_str("validation:body"),
            Self::Handler => f.write_str("handler"),
            Self::Serialization => f.write_str("serialization"),
        }
    }
}

/// A request under way. A clone is the same request.
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    peer: Option<IpAddr>,
    /// Made when they are asked for.
    trace_id: OnceLock<String>,
    request_id: OnceLock<String>,
    route: OnceLock<(&'static str, Source)>,
    phase: Mutex<Phase>,
    answer_headers: Mutex<HeaderMap>,
    /// Of the answer; 0 for the contract's.
    status: AtomicU16,
    trace: Trace,
}

impl Context {
    pub(super) fn new(mut parts: Parts, peer: Option<IpAddr>) -> Self {
        make_normal(&mut parts.uri);
        Self(Arc::new(Inner {
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            peer,
            trace_id: OnceLock::new(),
            request_id: OnceLock::new(),
            route: OnceLock::new(),
            phase: Mutex::new(Phase::Received),
            answer_headers: Mutex::new(HeaderMap::new()),
            status: AtomicU16::new(0),
            trace: Trace::begin(),
        }))
    }

    /// Runs the request's own work, so that what is logged meanwhile says whose it is.
    pub(super) async fn scope<F: Future>(&self, work: F) -> F::Output {
        CURRENT.scope(self.clone(), work).await
    }

    /// The same for a part of it that waits for nothing.
    pub(super) fn scope_part<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), work)
    }

    /// The id of the trace that it belongs to: the one its `traceparent` header names, else a new one.
    pub fn trace_id(&self) -> &str {
        self.0.trace_id.get_or_init(|| {
            self.header("traceparent")
                .as_deref()
                .and_then(read_traceparent)
                .map_or_else(random_trace_id, str::to_owned)
        })
    }

    /// Its own id.
    pub fn request_id(&self) -> &str {
        self.0.request_id.get_or_init(next_request_id)
    }

    /// Its method.
    pub fn method(&self) -> &Method {
        &self.0.method
    }

    /// Its path in the normal form (see [`kit_guard::normal_path`]), without the query.
    pub fn path(&self) -> &str {
        self.0.uri.path()
    }

    /// The part of the path that the route's wildcard takes, percent-encoded and with a final slash if the client sent one; nothing if the route has no
    /// wildcard. The parameter of the wildcard is decoded and has no final slash, so `a%2Fb` and `a/b` look the same there, and `a` and `a/`.
    pub fn raw_wildcard(&self) -> Option<&str> {
        let (_, pattern) = self.route()?.split_once(' ')?;
        wildcard_of(pattern, self.path())
    }

    /// Its query, without the `?`.
    pub(super) fn query(&self) -> &str {
        self.0.uri.query().unwrap_or_default()
    }

    /// The route that answers it, `GET /notes/:id`; nothing where none does.
    pub fn route(&self) -> Option<&'static str> {
        self.0.route.get().map(|(route, _)| *route)
    }

    /// Where that comes from.
    pub(super) fn source(&self) -> Option<Source> {
        self.0.route.get().map(|(_, source)| *source)
    }

    pub(super) fn set_route(&self, route: &'static str, source: Source) {
        let _ = self.0.route.set((route, source));
    }

    /// Where it is.
    pub fn phase(&self) -> Phase {
        *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.0.trace.enter(phase);
        *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Enters the validation of a slot, and before it those that the route leaves out: each is a phase of every request, and has a span.
    pub(super) fn enter_validation(&self, slot: Phase) {
        const ALL: [Phase; 3] = [Phase::Params, Phase::Query, Phase::Body];
        let current = self.phase();
        if current == slot {
            return;
        }
        if self.0.trace.is_kept() {
            let passed = ALL.iter().position(|phase| *phase == current);
            let between = ALL.into_iter().skip(passed.map_or(0, |at| at + 1));
            for phase in between.take_while(|phase| *phase != slot) {
                self.enter(phase);
            }
        }
        self.enter(slot);
    }

    /// What a collector is told of it.
    pub(crate) fn trace(&self) -> &Trace {
        &self.0.trace
    }

    /// Adds an attribute to the span that is under way, that of the handler or the middleware: a text, a number or a truth. Where no collector is told
    /// of the request, it goes nowhere.
    ///
    /// ```
    /// # fn handle(context: &kit_runtime::Context) {
    /// context.set_attribute("notes.count", 3);
    /// # }
    /// ```
    pub fn set_attribute(&self, name: &'static str, value: impl Into<serde_json::Value>) {
        self.0.trace.set_attribute(name, || value.into());
    }

    /// The address of the client: of whoever connected, or what the proxies say that `TRUST_PROXY` names. Nothing if a proxy does not tell it, and if
    /// the request did not come through [`crate::serve`].
    pub fn ip(&self) -> Option<IpAddr> {
        let header = |name: &str| text_of(&self.0.headers, name);
        settings().trust_proxy.client(self.0.peer?, header)
    }

    /// A header as text, its bytes read as Latin-1; values of one that is repeated are joined by `, `. Nothing where it is not there.
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        text_of(&self.0.headers, name)
    }

    /// All its headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Answers with this status in place of the contract's. Errors have a status of their own.
    pub fn set_status(&self, status: StatusCode) {
        self.0.status.store(status.as_u16(), Ordering::Relaxed);
    }

    /// What [`Self::set_status`] said.
    pub(super) fn status(&self) -> Option<StatusCode> {
        let status = self.0.status.load(Ordering::Relaxed);
        StatusCode::from_u16(status).ok()
    }

    /// Sets a header of the answer. An error's answer keeps it, unless it describes the body that is not sent.
    pub fn set_header(&self, name: HeaderName, value: HeaderValue) {
        if is_free(&name) {
            self.answer_headers().insert(name, value);
        }
    }

    /// Adds a header to the answer, beside those of the same name.
    pub fn append_header(&self, name: HeaderName, value: HeaderValue) {
        if is_free(&name) {
            self.answer_headers().append(name, value);
        }
    }

    pub(super) fn answer_headers(&self) -> std::sync::MutexGuard<'_, HeaderMap> {
        self.0
            .answer_headers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// The span of whoever sent the request, and whether it is to be told of.
#[cfg(feature = "otlp")]
pub(crate) fn parent_span(context: &Context) -> Option<(u64, bool)> {
    let header = context.header("traceparent")?;
    read_traceparent(&header)?;
    let mut fields = header.split('-').skip(2);
    let span = u64::from_str_radix(fields.next()?, 16).ok()?;
    let flags = u8::from_str_radix(fields.next()?, 16).ok()?;
    Some((span, flags & 1 == 1))
}

/// What [`Context::header`] gives.
pub(super) fn text_of(headers: &HeaderMap, name: impl AsHeaderName) -> Option<Cow<'_, str>> {
    let mut values = headers.get_all(name).iter();
    let mut joined = latin1(values.next()?);
    for value in values {
        joined = Cow::Owned(format!("{joined}, {}", latin1(value)));
    }
    Some(joined)
}

/// The text of a header's bytes, as every server of kit reads them.
fn latin1(value: &HeaderValue) -> Cow<'_, str> {
    match value.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(value.as_bytes().iter().copied().map(char::from).collect()),
    }
}

/// Framing and the connection belong to the server: a handler that set these would break the answer's bounds.
fn is_free(name: &HeaderName) -> bool {
    let is_of_the_server = matches!(
        *name,
        header::CONNECTION
            | header::CONTENT_LENGTH
            | header::TE
            | header::TRAILER
            | header::TRANSFER_ENCODING
            | header::UPGRADE
    ) || matches!(name.as_str(), "keep-alive" | "proxy-connection");
    if is_of_the_server {
        tracing::warn!("The header {name} is set by the server and cannot be set by a handler");
    }
    !is_of_the_server
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("method", self.method())
            .field("path", &self.path())
            .field("route", &self.route())
            .finish_non_exhaustive()
    }
}
