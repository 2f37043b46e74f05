//! Modules of contract groups in generated clients: the methods that call routes, and their inputs.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, Route, Segment, Slot};
use proc_macro2::TokenStream;
use quote::quote;

use super::content::body;
use super::failures::Failures;
use super::replies::{event_enums, replies};
use crate::print;
use crate::route_names::RouteNames;
use crate::router::Group;
use crate::source::{Imports, doc, file_doc, ident, string_literal};
use crate::types::{Form, Types};

/// Returns the module of a contract group.
pub(super) fn module(types: &Types<'_>, group: &Group<'_>, routes: &[&RouteNames<'_>]) -> TokenStream {
    let comment = file_doc(&format!("Calls of `{}`.", group.name));
    let mut taken = BTreeSet::from([group.name.clone()]);
    for handled in routes {
        taken.insert(handled.input.clone());
        taken.extend(handled.reply.clone());
        taken.extend(handled.bodies.event.clone());
        taken.extend(handled.bodies.replies.events.values().cloned());
    }
    let error = if taken.contains("Error") {
        quote!(kit_client::Error)
    } else {
        quote!(Error)
    };
    let mut methods = Vec::new();
    let mut items = Vec::new();
    for handled in routes {
        let errors = Failures::new(types, handled, &mut taken);
        methods.push(method(types, handled, &errors, &error));
        items.push(input(types, handled));
        items.push(errors.declaration(types));
        items.push(replies(types, handled));
        items.push(event_enums(types, handled));
    }
    let name = ident(&group.name);
    let text = group
        .documentation
        .clone()
        .unwrap_or_else(|| format!("Calls of `{}`.", group.name));
    let documentation = doc(&text);
    let uses_models = items
        .iter()
        .chain(&methods)
        .any(|tokens| print::mentions(tokens, "models"));
    let mut imports = Imports::default();
    if !taken.contains("Error") {
        imports.add("kit_client", "Error");
    }
    if uses_models {
        imports.add_module("crate::models");
    }
    quote! {
        #comment
        #imports

        #documentation
        #[derive(Debug, Clone, Copy)]
        pub struct #name<'c> {
            client: &'c kit_client::Client,
        }

        impl<'c> #name<'c> {
            pub(crate) fn new(client: &'c kit_client::Client) -> Self {
                Self { client }
            }

            #(#methods)*
        }

        #(#items)*
    }
}

/// A field of the struct with the input of a call.
struct Part {
    name: &'static str,
    comment: &'static str,
    r#type: TokenStream,
    /// Calls that add the field to the request.
    write: TokenStream,
}

/// Returns the parts of the request of a route.
fn parts(types: &Types<'_>, handled: &RouteNames<'_>) -> Vec<Part> {
    let route = handled.route;
    let mut found = Vec::new();
    for slot in [Slot::Params, Slot::Query, Slot::Headers, Slot::Cookies] {
        let Some(id) = route.slots.get(slot) else { continue };
        let model = ident(types.name_in(id, Form::Request));
        let (name, comment) = match slot {
            Slot::Params => ("params", "Path parameters."),
            Slot::Query => ("query", "Query."),
            Slot::Headers => ("headers", "Headers."),
            _ => ("cookies", "Cookies."),
        };
        let field = ident(name);
        found.push(Part {
            name,
            comment,
            r#type: quote!(models::#model),
            write: quote!(.#field(&input.#field)),
        });
    }
    let model = route.slots.body.map(|id| {
        let model = ident(types.name_in(id, Form::Request));
        quote!(models::#model)
    });
    let body = |r#type: TokenStream, write: TokenStream| Part {
        name: "body",
        comment: "Body.",
        r#type,
        write,
    };
    let media_types = route.body_format.media_types();
    let media_type = string_literal(media_types.first().copied().unwrap_or_default());
    match (&route.body_format, model) {
        (BodyFormat::Json, Some(model)) => found.push(body(model, quote!(.json(&input.body)))),
        (BodyFormat::Form, Some(model)) => found.push(body(model, quote!(.form(&input.body)))),
        (BodyFormat::Multipart { .. }, _) => {
            found.push(body(quote!(kit_client::Form), quote!(.multipart(input.body))));
        }
        (
            BodyFormat::Text { .. }
            | BodyFormat::Raw { .. }
            | BodyFormat::Chunks { .. }
            | BodyFormat::Bytes { .. }
            | BodyFormat::Lines,
            _,
        ) => {
            let kind = if matches!(route.body_format, BodyFormat::Text { .. }) {
                quote!(String)
            } else {
                quote!(kit_client::Body)
            };
            let is_single = media_types.len() == 1 && !media_types.iter().any(|name| name.contains('*'));
            if is_single {
                found.push(body(kind, quote!(.body(#media_type, input.body))));
            } else {
                found.push(Part {
                    name: "media_type",
                    comment: "Media type of the body.",
                    r#type: quote!(String),
                    write: TokenStream::new(),
                });
                found.push(body(kind, quote!(.body(&input.media_type, input.body))));
            }
        }
        _ => {}
    }
    found
}

/// Returns the struct with the input of a call. Returns nothing if the call has no input.
fn input(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let parts = parts(types, handled);
    if parts.is_empty() {
        return TokenStream::new();
    }
    let name = ident(&handled.input);
    let comment = doc(&format!("Input of `{}`.", handled.route.reference()));
    let fields = parts.iter().map(|part| {
        let (name, comment, kind) = (ident(part.name), doc(part.comment), &part.r#type);
        quote!(#comment pub #name: #kind)
    });
    quote! {
        #comment
        #[derive(Debug)]
        pub struct #name { #(#fields),* }
    }
}

/// Returns the method that calls a route.
fn method(
    types: &Types<'_>,
    handled: &RouteNames<'_>,
    errors: &Failures<'_>,
    error: &TokenStream,
) -> TokenStream {
    let route = handled.route;
    let parts = parts(types, handled);
    let function = ident(&handled.function);
    let kind = ident(&handled.input);
    let input = (!parts.is_empty()).then(|| quote!(, input: #kind));
    let method = ident(route.method.name());
    let segments = route.path.segments().iter().map(|segment| {
        let (kind, name) = match segment.normalized() {
            Segment::Static(text) => ("Static", text),
            Segment::Parameter(name) => ("Parameter", name),
            Segment::Wildcard(name) => ("Wildcard", name),
        };
        let (kind, name) = (ident(kind), string_literal(&name));
        quote!(kit_client::Segment::#kind(#name))
    });
    let writes = parts.iter().map(|part| &part.write);
    let (result, read) = result(types, handled);
    let declared = errors.r#type();
    let says = [
        route.summary.as_deref(),
        route.documentation.description.as_deref(),
    ];
    let says: Vec<&str> = says.into_iter().flatten().collect();
    let mut text = format!("`{}`", route.reference());
    for paragraph in says {
        text.push_str("\n\n");
        text.push_str(paragraph);
    }
    text.push_str("\n\n# Errors\n\nIf the request cannot be sent, or if the response is an error.");
    let comment = doc(&text);
    let accept = accept(route);
    let binding = if read.is_empty() {
        TokenStream::new()
    } else {
        quote!(let answer =)
    };
    let ending = if read.is_empty() { quote!(Ok(())) } else { read };
    quote! {
        #comment
        pub async fn #function(&self #input) -> Result<#result, #error<#declared>> {
            #binding self.client
                .call::<#declared>(kit_client::Method::#method, &[#(#segments),*])
                #(#writes)*
                #accept
                .send()
                .await?;
            #ending
        }
    }
}

/// Returns the call that sets the media type of the response; nothing for JSON.
fn accept(route: &Route) -> TokenStream {
    let formats = route
        .replies
        .iter()
        .map(|reply| &reply.format)
        .chain(route.replies.is_empty().then_some(&route.response_format));
    let mut types: Vec<&str> = Vec::new();
    let mut is_stream = false;
    for format in formats.filter(|format| !format.is_json()) {
        types.extend(format.media_types());
        is_stream |= matches!(format, BodyFormat::Lines | BodyFormat::Events { .. });
    }
    if types.is_empty() {
        return TokenStream::new();
    }
    types.push("application/json");
    let types = string_literal(&types.join(", "));
    quote!(.accept(#types, #is_stream))
}

/// Returns the type of the result of a call, and the expression that reads it from the variable `answer`. The expression is empty
/// if the response has no body.
fn result(types: &Types<'_>, handled: &RouteNames<'_>) -> (TokenStream, TokenStream) {
    if let Some(reply) = handled.reply.as_deref().map(ident) {
        return (quote!(#reply), quote!(#reply::read(answer).await));
    }
    if handled.is_open(types) {
        return (quote!(kit_client::Answer), quote!(Ok(answer)));
    }
    let model = handled.route.slots.response.map(|id| ident(types.name(id)));
    let event = handled.bodies.event.as_deref().map(ident);
    body(&handled.route.response_format, model.as_ref(), event.as_ref())
}
