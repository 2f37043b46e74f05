//! Bodies that are not JSON, in `routes/index.ts`.

use kit_ir::{BodyFormat, DeclarationId, FilePart, Route};

use super::functions::{coercer_of, value};
use crate::context::Context;
use crate::text::{Module, literal};

/// Returns the expression for the request body of a route; `None` if the body is JSON or does not exist.
pub(super) fn request(context: Context<'_>, route: &Route, module: &mut Module) -> Option<String> {
    let format = &route.body_format;
    if format.is_json() {
        return None;
    }
    let mut fields = vec![
        field("format", literal::string(&format.name().to_lowercase())),
        field("mediaTypes", literal::strings(format.accepted_media_types())),
    ];
    if let Some(id) = route.slots.body {
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
    if let BodyFormat::Multipart { files } = format {
        fields.push(field("files", literal::list("[", files.iter().map(file), "]")));
    }
    Some(literal::object(fields))
}

/// Returns the expression for a response body; `None` if the body is JSON or does not exist.
pub(super) fn response(
    context: Context<'_>,
    format: &BodyFormat,
    r#type: Option<DeclarationId>,
    module: &mut Module,
) -> Option<String> {
    if format.is_json() {
        return None;
    }
    let media_type = format.media_types().first().copied().unwrap_or_default();
    let mut fields = vec![
        field("format", literal::string(&format.name().to_lowercase())),
        field("mediaType", literal::string(media_type)),
    ];
    match format {
        BodyFormat::Lines => fields.push(field("line", value(context, r#type, "Serializer", module))),
        BodyFormat::Events { events } => {
            let events = events.iter().map(|event| {
                let data = value(context, event.data, "Serializer", module);
                (literal::key(&event.name), data)
            });
            fields.push(field("events", literal::object(events)));
        }
        _ => {}
    }
    Some(literal::object(fields))
}

/// Returns the expression for the messages of a WebSocket.
pub(super) fn socket(context: Context<'_>, route: &Route, module: &mut Module) -> String {
    literal::object([
        field("in", value(context, route.slots.body, "Validator", module)),
        field("out", value(context, route.slots.response, "Serializer", module)),
    ])
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
