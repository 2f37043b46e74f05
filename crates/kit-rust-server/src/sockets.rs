//! Routes that accept WebSockets: the type of the socket, and the code that opens the socket.

use kit_ir::{Program, Route, RouteLimits, Slot};
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
    let slots = &handled.route.slots;
    let (received, sent) = (slots.get(Slot::Body)?, slots.response?);
    let received = ident(types.name_in(received, Form::Request));
    let sent = ident(types.name(sent));
    handled
        .route
        .is_socket()
        .then(|| quote!(kit_runtime::Socket<#received, #sent>))
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
    let ping = limits.socket_ping_ms.map(integer);
    let ping = ping.map(|millis| quote!(ping_after: std::time::Duration::from_millis(#millis),));
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
