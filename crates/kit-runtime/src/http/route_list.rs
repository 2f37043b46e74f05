//! The routes of an application, each with its handler, source locations and limits.

use std::pin::Pin;
use std::time::Duration;

use super::context::MatchedRoute;
use super::error_format;
use super::source::RouteSource;
use super::{Application, Cors, Csrf, Error, ErrorFormat, Request, RequestLog, Response, Segment, Site};
use crate::connection;
use crate::redact::redactor;

pub(super) type Handler<A> = Box<dyn Fn(A, Request) -> HandlerFuture + Send + Sync>;
pub(super) type HandlerFuture = Pin<Box<dyn Future<Output = Result<Response, Error>> + Send>>;

/// Routes of an application.
///
/// ```
/// use kit_runtime::{
///     Application, Cors, Csrf, Error, ErrorFormat, RequestLog, Response, Routes, Segment, Site, StatusCode,
/// };
///
/// #[derive(Clone)]
/// struct App;
///
/// impl Application for App {
///     async fn ready(&self) -> Result<(), Error> {
///         Ok(())
///     }
/// }
///
/// let router = Routes::new(App)
///     .route("GET /ping", &[Segment::Static("ping")], async |_app, request| {
///         Ok(Response::empty(&request.into_context()?, StatusCode::NO_CONTENT))
///     })
///     .source("src/ping.routes.ts:3", &[], &[])
///     .handler("src/handlers/ping.rs", "get_ping")
///     .lifecycle(&[("deprecation", "@1767225600")])
///     .body_bytes(1024)
///     .timeout_ms(500)
///     .openapi("{}")
///     .asyncapi("{}")
///     .cors(Cors::origins(&["https://app.example.com"]))
///     .csrf(Csrf::new())
///     .request_log(RequestLog::new())
///     .static_files(Site::new("public"))
///     .security_headers(&[("x-content-type-options", "nosniff")])
///     .errors(ErrorFormat::envelope(), 400)
///     .sensitive(&["password"])
///     .into_router();
/// # let _ = router;
/// ```
pub struct Routes<A> {
    pub(super) app: A,
    pub(super) list: Vec<Route<A>>,
    pub(crate) openapi: Option<&'static str>,
    pub(super) asyncapi: Option<&'static str>,
    pub(super) cors: Option<Cors>,
    pub(super) csrf: Option<Csrf>,
    pub(super) request_log: Option<RequestLog>,
    pub(super) sites: Vec<Site>,
    #[cfg(feature = "compression")]
    pub(super) compression: Option<super::Compression>,
    #[cfg(feature = "etag")]
    pub(super) etag: Option<super::Etag>,
    /// True if a route has its own limits, so that the route must be known before the body is read.
    pub(super) has_limits: bool,
    /// Paths that report if the process is alive, and if it is ready for requests.
    pub(super) live: Option<&'static str>,
    pub(super) ready: Option<&'static str>,
    /// True if the documents are served in every environment, false if they are served in none. `None` for development and
    /// test only.
    pub(super) serves_documents: Option<bool>,
    pub(super) docs: Option<super::Docs>,
    /// True if the server does not start without keys for signed cookies.
    pub(super) requires_cookie_keys: bool,
}

pub(super) struct Route<A> {
    pub(super) method: &'static str,
    /// True if the route accepts WebSockets.
    #[cfg(feature = "sockets")]
    pub(super) is_socket: bool,
    #[cfg(feature = "sockets")]
    pub(super) subprotocols: Subprotocols,
    pub(super) declaration: MatchedRoute,
    pub(super) limits: Limits,
    /// Names and values of headers that each response of the route has.
    pub(super) lifecycle: &'static [(&'static str, &'static str)],
    pub(super) handler: Handler<A>,
}

/// Subprotocols of the WebSockets of a route.
#[cfg(feature = "sockets")]
#[derive(Clone, Copy, Default)]
pub(super) struct Subprotocols {
    /// Names that a client may offer. Empty if the contract names none.
    pub(super) names: &'static [&'static str],
    /// True if a client must offer one of the names.
    pub(super) is_required: bool,
}

/// Properties of a route that must be known before its body is read. `None` means that the setting of the process applies.
#[derive(Clone, Copy, Default)]
pub(super) struct Limits {
    /// Maximum size of the body in bytes.
    pub(super) body_bytes: Option<usize>,
    /// Maximum duration of a request; zero for no limit.
    pub(super) timeout: Option<Duration>,
    /// True if the handler reads the body while the body arrives.
    pub(super) is_body_streamed: bool,
    /// Minimum number of bytes per second of such a body; 0 for no minimum.
    pub(super) body_rate: Option<u32>,
    /// True if the header `accept` chooses the format of the response.
    pub(super) varies: bool,
}

impl<A: Application> Routes<A> {
    /// Creates an empty list of routes.
    pub fn new(app: A) -> Self {
        Self {
            app,
            list: Vec::new(),
            openapi: None,
            asyncapi: None,
            cors: None,
            csrf: None,
            request_log: None,
            sites: Vec::new(),
            #[cfg(feature = "compression")]
            compression: None,
            #[cfg(feature = "etag")]
            etag: None,
            has_limits: false,
            live: Some("/healthz"),
            ready: Some("/readyz"),
            serves_documents: None,
            docs: None,
            requires_cookie_keys: false,
        }
    }

    /// Adds a route: its method and path pattern such as `GET /notes/:id`, the segments of the path pattern, and its
    /// handler. The method `WS` means a GET request that opens a WebSocket (`Response::socket`). Other GET requests of
    /// such a route are refused before its handler is called.
    #[must_use]
    pub fn route<F>(
        mut self,
        reference: &'static str,
        segments: &'static [Segment],
        handler: impl Fn(A, Request) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = Result<Response, Error>> + Send + 'static,
    {
        let (method, _) = reference.split_once(' ').unwrap_or((reference, ""));
        let is_socket = method == "WS";
        self.list.push(Route {
            method: if is_socket { "GET" } else { method },
            #[cfg(feature = "sockets")]
            is_socket,
            #[cfg(feature = "sockets")]
            subprotocols: Subprotocols::default(),
            declaration: MatchedRoute {
                reference,
                segments,
                source: RouteSource::default(),
            },
            limits: Limits::default(),
            lifecycle: &[],
            handler: Box::new(move |app, request| Box::pin(handler(app, request))),
        });
        self
    }

    /// Sets the source locations of the route that was added last. Errors show them in development.
    ///
    /// `contract` is the `file:line` of the contract. `types` has the file of each type of a slot that is not in
    /// that file. `tests` are the tests that call the route.
    #[must_use]
    pub fn source(
        mut self,
        contract: &'static str,
        types: &'static [(&'static str, &'static str)],
        tests: &'static [&'static str],
    ) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.declaration.source = RouteSource {
                contract,
                types,
                tests,
                ..route.declaration.source
            };
        }
        self
    }

    /// Sets the file and function name of the handler of the route that was added last. Errors show them in
    /// development.
    #[must_use]
    pub fn handler(mut self, file: &'static str, function: &'static str) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.declaration.source.handler = (file, function);
        }
        self
    }

    /// Sets the subprotocols that a client of the WebSocket may offer (RFC 6455, section 1.9), for the route that was added
    /// last. `is_required` is true if a handshake without one of them is refused with 400.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_versions<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.subprotocols(&["chat.v1", "chat.v2"], true)
    /// }
    /// ```
    #[cfg(feature = "sockets")]
    #[must_use]
    pub fn subprotocols(mut self, names: &'static [&'static str], is_required: bool) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.subprotocols = Subprotocols { names, is_required };
        }
        self
    }

    /// Sets headers about the life of the route that was added last, such as `deprecation`. Each response of the route has
    /// these headers. The names are in lower case.
    #[must_use]
    pub fn lifecycle(mut self, headers: &'static [(&'static str, &'static str)]) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.lifecycle = headers;
        }
        self
    }

    /// Sets the maximum size of bodies in bytes for the route that was added last. Replaces
    /// `BODY_LIMIT_BYTES` for this route.
    #[must_use]
    pub fn body_bytes(mut self, bytes: usize) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.limits.body_bytes = Some(bytes);
        }
        self.has_limits = true;
        self
    }

    /// Lets the handler of the route that was added last read the body while the body arrives. Otherwise, the handler starts
    /// when the whole body has arrived.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_streamed_body<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.streamed_body()
    /// }
    /// ```
    #[must_use]
    pub fn streamed_body(mut self) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.limits.is_body_streamed = true;
        }
        self.has_limits = true;
        self
    }

    /// Adds `vary: accept` to each response of the route that was added last, because the header `accept` of the request chooses
    /// the format of the response.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_formats<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.varies()
    /// }
    /// ```
    #[must_use]
    pub fn varies(mut self) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.limits.varies = true;
        }
        self.has_limits = true;
        self
    }

    /// Sets the maximum duration of requests in milliseconds for the route that was added last. Replaces
    /// `REQUEST_TIMEOUT_MS` for this route. 0 means no limit.
    #[must_use]
    pub fn timeout_ms(mut self, millis: u64) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.limits.timeout = Some(Duration::from_millis(millis));
        }
        self.has_limits = true;
        self
    }

    /// Sets the minimum number of bytes per second that a client must send in a body of the route that was added last, if the
    /// handler reads the body while it arrives. Replaces `BODY_MIN_BYTES_PER_SECOND` for this route. 0 means no minimum.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_slow_clients<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.streamed_body().body_min_bytes_per_second(0)
    /// }
    /// ```
    #[must_use]
    pub fn body_min_bytes_per_second(mut self, bytes: u32) -> Self {
        if let Some(route) = self.list.last_mut() {
            route.limits.body_rate = Some(bytes);
        }
        self.has_limits = true;
        self
    }

    /// Sets the paths that report if the process is alive, and if it is ready for requests. `None` for no such path. Default:
    /// `/healthz` and `/readyz`.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_paths<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.health(Some("/live"), None)
    /// }
    /// ```
    #[must_use]
    pub fn health(mut self, live: Option<&'static str>, ready: Option<&'static str>) -> Self {
        (self.live, self.ready) = (live, ready);
        self
    }

    /// Decides if the documents of [`Self::openapi`] and [`Self::asyncapi`] are served in every environment or in none.
    /// Default: they are served if `NODE_ENV` is `development` or `test`.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_public_documents<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.serves_documents(true)
    /// }
    /// ```
    #[must_use]
    pub fn serves_documents(mut self, is_served: bool) -> Self {
        self.serves_documents = Some(is_served);
        self
    }

    /// Serves an API reference: a page that shows the document of [`Self::openapi`].
    ///
    /// ```
    /// use kit_runtime::{Application, Docs, Routes};
    ///
    /// fn with_reference<A: Application>(routes: Routes<A>, viewer: &'static str, start: &'static str) -> Routes<A> {
    ///     routes.docs(Docs::new(viewer, start))
    /// }
    /// ```
    #[must_use]
    pub fn docs(mut self, docs: super::Docs) -> Self {
        self.docs = Some(docs);
        self
    }

    /// Lets the server start only if `KIT_COOKIE_KEYS` has keys for signed cookies.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn with_signed_cookies<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.requires_cookie_keys()
    /// }
    /// ```
    #[must_use]
    pub fn requires_cookie_keys(mut self) -> Self {
        self.requires_cookie_keys = true;
        self
    }

    /// Sets the document that `/openapi.json` returns. See [`Self::serves_documents`].
    #[must_use]
    pub fn openapi(mut self, document: &'static str) -> Self {
        self.openapi = Some(document);
        self
    }

    /// Sets the document that `/asyncapi.json` returns. See [`Self::serves_documents`].
    #[must_use]
    pub fn asyncapi(mut self, document: &'static str) -> Self {
        self.asyncapi = Some(document);
        self
    }

    /// Lets web pages of other origins call the application. The router responds to preflight requests, and adds the
    /// headers to every response.
    #[must_use]
    pub fn cors(mut self, cors: Cors) -> Self {
        self.cors = Some(cors);
        self
    }

    /// Refuses requests that may change data and that web pages of other sites have sent.
    #[must_use]
    pub fn csrf(mut self, csrf: Csrf) -> Self {
        self.csrf = Some(csrf);
        self
    }

    /// Logs each request. Refusals of the HTTP engine are logged for all servers in the process.
    #[must_use]
    pub fn request_log(mut self, log: RequestLog) -> Self {
        self.request_log = Some(log.start());
        self
    }

    /// Serves the files of a directory for paths that no route matches. The first directory that has a file for the path serves
    /// it. A relative path begins at the working directory of the server. No middleware runs for files.
    #[must_use]
    pub fn static_files(mut self, site: Site) -> Self {
        self.sites.push(site);
        self
    }

    /// Compresses responses if their clients accept it.
    ///
    /// ```
    /// use kit_runtime::{Application, Compression, Routes};
    ///
    /// fn with_compression<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.compression(Compression::new())
    /// }
    /// ```
    #[cfg(feature = "compression")]
    #[must_use]
    pub fn compression(mut self, compression: super::Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Adds entity tags to responses, and evaluates the preconditions of requests.
    ///
    /// ```
    /// use kit_runtime::{Application, Etag, Routes};
    ///
    /// fn with_tags<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.etag(Etag::new())
    /// }
    /// ```
    #[cfg(feature = "etag")]
    #[must_use]
    pub fn etag(mut self, etag: super::Etag) -> Self {
        self.etag = Some(etag);
        self
    }

    /// Adds headers with their names and values to every response, except to a response that has its own header of that
    /// name. Responses to input that is not HTTP have the headers too. The headers apply to all servers in the process;
    /// only the first call has an effect. `kit build` generates the headers from the option `securityHeaders` of
    /// `createApp`, and validates them.
    #[must_use]
    pub fn security_headers(self, headers: &[(&str, &str)]) -> Self {
        connection::set_defaults(headers);
        self
    }

    /// Sets the format of error bodies, and the status of validation errors, 400 or 422. Responses to input that is not
    /// HTTP have the format too. Both apply to all servers in the process; only the first call has an effect. `kit build`
    /// generates the call from the option `errors` of `createApp`.
    #[must_use]
    pub fn errors(self, format: ErrorFormat, validation_status: u16) -> Self {
        error_format::choose(format, validation_status);
        self
    }

    /// Hides values in the log, in addition to those of `LOG_REDACT`. A pattern consists of names joined by dots, with `*` for
    /// any single name. The patterns apply to the whole process; only the first call has an effect.
    ///
    /// ```
    /// use kit_runtime::{Application, Routes};
    ///
    /// fn without_pins<A: Application>(routes: Routes<A>) -> Routes<A> {
    ///     routes.redact(&["*.pin"])
    /// }
    /// ```
    #[must_use]
    pub fn redact(self, patterns: &[&str]) -> Self {
        redactor().declare(patterns);
        self
    }

    /// Sets the names of properties whose values the log and exported spans never show. The names apply to all fields in
    /// the process that have one of these names.
    #[must_use]
    pub fn sensitive(self, names: &[&str]) -> Self {
        redactor().hide_names(names);
        self
    }
}
