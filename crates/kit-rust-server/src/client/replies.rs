//! Enums of replies and of events in generated clients, and the code that reads them.

use kit_ir::{BodyFormat, DeclaredReply, Route};
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use super::content::{Names, body};
use crate::bodies::event_variants;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::status::variant_name;
use crate::types::Types;

/// Returns the enum of the replies of a route, and the function that reads them. Returns nothing if there are no replies.
pub(super) fn replies(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let Some(name) = handled.reply.as_deref().map(ident) else {
        return TokenStream::new();
    };
    let comment = doc(&format!("Replies of `{}`.", handled.route.reference()));
    let of_reply = |reply: &DeclaredReply| {
        let model = reply.body.map(|id| ident(types.name(id)));
        let event = handled
            .bodies
            .replies
            .events
            .get(&reply.status)
            .map(|name| ident(name));
        let contents = handled.bodies.replies.contents.get(&reply.status);
        let contents = contents.map(|name| ident(name));
        let names = Names {
            model: model.as_ref(),
            event: event.as_ref(),
            contents: contents.as_ref(),
        };
        reply.has_body().then(|| body(&reply.format, names))
    };
    let replies = &handled.route.replies;
    let variants = replies.iter().map(|reply| {
        let (variant, comment) = (
            ident(&variant_name(reply.status)),
            doc(&format!("Status {}.", reply.status)),
        );
        let body = of_reply(reply).map(|(kind, _)| quote!(#[doc = " Body."] body: #kind,));
        let headers = reply.headers.map(|id| {
            let model = ident(types.name(id));
            quote!(#[doc = " Headers."] headers: models::#model,)
        });
        match (body, headers) {
            (None, None) => quote!(#comment #variant),
            (body, headers) => quote!(#comment #variant { #body #headers }),
        }
    });
    let arms = replies.iter().map(|reply| {
        let variant = ident(&variant_name(reply.status));
        let status = Literal::u16_unsuffixed(reply.status);
        let headers = reply.headers.map(|_| quote!(let headers = answer.headers()?;));
        let headers_field = reply.headers.map(|_| quote!(headers,));
        match of_reply(reply) {
            None if headers.is_none() => quote!(#status => Ok(Self::#variant),),
            None => quote!(#status => { #headers Ok(Self::#variant { #headers_field }) }),
            Some((_, read)) => quote! {
                #status => {
                    #headers
                    let body: Result<_, kit_client::Error<E>> = #read;
                    Ok(Self::#variant { body: body?, #headers_field })
                }
            },
        }
    });
    quote! {
        #comment
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#variants),* }

        impl #name {
            async fn read<E>(answer: kit_client::Answer) -> Result<Self, kit_client::Error<E>> {
                match answer.status() {
                    #(#arms)*
                    _ => Err(answer.undeclared()),
                }
            }
        }
    }
}

/// Returns the enums of the events of a route.
pub(super) fn event_enums(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let own = handled
        .bodies
        .event
        .as_deref()
        .map(|name| event_enum(types, handled.route, name, &handled.route.response_format));
    let of_replies = handled.route.replies.iter().filter_map(|reply| {
        let name = handled.bodies.replies.events.get(&reply.status)?;
        Some(event_enum(types, handled.route, name, &reply.format))
    });
    let of_replies: Vec<_> = of_replies.collect();
    quote!(#own #(#of_replies)*)
}

fn event_enum(types: &Types<'_>, route: &Route, name: &str, format: &BodyFormat) -> TokenStream {
    let Some(events) = format.events() else {
        return TokenStream::new();
    };
    let (name, comment) = (ident(name), doc(&format!("Events of `{}`.", route.reference())));
    let variants = event_variants(events);
    let declared = events.iter().zip(&variants).map(|(event, variant)| {
        let comment = doc(&format!("Event `{}`.", event.name));
        let data = event.data.map(|id| {
            let model = ident(types.name(id));
            quote!((models::#model))
        });
        quote!(#comment #variant #data)
    });
    let arms = events.iter().zip(&variants).map(|(event, variant)| {
        let text = string_literal(&event.name);
        if event.data.is_some() {
            quote!(#text => Self::#variant(kit_client::event_data(data)?),)
        } else {
            quote!(#text => Self::#variant,)
        }
    });
    let data = ident(if events.iter().any(|event| event.data.is_some()) {
        "data"
    } else {
        "_data"
    });
    quote! {
        #comment
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#declared),* }

        impl kit_client::ReadEvent for #name {
            fn read(name: &str, #data: &str) -> Result<Option<Self>, kit_client::Error> {
                Ok(Some(match name {
                    #(#arms)*
                    _ => return Ok(None),
                }))
            }
        }
    }
}
