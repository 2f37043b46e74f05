//! Routes that accept WebSockets: the type of the socket, and the code that opens the socket.

use kit_ir::{BodyFormat, Program, Route, RouteLimits, Slot};
use proc_macro2::TokenStream;
use quote::quote;

use crate::route_names::RouteNames;
use crate::shapes::integer;
use crate::source::{ident, string_literal};
use crate::types::{Form, Types};

/// Returns the cargo feature of `kit-runtime` that WebSockets need. Returns `None` if no route accepts WebSockets.
pub(crate) fn feature(program: &Program) -> Option<&'static str> {
    program.routes.iter().any(Route::is_socket).then_some("sockets")
}

/// Returns the Rust type of the WebSocket of a route. Returns `None` if the route accepts no WebSockets.
pub(crate) fn socket_type(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<TokenStream> {
    let route = handled.route;
    let received = route
        .slots
        .get(Slot::Body)
        .map(|id| ident(types.name_in(id, Form::Request)));
    let sent = route.slots.response.map(|id| ident(types.name(id)));
    let received = messages(&route.body_format, received.map(|name| quote!(#name)))?;
    let sent = messages(&route.response_format, sent.map(|name| quote!(#name)))?;
    Some(quote!(kit_runtime::Socket<#received, #sent>))
}

/// Returns the Rust type of the messages in one direction. `json` is the type of the JSON messages. Returns `None` for bodies.
fn messages(format: &BodyFormat, json: Option<TokenStream>) -> Option<TokenStream> {
    let BodyFormat::Socket { text, bytes } = *format else {
        return None;
    };
    let of_text = json.or_else(|| text.then(|| quote!(String)));
    match (of_text, bytes) {
        (Some(of_text), true) => Some(quote!(kit_runtime::TextOrBinary<#of_text>)),
        (of_text, false) => of_text,
        (None, true) => Some(quote!(kit_runtime::BodyBytes)),
    }
}

/// Returns the code that accepts a request as a WebSocket. `app` is the application, which may be borrowed, `input` creates
/// the variable `input` from the variables `socket` and `handler_context`, and `call` calls the handler with `app` and `input`.
pub(crate) fn open(
    handled: &RouteNames<'_>,
    response: &TokenStream,
    app: &TokenStream,
    input: &TokenStream,
    call: &TokenStream,
) -> TokenStream {
    let options = options(handled.route.limits);
    quote! {
        let (app, handler_context) = (#app, context.clone());
        #response::socket(&context, #options, move |socket| async move {
            #input
            #call.await
        })
    }
}

/// Returns the options of the WebSockets of a route.
fn options(limits: RouteLimits) -> TokenStream {
    let bytes = limits.body_bytes.map(integer);
    let bytes = bytes.map(|bytes| quote!(message_bytes: Some(#bytes),));
    let ping = limits.socket_ping_ms.map(|millis| {
        let duration = if millis % 1000 == 0 {
            let seconds = integer(millis / 1000);
            quote!(from_secs(#seconds))
        } else {
            let millis = integer(millis);
            quote!(from_millis(#millis))
        };
        quote!(ping_after: std::time::Duration::#duration,)
    });
    let compression = limits.socket_compression;
    let compression = compression.map(|is_on| quote!(compression: #is_on,));
    if bytes.is_none() && ping.is_none() && compression.is_none() {
        return quote!(kit_runtime::SocketOptions::default());
    }
    let defaults =
        (bytes.is_none() || ping.is_none() || compression.is_none()).then(|| quote!(..Default::default()));
    quote!(kit_runtime::SocketOptions { #bytes #compression #ping #defaults })
}

/// Returns the method call that sets the subprotocols of a route. Returns `None` if its contract names none.
pub(crate) fn subprotocols(route: &Route) -> Option<TokenStream> {
    let subprotocols = route.subprotocols.as_ref()?;
    let names = subprotocols.names.iter().map(|name| string_literal(name));
    let is_required = !subprotocols.optional;
    Some(quote!(.subprotocols(&[#(#names),*], #is_required)))
}
