//! Kinds of messages of WebSockets in generated code: JSON, text and bytes.

use kit_ir::{BodyFormat, DeclarationId, Route};

use crate::text::literal;

/// Returns the expression for the kinds of messages in both directions. Returns `None` if all messages are JSON.
pub(crate) fn message_kinds(route: &Route) -> Option<String> {
    let received = kinds(&route.body_format, route.slots.body);
    let sent = kinds(&route.response_format, route.slots.response);
    if received.is_none() && sent.is_none() {
        return None;
    }
    let sides = [("in", received), ("out", sent)];
    let sides = sides.map(|(name, kinds)| {
        (
            name.to_owned(),
            kinds.unwrap_or_else(|| literal::strings(["json"])),
        )
    });
    Some(literal::object(sides))
}

fn kinds(format: &BodyFormat, body: Option<DeclarationId>) -> Option<String> {
    format.message_kinds(body).map(literal::strings)
}

/// Returns the TypeScript type of the messages in one direction. `json` is the type of the JSON messages.
pub(crate) fn message_type(format: &BodyFormat, json: Option<String>) -> String {
    let BodyFormat::Socket { text, bytes } = *format else {
        return json.unwrap_or_else(|| "never".to_owned());
    };
    let others = [(text, "string"), (bytes, "Uint8Array")].into_iter();
    let others = others.filter(|(is_there, _)| *is_there);
    let others = others.map(|(_, name)| name.to_owned());
    let types: Vec<String> = json.into_iter().chain(others).collect();
    if types.is_empty() {
        "never".to_owned()
    } else {
        types.join(" | ")
    }
}
