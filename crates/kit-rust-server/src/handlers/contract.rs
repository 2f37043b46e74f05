//! Contracts of routes, as far as they decide which handlers kit generates.

use kit_ir::{DeclarationId, DeclaredError, DeclaredReply, Method, Program, Route};
use proc_macro2::TokenStream;
use quote::quote;

use crate::route_names::RouteNames;
use crate::source::ident;

impl<'a> RouteNames<'a> {
    /// Returns the Rust expression for the value at a path below `ctx`: `input.require_auth.user_id`. If
    /// several middleware add the value, uses the last of them, as in TypeScript. Returns `None` if no
    /// middleware of the route adds the value.
    pub(super) fn added(&self, context: &str) -> Option<TokenStream> {
        self.middleware.iter().rev().find_map(|middleware| {
            let added = middleware.adds.iter().find(|added| added.context == context)?;
            let (module, field) = (ident(&middleware.module), ident(&added.field));
            Some(quote!(input.#module.#field))
        })
    }

    /// Returns the reason if the contract has slots for which kit cannot generate a handler, because types do not
    /// tell their meaning: headers, cookies, several replies, bodies that are not JSON, or errors with details.
    pub(super) fn part_without_meaning(&self, program: &Program) -> Option<String> {
        let Route {
            slots,
            replies,
            body_format,
            response_format,
            ..
        } = self.route;
        if !body_format.is_json() {
            return Some("the body of the request is not JSON".to_owned());
        }
        if !response_format.is_json() || replies.iter().any(|reply| !reply.format.is_json()) {
            return Some("the body of the response is not JSON".to_owned());
        }
        let names = |slot: Option<DeclarationId>| {
            let properties = slot.map(|id| program.properties(program.declarations[id].r#type));
            properties
                .unwrap_or_default()
                .iter()
                .map(|property| property.name.as_str())
        };
        if let Some(name) = names(slots.headers).find(|name| !self.needs_no_header(name)) {
            return Some(format!(
                "types do not tell the meaning of the header `{name}` of the request"
            ));
        }
        if let Some(name) = names(slots.cookies).find(|name| !self.needs_no_cookie(name)) {
            return Some(format!(
                "types do not tell the meaning of the cookie `{name}` of the request"
            ));
        }
        if replies.len() > 1 && self.replies_of_upsert().is_none() {
            return Some("types do not tell which of the replies the handler chooses".to_owned());
        }
        let mut errors = self.contract_errors();
        errors
            .find(|error| error.details.is_some())
            .map(|error| format!("types do not tell the details of the error `{}`", error.code))
    }

    /// Returns true if another part of the server than the handler reads a header of the request.
    fn needs_no_header(&self, name: &str) -> bool {
        match name.to_ascii_lowercase().as_str() {
            "authorization" => !self.middleware.is_empty(),
            "idempotency-key" => self.route.has_idempotency_keys(),
            "accept" | "host" | "origin" | "referer" | "traceparent" | "tracestate" | "user-agent"
            | "x-request-id" => true,
            _ => false,
        }
    }

    /// Returns true if a cookie has the id of a session, which middleware of the route reads.
    fn needs_no_cookie(&self, name: &str) -> bool {
        let name = name.to_ascii_lowercase();
        let plain = ["__host-", "__secure-"]
            .iter()
            .find_map(|prefix| name.strip_prefix(prefix))
            .unwrap_or(&name);
        let plain = plain.replace(['-', '_', '.'], "");
        !self.middleware.is_empty()
            && matches!(plain.as_str(), "sid" | "session" | "sessionid" | "connectsid")
    }

    /// Returns true if the method of the route inserts or changes rows.
    pub(super) fn is_write(&self) -> bool {
        matches!(self.route.method, Method::Post | Method::Put | Method::Patch)
    }

    /// Returns the replies of a route that changes a row, or inserts the row if it does not exist: `PUT` with the replies 200 and
    /// 201, which have the same body and no headers.
    pub(super) fn replies_of_upsert(&self) -> Option<(&'a DeclaredReply, &'a DeclaredReply)> {
        let (changed, inserted) = match self.route.replies.as_slice() {
            [one, other] if one.status < other.status => (one, other),
            [one, other] => (other, one),
            _ => return None,
        };
        let is_upsert = self.route.method == Method::Put && (changed.status, inserted.status) == (200, 201);
        let has_headers = changed.headers.or(inserted.headers).is_some();
        (is_upsert && changed.body == inserted.body && !has_headers).then_some((changed, inserted))
    }

    /// Returns the reply at the end of a generated handler. Returns `None` if the contract declares no replies, or if types do not
    /// tell which of the replies the handler sends.
    pub(super) fn last_reply(&self) -> Option<&'a DeclaredReply> {
        match self.route.replies.as_slice() {
            [reply] => Some(reply),
            _ => self.replies_of_upsert().map(|(_, inserted)| inserted),
        }
    }

    /// Returns the type of the response body. If the contract declares replies, returns the body of the last reply.
    pub(super) fn response_body(&self) -> Option<DeclarationId> {
        if self.route.replies.is_empty() {
            self.route.slots.response
        } else {
            self.last_reply()?.body
        }
    }

    /// Returns the errors of the route without the errors that only its wrappers declare.
    fn contract_errors(&self) -> impl Iterator<Item = &'a DeclaredError> + use<'a> {
        let Route { throws, wrappers, .. } = self.route;
        let of_wrapper = |code| wrappers.iter().any(|wrapper| wrapper.errors.contains(code));
        throws.iter().filter(move |error| !of_wrapper(&error.code))
    }

    /// Returns the errors that a generated handler may respond with. Generated code has no values for details that a
    /// contract declares.
    pub(super) fn handler_errors(&self) -> impl Iterator<Item = &'a DeclaredError> + use<'a> {
        self.contract_errors().filter(|error| error.details.is_none())
    }
}
