//! Modules of contract groups in generated clients: the methods that call routes, and their inputs.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, FormatChoice, Route, Segment, Slot};
use proc_macro2::TokenStream;
use quote::quote;

use super::choices::Choices;
use super::content::{Names, body};
use super::failures::Failures;
use super::replies::{event_enums, replies};
use super::requests::Body;
use super::sockets::Messages;
use super::{formats, requests};
use crate::print;
use crate::route_groups::Group;
use crate::route_names::{BodyNames, RouteNames};
use crate::source::{Imports, doc, file_doc, ident, string_literal};
use crate::types::{Form, Types};

/// Returns the module of a contract group.
pub(super) fn module(types: &Types<'_>, group: &Group<'_>) -> TokenStream {
    let comment = file_doc(&format!("Calls of `{}`.", group.name));
    let mut taken = BTreeSet::from([group.name.clone()]);
    for handled in &group.routes {
        let BodyNames {
            parts,
            event,
            union,
            contents,
            replies,
        } = &handled.bodies;
        taken.insert(handled.input.clone());
        let own = [&handled.reply, parts, event, union, contents];
        taken.extend(own.into_iter().flatten().cloned());
        taken.extend(replies.events.values().chain(replies.contents.values()).cloned());
    }
    let error = if taken.contains("Error") {
        quote!(kit_client::Error)
    } else {
        quote!(Error)
    };
    let mut methods = Vec::new();
    let mut items = Vec::new();
    for handled in &group.routes {
        let errors = Failures::new(types, handled, &mut taken);
        let choices = Choices::new(handled, &mut taken);
        methods.push(method(types, handled, &errors, &choices, &error));
        items.push(input(types, handled, &choices));
        items.push(choices.declarations(handled.route));
        items.push(requests::declarations(types, handled));
        items.push(errors.declaration(types));
        items.push(formats::contents(types, handled));
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
    let body = |r#type: TokenStream, write: TokenStream| Part {
        name: "body",
        comment: "Body.",
        r#type,
        write,
    };
    if let Some(name) = handled.bodies.union.as_deref().map(ident) {
        let write = quote!(.body_by(|call| input.body.write(call)));
        found.push(body(quote!(#name), write));
        return found;
    }
    let choice = FormatChoice {
        format: route.body_format.clone(),
        body: route.slots.body,
    };
    if let Some(own) = Body::new(types, handled, &choice) {
        if own.has_media_type {
            found.push(Part {
                name: "media_type",
                comment: "Media type of the body.",
                r#type: quote!(String),
                write: TokenStream::new(),
            });
        }
        let write = own.write(&quote!(input.body), &quote!(&input.media_type));
        found.push(body(own.r#type, write));
    }
    found
}

/// Returns the parts that the caller may choose: the media type of the response, the range of a download, and the subprotocols.
fn chosen(route: &Route, choices: &Choices) -> Vec<Part> {
    let accept = choices.accept.as_deref().map(ident).map(|name| Part {
        name: "accept",
        comment: "Media type of the response. `None` leaves the choice to the server.",
        r#type: quote!(Option<#name>),
        // The call writes the media type after the default of the route.
        write: TokenStream::new(),
    });
    let range = route.response_format.is_download().then(|| Part {
        name: "range",
        comment: "Part of the body to ask for. `None` asks for the whole body.",
        r#type: quote!(Option<kit_client::ByteRange>),
        write: quote!(.range(input.range.as_ref())),
    });
    let protocols = choices.protocol.as_deref().map(ident).map(|name| Part {
        name: "protocols",
        comment: "Subprotocols that the client offers, the preferred one first.",
        r#type: quote!(Vec<#name>),
        // The handshake writes the subprotocols.
        write: TokenStream::new(),
    });
    accept.into_iter().chain(range).chain(protocols).collect()
}

/// Returns the struct with the input of a call. Returns nothing if the call has no input.
fn input(types: &Types<'_>, handled: &RouteNames<'_>, choices: &Choices) -> TokenStream {
    let mut parts = parts(types, handled);
    parts.extend(chosen(handled.route, choices));
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
    choices: &Choices,
    error: &TokenStream,
) -> TokenStream {
    let route = handled.route;
    let mut parts = parts(types, handled);
    parts.extend(chosen(route, choices));
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
    if let Some((sent, received)) = Messages::of(types, handled) {
        let (sent, sent_kinds) = (sent.r#type, sent.kinds);
        let (received, received_kinds) = (received.r#type, received.kinds);
        let protocols = choices.protocol.as_ref().map(
            |_| quote!(let protocols: Vec<_> = input.protocols.iter().map(|name| name.as_str()).collect();),
        );
        let offered = if protocols.is_some() {
            quote!(&protocols)
        } else {
            quote!(&[])
        };
        return quote! {
            #comment
            pub async fn #function(&self #input) -> Result<kit_client::Socket<#sent, #received>, #error<#declared>> {
                #protocols
                self.client
                    .call::<#declared>(kit_client::Method::#method, &[#(#segments),*])
                    #(#writes)*
                    .open(#offered, #sent_kinds, #received_kinds)
                    .await
            }
        };
    }
    let accept = accept(route);
    let prefer = choices.accept.as_deref().map(ident);
    let prefer = prefer.map(|name| quote!(.prefer(input.accept.map(#name::as_str))));
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
                #prefer
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
    for format in formats {
        for media_type in format.media_types() {
            if media_type != "application/json" && !types.contains(&media_type) {
                types.push(media_type);
            }
        }
        let is_endless = |format: &BodyFormat| {
            matches!(format, BodyFormat::Lines | BodyFormat::Events { .. }) || format.is_download()
        };
        is_stream |= format
            .choices(None)
            .iter()
            .any(|choice| is_endless(&choice.format));
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
    let contents = handled.bodies.contents.as_deref().map(ident);
    let names = Names {
        model: model.as_ref(),
        event: event.as_ref(),
        contents: contents.as_ref(),
    };
    body(&handled.route.response_format, names)
}
