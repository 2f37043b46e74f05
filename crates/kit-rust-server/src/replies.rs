//! Generates the enums of the replies that contracts and wrappers declare, and the code that creates their responses.

use kit_ir::DeclaredReply;
use proc_macro2::TokenStream;
use quote::quote;

use crate::middleware::{Middleware, WrapperReplies};
use crate::names_by_status::ReplyNames;
use crate::route_names::RouteNames;
use crate::source::{Imports, doc, ident, string_literal};
use crate::status::{status_name, variant_name};
use crate::types::Types;
use crate::{bodies, format_unions};

/// Returns the enum with a variant for each reply of a route. Returns `None` if the contract declares no replies.
pub(crate) fn replies(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let name = handled.reply.as_ref()?;
    let replies = &handled.route.replies;
    let text = format!("Replies of `{}`.", handled.route.reference());
    let declared = declared(types, name, &text, replies, &handled.bodies.replies);
    let arms = replies.iter().map(|reply| {
        let response = types.of_runtime("Response");
        let status = status_name(&types.of_runtime("StatusCode"), reply.status);
        arm(reply, &quote!(#response::declared(context, #status)?))
    });
    let name = ident(name);
    let [context, response, error] = ["Context", "Response", "Error"].map(|name| types.of_runtime(name));
    let is_async = is_async(replies).then(|| quote!(async));
    Some(quote! {
        #declared

        impl #name {
            #is_async fn respond(self, context: &#context) -> Result<#response, #error> {
                match self { #(#arms)* }
            }
        }
    })
}

/// Returns the enum with a variant for each reply of a wrapper. Returns `None` if the wrapper declares no
/// replies.
pub(crate) fn of_wrapper(types: &Types<'_>, middleware: &Middleware) -> Option<TokenStream> {
    let WrapperReplies {
        declared: replies,
        name,
        bodies: names,
    } = middleware.wrapper.as_ref()?;
    let name = name.as_deref()?;
    let text = format!("Replies of the wrapper `{}`.", middleware.name);
    let declared = declared(types, name, &text, replies, names);
    let text = format!("Events of the wrapper `{}`.", middleware.name);
    let events = bodies::reply_events(types, &text, replies, &names.events);
    let wrapper = string_literal(&middleware.name);
    let arms = replies.iter().map(|reply| {
        let response = types.of_runtime("Response");
        let status = status_name(&types.of_runtime("StatusCode"), reply.status);
        let begun = quote!(#response::of_wrapper(context, #wrapper, #status));
        arm(reply, &begun)
    });
    let name = ident(name);
    let [runtime, context, response, error] =
        ["Replies", "Context", "Response", "Error"].map(|name| types.of_runtime(name));
    Some(quote! {
        #declared
        #events

        impl #runtime for #name {
            fn respond(self, context: &#context) -> Result<#response, #error> {
                match self { #(#arms)* }
            }
        }
    })
}

/// Returns true if a reply has one of several formats, so that creating its response waits for the function of the format.
pub(crate) fn is_async(replies: &[DeclaredReply]) -> bool {
    replies.iter().any(|reply| reply.format.is_union())
}

/// Returns true if a middleware is a wrapper that declares replies.
pub(crate) fn has_enum(middleware: &Middleware) -> bool {
    middleware
        .wrapper
        .as_ref()
        .is_some_and(|wrapper| wrapper.name.is_some())
}

/// Imports the models of replies.
pub(crate) fn import(types: &Types<'_>, replies: &[DeclaredReply], models: &mut Imports) {
    let parts = replies.iter().flat_map(|reply| [reply.body, reply.headers]);
    for id in parts.flatten() {
        models.add("crate::models", types.name(id));
    }
    for id in replies.iter().flat_map(|reply| reply.format.inner_types()) {
        models.add("crate::models", types.name(id));
    }
}

fn declared(
    types: &Types<'_>,
    name: &str,
    text: &str,
    replies: &[DeclaredReply],
    names: &ReplyNames,
) -> TokenStream {
    let (name, comment) = (ident(name), doc(text));
    let variants = replies.iter().map(|reply| variant(types, reply, names));
    let derived = if bodies::has_stream(replies) {
        quote!(Debug)
    } else {
        quote!(Debug, Clone, PartialEq)
    };
    quote! {
        #comment
        #[derive(#derived)]
        #[allow(clippy::large_enum_variant)]
        pub enum #name { #(#variants),* }
    }
}

fn variant(types: &Types<'_>, reply: &DeclaredReply, names: &ReplyNames) -> TokenStream {
    let comment = doc(&format!("Status {}.", reply.status));
    let name = ident(&variant_name(reply.status));
    let field = |name: &str, text: &str, id| {
        let (name, comment, kind) = (ident(name), doc(text), ident(types.name(id)));
        quote!(#comment #name: #kind)
    };
    let other = bodies::of_reply(types, reply, names).map(|kind| {
        let comment = doc("Body.");
        quote!(#comment body: #kind)
    });
    let body = other.or_else(|| reply.body.map(|id| field("body", "Body.", id)));
    let headers = reply.headers.map(|id| field("headers", "Headers.", id));
    let fields: Vec<_> = [body, headers].into_iter().flatten().collect();
    if fields.is_empty() {
        quote!(#comment #name)
    } else {
        quote!(#comment #name { #(#fields),* })
    }
}

/// Returns the match arm that creates the response of a reply. `begun` is Rust code that creates a reply
/// without headers.
fn arm(reply: &DeclaredReply, begun: &TokenStream) -> TokenStream {
    let name = ident(&variant_name(reply.status));
    let headers = reply.headers.map(|_| quote!(.headers(&headers)?));
    let result = if reply.has_body() {
        let begun = quote!(#begun #headers);
        format_unions::of_reply(reply, &begun).unwrap_or_else(|| {
            let complete = bodies::complete(&reply.format, &quote!(body));
            quote!(#begun #complete)
        })
    } else {
        quote!(Ok(#begun #headers.empty()))
    };
    let fields = reply.has_body().then(|| quote!(body)).into_iter();
    let fields: Vec<_> = fields.chain(reply.headers.map(|_| quote!(headers))).collect();
    let pattern = if fields.is_empty() {
        quote!(Self::#name)
    } else {
        quote!(Self::#name { #(#fields),* })
    };
    quote!(#pattern => #result,)
}
