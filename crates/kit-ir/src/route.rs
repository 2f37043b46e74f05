//! Routes and their contracts.

use kit_router::{Method, RoutePath};
use serde::{Deserialize, Serialize};

use crate::route_options::{RouteLimits, Subprotocols};
use crate::slots::RouteSlots;
use crate::{BodyFormat, DeclarationId, DeclaredEvent, Documentation, Lifecycle, Security, Span};

/// Word in place of the method in the key of a route that accepts WebSockets: `WS /rooms/:id`.
pub const SOCKET_METHOD: &str = "WS";

/// A method and a path pattern with a contract.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// HTTP method. `GET` for a route that accepts WebSockets, since their handshake is a GET request.
    pub method: Method,
    /// Path pattern, which includes the prefix of the route's group.
    pub path: RoutePath,
    /// Key of the route in the interface of its group, and in the handler map: `GET /notes/:id`.
    pub key: String,
    /// Name of the group that declares the route.
    pub group: String,
    /// Names of the path's parameters in order. A wildcard is the last segment of a path, so its name is
    /// last.
    pub parameters: Vec<String>,
    /// Types of the parts of requests, and of the response if it is a plain type.
    pub slots: RouteSlots,
    /// Format of the request body.
    #[serde(default, skip_serializing_if = "BodyFormat::is_json")]
    pub body_format: BodyFormat,
    /// Format of the response body if the response is not a union of replies.
    #[serde(default, skip_serializing_if = "BodyFormat::is_json")]
    pub response_format: BodyFormat,
    /// HTTP status of a response without an error. If the contract declares replies, the status of the first
    /// reply.
    pub status: u16,
    /// Replies that the contract declares with `Reply<…>`, in the order of the source, with distinct
    /// statuses. Empty if the response is a plain type, which is in [`RouteSlots::response`]. A route with
    /// replies has no [`RouteSlots::response`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<DeclaredReply>,
    /// True if a response is a `Cursor<Item>`: one page of a list. The query then has `cursor` and `limit`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_list: bool,
    /// Wrappers among the route's middleware, in the order of execution.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wrappers: Vec<RouteWrapper>,
    /// Name of the operation in artifacts, from `@operation`: OpenAPI's `operationId`, the method of the
    /// client, the Rust function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Limits that apply only to this route, from the option `on` of its route group.
    #[serde(default, skip_serializing_if = "RouteLimits::is_empty")]
    pub limits: RouteLimits,
    /// One-line summary, from `@summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// Names of the sections of the documentation that list the route, from `@tag`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Subprotocols of the WebSockets of the route, from `protocols` of `Socket`. `None` if the contract names none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subprotocols: Option<Subprotocols>,
    /// Errors that a client must expect, from `Failure<…>` in the contract and from `@throws code status`. The
    /// errors of the route come first, then the errors of its middleware.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throws: Vec<DeclaredError>,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
    /// Dates of the route and its successor, from the tags of the route or of its group.
    #[serde(default, skip_serializing_if = "Lifecycle::is_empty")]
    pub lifecycle: Lifecycle,
    /// Names of the middleware that runs before the handler, in the order of execution. See
    /// [`Application::middleware`](crate::Application::middleware).
    #[serde(default)]
    pub middleware: Vec<String>,
    /// Authentication that the route's middleware requires. A request must satisfy at least one item of each
    /// inner list: `[[Bearer, Basic]]` accepts two kinds of credentials.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub security: Vec<Vec<Security>>,
    /// Scopes that a caller must have, from `Scopes<…>` in the slot `auth`: all scopes of at least one inner list.
    /// Empty if the contract requires no scopes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<Vec<String>>,
    /// Name of the middleware that adds `ctx.auth`. `None` if the contract requires no scopes, or if the compiler does not
    /// know the middleware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authenticator: Option<String>,
    /// Name of the wrapper before which kit checks the scopes: the first one after all middleware that may add `ctx.auth`
    /// whose name no earlier middleware has. `None` if there is no such wrapper. kit then checks the scopes after all
    /// middleware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes_before: Option<String>,
    /// Location of the handler; `None` if the compiler could not read the call of `createApp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handler: Option<HandlerSource>,
    /// Paths of the tests that mention the route, relative to the project's root and sorted. The compiler
    /// leaves the list empty; `kit-build` fills it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tests: Vec<String>,
    /// Location of the route key.
    pub span: Span,
}

impl Route {
    /// Returns the name of the route in artifacts: the method and the path pattern, such as `GET /notes/:id`, or
    /// `WS /rooms/:id` for a route that accepts WebSockets.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |wrappers: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/notes/:id", "key": "GET /:id", "group": "notes", "parameters": ["id"],
    /// #           "slots": {{ "params": 0, "query": null, "body": null, "response": 1 }}, "status": 200,
    /// #           "wrappers": {wrappers},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// let route = route("[]");
    /// assert_eq!(route.reference(), "GET /notes/:id");
    /// ```
    pub fn reference(&self) -> String {
        let method = if self.is_socket() {
            SOCKET_METHOD
        } else {
            self.method.name()
        };
        format!("{method} {}", self.path)
    }

    /// Returns true if the route accepts WebSockets.
    pub fn is_socket(&self) -> bool {
        self.body_format.is_socket()
    }

    /// Returns the events that a response of the route consists of. Returns `None` if the route sends no events.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |format: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/ticks", "key": "GET /ticks", "group": "ticks", "parameters": [],
    /// #           "slots": {{ "params": null, "query": null, "body": null, "response": null }}, "status": 200,
    /// #           "responseFormat": {format},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// let route = route(r#"{ "kind": "events", "events": [{ "name": "tick" }] }"#);
    /// assert_eq!(route.events().unwrap()[0].name, "tick");
    /// ```
    pub fn events(&self) -> Option<&[DeclaredEvent]> {
        std::iter::once(&self.response_format)
            .chain(self.declared_replies().map(|reply| &reply.format))
            .find_map(BodyFormat::events)
    }

    /// Returns true if the route sends or receives messages that the AsyncAPI document describes: if it accepts WebSockets
    /// or sends events.
    pub fn has_messages(&self) -> bool {
        self.is_socket() || self.events().is_some()
    }

    /// Returns the responses of the route that are not errors: the replies of the contract, or one reply for
    /// the plain response type, then the replies of wrappers with other statuses.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |wrappers: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/notes/:id", "key": "GET /:id", "group": "notes", "parameters": ["id"],
    /// #           "slots": {{ "params": 0, "query": null, "body": null, "response": 1 }}, "status": 200,
    /// #           "wrappers": {wrappers},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// let cached = route(r#"[{ "name": "cached", "replies": [{ "status": 304 }] }]"#);
    /// let statuses: Vec<u16> = cached.responses().iter().map(|reply| reply.status).collect();
    /// assert_eq!(statuses, [200, 304]);
    /// ```
    pub fn responses(&self) -> Vec<DeclaredReply> {
        let mut responses = self.replies.clone();
        if self.is_socket() {
            // The response has only a head. The messages follow it.
            responses.push(DeclaredReply {
                status: self.status,
                body: None,
                format: BodyFormat::Json,
                headers: None,
            });
        } else if responses.is_empty() {
            responses.push(DeclaredReply {
                status: self.status,
                body: self.slots.response,
                format: self.response_format.clone(),
                headers: None,
            });
        }
        for reply in self.wrappers.iter().flat_map(|wrapper| &wrapper.replies) {
            if !responses.iter().any(|earlier| earlier.status == reply.status) {
                responses.push(reply.clone());
            }
        }
        responses
    }

    /// Returns true if a client must read the status to know the type of the response: if the contract
    /// declares replies, or if a wrapper declares replies.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |wrappers: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/notes/:id", "key": "GET /:id", "group": "notes", "parameters": ["id"],
    /// #           "slots": {{ "params": 0, "query": null, "body": null, "response": 1 }}, "status": 200,
    /// #           "wrappers": {wrappers},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// assert!(!route("[]").has_replies());
    /// assert!(route(r#"[{ "name": "cached", "replies": [{ "status": 304 }] }]"#).has_replies());
    /// ```
    pub fn has_replies(&self) -> bool {
        !self.replies.is_empty() || self.wrappers.iter().any(|wrapper| !wrapper.replies.is_empty())
    }

    /// Returns true if a wrapper of the route executes repeated requests only once: the wrapper of `@kit/idempotency`, or
    /// another one with its two errors. The queries of the handler then belong to the transaction of the wrapper.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |wrappers: &str, throws: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "POST", "path": "/payments", "key": "POST /payments", "group": "payments", "parameters": [],
    /// #           "slots": {{ "params": null, "query": null, "body": 0, "response": 1 }}, "status": 201,
    /// #           "wrappers": {wrappers}, "throws": {throws},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// assert!(!route("[]", "[]").has_idempotency_keys());
    /// let errors = r#"[{ "code": "IDEMPOTENCY_KEY_IN_USE", "status": 409 }, { "code": "IDEMPOTENCY_KEY_REUSED", "status": 422 }]"#;
    /// assert!(route(r#"[{ "name": "once" }]"#, errors).has_idempotency_keys());
    /// ```
    pub fn has_idempotency_keys(&self) -> bool {
        let throws = |code| self.throws.iter().any(|error| error.code == code);
        !self.wrappers.is_empty() && throws("IDEMPOTENCY_KEY_IN_USE") && throws("IDEMPOTENCY_KEY_REUSED")
    }

    /// Returns the replies of the contract, then the replies of the wrappers. A status may appear twice.
    ///
    /// ```
    /// use kit_ir::Route;
    ///
    /// # let route = |wrappers: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/notes/:id", "key": "GET /:id", "group": "notes", "parameters": ["id"],
    /// #           "slots": {{ "params": 0, "query": null, "body": null, "response": 1 }}, "status": 200,
    /// #           "wrappers": {wrappers},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// assert_eq!(route("[]").declared_replies().count(), 0);
    /// let cached = route(r#"[{ "name": "cached", "replies": [{ "status": 304 }] }]"#);
    /// assert_eq!(cached.declared_replies().next().unwrap().status, 304);
    /// ```
    pub fn declared_replies(&self) -> impl Iterator<Item = &DeclaredReply> {
        let of_wrappers = self.wrappers.iter().flat_map(|wrapper| &wrapper.replies);
        self.replies.iter().chain(of_wrappers)
    }

    /// Returns the types that the server writes as JSON: bodies of responses, lines and events, then details of
    /// errors.
    ///
    /// ```
    /// use kit_ir::{DeclarationId, Route};
    ///
    /// # let route = |wrappers: &str| serde_json::from_str::<Route>(&format!(
    /// #     r#"{{ "method": "GET", "path": "/notes/:id", "key": "GET /:id", "group": "notes", "parameters": ["id"],
    /// #           "slots": {{ "params": 0, "query": null, "body": null, "response": 1 }}, "status": 200,
    /// #           "wrappers": {wrappers},
    /// #           "span": {{ "source": 0, "start": 0, "end": 0, "line": 1, "column": 1 }} }}"#,
    /// # )).unwrap();
    /// let types: Vec<DeclarationId> = route("[]").written().collect();
    /// assert_eq!(types, [DeclarationId(1)]);
    /// ```
    pub fn written(&self) -> impl Iterator<Item = DeclarationId> {
        let bodies = self.declared_replies().map(|reply| reply.body);
        let details = self.throws.iter().map(|error| error.details);
        let replies = self.declared_replies().map(|reply| &reply.format);
        let events = std::iter::once(&self.response_format)
            .chain(replies)
            .flat_map(BodyFormat::inner_types);
        std::iter::once(self.slots.response)
            .chain(bodies)
            .chain(details)
            .flatten()
            .chain(events)
    }

    /// Returns true if a request has a body.
    pub fn has_body(&self) -> bool {
        !self.is_socket() && (self.slots.body.is_some() || self.body_format.exists_without_type())
    }

    /// Returns true if the contract has a plain response type, so that a response has a body.
    pub fn has_response(&self) -> bool {
        !self.is_socket() && (self.slots.response.is_some() || self.response_format.exists_without_type())
    }
}

/// A response without an error that a contract declares with `Reply<status, body, headers>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredReply {
    /// HTTP status, from 200 to 399.
    pub status: u16,
    /// Type of the body, as in a slot with the format; `None` for `void`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<DeclarationId>,
    /// Format of the body.
    #[serde(default, skip_serializing_if = "BodyFormat::is_json")]
    pub format: BodyFormat,
    /// Headers: an object type with lower-case names; `None` if the reply declares none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headers: Option<DeclarationId>,
}

/// A middleware that wraps the handler: it is created with `defineWrapper`, and may answer in place of the handler.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RouteWrapper {
    /// Name of the middleware, which is also in [`Route::middleware`].
    pub name: String,
    /// Replies that the wrapper may answer with, with distinct statuses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replies: Vec<DeclaredReply>,
    /// Codes of the errors in [`Route::throws`] that the wrapper declares and the contract does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
}

impl DeclaredReply {
    /// Returns true if the reply has a body.
    pub fn has_body(&self) -> bool {
        self.body.is_some() || self.format.exists_without_type()
    }
}

/// A group: an interface whose keys are routes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractGroup {
    /// Name of the group, equal to [`Route::group`].
    pub name: String,
    /// Description and hints from the doc comment.
    #[serde(default)]
    pub documentation: Documentation,
}

/// An error that a route declares with `Failure<status, code, details>` or with `@throws`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DeclaredError {
    /// Error code such as `NOTE_NOT_FOUND`.
    pub code: String,
    /// HTTP status.
    pub status: u16,
    /// Description of the error: the text after the status.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Type of the details that the error response has; `None` if the contract declares no type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<DeclarationId>,
}

impl DeclaredError {
    /// Code of the error with which kit refuses a caller without the scopes that a contract requires. Its details list the
    /// missing scopes.
    pub const INSUFFICIENT_SCOPE: &str = "INSUFFICIENT_SCOPE";
}

/// Location of a route's handler in the source.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HandlerSource {
    /// Name under which the handler map is exported.
    pub export: String,
    /// Location of the handler in the map.
    pub span: Span,
}
