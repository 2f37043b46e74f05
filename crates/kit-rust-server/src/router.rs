//! Generates `router.rs`: a trait for each contract group, which its handlers implement, and the code that passes
//! requests to them.
//!
//! tidy: long because the file generates one module of a server

use std::collections::BTreeSet;

use heck::ToSnakeCase;
use kit_analysis::sensitive_names;
use kit_ir::{
    DeclarationId, DeclaredError, DeclaredReply, Lifecycle, Method, MiddlewareKind, Program, Route,
    RouteLimits, Segment, Slot, TypeKind,
};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use crate::middleware::Middleware;
use crate::route_names::{BodyNames, RouteNames};
use crate::shapes::integer;
use crate::source::{Imports, allow_lints, doc, file_doc, ident, string_literal};
use crate::status::status_name;
use crate::types::{Form, Types};
use crate::{
    File, Options, Problem, bodies, cors, edge, error_format, format_unions, names, replies, scopes,
    settings, sidecar, sockets,
};

/// Routes of an application by their groups.
pub(crate) struct Routes<'a> {
    pub(crate) groups: Vec<Group<'a>>,
    /// Middleware that routes use.
    pub(crate) middleware: Vec<Middleware>,
    /// Errors for middleware that cannot be generated, because two different middleware have the same name.
    pub(crate) problems: Vec<Problem>,
}

/// A group of routes in the contracts, with its names in Rust.
pub(crate) struct Group<'a> {
    /// Name of the group in the contracts.
    contract: &'a str,
    /// Name of the generated trait: the name of the group, unless another type has this name.
    pub(crate) name: String,
    /// Name of the Rust module with the handlers.
    pub(crate) module: String,
    /// Description of the group in the contracts.
    pub(crate) documentation: Option<String>,
    pub(crate) routes: Vec<RouteNames<'a>>,
}

impl Group<'_> {
    /// Returns the path of the file with the handlers.
    pub(crate) fn file(&self) -> String {
        format!("src/handlers/{}.rs", self.module.trim_start_matches("r#"))
    }
}

impl<'a> Routes<'a> {
    pub(crate) fn new(types: &Types<'a>) -> Self {
        let program = types.program;
        let built_in: Vec<&str> = program
            .application
            .middleware
            .iter()
            .filter(|middleware| middleware.kind == MiddlewareKind::BuiltIn)
            .map(|middleware| middleware.name.as_str())
            .collect();
        let mut groups: Vec<Group<'a>> = Vec::new();
        let mut middleware: Vec<Middleware> = Vec::new();
        let mut problems: Vec<Problem> = Vec::new();
        let mut taken = types.taken.clone();
        // Two different inputs such as `GetAB` and `GetAb` would get the same function name.
        let mut functions = BTreeSet::from(["router".to_owned()]);
        let mut modules = BTreeSet::new();
        for route in &program.routes {
            let named = route.middleware.iter();
            let mut own: Vec<Middleware> = Vec::new();
            for name in named.filter(|name| !built_in.contains(&name.as_str())) {
                let known = middleware.iter().find(|known| known.name == *name).cloned();
                let one = known.unwrap_or_else(|| {
                    let new = Middleware::new(program, route, name, &mut taken, &mut modules);
                    middleware.push(new.clone());
                    new
                });
                if !one.is_that_of(route) {
                    problems.push(Problem {
                        message: format!(
                            "`{}` has the middleware `{name}`, and another route has a middleware with this name \
                             and other replies: a Rust server cannot have both",
                            route.reference()
                        ),
                        span: route.span,
                        help: "give one of them another name: `{ name: \"…\", middleware, priority: 0 }`"
                            .to_owned(),
                    });
                }
                own.push(one);
            }
            let input = names::unique_type(input_name(route), &mut taken);
            let reply =
                (!route.replies.is_empty()).then(|| names::unique_type(format!("{input}Reply"), &mut taken));
            let handled = RouteNames {
                route,
                function: names::unique_field(&input, &mut functions),
                bodies: BodyNames::new(route, &input, &mut taken),
                input,
                reply,
                middleware: own,
            };
            if let Some(group) = groups.iter_mut().find(|group| group.contract == route.group) {
                group.routes.push(handled);
            } else {
                let known = program.groups.iter().find(|group| group.name == route.group);
                let stem = route.group.strip_suffix("Routes").filter(|stem| !stem.is_empty());
                let module = names::unique(plural(stem.unwrap_or(&route.group)), |name| {
                    let mut known = groups.iter();
                    // All these modules are in a module `handlers`, so none can have that name.
                    name == "handlers" || known.any(|group| group.module.trim_start_matches("r#") == name)
                });
                groups.push(Group {
                    contract: &route.group,
                    name: names::unique_type(names::type_name(&route.group), &mut taken),
                    module: names::field(&module),
                    documentation: known.and_then(|group| group.documentation.description.clone()),
                    routes: vec![handled],
                });
            }
        }
        Self {
            groups,
            middleware,
            problems,
        }
    }
}

/// Returns the name of the struct that a handler receives: `GET /notes/:id` gives `GetNotesById`, and
/// `@operation readNote` gives `ReadNote`.
fn input_name(route: &Route) -> String {
    if let Some(operation) = &route.operation {
        return names::variant(operation);
    }
    let method = if route.is_socket() {
        "ws"
    } else {
        route.method.name()
    };
    let method = names::variant(&method.to_lowercase());
    format!("{method}{}", route.path.name(names::variant))
}

/// Returns the plural of a name, which names the module with the handlers of a group. The rules are simpler than the
/// rules for tables (`kit_analysis::plural_snake_case`). They must never change, because the file of the module
/// belongs to the user.
fn plural(name: &str) -> String {
    let snake = name.to_snake_case();
    let stem = snake.strip_suffix('y');
    match stem.filter(|stem| stem.ends_with(|last: char| !"aeiou".contains(last))) {
        Some(stem) => format!("{stem}ies"),
        None if snake.ends_with('s') => snake,
        None => format!("{snake}s"),
    }
}

impl<'a> RouteNames<'a> {
    /// Returns the Rust expression for the value at a path below `ctx`: `input.require_auth.user_id`. If
    /// several middleware add the value, uses the last of them, as in TypeScript. Returns `None` if no
    /// middleware of the route adds the value.
    pub(crate) fn added(&self, context: &str) -> Option<TokenStream> {
        self.middleware.iter().rev().find_map(|middleware| {
            let added = middleware.adds.iter().find(|added| added.context == context)?;
            let (module, field) = (ident(&middleware.module), ident(&added.field));
            Some(quote!(input.#module.#field))
        })
    }

    /// Returns the Rust type that the handler returns. The type is `Reply` if the contract declares the
    /// response as `unknown`.
    pub(crate) fn answer(&self, types: &Types<'_>) -> TokenStream {
        if let Some(reply) = &self.reply {
            return ident(reply).into_token_stream();
        }
        if let Some(answer) = bodies::answer(types, self) {
            return answer;
        }
        match self.route.slots.response {
            Some(_) if self.is_open(types) => quote!(Reply),
            Some(id) => ident(types.name(id)).into_token_stream(),
            None => quote!(()),
        }
    }

    /// Returns true if the contract declares the response as `unknown`.
    pub(crate) fn is_open(&self, types: &Types<'_>) -> bool {
        let response = self.route.slots.response;
        let response = response.filter(|_| self.route.response_format.is_json());
        response.is_some_and(|id| {
            let program = types.program;
            matches!(
                program.types[program.declarations[id].r#type].kind,
                TypeKind::Unknown
            )
        })
    }

    /// Returns the slots of the request that the contract declares, each as a field of the generated struct.
    fn parts(&self, types: &Types<'_>) -> Vec<Part> {
        let part = |slot: Slot| {
            if slot == Slot::Body && self.route.is_socket() {
                return None;
            }
            let body = Some(slot).filter(|slot| *slot == Slot::Body);
            if let Some((r#type, read)) = body.and_then(|_| format_unions::request(types, self)) {
                return Some(Part {
                    name: slot.name(),
                    r#type,
                    read,
                    comment: "Body.",
                });
            }
            let id = self.route.slots.get(slot)?;
            let (reader, comment) = match slot {
                Slot::Params => ("params", "Path parameters."),
                Slot::Query => ("query", "Query."),
                Slot::Headers => ("declared_headers", "Headers."),
                Slot::Cookies => ("declared_cookies", "Cookies."),
                Slot::Body | Slot::Response => ("body", "Body."),
            };
            let reader = ident(reader);
            Some(Part {
                name: slot.name(),
                r#type: ident(types.name_in(id, Form::Request)).into_token_stream(),
                read: quote!(request.#reader()?),
                comment,
            })
        };
        Slot::INPUTS.into_iter().filter_map(part).collect()
    }

    /// Returns the reason if the contract has slots for which kit cannot generate a handler, because types do not
    /// tell their meaning: headers, cookies, several replies, bodies that are not JSON, or errors with details.
    pub(crate) fn part_without_meaning(&self, program: &Program) -> Option<String> {
        let Route {
            slots,
            replies,
            body_format,
            response_format,
            ..
        } = self.route;
        if !body_format.is_json() {
            return Some("the body of the request is not JSON".to_owned());
        }
        if !response_format.is_json() || replies.iter().any(|reply| !reply.format.is_json()) {
            return Some("the body of the response is not JSON".to_owned());
        }
        let names = |slot: Option<DeclarationId>| {
            let properties = slot.map(|id| program.properties(program.declarations[id].r#type));
            properties
                .unwrap_or_default()
                .iter()
                .map(|property| property.name.as_str())
        };
        if let Some(name) = names(slots.headers).find(|name| !self.needs_no_header(name)) {
            return Some(format!(
                "types do not tell the meaning of the header `{name}` of the request"
            ));
        }
        if let Some(name) = names(slots.cookies).find(|name| !self.needs_no_cookie(name)) {
            return Some(format!(
                "types do not tell the meaning of the cookie `{name}` of the request"
            ));
        }
        if replies.len() > 1 && self.replies_of_upsert().is_none() {
            return Some("types do not tell which of the replies the handler chooses".to_owned());
        }
        let mut errors = self.contract_errors();
        errors
            .find(|error| error.details.is_some())
            .map(|error| format!("types do not tell the details of the error `{}`", error.code))
    }

    /// Returns true if another part of the server than the handler reads a header of the request.
    fn needs_no_header(&self, name: &str) -> bool {
        match name.to_ascii_lowercase().as_str() {
            "authorization" => !self.middleware.is_empty(),
            "idempotency-key" => self.route.has_idempotency_keys(),
            "accept" | "host" | "origin" | "referer" | "traceparent" | "tracestate" | "user-agent"
            | "x-request-id" => true,
            _ => false,
        }
    }

    /// Returns true if a cookie has the id of a session, which middleware of the route reads.
    fn needs_no_cookie(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let plain = ["__host-", "__secure-"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(&name);
        let plain = plain.replace(['-', '_', '.'], "");
        !self.middleware.is_empty()
            && matches!(plain.as_str(), "sid" | "session" | "sessionid" | "connectsid")
    }

    /// Returns true if the method of the route inserts or changes rows.
    pub(crate) fn is_write(&self) -> bool {
        matches!(self.route.method, Method::Post | Method::Put | Method::Patch)
    }

    /// Returns the replies of a route that changes a row, or inserts the row if it does not exist: `PUT` with the replies 200 and
    /// 201, which have the same body and no headers.
    pub(crate) fn replies_of_upsert(&self) -> Option<(&'a DeclaredReply, &'a DeclaredReply)> {
        let (changed, inserted) = match self.route.replies.as_slice() {
            [one, other] if one.status < other.status => (one, other),
            [one, other] => (other, one),
            _ => return None,
        };
        let is_upsert = self.route.method == Method::Put && (changed.status, inserted.status) == (200, 201);
        let has_headers = changed.headers.or(inserted.headers).is_some();
        (is_upsert && changed.body == inserted.body && !has_headers).then_some((changed, inserted))
    }

    /// Returns the reply at the end of a generated handler. Returns `None` if the contract declares no replies, or if types do not
    /// tell which of the replies the handler sends.
    pub(crate) fn last_reply(&self) -> Option<&'a DeclaredReply> {
        match self.route.replies.as_slice() {
            [reply] => Some(reply),
            _ => self.replies_of_upsert().map(|(_, inserted)| inserted),
        }
    }

    /// Returns the type of the response body. If the contract declares replies, returns the body of the last reply.
    pub(crate) fn response_body(&self) -> Option<DeclarationId> {
        if self.route.replies.is_empty() {
            self.route.slots.response
        } else {
            self.last_reply()?.body
        }
    }

    /// Returns the errors of the route without the errors that only its wrappers declare.
    fn contract_errors(&self) -> impl Iterator<Item = &'a DeclaredError> + use<'a> {
        let Route { throws, wrappers, .. } = self.route;
        let of_wrapper = |code| wrappers.iter().any(|wrapper| wrapper.errors.contains(code));
        throws.iter().filter(move |error| !of_wrapper(&error.code))
    }

    /// Returns the errors that a generated handler may respond with. Generated code has no values for details that a
    /// contract declares.
    pub(crate) fn handler_errors(&self) -> impl Iterator<Item = &'a DeclaredError> + use<'a> {
        self.contract_errors().filter(|error| error.details.is_none())
    }
}

/// A slot of a request in Rust: a field of the struct that the handler receives.
struct Part {
    /// Name of the field.
    name: &'static str,
    /// Type of the field.
    r#type: TokenStream,
    /// Expression that decodes the slot.
    read: TokenStream,
    /// Text of the doc comment.
    comment: &'static str,
}

/// Generates `router.rs`.
pub(crate) fn file(types: &Types<'_>, routes: &Routes<'_>, options: &Options) -> File {
    let all = || routes.groups.iter().flat_map(|group| &group.routes);
    let mut runtime = vec!["Router", "Routes"];
    if !types.program.routes.is_empty() {
        runtime.extend(["Context", "Error", "Request", "Response"]);
    }
    if all().any(|handled| !handled.route.is_socket()) {
        runtime.push("StatusCode");
    }
    if all().any(|handled| handled.is_open(types)) {
        runtime.push("Reply");
    }
    if routes.middleware.iter().any(replies::has_enum) {
        runtime.push("Replies");
    }
    if all().any(|handled| !handled.route.path.segments().is_empty()) {
        runtime.push("Segment");
    }
    let mut external = Imports::default();
    runtime.extend(edge::names(types));
    runtime.extend(settings::names(types, options.api_docs));
    runtime.extend(options.sidecar.then_some("Sidecar"));
    runtime.extend(error_format::imports(types));
    for name in runtime.into_iter().filter(|name| !types.declares(name)) {
        external.add("kit_runtime", name);
    }
    // The import of `App` is the first one from `crate`, whatever the others are.
    let mut imports = Imports::default();
    for middleware in &routes.middleware {
        imports.add(
            &format!("crate::middleware::{}", middleware.module),
            &middleware.r#type,
        );
    }
    let mut models = Imports::default();
    error_format::add_model(types, &mut models);
    for handled in all() {
        let slots = Slot::INPUTS.into_iter();
        for id in slots.filter_map(|slot| handled.route.slots.get(slot)) {
            models.add("crate::models", types.name_in(id, Form::Request));
        }
        replies::import(types, &handled.route.replies, &mut models);
        for id in handled.route.body_format.inner_types() {
            models.add("crate::models", types.name_in(id, Form::Request));
        }
        for id in handled.route.response_format.inner_types() {
            models.add("crate::models", types.name(id));
        }
        if let Some(id) = handled.route.slots.response.filter(|_| !handled.is_open(types)) {
            models.add("crate::models", types.name(id));
        }
    }
    for wrapper in routes
        .middleware
        .iter()
        .filter_map(|known| known.wrapper.as_ref())
    {
        replies::import(types, &wrapper.declared, &mut models);
    }
    let mut comment =
        file_doc("Routes: the input of their handlers, and the code that passes requests to them.");
    comment.extend(allow_lints(
        "The contracts decide comments and names. `router` has a line for each part of each route.",
        &[
            "doc_link_with_quotes",
            "doc_markdown",
            "pub_underscore_fields",
            "too_many_lines",
        ],
    ));
    let traits = routes.groups.iter().map(|group| group_trait(types, group));
    let inputs = all().map(|handled| {
        let (input, replies) = (input(types, handled), replies::replies(types, handled));
        let (parts, events) = (bodies::parts(types, handled), bodies::events(types, handled));
        let union = format_unions::request_enum(types, handled);
        let contents = format_unions::contents(types, handled);
        quote!(#input #union #parts #replies #contents #events)
    });
    let wrappers = routes
        .middleware
        .iter()
        .map(|known| replies::of_wrapper(types, known));
    let (error_bodies, router) = (error_format::body_trait(types), router(types, routes, options));
    let dispatchers = routes.groups.iter().flat_map(|group| {
        group
            .routes
            .iter()
            .map(move |handled| dispatch(types, group, handled))
    });
    let file = quote! {
        #comment
        #external
        use crate::app::App;
        #imports
        #models
        #(#traits)*
        #error_bodies
        #(#inputs)*
        #(#wrappers)*
        #router
        #(#dispatchers)*
    };
    File::output("router.rs", &file)
}

fn group_trait(types: &Types<'_>, group: &Group<'_>) -> TokenStream {
    let mut comment = doc(group.documentation.as_deref().unwrap_or_default());
    if comment.is_empty() {
        comment = doc(&format!("Handlers of `{}`.", group.contract));
    }
    let functions = group.routes.iter().map(|handled| {
        let route = handled.route;
        let mut text = format!("`{}`", route.reference());
        let descriptions = [
            route.summary.as_deref(),
            route.documentation.description.as_deref(),
        ];
        for description in descriptions.into_iter().flatten() {
            text.push_str(&format!("\n\n{description}"));
        }
        let comment = doc(&text);
        let (function, input) = (ident(&handled.function), ident(&handled.input));
        let answer = handled.answer(types);
        quote! {
            #comment
            fn #function(&self, input: #input) -> impl Future<Output = Result<#answer, Error>> + Send;
        }
    });
    let name = ident(&group.name);
    quote! {
        #comment
        pub trait #name { #(#functions)* }
    }
}

fn input(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let comment = doc(&format!(
        "Input of the handler of `{}`.",
        handled.route.reference()
    ));
    let parts = handled.parts(types).into_iter().map(|part| {
        let (name, r#type, comment) = (ident(part.name), part.r#type, doc(part.comment));
        quote!(#comment pub #name: #r#type)
    });
    let socket = sockets::socket_type(types, handled).map(|r#type| {
        let comment = doc("WebSocket of the client.");
        quote!(#comment pub socket: #r#type,)
    });
    let middleware = handled.middleware.iter().map(|middleware| {
        let comment = doc(&format!("Values that `{}` adds.", middleware.name));
        let (name, r#type) = (ident(&middleware.module), ident(&middleware.r#type));
        quote!(#comment pub #name: #r#type)
    });
    let (name, context) = (ident(&handled.input), types.of_runtime("Context"));
    quote! {
        #comment
        #[derive(Debug)]
        pub struct #name {
            #(#parts,)*
            #socket
            #(#middleware,)*
            /// Context of the request, such as its trace.
            pub context: #context,
        }
    }
}

fn router(types: &Types<'_>, routes: &Routes<'_>, options: &Options) -> TokenStream {
    let edge = edge::calls(types);
    let environment = cors::environment(types);
    let errors = error_format::call(types);
    let [router, table] = ["Router", "Routes"].map(|name| types.of_runtime(name));
    let calls = routes
        .groups
        .iter()
        .flat_map(|group| group.routes.iter().map(move |handled| (group, handled)));
    let calls = calls.map(|(group, handled)| {
        let route = handled.route;
        let reference = string_literal(&route.reference());
        let segments = route.path.segments().iter().map(|part| segment(types, part));
        let function = ident(&handled.function);
        let source = source(types, handled);
        let (file, name) = (string_literal(&group.file()), string_literal(&handled.function));
        let (limits, lifecycle) = (limits(route.limits), lifecycle(&route.lifecycle));
        let subprotocols = sockets::subprotocols(route);
        let streamed = route.body_format.is_streamed().then(|| quote!(.streamed_body()));
        let varies = route.negotiates().then(|| quote!(.varies()));
        quote! {
            .route(#reference, &[#(#segments),*], #function) #source.handler(#file, #name) #subprotocols #limits #streamed #varies #lifecycle
        }
    });
    let sensitive = sensitive(types.program);
    let has_messages = types.program.routes.iter().any(Route::has_messages);
    let asyncapi = has_messages.then(|| quote!(.asyncapi(include_str!("schemas/asyncapi.json"))));
    let (defaults, settings) = (
        settings::constant(types.program),
        settings::calls(types, options.api_docs),
    );
    let sidecar = sidecar::call(types, options);
    let use_defaults = defaults
        .is_some()
        .then(|| quote!(kit_runtime::set_defaults(&SETTINGS);));
    quote! {
        #defaults

        /// Returns the router, which responds to every request of the application.
        #[must_use]
        pub fn router(app: App) -> #router<App> {
            #use_defaults
            #environment
            #table::new(app)
                #(#calls)*
                #edge
                #errors
                #settings
                .openapi(include_str!("schemas/openapi.json"))
                #asyncapi
                #sensitive
                #sidecar
                .into_router()
        }
    }
}

/// Returns the method calls that set the limits of a route.
fn limits(limits: RouteLimits) -> TokenStream {
    let body = limits.body_bytes.map(integer);
    let body = body.map(|bytes| quote!(.body_bytes(#bytes)));
    let timeout = limits.timeout_ms.map(integer);
    let timeout = timeout.map(|millis| quote!(.timeout_ms(#millis)));
    let rate = limits.body_min_bytes_per_second.map(integer);
    let rate = rate.map(|bytes| quote!(.body_min_bytes_per_second(#bytes)));
    quote!(#body #timeout #rate)
}

/// Returns the method call that sets the headers about the life of a route. Returns `None` if there are no such headers.
fn lifecycle(lifecycle: &Lifecycle) -> Option<TokenStream> {
    let headers: Vec<_> = lifecycle
        .headers()
        .iter()
        .map(|(name, value)| {
            let (name, value) = (string_literal(name), string_literal(value));
            quote!((#name, #value))
        })
        .collect();
    (!headers.is_empty()).then(|| quote!(.lifecycle(&[#(#headers),*])))
}

/// Returns the Rust expression for a segment of a path pattern: `Segment::Parameter("id")`. Static text is in
/// the normal form of paths, as the runtime requires.
fn segment(types: &Types<'_>, segment: &Segment) -> TokenStream {
    let (variant, text) = match segment.normalized() {
        Segment::Static(text) => ("Static", text),
        Segment::Parameter(name) => ("Parameter", name),
        Segment::Wildcard(name) => ("Wildcard", name),
    };
    let (path, variant, text) = (types.of_runtime("Segment"), ident(variant), string_literal(&text));
    quote!(#path::#variant(#text))
}

/// Returns the method call that tells the runtime the names of sensitive properties: their names in TypeScript, in the
/// database and in Rust. Returns `None` if there are no sensitive properties.
fn sensitive(program: &Program) -> Option<TokenStream> {
    let declared = sensitive_names(program);
    let fields = declared.iter().map(|name| names::plain_field(name));
    let mut all: BTreeSet<String> = fields.collect();
    all.extend(declared.iter().map(|&name| name.to_owned()));
    let all: Vec<_> = all.iter().map(|name| string_literal(name)).collect();
    (!all.is_empty()).then(|| quote!(.sensitive(&[#(#all),*])))
}

/// Returns the method call that tells the runtime the source locations of a route, for errors in development.
fn source(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let (program, route) = (types.program, handled.route);
    let file = program.path(route.span);
    let elsewhere = Slot::ALL.into_iter().filter_map(|slot| {
        let declaration = &program.declarations[route.slots.get(slot)?];
        let path = program.path(declaration.span);
        let entry = || {
            let (slot, path) = (string_literal(slot.name()), string_literal(path));
            quote!((#slot, #path))
        };
        (path != file).then(entry)
    });
    let place = string_literal(&format!("{file}:{}", route.span.line));
    let tests = route.tests.iter().map(|test| string_literal(test));
    quote!(.source(#place, &[#(#elsewhere),*], &[#(#tests),*]))
}

/// Returns the generated function that decodes a request, runs the middleware of the route and calls its
/// handler.
fn dispatch(types: &Types<'_>, group: &Group<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let function = ident(&handled.function);
    let negotiate = format_unions::negotiate(handled.route);
    let [request, response] = ["Request", "Response"].map(|name| types.of_runtime(name));
    let middleware: Vec<_> = handled
        .middleware
        .iter()
        .map(|middleware| ident(&middleware.module))
        .collect();
    let (parts, mut reads): (Vec<_>, Vec<_>) = handled
        .parts(types)
        .into_iter()
        .map(|part| {
            let (name, read) = (ident(part.name), part.read);
            (part.name, quote!(let #name = #read;))
        })
        .unzip();
    let in_target = parts
        .iter()
        .filter(|name| [Slot::Params.name(), Slot::Query.name()].contains(name));
    reads.insert(in_target.count(), quote!(#negotiate));
    let parts = parts.into_iter().map(ident);
    let status = status_name(&types.of_runtime("StatusCode"), handled.route.status);
    // If creating the status needs an expression, its value is assigned to a variable.
    let is_named = handled.reply.is_some()
        || status
            .clone()
            .into_iter()
            .all(|token| !matches!(token, proc_macro2::TokenTree::Group(_)));
    let (variable, status) = if is_named {
        (None, status)
    } else {
        (Some(quote!(let status = #status;)), quote!(status))
    };
    // Wrappers run the rest of the request while they have it, so the rest only borrows the request.
    let is_wrapped = handled.middleware.iter().any(|known| known.wrapper.is_some());
    let (borrow, app, into_context) = if is_wrapped {
        let borrow = quote!(let (app, request) = (&app, &request););
        (Some(borrow), quote!(app), quote!(handler_context))
    } else {
        (None, quote!(&app), quote!(into_context))
    };
    let (group, input) = (ident(&group.name), ident(&handled.input));
    let call = quote!(#group::#function(#app, input).await?);
    let result = if handled.reply.is_some() {
        let wait = replies::is_async(&handled.route.replies).then(|| quote!(.await));
        quote!(#call.respond(&context) #wait)
    } else if let Some(respond) = bodies::respond(
        &response,
        &quote!(&context),
        &status,
        &handled.route.response_format,
    ) {
        quote! {
            let answer = #call;
            #respond
        }
    } else if handled.is_open(types) {
        quote! {
            let answer = #call;
            #response::reply(&context, #status, answer)
        }
    } else if handled.route.slots.response.is_some() {
        quote! {
            let answer = #call;
            #response::json(&context, #status, &answer)
        }
    } else {
        quote! {
            #call;
            Ok(#response::empty(&context, #status))
        }
    };
    let (socket, own_context) = if handled.route.is_socket() {
        (Some(quote!(socket,)), quote!(handler_context))
    } else {
        (None, quote!(context.clone()))
    };
    let input = quote!(let input = #input {
        #(#parts,)*
        #socket
        #(#middleware,)*
        context: #own_context,
    };);
    let rest = if handled.route.is_socket() {
        let owned = if is_wrapped {
            quote!(app.clone())
        } else {
            quote!(app)
        };
        let call = quote!(#group::#function(&app, input));
        sockets::open(handled, &response, &owned, &input, &call)
    } else {
        quote!(#input #variable #result)
    };
    let handle = quote! {
        #(#reads)*
        let context = request.#into_context()?;
        #rest
    };
    let body = run_chain(handled, &app, handle);
    quote! {
        async fn #function(app: App, request: #request) -> Result<#response, Error> { #borrow #body }
    }
}

/// Returns the code that runs the middleware of a route and checks the scopes of the caller, followed by the code `handle`.
fn run_chain(handled: &RouteNames<'_>, app: &TokenStream, handle: TokenStream) -> TokenStream {
    let scopes = scopes::check(handled);
    // A name that no middleware has must not leave the route without the check.
    let before = handled.route.scopes_before.as_deref();
    let before = before.filter(|name| handled.middleware.iter().any(|known| known.name == *name));
    let start = if before.is_none() {
        quote!(#scopes #handle)
    } else {
        handle
    };
    handled.middleware.iter().rev().fold(start, |rest, known| {
        let rest = run_middleware(known, app, &rest);
        if before == Some(known.name.as_str()) {
            quote!(#scopes #rest)
        } else {
            rest
        }
    })
}

/// Returns the code that runs a middleware, followed by the code `rest`.
fn run_middleware(middleware: &Middleware, app: &TokenStream, rest: &TokenStream) -> TokenStream {
    let name = ident(&middleware.module);
    if middleware.wrapper.is_none() {
        return quote! {
            let #name = request.middleware(#app).await?;
            #rest
        };
    }
    let kind = ident(&middleware.r#type);
    quote! {
        let rest = move |#name: #kind| async move { #rest };
        request.wrapper(app, rest).await
    }
}
