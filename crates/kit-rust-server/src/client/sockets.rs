//! WebSockets in generated clients: the kinds and the types of their messages.

use kit_ir::BodyFormat;
use proc_macro2::TokenStream;
use quote::quote;

use crate::route_names::RouteNames;
use crate::source::ident;
use crate::types::{Form, Types};

/// Messages of a WebSocket in one direction.
pub(super) struct Messages {
    /// Rust type of a message.
    pub(super) r#type: TokenStream,
    /// Kinds of messages, a constant of `kit_client::Messages`.
    pub(super) kinds: TokenStream,
}

impl Messages {
    /// Returns the messages that the client sends, and those that it receives. Returns `None` if the route accepts no WebSockets.
    pub(super) fn of(types: &Types<'_>, handled: &RouteNames<'_>) -> Option<(Self, Self)> {
        let route = handled.route;
        let sent = route.slots.body.map(|id| types.name_in(id, Form::Request));
        let received = route.slots.response.map(|id| types.name(id));
        let sent = Self::new(&route.body_format, sent)?;
        Some((sent, Self::new(&route.response_format, received)?))
    }

    /// `json` is the name of the type of the JSON messages. Returns `None` for bodies.
    fn new(format: &BodyFormat, json: Option<&str>) -> Option<Self> {
        let BodyFormat::Socket { text, bytes } = *format else {
            return None;
        };
        let json = json.map(ident).map(|name| quote!(models::#name));
        let (r#type, kinds) = match (json, bytes) {
            (Some(json), false) => (json, "JSON"),
            (Some(json), true) => (quote!(kit_client::TextOrBinary<#json>), "JSON_OR_BYTES"),
            (None, false) => (quote!(String), "TEXT"),
            (None, true) if text => (quote!(kit_client::TextOrBinary<String>), "TEXT_OR_BYTES"),
            (None, true) => (quote!(kit_client::Bytes), "BYTES"),
        };
        let kinds = ident(kinds);
        Some(Self {
            r#type,
            kinds: quote!(kit_client::Messages::#kinds),
        })
    }
}
