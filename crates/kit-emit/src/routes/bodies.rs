//! Bodies that are not JSON, in `routes/index.ts`.

use kit_ir::{BodyFormat, DeclarationId, FilePart, Route, Subprotocols};

use super::functions::{coercer_of, value};
use crate::context::Context;
use crate::messages::message_kinds;
use crate::text::{Module, literal};

/// Returns the expression for the request body of a route; `None` if the body is JSON or does not exist.
pub(super) fn request(context: Context<'_>, route: &Route, module: &mut Module) -> Option<String> {
    let format = &route.body_format;
    (!format.is_json()).then(|| body(context, format, route.slots.body, module))
}

fn body(
    context: Context<'_>,
    format: &BodyFormat,
    r#type: Option<DeclarationId>,
    module: &mut Module,
) -> String {
    let mut fields = vec![
        field("format", literal::string(&format.name().to_lowercase())),
        field("mediaTypes", literal::strings(format.accepted_media_types())),
    ];
    if let Some(id) = r#type {
        fields.push(field("validator", value(context, Some(id), "Validator", module)));
        match format {
            BodyFormat::Form => {
                let coercer = coercer_of(context, id, module);
                fields.push(field("form", format!("{coercer}.query")));
            }
            BodyFormat::Multipart { .. } => {
                let coercer = coercer_of(context, id, module);
                fields.push(field("multipart", format!("{coercer}.multipart")));
            }
            _ => {}
        }
    }
    match format {
        BodyFormat::Multipart { files } => {
            fields.push(field("files", literal::list("[", files.iter().map(file), "]")));
        }
        BodyFormat::OneOf { choices } => {
            let choices: Vec<_> = choices
                .iter()
                .map(|choice| body(context, &choice.format, choice.body, module))
                .collect();
            fields.push(field("choices", literal::list("[", choices, "]")));
        }
        _ => {}
    }
    literal::object(fields)
}

/// Returns the expression for a response body; `None` if the body is JSON or does not exist.
pub(super) fn response(
    context: Context<'_>,
    format: &BodyFormat,
    r#type: Option<DeclarationId>,
    module: &mut Module,
) -> Option<String> {
    (!format.is_json()).then(|| content(context, format, r#type, module))
}

fn content(
    context: Context<'_>,
    format: &BodyFormat,
    r#type: Option<DeclarationId>,
    module: &mut Module,
) -> String {
    let media_type = format.media_types().first().copied().unwrap_or_default();
    let mut fields = vec![
        field("format", literal::string(&format.name().to_lowercase())),
        field("mediaType", literal::string(media_type)),
    ];
    match format {
        BodyFormat::Json => fields.push(field("json", value(context, r#type, "Serializer", module))),
        BodyFormat::Lines => fields.push(field("line", value(context, r#type, "Serializer", module))),
        BodyFormat::Events { events } => {
            let events = events.iter().map(|event| {
                let data = value(context, event.data, "Serializer", module);
                (literal::key(&event.name), data)
            });
            fields.push(field("events", literal::object(events)));
        }
        BodyFormat::OneOf { choices } => {
            let choices: Vec<_> = choices
                .iter()
                .map(|choice| content(context, &choice.format, choice.body, module))
                .collect();
            fields.push(field("choices", literal::list("[", choices, "]")));
        }
        _ => {}
    }
    literal::object(fields)
}

/// Returns the expression for the messages of a WebSocket.
pub(super) fn socket(context: Context<'_>, route: &Route, module: &mut Module) -> String {
    let mut fields = vec![
        field("in", value(context, route.slots.body, "Validator", module)),
        field("out", value(context, route.slots.response, "Serializer", module)),
    ];
    fields.extend(message_kinds(route).map(|kinds| field("kinds", kinds)));
    fields.extend(protocols(route).map(|protocols| field("protocols", protocols)));
    literal::object(fields)
}

/// Returns the expression for the subprotocols of a WebSocket. Returns `None` if the contract names none.
pub(super) fn protocols(route: &Route) -> Option<String> {
    let Subprotocols { names, optional } = route.subprotocols.as_ref()?;
    Some(literal::object([
        field("names", literal::strings(names)),
        field("optional", optional.to_string()),
    ]))
}

fn field(name: &str, value: String) -> (String, String) {
    (name.to_owned(), value)
}

fn file(file: &FilePart) -> String {
    let mut fields = vec![
        field("name", literal::string(&file.name)),
        field("optional", file.optional.to_string()),
        field("many", file.many.to_string()),
    ];
    fields.extend(file.streamed.then(|| field("streamed", "true".to_owned())));
    let numbers = [
        ("minItems", file.min_items),
        ("maxItems", file.max_items),
        ("maxBytes", file.max_bytes),
    ];
    for (name, number) in numbers {
        fields.extend(number.map(|number| field(name, number.to_string())));
    }
    if !file.media_types.is_empty() {
        fields.push(field("mediaTypes", literal::strings(&file.media_types)));
    }
    literal::object(fields)
}
