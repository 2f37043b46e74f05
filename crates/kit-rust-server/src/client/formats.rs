//! Enums of responses with several formats in generated clients, and the code that reads them.

use kit_ir::{BodyFormat, Route};
use proc_macro2::TokenStream;
use quote::quote;

use super::content::{Names, body};
use crate::format_unions::variants;
use crate::names_by_status::ReplyNames;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::types::Types;

/// Returns the enums of the response and of the replies that have several formats.
pub(super) fn contents(types: &Types<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let route = handled.route;
    let (bodies, event) = (&handled.bodies, handled.bodies.event.as_deref());
    let own = bodies.contents.as_deref();
    let own = own.and_then(|name| declaration(types, route, name, &route.response_format, event));
    let ReplyNames { events, contents } = &bodies.replies;
    let of_replies = route.replies.iter().filter_map(|reply| {
        let name = contents.get(&reply.status)?;
        let event = events.get(&reply.status).map(String::as_str);
        declaration(types, route, name, &reply.format, event)
    });
    quote!(#own #(#of_replies)*)
}

fn declaration(
    types: &Types<'_>,
    route: &Route,
    name: &str,
    format: &BodyFormat,
    event: Option<&str>,
) -> Option<TokenStream> {
    let BodyFormat::OneOf { choices } = format else {
        return None;
    };
    let name = ident(name);
    let comment = doc(&format!(
        "Response of `{}`, in the format that the server chose.",
        route.reference()
    ));
    let event = event.map(ident);
    let bodies: Vec<_> = choices
        .iter()
        .map(|choice| {
            let model = choice.body.map(|id| ident(types.name(id)));
            let names = Names {
                model: model.as_ref(),
                event: event.as_ref(),
                contents: None,
            };
            body(&choice.format, names)
        })
        .collect();
    let variants = variants(choices);
    let declared = choices
        .iter()
        .zip(&variants)
        .zip(&bodies)
        .map(|((choice, variant), (kind, _))| {
            let comment = doc(&format!("`{}`", choice.format.media_types().join("`, `")));
            quote!(#comment #variant(#kind))
        });
    let arms = choices
        .iter()
        .zip(&variants)
        .zip(&bodies)
        .map(|((choice, variant), (_, read))| {
            let media_types = choice.format.media_types().into_iter().map(string_literal);
            quote! {
                #(#media_types)|* => {
                    let value: Result<_, kit_client::Error<E>> = #read;
                    Ok(Self::#variant(value?))
                }
            }
        });
    Some(quote! {
        #comment
        #[derive(Debug)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#declared),* }

        impl #name {
            async fn read<E>(answer: kit_client::Answer) -> Result<Self, kit_client::Error<E>> {
                match answer.media_type().as_str() {
                    #(#arms)*
                    _ => Err(answer.undeclared_type()),
                }
            }
        }
    })
}
