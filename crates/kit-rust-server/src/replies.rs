//! Generates the enum of the replies that a contract declares, and the code that creates their responses.

use heck::ToPascalCase;
use kit_ir::DeclaredReply;
use proc_macro2::TokenStream;
use quote::quote;

use crate::router::RouteNames;
use crate::source::{Imports, doc, ident};
use crate::status::{constant, status_name};
use crate::types::Types;

/// Returns the enum with a variant for each reply of a route. Returns `None` if the contract declares no replies.
pub(crate) fn replies(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let name = ident(handled.reply.as_ref()?);
    let replies = &handled.route.replies;
    let comment = doc(&format!("Replies of `{}`.", handled.route.reference()));
    let variants = replies.iter().map(|reply| variant(types, reply));
    let arms = replies.iter().map(|reply| arm(types, reply));
    let [context, response, error] = ["Context", "Response", "Error"].map(|name| types.of_runtime(name));
    Some(quote! {
        #comment
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#variants),* }

        impl #name {
            fn respond(&self, context: &#context) -> Result<#response, #error> {
                match self { #(#arms)* }
            }
        }
    })
}

/// Imports the models of the replies of a route.
pub(crate) fn import(types: &Types<'_>, handled: &RouteNames<'_>, models: &mut Imports) {
    for id in handled
        .route
        .replies
        .iter()
        .flat_map(|reply| [reply.body, reply.headers])
        .flatten()
    {
        models.add("crate::models", types.name(id));
    }
}

fn variant(types: &Types<'_>, reply: &DeclaredReply) -> TokenStream {
    let comment = doc(&format!("Status {}.", reply.status));
    let name = ident(&variant_name(reply.status));
    let field = |name: &str, text: &str, id| {
        let (name, comment, kind) = (ident(name), doc(text), ident(types.name(id)));
        quote!(#comment #name: #kind)
    };
    let body = reply.body.map(|id| field("body", "Body.", id));
    let headers = reply.headers.map(|id| field("headers", "Headers.", id));
    let fields: Vec<_> = [body, headers].into_iter().flatten().collect();
    if fields.is_empty() {
        quote!(#comment #name)
    } else {
        quote!(#comment #name { #(#fields),* })
    }
}

fn arm(types: &Types<'_>, reply: &DeclaredReply) -> TokenStream {
    let name = ident(&variant_name(reply.status));
    let response = types.of_runtime("Response");
    let status = status_name(&types.of_runtime("StatusCode"), reply.status);
    let begun = quote!(#response::declared(context, #status)?);
    let headers = reply.headers.map(|_| quote!(.headers(headers)?));
    let result = if reply.body.is_some() {
        quote!(#begun #headers.json(body))
    } else {
        quote!(Ok(#begun #headers.empty()))
    };
    let fields = reply.body.map(|_| quote!(body)).into_iter();
    let fields: Vec<_> = fields.chain(reply.headers.map(|_| quote!(headers))).collect();
    let pattern = if fields.is_empty() {
        quote!(Self::#name)
    } else {
        quote!(Self::#name { #(#fields),* })
    };
    quote!(#pattern => #result,)
}

/// Returns the name of the variant for a status: 201 gives `Created`, and 299 gives `Status299`.
fn variant_name(status: u16) -> String {
    constant(status).map_or_else(|| format!("Status{status}"), ToPascalCase::to_pascal_case)
}

#[cfg(test)]
mod tests {
    use super::variant_name;

    #[test]
    fn names_the_variants_of_replies_after_their_statuses() {
        for (status, name) in [
            (200, "Ok"),
            (204, "NoContent"),
            (303, "SeeOther"),
            (299, "Status299"),
        ] {
            assert_eq!(variant_name(status), name);
        }
    }
}
