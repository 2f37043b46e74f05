//! Runs a request through the router: body, route, middleware, handler, response.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes, HttpBody};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use hyper::service::Service as _;
use hyper_util::service::TowerToHyperService;
use serde_json::json;

use super::abandoned::AbandonGuard;
use super::bodies::chunks::{BodyChunks, RequestBody};
use super::catch_panic::catch_panic;
use super::cors::add_vary;
use super::docs::Reference;
use super::fields::details_of;
use super::first_value;
use super::normal_uri::make_normal;
use super::refusals::{method_not_allowed, not_found};
use super::response::of_error;
use super::route_list::Limits;
use super::serve_trait;
#[cfg(feature = "sockets")]
use super::sockets;
use super::static_files::StaticFiles;
use super::{
    Application, Context, Cors, Error, Match, Phase, Request, Response, RouteTree, Routes, Serve, body,
    download, options_star,
};
use crate::check::{Failure, Rule};
use crate::connection::{self, ConnectionState, ReusableTimeout};
use crate::metrics::MeasuredRequest;
use crate::settings::settings;
use crate::telemetry::TraceGuard;
use crate::{dev_link, is_development, is_test, shutdown, start_error};

/// Timeout of the check for `/readyz`. Orchestrators wait for its response, often for one second.
const READY_TIMEOUT: Duration = Duration::from_secs(1);

impl<A: Application> Routes<A> {
    /// Builds the router.
    ///
    /// ```
    /// use kit_runtime::{Application, Router, Routes};
    ///
    /// fn router<A: Application>(app: A) -> Router<A> {
    ///     Routes::new(app).into_router()
    /// }
    /// ```
    pub fn into_router(mut self) -> Router<A> {
        let sites = std::mem::take(&mut self.sites);
        let files = (!sites.is_empty()).then(|| StaticFiles::new(sites));
        let paths = self.list.iter();
        let paths: Vec<_> = paths
            .map(|route| (route.method, route.declaration.segments))
            .collect();
        let references = self.list.iter().filter_map(|route| {
            let (_, path) = route.declaration.reference.split_once(' ')?;
            Some(path)
        });
        let reference = self
            .docs
            .and_then(|docs| Reference::new(docs, self.openapi, self.asyncapi, references));
        Router(Arc::new(Service {
            tree: RouteTree::new(&paths),
            reference,
            routes: self,
            files,
        }))
    }
}

/// Router of an application. Clones share the same routes.
///
/// Pass it to [`serve`](crate::serve()), or convert it into an [`axum::Router`] to use it as a part of any axum
/// program.
pub struct Router<A>(Arc<Service<A>>);

impl<A> Clone for Router<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A: Application> Router<A> {
    /// Returns the method and path pattern of the route with this number, such as `GET /notes/:id`.
    pub(super) fn reference(&self, number: usize) -> Option<&'static str> {
        let route = self.0.routes.list.get(number)?;
        Some(route.declaration.reference)
    }

    /// Returns the number of the route for a request. Returns `None` if no route matches.
    pub(super) fn find(&self, method: &str, path: &str) -> Option<usize> {
        match self.0.tree.find(method, path) {
            Match::Route(number, _) => Some(number),
            _ => None,
        }
    }
}

impl<A: Application> Serve for Router<A> {
    fn longest_timeout(&self) -> Option<Duration> {
        let routes = self.0.routes.list.iter();
        routes.filter_map(|route| route.limits.timeout).max()
    }

    fn check(&self) -> Result<(), Error> {
        if self.0.routes.requires_cookie_keys && settings().cookie_keys.is_empty() {
            return Err(start_error::failure(
                "the application has keys for signed cookies, but KIT_COOKIE_KEYS is not set",
                "the option `cookies` of createApp",
                "set KIT_COOKIE_KEYS to the same keys, separated by commas",
            ));
        }
        self.0.files.as_ref().map_or(Ok(()), StaticFiles::check)
    }

    fn respond<B>(
        &self,
        request: axum::http::Request<B>,
        connection: &Arc<ConnectionState>,
    ) -> impl Future<Output = axum::response::Response> + Send
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static,
    {
        self.0
            .respond(request, Some(Arc::clone(connection)), &connection.timeout)
    }
}

/// Connection of a request. The connection is an extension of the request, so that kit's routes find it inside of an
/// axum router.
#[derive(Clone)]
struct OfConnection(Arc<ConnectionState>);

impl Serve for axum::Router {
    fn longest_timeout(&self) -> Option<Duration> {
        serve_trait::longest_recorded_timeout()
    }

    async fn respond<B>(
        &self,
        mut request: axum::http::Request<B>,
        connection: &Arc<ConnectionState>,
    ) -> axum::response::Response
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static,
    {
        request
            .extensions_mut()
            .insert(OfConnection(Arc::clone(connection)));
        // The path must be normal before any route or layer of the program reads it.
        make_normal(request.uri_mut());
        match TowerToHyperService::new(self.clone()).call(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        }
    }
}

impl<A: Application> From<Router<A>> for axum::Router {
    fn from(router: Router<A>) -> Self {
        serve_trait::record_timeout(router.longest_timeout());
        Self::new().fallback(move |request: axum::extract::Request| {
            let router = router.clone();
            let connection = request.extensions().get();
            let connection = connection.map(|OfConnection(connection)| Arc::clone(connection));
            async move {
                // A layer may run several requests at the same time, so each has its own timer.
                let timeout = ReusableTimeout::default();
                let mut response = router.0.respond(request, connection, &timeout).await;
                // Another server than that of kit may serve the program.
                connection::add_defaults(&mut response);
                response
            }
        })
    }
}

struct Service<A> {
    tree: RouteTree,
    routes: Routes<A>,
    files: Option<StaticFiles>,
    /// API reference. `None` if it is not served.
    reference: Option<Reference>,
}

impl<A: Application> Service<A> {
    async fn respond<B>(
        &self,
        request: axum::http::Request<B>,
        connection: Option<Arc<ConnectionState>>,
        timeout: &ReusableTimeout,
    ) -> axum::response::Response
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static,
    {
        let measured = MeasuredRequest::begin();
        let logged = self.routes.request_log.map(|log| (log, Instant::now()));
        let (parts, body) = request.into_parts();
        // The origin is read before the request becomes a part of the context.
        let cors = self.routes.cors.map(|cors| {
            let is_preflight = Cors::is_preflight(&parts.method, &parts.headers);
            (cors, parts.headers.get(header::ORIGIN).cloned(), is_preflight)
        });
        let context = Context::new(parts, connection);
        let mut trace = TraceGuard::of(&context);
        let recorded = context.recorded().running();
        let answer = {
            // Pinned on the stack, because a boxed future would be allocated, and a moved one copied, for every
            // request.
            let mut work = pin!(async {
                let response = self.run(&context, body, timeout).await?;
                first_value::wait(&context, response).await
            });
            poll_fn(|task| context.scope_part(|| catch_panic(|| work.as_mut().poll(task)))).await
        };
        #[cfg(feature = "etag")]
        let answer = match (self.routes.etag, answer) {
            (Some(etag), Ok(response)) => etag.apply(&context, response).await,
            (_, answer) => answer,
        };
        #[cfg(feature = "sockets")]
        let mut socket = None;
        #[cfg(feature = "sockets")]
        let answer = answer.and_then(|mut response| {
            socket = sockets::begin(&mut response)?;
            Ok(response)
        });
        let mut response = answer.unwrap_or_else(|error| {
            trace.failed(|| error.log_message());
            context.scope_part(|| of_error(&context, &error))
        });
        trace.answered(response.status());
        if let Some(measured) = measured {
            measured.answered(context.route(), context.method().as_str(), response.status());
        }
        if context.varies() {
            add_vary(response.headers_mut(), "accept");
        }
        if let Some((cors, origin, false)) = cors {
            cors.apply(origin.as_ref(), response.headers_mut());
        }
        #[cfg(feature = "sockets")]
        if let Some(socket) = socket {
            let entry = logged.and_then(|(log, begun)| log.entry(&context, begun, response.status()));
            sockets::spawn(socket, entry);
            recorded.upgraded(response.status());
            return response;
        }
        #[cfg(feature = "compression")]
        if let Some(compression) = &self.routes.compression {
            response = compression.apply(context.method(), context.headers(), response);
        }
        if let Some((log, begun)) = logged {
            response = log.apply(&context, begun, response);
        }
        response = recorded.answered(response);
        let is_last = shutdown::is_closing() && response.status() != StatusCode::SWITCHING_PROTOCOLS;
        if is_last || context.is_body_unread() {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(header::CONNECTION, close);
        }
        if dev_link::is_build_failed() {
            let failed = HeaderValue::from_static("failed");
            response.headers_mut().insert(dev_link::BUILD_HEADER, failed);
        }
        response
    }

    async fn run<B>(
        &self,
        context: &Context,
        body: B,
        timeout: &ReusableTimeout,
    ) -> Result<axum::response::Response, Error>
    where
        B: HttpBody<Data = Bytes, Error: Into<axum::BoxError> + Send> + Send + Unpin + 'static,
    {
        context.enter(Phase::Normalize);
        let found = self.routes.has_limits.then(|| self.find(context));
        let limits = match found {
            Some(Match::Route(number, _)) => self.routes.list[number].limits,
            _ => Limits::default(),
        };
        if limits.varies {
            context.set_varies();
        }
        // A body above the limit is rejected for every path, even if no route matches.
        let body_bytes = limits.body_bytes.unwrap_or(settings().body_bytes);
        let body = if limits.is_body_streamed && !body::is_empty(context.headers(), &body) {
            body::refuse_declared(context.headers(), body_bytes)?;
            if let Some(connection) = context.connection() {
                connection.stream_body(limits.body_rate);
            }
            let chunks = BodyChunks::arriving(Body::new(body), body_bytes, context);
            context.recorded().set_body(None, context.headers());
            RequestBody::Chunks(Mutex::new(Some(chunks)))
        } else {
            let bytes = body::read(context.headers(), body, body_bytes).await?;
            context.recorded().set_body(Some(&bytes), context.headers());
            RequestBody::Whole(bytes)
        };
        // The connection limits the time that a client takes to send the body. The request timeout begins here.
        let mut work = pin!(self.dispatch(context, body, found));
        let time = match limits.timeout {
            Some(time) => Some(time).filter(|time| !time.is_zero()),
            None => settings().request_timeout,
        };
        let running = AbandonGuard::begin();
        match timeout.wait(time, |task| work.as_mut().poll(task)).await {
            Some(answer) => {
                running.end();
                answer
            }
            None => Err(request_timeout(time.unwrap_or_default())),
        }
    }

    /// Finds the route of a request.
    fn find(&self, context: &Context) -> Match {
        self.tree.find(context.method().as_str(), context.path())
    }

    /// Runs a request whose body was read, or is read by its handler. `found` is the result of [`Self::find`] if it is already known.
    async fn dispatch(
        &self,
        context: &Context,
        body: RequestBody,
        found: Option<Match>,
    ) -> Result<axum::response::Response, Error> {
        let (method, path) = (context.method().as_str(), context.path());
        if path == options_star::TARGET {
            let methods = self.routes.list.iter().map(|route| route.method);
            return Ok(options_star::answer(&methods));
        }
        if let Some(cors) = self.routes.cors {
            if Cors::is_preflight(context.method(), context.headers()) {
                return self.answer_preflight(cors, context);
            }
        }
        if let Some(reference) = self.reference.as_ref().filter(|reference| reference.has(path)) {
            if !matches!(method, "GET" | "HEAD") {
                return Err(method_not_allowed(method, "GET, HEAD"));
            }
            return reference.respond(context).unwrap_or_else(|| Err(not_found()));
        }
        let (number, values) = match found.unwrap_or_else(|| self.find(context)) {
            Match::Route(number, values) => (number, values),
            Match::BadPath => return Err(bad_path(path)),
            Match::MethodNotAllowed(allow) => {
                let known = allow.split(", ").next().unwrap_or_default();
                if let Match::Route(number, _) = self.tree.find(known, path) {
                    context.set_path_segments(self.routes.list[number].declaration.segments);
                }
                return Err(method_not_allowed(method, &allow));
            }
            Match::NotFound => return self.built_in_path(context).await,
        };
        let route = &self.routes.list[number];
        context.set_route(route.declaration);
        for (name, value) in route.lifecycle {
            context.set_header(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        if let Some(csrf) = &self.routes.csrf {
            csrf.check(context)?;
        }
        #[cfg(feature = "sockets")]
        if route.is_socket {
            sockets::check_handshake(context, self.routes.cors, route.subprotocols)?;
        }
        let has_nul = path.contains("%00") || context.query().contains("%00");
        let request = Request {
            context: context.clone(),
            segments: route.declaration.segments,
            values,
            body,
            has_nul,
            has_query_keys: AtomicBool::new(false),
            has_body: AtomicBool::new(false),
        };
        let Response(response) = (route.handler)(self.routes.app.clone(), request).await?;
        download::send(context, response)
    }

    /// Responds to a preflight request of CORS, for every path except one that cannot be decoded.
    fn answer_preflight(&self, cors: Cors, context: &Context) -> Result<axum::response::Response, Error> {
        let path = context.path();
        let allow = match self.tree.find("", path) {
            Match::BadPath => return Err(bad_path(path)),
            Match::MethodNotAllowed(allow) => Some(allow),
            _ => self.is_built_in(path).then(|| "GET, HEAD".to_owned()),
        };
        Ok(cors.answer_preflight(context.headers(), allow.as_deref()))
    }

    /// Returns true for a path such as `/healthz`, to which [`Self::built_in_path`] responds.
    fn is_built_in(&self, path: &str) -> bool {
        let path = path.strip_suffix('/').unwrap_or(path);
        self.is_health(path)
            || self.document(path).is_some()
            || self
                .reference
                .as_ref()
                .is_some_and(|reference| reference.has(path))
    }

    /// Returns true for the two paths that report the state of the process.
    fn is_health(&self, path: &str) -> bool {
        [self.routes.live, self.routes.ready].contains(&Some(path))
    }

    /// Returns the document at a path. Returns `None` if the application does not serve its documents.
    fn document(&self, path: &str) -> Option<&'static str> {
        let document = match path {
            "/openapi.json" => self.routes.openapi,
            "/asyncapi.json" => self.routes.asyncapi,
            _ => None,
        };
        document.filter(|_| {
            let is_served = self.routes.serves_documents;
            is_served.unwrap_or_else(|| is_development() || is_test())
        })
    }

    /// Responds to paths that are not routes: `/healthz` and `/readyz` for orchestrators, and `/openapi.json` and
    /// `/asyncapi.json`.
    async fn built_in_path(&self, context: &Context) -> Result<axum::response::Response, Error> {
        let path = context.path();
        let path = path.strip_suffix('/').unwrap_or(path);
        let document = self.document(path);
        if document.is_none() && !self.is_health(path) {
            let file = match &self.files {
                Some(files) => files.respond(context).await?,
                None => None,
            };
            return file.ok_or_else(not_found);
        }
        let method = context.method().as_str();
        if !matches!(method, "GET" | "HEAD") {
            return Err(method_not_allowed(method, "GET, HEAD"));
        }
        if let Some(document) = document {
            let mut response = axum::response::Response::new(Body::from(document));
            let json = HeaderValue::from_static("application/json");
            response.headers_mut().insert(header::CONTENT_TYPE, json);
            return Ok(response);
        }
        let is_ok = self.routes.live == Some(path) || (!shutdown::is_closing() && self.is_ready().await);
        let (status, state) = if is_ok {
            (StatusCode::OK, "ok")
        } else {
            (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        };
        context.set_header(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        let Response(response) = Response::value(context, status, &json!({ "status": state }))?;
        Ok(response)
    }

    async fn is_ready(&self) -> bool {
        match tokio::time::timeout(READY_TIMEOUT, self.routes.app.ready()).await {
            Ok(Ok(())) => true,
            Ok(Err(error)) => {
                tracing::warn!(code = error.code(), "The server is not ready: {error}");
                false
            }
            Err(_) => {
                tracing::warn!(
                    "The server is not ready: the check of readiness takes longer than {} s",
                    READY_TIMEOUT.as_secs()
                );
                false
            }
        }
    }
}

fn bad_path(path: &str) -> Error {
    let failure = Failure {
        path: "$".to_owned(),
        expected: "a path with valid percent-escapes in UTF-8".into(),
        received: String::new(),
        value: Some(path.into()),
        rule: Rule::Encoding,
        limit: Some("utf-8".into()),
        suggestion: None,
    };
    let message = "The path has an invalid percent-escape";
    Error::new(StatusCode::BAD_REQUEST, "VALIDATION_ERROR", message).with_details(details_of(&[failure]))
}

fn request_timeout(time: Duration) -> Error {
    let message = format!("The request took longer than {} ms", time.as_millis());
    Error::new(StatusCode::SERVICE_UNAVAILABLE, "REQUEST_TIMEOUT", message)
}
