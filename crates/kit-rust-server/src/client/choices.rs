//! Enums of texts that the caller of a generated client chooses from: media types of responses, and subprotocols.

use std::collections::BTreeSet;

use kit_ir::Route;
use proc_macro2::TokenStream;
use quote::quote;

use crate::names;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};

/// Names of the enums of a route.
pub(super) struct Choices {
    /// Enum of the media types that the response can have. `None` if the caller has no choice.
    pub(super) accept: Option<String>,
    /// Enum of the subprotocols. `None` if the contract names none.
    pub(super) protocol: Option<String>,
}

impl Choices {
    pub(super) fn new(handled: &RouteNames<'_>, taken: &mut BTreeSet<String>) -> Self {
        let mut unique = |suffix: &str| names::unique_type(format!("{}{suffix}", handled.input), taken);
        let route = handled.route;
        Self {
            accept: (!media_types(route).is_empty()).then(|| unique("Accept")),
            protocol: route.subprotocols.as_ref().map(|_| unique("Protocol")),
        }
    }

    /// Returns the enums.
    pub(super) fn declarations(&self, route: &Route) -> TokenStream {
        let reference = route.reference();
        let accept = self.accept.as_deref().map(|name| {
            let comment =
                format!("Media types of the response of `{reference}`, of which the call can ask for one.");
            declaration(name, &comment, &media_types(route))
        });
        let protocol = self.protocol.as_deref().zip(route.subprotocols.as_ref());
        let protocol = protocol.map(|(name, subprotocols)| {
            let texts: Vec<&str> = subprotocols.names.iter().map(String::as_str).collect();
            declaration(name, &format!("Subprotocols of `{reference}`."), &texts)
        });
        quote!(#accept #protocol)
    }
}

/// Returns the media types of responses with several formats.
fn media_types(route: &Route) -> Vec<&str> {
    let formats = route
        .replies
        .iter()
        .map(|reply| &reply.format)
        .chain([&route.response_format]);
    let mut found = Vec::new();
    for media_type in formats
        .filter(|format| format.is_union())
        .flat_map(|format| format.media_types())
    {
        if !found.contains(&media_type) {
            found.push(media_type);
        }
    }
    found
}

fn declaration(name: &str, comment: &str, texts: &[&str]) -> TokenStream {
    let (name, comment) = (ident(name), doc(comment));
    let mut taken = BTreeSet::new();
    let variants: Vec<_> = texts
        .iter()
        .map(|text| {
            let variant = names::unique(names::variant(text), |name| taken.contains(name));
            taken.insert(variant.clone());
            ident(&variant)
        })
        .collect();
    let declared = texts.iter().zip(&variants).map(|(text, variant)| {
        let comment = doc(&format!("`{text}`"));
        quote!(#comment #variant)
    });
    let arms = texts.iter().zip(&variants).map(|(text, variant)| {
        let text = string_literal(text);
        quote!(Self::#variant => #text,)
    });
    quote! {
        #comment
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum #name { #(#declared),* }

        impl #name {
            /// Returns the text in the header.
            pub fn as_str(self) -> &'static str {
                match self { #(#arms)* }
            }
        }
    }
}
