//! Enums of the errors that contracts declare, in generated clients.

use std::collections::BTreeSet;

use kit_ir::Route;
use proc_macro2::{Literal, TokenStream};
use quote::quote;

use crate::errors::{self, ContractError};
use crate::names;
use crate::route_names::RouteNames;
use crate::source::{doc, ident, string_literal};
use crate::types::Types;

/// Errors that a route declares, as an enum.
pub(super) struct Failures<'a> {
    /// Name of the enum. `None` if the route declares no errors.
    name: Option<String>,
    route: &'a Route,
    errors: Vec<ContractError<'a>>,
}

impl<'a> Failures<'a> {
    pub(super) fn new(types: &Types<'a>, handled: &RouteNames<'a>, taken: &mut BTreeSet<String>) -> Self {
        let route = handled.route;
        let all = errors::all(types.program).into_iter();
        let errors: Vec<_> = all
            .filter(|error| {
                let mut throws = route.throws.iter();
                throws.any(|own| errors::is_same(own, error.throws))
            })
            .collect();
        let name =
            (!errors.is_empty()).then(|| names::unique_type(format!("{}Failure", handled.input), taken));
        Self { name, route, errors }
    }

    /// Returns the type of the errors.
    pub(super) fn r#type(&self) -> TokenStream {
        let Some(name) = &self.name else {
            return quote!(kit_client::Undeclared);
        };
        let name = ident(name);
        quote!(#name)
    }

    /// Returns the enum. Returns nothing if the route declares no errors.
    pub(super) fn declaration(&self, types: &Types<'_>) -> TokenStream {
        let Some(name) = self.name.as_deref().map(ident) else {
            return TokenStream::new();
        };
        let comment = doc(&format!("Errors that `{}` declares.", self.route.reference()));
        let variants = self.errors.iter().map(|error| {
            let variant = ident(&error.variant);
            let says = error
                .throws
                .description
                .as_deref()
                .unwrap_or("An error of the contract.");
            let comment = doc(&format!("`{}`: {says}", error.throws.code));
            let details = error.throws.details.map(|id| {
                let model = ident(types.name(id));
                quote!(, models::#model)
            });
            quote!(#comment #variant(Box<kit_client::Refusal> #details))
        });
        let arms = self.errors.iter().map(|error| {
            let variant = ident(&error.variant);
            let (status, code) = (
                Literal::u16_unsuffixed(error.throws.status),
                string_literal(&error.throws.code),
            );
            match error.throws.details {
                None => quote! {
                    if refusal.is(#status, #code) {
                        return Ok(Self::#variant(Box::new(refusal)));
                    }
                },
                Some(id) => {
                    let model = ident(types.name(id));
                    quote! {
                        if refusal.is(#status, #code) {
                            return match refusal.details::<models::#model>() {
                                Some(details) => Ok(Self::#variant(Box::new(refusal), details)),
                                None => Err(Box::new(refusal)),
                            };
                        }
                    }
                }
            }
        });
        let shown = self.errors.iter().map(|error| {
            let variant = ident(&error.variant);
            let rest = error.throws.details.map(|_| quote!(, _));
            quote!(Self::#variant(refusal #rest))
        });
        quote! {
            #comment
            #[derive(Debug, Clone)]
            pub enum #name { #(#variants),* }

            impl kit_client::Declared for #name {
                fn read(refusal: kit_client::Refusal) -> Result<Self, Box<kit_client::Refusal>> {
                    #(#arms)*
                    Err(Box::new(refusal))
                }
            }

            impl std::fmt::Display for #name {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    match self { #(#shown)|* => refusal.fmt(f) }
                }
            }

            impl std::error::Error for #name {}
        }
    }
}
