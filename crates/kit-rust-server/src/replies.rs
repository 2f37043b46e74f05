//! Generates the enums of the replies that contracts and wrappers declare, and the code that creates their responses.

use kit_ir::DeclaredReply;
use proc_macro2::TokenStream;
use quote::quote;

use crate::bodies;
use crate::event_names::EventNames;
use crate::middleware::{Middleware, WrapperReplies};
use crate::route_names::RouteNames;
use crate::source::{Imports, doc, ident, string_literal};
use crate::status::{status_name, variant_name};
use crate::types::Types;

/// Returns the enum with a variant for each reply of a route. Returns `None` if the contract declares no replies.
pub(crate) fn replies(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let name = handled.reply.as_ref()?;
    let replies = &handled.route.replies;
    let text = format!("Replies of `{}`.", handled.route.reference());
    let declared = declared(types, name, &text, replies, &handled.bodies.reply_events);
    let arms = replies.iter().map(|reply| {
        let response = types.of_runtime("Response");
        let status = status_name(&types.of_runtime("StatusCode"), reply.status);
        arm(reply, &quote!(#response::declared(context, #status)?))
    });
    let name = ident(name);
    let [context, response, error] = ["Context", "Response", "Error"].map(|name| types.of_runtime(name));
    Some(quote! {
        #declared

        impl #name {
            fn respond(self, context: &#context) -> Result<#response, #error> {
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
        events,
    } = middleware.wrapper.as_ref()?;
    let name = name.as_deref()?;
    let text = format!("Replies of the wrapper `{}`.", middleware.name);
    let declared = declared(types, name, &text, replies, events);
    let text = format!("Events of the wrapper `{}`.", middleware.name);
    let events = bodies::reply_events(types, &text, replies, events);
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
    let events = replies.iter().filter_map(|reply| reply.format.events());
    for id in events.flatten().filter_map(|event| event.data) {
        models.add("crate::models", types.name(id));
    }
}

fn declared(
    types: &Types<'_>,
    name: &str,
    text: &str,
    replies: &[DeclaredReply],
    events: &EventNames,
) -> TokenStream {
    let (name, comment) = (ident(name), doc(text));
    let variants = replies.iter().map(|reply| variant(types, reply, events));
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

fn variant(types: &Types<'_>, reply: &DeclaredReply, events: &EventNames) -> TokenStream {
    let comment = doc(&format!("Status {}.", reply.status));
    let name = ident(&variant_name(reply.status));
    let field = |name: &str, text: &str, id| {
        let (name, comment, kind) = (ident(name), doc(text), ident(types.name(id)));
        quote!(#comment #name: #kind)
    };
    let other = bodies::of_reply(types, reply, events).map(|kind| {
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
        let complete = bodies::complete(reply);
        quote!(#begun #headers #complete)
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
