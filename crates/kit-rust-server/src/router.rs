//! Generates `router.rs`: a trait for each contract group, which its handlers implement, and the code that passes
//! requests to them.

mod dispatch;

use std::collections::BTreeSet;

use kit_analysis::sensitive_names;
use kit_ir::{Lifecycle, Program, Route, RouteLimits, Segment, Slot, TypeKind};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};

use self::dispatch::dispatch;
use crate::route_groups::{Group, Routes};
use crate::route_names::RouteNames;
use crate::shapes::integer;
use crate::source::{Imports, allow_lints, doc, file_doc, ident, string_literal};
use crate::types::{Form, Types};
use crate::{
    File, Options, bodies, cors, edge, error_format, format_unions, names, replies, settings, sidecar,
    sockets,
};

impl RouteNames<'_> {
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
