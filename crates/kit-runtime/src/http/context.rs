//! The context of a request: its ids, its phase, its headers, and the status and headers that its handler sets.
//!
//! tidy: long because the file has one type, and its public functions have examples

use std::borrow::Cow;
use std::fmt;
use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use axum::http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header, request::Parts,
};

use crate::connection::ConnectionState;
use crate::cookies::{Cookie, Cookies};
use crate::debug::Recorded;
use crate::is_development;
#[cfg(feature = "testing")]
use crate::settings::Settings;
use crate::settings::settings;

use kit_static::{CurrentVersion, Outcome, evaluate};

use super::handler_headers::{is_free, remove_value};
use super::header_text::text_of;
use super::ids::{next_request_id, random_trace_id, read_traceparent};
use super::normal_uri::make_normal;
use super::routes::{Segment, hide_parameters, wildcard_of};
use super::source::RouteSource;
use super::{Error, Phase};
use crate::redact::{REDACTED, redactor};
use crate::telemetry::Trace;

tokio::task_local! {
    static CURRENT: Context;
}

/// Returns the context of the request that the current task serves. Returns `None` outside of requests.
pub(crate) fn current() -> Option<Context> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Header with the trace of the caller. A name that was parsed once is found faster than a string.
static TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Route that a request matched.
#[derive(Debug, Clone, Copy)]
pub(super) struct MatchedRoute {
    /// Method and path pattern, such as `GET /notes/:id`.
    pub(super) reference: &'static str,
    /// Segments of the path pattern.
    pub(super) segments: &'static [Segment],
    pub(super) source: RouteSource,
}

/// A request in progress. Clones share the same request.
///
/// ```
/// use kit_runtime::Context;
///
/// fn describe(context: &Context) -> String {
///     let (method, path) = (context.method(), context.path());
///     let route = context.route().unwrap_or("no route");
///     let agents = context.headers().get_all("user-agent").iter().count();
///     format!("{method} {path} ({route}), phase {}, {agents} user agents", context.phase())
/// }
/// ```
#[derive(Clone)]
pub struct Context(Arc<Inner>);

struct Inner {
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    connection: Option<Arc<ConnectionState>>,
    /// The ids are created when they are read for the first time.
    trace_id: OnceLock<String>,
    request_id: OnceLock<String>,
    route: OnceLock<MatchedRoute>,
    /// Segments of a route with the same path and another method. They tell which parameters of the path are
    /// hidden in the log.
    path_segments: OnceLock<&'static [Segment]>,
    phase: Mutex<Phase>,
    answer_headers: Mutex<HeaderMap>,
    /// Cookies that [`Context::set_cookie`] has set: their ids, and their values of `set-cookie`.
    cookies: Mutex<Vec<(String, HeaderValue)>>,
    /// Status that the handler has set; 0 if the status of the contract applies.
    status: AtomicU16,
    /// True if the header `accept` chooses the format of the response.
    varies: AtomicBool,
    /// True if the handler reads the body, and has not read the body to its end.
    is_body_unread: AtomicBool,
    /// Values of [`Context::insert`].
    values: Mutex<Extensions>,
    trace: Trace,
    /// Recording of the debug sidecar.
    recorded: Recorded,
    /// Connection after a response with the status 101.
    #[cfg(feature = "sockets")]
    upgrade: Mutex<Option<hyper::upgrade::OnUpgrade>>,
    /// Subprotocol that the handshake of a WebSocket chose.
    #[cfg(feature = "sockets")]
    subprotocol: OnceLock<&'static str>,
}

impl Context {
    pub(super) fn new(mut parts: Parts, connection: Option<Arc<ConnectionState>>) -> Self {
        make_normal(&mut parts.uri);
        let recorded = Recorded::begin(&parts);
        let (trace_id, request_id) = recorded.ids();
        Self(Arc::new(Inner {
            method: parts.method,
            uri: parts.uri,
            headers: parts.headers,
            connection,
            trace_id,
            request_id,
            route: OnceLock::new(),
            path_segments: OnceLock::new(),
            phase: Mutex::new(Phase::Received),
            answer_headers: Mutex::new(HeaderMap::new()),
            cookies: Mutex::new(Vec::new()),
            status: AtomicU16::new(0),
            varies: AtomicBool::new(false),
            is_body_unread: AtomicBool::new(false),
            values: Mutex::new(Extensions::new()),
            trace: Trace::begin(),
            recorded,
            #[cfg(feature = "sockets")]
            upgrade: Mutex::new(parts.extensions.remove()),
            #[cfg(feature = "sockets")]
            subprotocol: OnceLock::new(),
        }))
    }

    /// Creates the context of a request that no server has received, for a unit test of a handler, middleware or a service.
    /// Needs the feature `testing`.
    ///
    /// The request has no route and no client: [`Self::route`] and [`Self::ip`] return `None`. Cookies are signed with the keys of
    /// `KIT_COOKIE_KEYS`.
    ///
    /// ```
    /// use kit_runtime::axum::http::Request;
    /// use kit_runtime::{Context, HeaderValue, header};
    ///
    /// fn greet(context: &Context) -> &'static str {
    ///     context.set_header(header::VARY, HeaderValue::from_static("accept-language"));
    ///     match context.header("accept-language").as_deref() {
    ///         Some("de") => "Hallo",
    ///         _ => "Hello",
    ///     }
    /// }
    ///
    /// let request = Request::get("/greeting").header("accept-language", "de").body(())?;
    /// let context = Context::for_test(request);
    /// assert_eq!(greet(&context), "Hallo");
    /// assert_eq!(context.headers_to_send()["vary"], "accept-language");
    /// # Ok::<(), kit_runtime::axum::http::Error>(())
    /// ```
    #[cfg(feature = "testing")]
    pub fn for_test(request: axum::http::Request<()>) -> Self {
        // A wrong variable gives the defaults, as in `TestClient`.
        let _ = Settings::load();
        Self::new(request.into_parts().0, None)
    }

    /// Returns the headers and cookies of the response that the code under test has set. Needs the feature `testing`.
    #[cfg(feature = "testing")]
    pub fn headers_to_send(&self) -> HeaderMap {
        self.answer_headers().clone()
    }

    /// Records if the handler has still to read a part of the body.
    pub(super) fn set_body_unread(&self, is_unread: bool) {
        self.0.is_body_unread.store(is_unread, Ordering::Relaxed);
    }

    /// Returns true if the handler has not read the whole body. The connection closes after the response then.
    pub(super) fn is_body_unread(&self) -> bool {
        self.0.is_body_unread.load(Ordering::Relaxed)
    }

    /// Records that the header `accept` chooses the format of the response.
    pub(super) fn set_varies(&self) {
        self.0.varies.store(true, Ordering::Relaxed);
    }

    /// Returns true if the header `accept` chooses the format of the response, so that the response has `vary: accept`.
    pub(super) fn varies(&self) -> bool {
        self.0.varies.load(Ordering::Relaxed)
    }

    /// Returns the connection of the request. Returns `None` if a server other than kit's serves the program.
    pub(super) fn connection(&self) -> Option<&ConnectionState> {
        self.0.connection.as_deref()
    }

    /// Runs a future during which this request is the current request, so that log entries have its ids.
    pub(super) async fn scope<F: Future>(&self, work: F) -> F::Output {
        CURRENT.scope(self.clone(), work).await
    }

    /// Returns the future of the connection after a response with the status 101. `None` if the request does not ask for such
    /// a response, or if the future was taken.
    #[cfg(feature = "sockets")]
    pub(super) fn upgrade(&self) -> std::sync::MutexGuard<'_, Option<hyper::upgrade::OnUpgrade>> {
        self.0.upgrade.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subprotocol that the handshake of a WebSocket chose, empty before.
    #[cfg(feature = "sockets")]
    pub(super) fn subprotocol(&self) -> &OnceLock<&'static str> {
        &self.0.subprotocol
    }

    /// Runs a synchronous function during which this request is the current request.
    pub(super) fn scope_part<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), work)
    }

    /// Returns the trace id of the `traceparent` header if the header is valid, and otherwise a random trace
    /// id.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// fn ids(context: &Context) -> String {
    ///     format!("request {} of trace {}", context.request_id(), context.trace_id())
    /// }
    /// ```
    pub fn trace_id(&self) -> &str {
        self.0.trace_id.get_or_init(|| {
            text_of(&self.0.headers, &TRACEPARENT)
                .as_deref()
                .and_then(read_traceparent)
                .map_or_else(random_trace_id, str::to_owned)
        })
    }

    /// Returns the id of this request, which is unique among all requests of the process.
    pub fn request_id(&self) -> &str {
        self.0.request_id.get_or_init(next_request_id)
    }

    /// Returns the method of the request.
    pub fn method(&self) -> &Method {
        &self.0.method
    }

    /// Returns the path in the normal form (see [`kit_guard::normal_path`]), without the query.
    pub fn path(&self) -> &str {
        self.0.uri.path()
    }

    /// Returns the path for the log. Values of parameters that the log hides are replaced: `/reset/[redacted]` for
    /// `/reset/:token`.
    pub(crate) fn shown_path(&self) -> Cow<'_, str> {
        let is_hidden = |name: &str| redactor().hides_parameter(name);
        hide_parameters(self.segments(), self.path(), is_hidden, REDACTED)
    }

    /// Returns the segments of the route, or of a route that has the path of the request, but another method. Returns an empty
    /// list if no route has the path.
    pub(crate) fn segments(&self) -> &'static [Segment] {
        let route = self.0.route.get().map(|route| route.segments);
        route
            .or_else(|| self.0.path_segments.get().copied())
            .unwrap_or_default()
    }

    /// Returns the part of the path that the wildcard of the route matches. The text is percent-encoded and keeps
    /// a trailing slash of the request. Returns `None` if the route has no wildcard.
    ///
    /// The decoded parameter of the wildcard cannot tell `a%2Fb` from `a/b`, and `a` from `a/`. This text
    /// can.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// /// Returns the key of an object for `GET /objects/*key`.
    /// fn key(context: &Context) -> &str {
    ///     context.raw_wildcard().unwrap_or_default()
    /// }
    /// ```
    pub fn raw_wildcard(&self) -> Option<&str> {
        wildcard_of(self.0.route.get()?.segments, self.path())
    }

    /// Returns the query without the `?`. `None` if the target of the request has no `?`.
    #[cfg(feature = "sqlx")]
    pub(super) fn query_of_target(&self) -> Option<&str> {
        self.0.uri.query()
    }

    /// Returns the query without the `?`.
    pub(crate) fn query(&self) -> &str {
        self.0.uri.query().unwrap_or_default()
    }

    /// Returns the route of the request, such as `GET /notes/:id`; `None` if no route matches.
    pub fn route(&self) -> Option<&'static str> {
        self.0.route.get().map(|route| route.reference)
    }

    /// Returns the source locations of the route.
    pub(super) fn source(&self) -> Option<RouteSource> {
        self.0.route.get().map(|route| route.source)
    }

    pub(super) fn set_route(&self, route: MatchedRoute) {
        self.0.recorded.set_route(route.reference, route.segments);
        let _ = self.0.route.set(route);
    }

    /// Sets the segments of a route that has the path of the request, but another method.
    pub(super) fn set_path_segments(&self, segments: &'static [Segment]) {
        self.0.recorded.set_segments(segments);
        let _ = self.0.path_segments.set(segments);
    }

    /// Returns the current phase.
    pub fn phase(&self) -> Phase {
        *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn enter(&self, phase: Phase) {
        self.0.trace.enter(phase);
        self.0.recorded.enter(phase);
        *self.0.phase.lock().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    /// Returns to the phase of a wrapper, without a new span. Returns the phase of the wrapped code.
    pub(super) fn replace_phase(&self, phase: Phase) -> Phase {
        let mut current = self.0.phase.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut current, phase)
    }

    /// Enters the phase in which a slot of the request is validated. First enters the phases of the slots
    /// before it (params, query, body) even if the contract does not use them, because each of these phases
    /// has a span in every trace.
    pub(super) fn enter_validation(&self, slot: Phase) {
        const ALL: [Phase; 5] = [
            Phase::Params,
            Phase::Query,
            Phase::Headers,
            Phase::Cookies,
            Phase::Body,
        ];
        let current = self.phase();
        if current == slot {
            return;
        }
        if self.0.trace.is_kept() || self.0.recorded.is_kept() {
            let passed = ALL.iter().position(|phase| *phase == current);
            let between = ALL.into_iter().skip(passed.map_or(0, |at| at + 1));
            let between = between.take_while(|phase| *phase != slot);
            for phase in between.filter(|phase| !matches!(phase, Phase::Headers | Phase::Cookies)) {
                self.enter(phase);
            }
        }
        self.enter(slot);
    }

    /// Returns the trace of this request, which is exported to a collector.
    pub(crate) fn trace(&self) -> &Trace {
        &self.0.trace
    }

    /// Returns the recording of this request by the debug sidecar.
    pub(crate) fn recorded(&self) -> &Recorded {
        &self.0.recorded
    }

    /// Adds an attribute to the current span, which is the span of the handler or of the middleware. The value is a
    /// string, a number or a boolean. Has no effect if the request is neither exported to a collector nor recorded by the debug
    /// sidecar.
    ///
    /// ```
    /// # fn handle(context: &kit_runtime::Context) {
    /// context.set_attribute("notes.count", 3);
    /// # }
    /// ```
    pub fn set_attribute(&self, name: &'static str, value: impl Into<serde_json::Value>) {
        if !self.0.trace.is_kept() && !self.0.recorded.is_kept() {
            return;
        }
        let value = value.into();
        self.0.recorded.set_attribute(name, || value.clone());
        self.0.trace.set_attribute(name, || value);
    }

    /// Stores a value for later middleware, for wrappers, for the handler and for the functions that they call. Replaces an
    /// earlier value of the same type.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// /// Id of the caller.
    /// #[derive(Clone)]
    /// struct Subject(String);
    ///
    /// fn remember(context: &Context, id: &str) {
    ///     context.insert(Subject(id.to_owned()));
    /// }
    ///
    /// fn subject(context: &Context) -> Option<String> {
    ///     context.get::<Subject>().map(|Subject(id)| id)
    /// }
    /// ```
    pub fn insert<T: Clone + Send + Sync + 'static>(&self, value: T) {
        self.values().insert(value);
    }

    /// Returns a copy of the value that [`Self::insert`] has stored. `None` if no value of this type was stored.
    pub fn get<T: Clone + Send + Sync + 'static>(&self) -> Option<T> {
        self.values().get().cloned()
    }

    fn values(&self) -> std::sync::MutexGuard<'_, Extensions> {
        self.0.values.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the IP address of the client: the address of the peer, or the address that the trusted proxies
    /// (`TRUST_PROXY`) report. Returns `None` if a trusted proxy reports no address, or if the request did not come
    /// through [`crate::serve`].
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// fn is_local(context: &Context) -> bool {
    ///     context.ip().is_some_and(|address| address.is_loopback())
    /// }
    /// ```
    pub fn ip(&self) -> Option<IpAddr> {
        let header = |name: &str| text_of(&self.0.headers, name);
        settings()
            .trust_proxy
            .client(self.0.connection.as_ref()?.peer, header)
    }

    /// Returns the certificate of the client, which the server has verified with the authorities of `TLS_CLIENT_CA`. Returns `None` if the
    /// client has sent none, which `TLS_CLIENT_CERTIFICATES=optional` permits, and without TLS.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// fn name_of_client(context: &Context) -> Option<&str> {
    ///     context.client_certificate()?.common_name()
    /// }
    /// ```
    #[cfg(feature = "tls")]
    pub fn client_certificate(&self) -> Option<&crate::ClientCertificate> {
        self.0.connection.as_ref()?.certificate.as_ref()
    }

    /// Returns the origin at which the client reaches the server, such as `https://api.example.com`: `http` and the header
    /// `host`, which a client can choose, or the report of the trusted proxies (`TRUST_PROXY_SCHEME`, `TRUST_PROXY_HOST`).
    /// Returns `None` if the request has no header `host`, or if the report is malformed.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// fn link_to(context: &Context, path: &str) -> Option<String> {
    ///     Some(format!("{}{path}", context.origin()?))
    /// }
    /// ```
    pub fn origin(&self) -> Option<String> {
        let header = |name: &str| text_of(&self.0.headers, name);
        settings().trust_proxy.origin(self.peer(), header)
    }

    /// Returns true if a web page with an origin belongs to the server.
    pub(super) fn is_own_origin(&self, origin: &str) -> bool {
        let header = |name: &str| text_of(&self.0.headers, name);
        settings().trust_proxy.is_own_origin(origin, self.peer(), header)
    }

    /// Returns the address of the peer, if the request came through a connection.
    fn peer(&self) -> Option<IpAddr> {
        Some(self.0.connection.as_ref()?.peer)
    }

    /// Returns a header as a string, or `None` if it is absent. Bytes are decoded as Latin-1. The values of a repeated
    /// header are joined by `, `, but the values of `cookie` by `; `.
    ///
    /// ```
    /// use kit_runtime::Context;
    ///
    /// fn is_english(context: &Context) -> bool {
    ///     context.header("accept-language").is_some_and(|value| value.starts_with("en"))
    /// }
    /// ```
    pub fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        text_of(&self.0.headers, name)
    }

    /// Returns true if the preconditions of the request hold: `if-match`, `if-unmodified-since`, `if-none-match` and
    /// `if-modified-since` in the order of RFC 9110, 13.2.2. A request without these headers has no preconditions, so the
    /// result is true.
    ///
    /// Call the function before a change, and respond with 412 if the result is false. `current` is the version that is
    /// stored now; `None` if nothing is stored.
    ///
    /// ```
    /// use kit_runtime::{Context, CurrentVersion, Error, StatusCode};
    ///
    /// fn refuse_if_changed(context: &Context, tag: &str) -> Result<(), Error> {
    ///     let current = CurrentVersion { tag: Some(tag), last_modified: None };
    ///     if context.preconditions_hold(Some(&current)) {
    ///         return Ok(());
    ///     }
    ///     Err(Error::new(StatusCode::PRECONDITION_FAILED, "CHANGED", "Read the note again"))
    /// }
    /// ```
    pub fn preconditions_hold(&self, current: Option<&CurrentVersion<'_>>) -> bool {
        evaluate(self.method().as_str(), |name| self.header(name), current) == Outcome::Passed
    }

    /// Returns all request headers.
    pub fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    /// Sets the status of the response, in place of the status that the contract declares. Has no effect on error
    /// responses.
    ///
    /// ```
    /// use kit_runtime::{Context, StatusCode};
    ///
    /// fn accept(context: &Context) {
    ///     context.set_status(StatusCode::ACCEPTED);
    /// }
    /// ```
    pub fn set_status(&self, status: StatusCode) {
        self.0.status.store(status.as_u16(), Ordering::Relaxed);
    }

    /// Returns the status that [`Self::set_status`] has set; `None` if it was not called.
    pub(super) fn status(&self) -> Option<StatusCode> {
        let status = self.0.status.load(Ordering::Relaxed);
        StatusCode::from_u16(status).ok()
    }

    /// Drops the status that [`Self::set_status`] has set, because a wrapper responds with a status of its own.
    pub(super) fn clear_status(&self) {
        self.0.status.store(0, Ordering::Relaxed);
    }

    /// Sets a header of the response. An error response keeps the header, unless the header describes the body that
    /// the error replaces. Headers of the message framing and of the connection cannot be set: the attempt is logged
    /// as a warning.
    ///
    /// ```
    /// use kit_runtime::{Context, HeaderValue, header};
    ///
    /// fn forbid_caches(context: &Context) {
    ///     context.set_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    /// }
    /// ```
    pub fn set_header(&self, name: HeaderName, value: HeaderValue) {
        if is_free(&name) {
            self.answer_headers().insert(name, value);
        }
    }

    /// Adds a header to the response and keeps other headers with the same name.
    ///
    /// ```
    /// use kit_runtime::{Context, HeaderValue, header};
    ///
    /// fn name_licence(context: &Context) {
    ///     let licence = HeaderValue::from_static("</licence>; rel=\"license\"");
    ///     context.append_header(header::LINK, licence);
    /// }
    /// ```
    pub fn append_header(&self, name: HeaderName, value: HeaderValue) {
        if is_free(&name) {
            self.answer_headers().append(name, value);
        }
    }

    /// Sets a cookie, or deletes it ([`Cookie::deleted`]). A second call with the same name, path and domain replaces the
    /// cookie. Error responses keep cookies.
    ///
    /// ```
    /// use kit_runtime::{Context, Cookie, Error};
    ///
    /// fn start(context: &Context, id: String) -> Result<(), Error> {
    ///     context.set_cookie(&Cookie::new("__Host-sid", id).max_age_seconds(3600).signed())
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if the name or an attribute is invalid, if browsers would ignore the cookie (such as one with the prefix
    /// `__Host-` and a domain, or with more than 4,096 bytes), or if a signed cookie has no key.
    #[track_caller]
    pub fn set_cookie(&self, cookie: &Cookie) -> Result<(), Error> {
        let written = cookie_writer().write(cookie).map_err(Error::internal)?;
        let value =
            HeaderValue::from_str(&written.line).map_err(|error| Error::internal(error.to_string()))?;
        let mut cookies = self.0.cookies.lock().unwrap_or_else(PoisonError::into_inner);
        let mut headers = self.answer_headers();
        if let Some(at) = cookies.iter().position(|(id, _)| *id == written.id) {
            let (_, previous) = cookies.remove(at);
            remove_value(&mut headers, &header::SET_COOKIE, &previous);
        }
        cookies.push((written.id, value.clone()));
        headers.append(header::SET_COOKIE, value);
        Ok(())
    }

    /// Returns the value of a cookie that [`Self::set_cookie`] has signed. Returns `None` if the request has no cookie of
    /// this name, or if its signature is not by one of the keys in `KIT_COOKIE_KEYS`. The contract does not declare this
    /// cookie: in a slot `cookies`, the value contains the signature.
    ///
    /// ```
    /// use kit_runtime::{Context, Error};
    ///
    /// fn session(context: &Context) -> Result<String, Error> {
    ///     context
    ///         .signed_cookie("__Host-sid")?
    ///         .ok_or_else(|| Error::unauthorized("UNAUTHORIZED", "Log in first"))
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if there are no keys.
    #[track_caller]
    pub fn signed_cookie(&self, name: &str) -> Result<Option<String>, Error> {
        let header = self.header("cookie");
        cookie_writer()
            .read_signed(name, header.as_deref())
            .map_err(Error::internal)
    }

    pub(super) fn answer_headers(&self) -> std::sync::MutexGuard<'_, HeaderMap> {
        self.0
            .answer_headers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the span id of the caller from `traceparent`, and true if the caller samples the trace.
#[cfg(feature = "otlp")]
pub(crate) fn parent_span(context: &Context) -> Option<(u64, bool)> {
    let header = context.header("traceparent")?;
    read_traceparent(&header)?;
    let mut fields = header.split('-').skip(2);
    let span = u64::from_str_radix(fields.next()?, 16).ok()?;
    let flags = u8::from_str_radix(fields.next()?, 16).ok()?;
    Some((span, flags & 1 == 1))
}

fn cookie_writer() -> Cookies<'static> {
    Cookies::new(&settings().cookie_keys, !is_development())
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("method", self.method())
            .field("path", &self.shown_path())
            .field("route", &self.route())
            .finish_non_exhaustive()
    }
}
