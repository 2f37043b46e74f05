//! Routes that accept WebSockets: the type of the socket, and the code that opens the socket.

use kit_ir::{Program, Route, Slot};
use proc_macro2::TokenStream;
use quote::quote;

use crate::route_names::RouteNames;
use crate::shapes::integer;
use crate::source::ident;
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
    let options = match handled.route.limits.body_bytes.map(integer) {
        None => quote!(kit_runtime::SocketOptions::default()),
        Some(bytes) => quote!(kit_runtime::SocketOptions {
            message_bytes: Some(#bytes),
            ..Default::default()
        }),
    };
    quote! {
        let (app, handler_context) = (#app, context.clone());
        #response::socket(&context, #options, move |socket| async move {
            #input
            #call.await
        })
    }
}
