//! Bodies that have one of several formats: an enum with a variant for each format of a request, and a struct with a function
//! for each format of a response.

use std::collections::BTreeSet;

use kit_ir::{BodyFormat, DeclaredReply, FormatChoice, Route};
use proc_macro2::{Ident, Literal, TokenStream};
use quote::{ToTokens, quote};

use crate::bodies::{self, Written};
use crate::names;
use crate::names_by_status::ReplyNames;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::types::{Form, Types};

/// Returns the Rust type of the request body, and the expression that reads the body. Returns `None` if the body is
/// JSON.
pub(crate) fn request(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<(TokenStream, TokenStream)> {
    let (format, body) = (&handled.route.body_format, handled.route.slots.body);
    if let BodyFormat::OneOf { choices } = format {
        let name = ident(handled.bodies.union.as_deref()?);
        let read = read(types, handled, &name, choices);
        return Some((quote!(#name), read));
    }
    let format = format.clone();
    bodies::read(types, handled, &FormatChoice { format, body })
}

/// Returns the expression that reads a request body with one of several formats, which becomes a variant of the enum `name`.
fn read(types: &Types<'_>, handled: &RouteNames<'_>, name: &Ident, choices: &[FormatChoice]) -> TokenStream {
    let formats = choices.iter().map(|choice| {
        let media_types = choice.format.media_types().into_iter().map(string_literal);
        quote!(&[#(#media_types),*])
    });
    let json = choices.iter().position(|choice| choice.format.is_json());
    let json = json.map(Literal::usize_unsuffixed);
    let json = json.map_or_else(|| quote!(None), |index| quote!(Some(#index)));
    let last = choices.len() - 1;
    let arms = choices
        .iter()
        .zip(variants(choices))
        .enumerate()
        .map(|(index, (choice, variant))| {
            let index = if index == last {
                quote!(_)
            } else {
                Literal::usize_unsuffixed(index).to_token_stream()
            };
            let read = bodies::read(types, handled, choice)
                .map_or_else(|| quote!(request.body()?), |(_, read)| read);
            if has_media_type(&choice.format) {
                quote!((#index, media_type) => #name::#variant { media_type, value: #read },)
            } else {
                quote!((#index, _) => #name::#variant(#read),)
            }
        });
    quote!(match request.format(&[#(#formats),*], #json)? { #(#arms)* })
}

/// Returns the enum with a variant for each format of the request body. Returns `None` if the body has one format.
pub(crate) fn request_enum(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let BodyFormat::OneOf { choices } = &handled.route.body_format else {
        return None;
    };
    let name = ident(handled.bodies.union.as_deref()?);
    let comment = doc(&format!(
        "Body of `{}`, in the format that the content type of the request chooses.",
        handled.route.reference()
    ));
    let declared = choices.iter().zip(variants(choices)).map(|(choice, variant)| {
        let text = choice.format.media_types().join("`, `");
        let comment = doc(&format!("`{text}`"));
        let model = || {
            let model = choice.body.map(|id| ident(types.name_in(id, Form::Request)));
            quote!(#model)
        };
        let kind = bodies::read(types, handled, choice).map_or_else(model, |(kind, _)| kind);
        if has_media_type(&choice.format) {
            let media_type = doc("Media type of the request in lower case, without parameters.");
            let value = doc("Content.");
            quote!(#comment #variant { #media_type media_type: String, #value value: #kind })
        } else {
            quote!(#comment #variant(#kind))
        }
    });
    Some(quote! {
        #comment
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#declared),* }
    })
}

/// Returns true if requests with a format may have several media types, so that the handler receives the media type.
fn has_media_type(format: &BodyFormat) -> bool {
    matches!(
        format,
        BodyFormat::Text { .. } | BodyFormat::Bytes { .. } | BodyFormat::Raw { .. }
    )
}

/// Returns the name of the variant for each format.
pub(crate) fn variants(choices: &[FormatChoice]) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    let names = choices.iter().map(|choice| {
        let name = names::unique(choice.format.name().to_owned(), |name| taken.contains(name));
        taken.insert(name.clone());
        ident(&name)
    });
    names.collect()
}

/// Returns the struct with the formats of a route's response, and those of its replies.
pub(crate) fn contents(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let text = format!(
        "Response of `{}`. kit calls the function of the format that the client prefers.",
        handled.route.reference()
    );
    let own = handled.bodies.contents.as_deref().map(|name| {
        let name = ident(name);
        let format = &handled.route.response_format;
        let declared = declared(types, &name, &text, format, handled.bodies.event.as_deref());
        let [context, response, error, status] =
            ["Context", "Response", "Error", "StatusCode"].map(|name| types.of_runtime(name));
        let chosen = chosen(format, &quote!(self), |choice| {
            bodies::respond(&response, &quote!(context), &quote!(status), &choice.format)
                .unwrap_or_else(|| quote!(#response::json(context, status, &answer)))
        });
        let offers = offers(format);
        quote! {
            #declared

            impl #name {
                async fn respond(self, context: &#context, status: #status) -> Result<#response, #error> {
                    let format = context.preferred(&[#offers]);
                    #chosen
                }
            }
        }
    });
    let ReplyNames { events, contents } = &handled.bodies.replies;
    let of_replies = handled.route.replies.iter().filter_map(|reply| {
        let name = ident(contents.get(&reply.status)?);
        let event = events.get(&reply.status).map(String::as_str);
        Some(declared(types, &name, &text, &reply.format, event))
    });
    quote!(#own #(#of_replies)*)
}

/// Returns the struct with a function for each format of a response.
fn declared(
    types: &Types<'_>,
    name: &Ident,
    text: &str,
    format: &BodyFormat,
    event: Option<&str>,
) -> TokenStream {
    let comment = doc(text);
    let choices = format.choices(None);
    let fields = choices.iter().zip(fields(&choices)).map(|(choice, field)| {
        let comment = doc(&format!("`{}`", choice.format.media_types().join("`, `")));
        let model = choice.body.map(|id| ident(types.name(id)));
        let written = Written {
            model: model.clone(),
            event: event.map(ident),
            contents: None,
        };
        let kind = bodies::written(&choice.format, written).unwrap_or_else(|| quote!(#model));
        quote!(#comment pub #field: kit_runtime::Choice<#kind>)
    });
    quote! {
        #comment
        #[derive(Debug)]
        pub struct #name { #(#fields),* }
    }
}

/// Returns the name of the field for each format of a response: its media type.
fn fields(choices: &[FormatChoice]) -> Vec<Ident> {
    let mut taken = BTreeSet::new();
    let names = choices.iter().map(|choice| {
        let media_type = choice.format.media_types().first().copied().unwrap_or_default();
        ident(&names::unique_field(media_type, &mut taken))
    });
    names.collect()
}

/// Returns the expression that creates the response in the chosen format, whose number is in the variable `format`. `contents` is the
/// struct with the formats, and `respond` returns the expression that creates the response from the variable `answer`.
fn chosen(
    format: &BodyFormat,
    contents: &TokenStream,
    respond: impl Fn(&FormatChoice) -> TokenStream,
) -> TokenStream {
    let choices = format.choices(None);
    let mut blocks: Vec<_> = choices
        .iter()
        .zip(fields(&choices))
        .map(|(choice, field)| {
            let respond = respond(choice);
            quote!({
                let answer = #contents.#field.produce().await?;
                #respond
            })
        })
        .collect();
    if let [first, second] = blocks.as_slice() {
        return quote!(if format == 0 #first else #second);
    }
    let last = blocks.pop();
    let arms = blocks.iter().enumerate().map(|(index, block)| {
        let index = Literal::usize_unsuffixed(index);
        quote!(#index => #block)
    });
    quote!(match format { #(#arms)* _ => #last })
}

/// Returns the expression that creates the response of a reply with several formats. `begun` is Rust code that creates a reply
/// with its headers and without its body, which is in the variable `body`. Returns `None` if the reply has one format.
pub(crate) fn of_reply(reply: &DeclaredReply, begun: &TokenStream) -> Option<TokenStream> {
    if !reply.format.is_union() {
        return None;
    }
    let offers = offers(&reply.format);
    let chosen = chosen(&reply.format, &quote!(body), |choice| {
        let complete = bodies::complete(&choice.format, &quote!(answer));
        quote!(#begun #complete)
    });
    Some(quote!({
        let format = context.preferred(&[#offers]);
        #chosen
    }))
}

/// Returns the statement that refuses requests whose clients accept no response of the contract. Returns `None` if the header
/// `accept` chooses no format.
pub(crate) fn negotiate(route: &Route) -> Option<TokenStream> {
    if !route.negotiates() {
        return None;
    }
    let mut all: Vec<String> = Vec::new();
    for reply in route.responses().iter().filter(|reply| reply.has_body()) {
        for offer in offers_of(&reply.format) {
            if !all.contains(&offer) {
                all.push(offer);
            }
        }
    }
    let all = all.iter().map(|offer| string_literal(offer));
    Some(quote!(request.negotiate(&[#(#all),*])?;))
}

fn offers(format: &BodyFormat) -> TokenStream {
    let offers = offers_of(format);
    let offers = offers.iter().map(|offer| string_literal(offer));
    quote!(#(#offers),*)
}

/// Returns the media types that a response can have. JSON is UTF-8 without a parameter, but clients ask for
/// `application/json; charset=utf-8`.
fn offers_of(format: &BodyFormat) -> Vec<String> {
    let choices = format.choices(None);
    let offers = choices.iter().flat_map(|choice| {
        let parameter = match choice.format {
            BodyFormat::Bytes { .. } => "",
            _ => ";charset=utf-8",
        };
        let media_types = choice.format.media_types();
        let offers = media_types.iter().map(|name| format!("{name}{parameter}"));
        offers.collect::<Vec<_>>()
    });
    offers.collect()
}
