//! Generates the functions that pass requests to handlers.

use kit_ir::Slot;
use proc_macro2::TokenStream;
use quote::quote;

use crate::middleware::Middleware;
use crate::route_groups::Group;
use crate::route_names::RouteNames;
use crate::source::ident;
use crate::status::status_name;
use crate::types::Types;
use crate::{bodies, format_unions, replies, scopes, sockets};

/// Returns the generated function that decodes a request, runs the middleware of the route and calls its
/// handler.
pub(super) fn dispatch(types: &Types<'_>, group: &Group<'_>, handled: &RouteNames<'_>) -> TokenStream {
    let function = ident(&handled.function);
    let negotiate = format_unions::negotiate(handled.route);
    let [request, response] = ["Request", "Response"].map(|name| types.of_runtime(name));
    let middleware: Vec<_> = handled
        .middleware
        .iter()
        .map(|middleware| ident(&middleware.module))
        .collect();
    let (parts, mut reads): (Vec<_>, Vec<_>) = handled
        .parts(types)
        .into_iter()
        .map(|part| {
            let (name, read) = (ident(part.name), part.read);
            (part.name, quote!(let #name = #read;))
        })
        .unzip();
    let in_target = parts
        .iter()
        .filter(|name| [Slot::Params.name(), Slot::Query.name()].contains(name));
    reads.insert(in_target.count(), quote!(#negotiate));
    let parts = parts.into_iter().map(ident);
    let status = status_name(&types.of_runtime("StatusCode"), handled.route.status);
    // If creating the status needs an expression, its value is assigned to a variable.
    let is_named = handled.reply.is_some()
        || status
            .clone()
            .into_iter()
            .all(|token| !matches!(token, proc_macro2::TokenTree::Group(_)));
    let (variable, status) = if is_named {
        (None, status)
    } else {
        (Some(quote!(let status = #status;)), quote!(status))
    };
    // Wrappers run the rest of the request while they have it, so the rest only borrows the request.
    let is_wrapped = handled.middleware.iter().any(|known| known.wrapper.is_some());
    let (borrow, app, into_context) = if is_wrapped {
        let borrow = quote!(let (app, request) = (&app, &request););
        (Some(borrow), quote!(app), quote!(handler_context))
    } else {
        (None, quote!(&app), quote!(into_context))
    };
    let (group, input) = (ident(&group.name), ident(&handled.input));
    let call = quote!(#group::#function(#app, input).await?);
    let result = if handled.reply.is_some() {
        let wait = replies::is_async(&handled.route.replies).then(|| quote!(.await));
        quote!(#call.respond(&context) #wait)
    } else if let Some(respond) = bodies::respond(
        &response,
        &quote!(&context),
        &status,
        &handled.route.response_format,
    ) {
        quote! {
            let answer = #call;
            #respond
        }
    } else if handled.is_open(types) {
        quote! {
            let answer = #call;
            #response::reply(&context, #status, answer)
        }
    } else if handled.route.slots.response.is_some() {
        quote! {
            let answer = #call;
            #response::json(&context, #status, &answer)
        }
    } else {
        quote! {
            #call;
            Ok(#response::empty(&context, #status))
        }
    };
    let (socket, own_context) = if handled.route.is_socket() {
        (Some(quote!(socket,)), quote!(handler_context))
    } else {
        (None, quote!(context.clone()))
    };
    let input = quote!(let input = #input {
        #(#parts,)*
        #socket
        #(#middleware,)*
        context: #own_context,
    };);
    let rest = if handled.route.is_socket() {
        let owned = if is_wrapped {
            quote!(app.clone())
        } else {
            quote!(app)
        };
        let call = quote!(#group::#function(&app, input));
        sockets::open(handled, &response, &owned, &input, &call)
    } else {
        quote!(#input #variable #result)
    };
    let handle = quote! {
        #(#reads)*
        let context = request.#into_context()?;
        #rest
    };
    let body = run_chain(handled, &app, handle);
    quote! {
        async fn #function(app: App, request: #request) -> Result<#response, Error> { #borrow #body }
    }
}

/// Returns the code that runs the middleware of a route and checks the scopes of the caller, followed by the code `handle`.
fn run_chain(handled: &RouteNames<'_>, app: &TokenStream, handle: TokenStream) -> TokenStream {
    let scopes = scopes::check(handled);
    // A name that no middleware has must not leave the route without the check.
    let before = handled.route.scopes_before.as_deref();
    let before = before.filter(|name| handled.middleware.iter().any(|known| known.name == *name));
    let start = if before.is_none() {
        quote!(#scopes #handle)
    } else {
        handle
    };
    handled.middleware.iter().rev().fold(start, |rest, known| {
        let rest = run_middleware(known, app, &rest);
        if before == Some(known.name.as_str()) {
            quote!(#scopes #rest)
        } else {
            rest
        }
    })
}

/// Returns the code that runs a middleware, followed by the code `rest`.
fn run_middleware(middleware: &Middleware, app: &TokenStream, rest: &TokenStream) -> TokenStream {
    let name = ident(&middleware.module);
    if middleware.wrapper.is_none() {
        return quote! {
            let #name = request.middleware(#app).await?;
            #rest
        };
    }
    let kind = ident(&middleware.r#type);
    quote! {
        let rest = move |#name: #kind| async move { #rest };
        request.wrapper(app, rest).await
    }
}
