//! Emits bodies that are not JSON for clients: their types, and how the client writes and reads them.

use kit_analysis::is_json_part;
use kit_ir::{BodyFormat, DeclarationId, FilePart, Program, Route};

use super::codec::Codecs;
use crate::text::literal;

/// Returns the members of a route's input for its body: `body` and, if the caller chooses the media type, `contentType`.
/// `name` returns the type of a declaration in requests.
pub(super) fn input(route: &Route, name: impl Fn(DeclarationId) -> String) -> Vec<String> {
    let typed = route.slots.body.map(name);
    let body = match (&route.body_format, typed) {
        (BodyFormat::Multipart { files }, typed) => Some(parts(files, typed)),
        (BodyFormat::Lines, Some(typed)) => Some(format!("LinesBody<{typed}>")),
        (BodyFormat::Text { .. }, _) => Some("string".to_owned()),
        (BodyFormat::Raw { .. } | BodyFormat::Bytes { .. }, _) => Some("BytesBody".to_owned()),
        (_, typed) => typed,
    };
    let body = body.map(|body| format!("body: {body}"));
    body.into_iter().chain(content_type(&route.body_format)).collect()
}

fn parts(files: &[FilePart], fields: Option<String>) -> String {
    let files: Vec<_> = files
        .iter()
        .map(|file| {
            let mark = if file.optional { "?" } else { "" };
            let many = if file.many { "[]" } else { "" };
            format!("{}{mark}: Blob{many}", literal::key(&file.name))
        })
        .collect();
    let files = (!files.is_empty()).then(|| format!("{{ {} }}", files.join("; ")));
    let parts: Vec<_> = fields.into_iter().chain(files).collect();
    if parts.is_empty() {
        "{}".to_owned()
    } else {
        parts.join(" & ")
    }
}

/// Returns the member `contentType`, if the contract allows several media types or a range of them.
fn content_type(format: &BodyFormat) -> Option<String> {
    let (BodyFormat::Raw { media_types }
    | BodyFormat::Text { media_types }
    | BodyFormat::Bytes { media_types }) = format
    else {
        return None;
    };
    let is_one = media_types.len() == 1 && !media_types[0].contains('*');
    let types: Vec<_> = media_types
        .iter()
        .map(|name| {
            if name.contains('*') {
                format!("`{}`", name.replace('*', "${string}"))
            } else {
                literal::string(name)
            }
        })
        .collect();
    (!is_one).then(|| format!("contentType: {}", types.join(" | ")))
}

/// Returns the type of the data of a response. `received` returns the type of a declaration in responses.
pub(super) fn output(
    format: &BodyFormat,
    body: Option<DeclarationId>,
    received: impl Fn(DeclarationId) -> String,
) -> String {
    match (format, body) {
        (BodyFormat::Text { .. }, _) => "string".to_owned(),
        (BodyFormat::Bytes { .. }, _) => "Uint8Array".to_owned(),
        (BodyFormat::Lines, Some(id)) => format!("AsyncIterable<{}>", received(id)),
        (BodyFormat::Events { events }, _) => {
            let events: Vec<_> = events
                .iter()
                .map(|event| {
                    let data = event.data.map_or_else(|| "undefined".to_owned(), &received);
                    format!("{}: {data}", literal::key(&event.name))
                })
                .collect();
            format!("ApiEvents<{{ {} }}>", events.join("; "))
        }
        (_, body) => body.map_or_else(|| "undefined".to_owned(), received),
    }
}

/// Returns the entries of the client's `requestFormats`.
pub(super) fn request_formats(program: &Program) -> Vec<String> {
    let routes = program
        .routes
        .iter()
        .filter(|route| !route.body_format.is_json() && !route.is_socket());
    routes
        .map(|route| {
            let format = &route.body_format;
            let mut fields = vec![
                (
                    "format".to_owned(),
                    literal::string(&format.name().to_lowercase()),
                ),
                ("types".to_owned(), literal::strings(format.media_types())),
            ];
            let upload = format.upload();
            fields.extend(upload.map(|file| ("last".to_owned(), literal::string(&file.name))));
            if let (BodyFormat::Multipart { .. }, Some(id)) = (format, route.slots.body) {
                let properties = program.properties(program.declarations[id].r#type).iter();
                let json = properties.filter(|property| is_json_part(program, property.r#type));
                let names: Vec<_> = json.map(|property| property.name.as_str()).collect();
                fields.push(("json".to_owned(), literal::strings(names)));
            }
            entry(route, &literal::object(fields))
        })
        .collect()
}

/// Returns the entries of the client's `responseFormats`, for routes without declared replies.
pub(super) fn response_formats(program: &Program, codecs: &Codecs<'_>) -> Vec<String> {
    let routes = program
        .routes
        .iter()
        .filter(|route| !route.has_replies() && !route.is_socket());
    routes
        .filter_map(|route| {
            let format = response(&route.response_format, route.slots.response, codecs)?;
            Some(entry(route, &format))
        })
        .collect()
}

/// Returns the codecs of the messages that WebSockets receive. A message that needs no conversion has none.
pub(super) fn socket_codecs(program: &Program, codecs: &Codecs<'_>) -> Vec<String> {
    let routes = program.routes.iter().filter(|route| route.is_socket());
    routes
        .filter_map(|route| Some(entry(route, &codecs.of(route.slots.response?)?)))
        .collect()
}

/// Returns the format of a response as the client needs it; `None` if the response is JSON.
pub(super) fn response(
    format: &BodyFormat,
    body: Option<DeclarationId>,
    codecs: &Codecs<'_>,
) -> Option<String> {
    if format.is_json() {
        return None;
    }
    let media_type = format.media_types().first().copied().unwrap_or_default();
    let mut fields = vec![
        (
            "format".to_owned(),
            literal::string(&format.name().to_lowercase()),
        ),
        ("type".to_owned(), literal::string(media_type)),
    ];
    match format {
        BodyFormat::Lines => {
            let codec = body.and_then(|id| codecs.of(id));
            fields.extend(codec.map(|codec| ("line".to_owned(), codec)));
        }
        BodyFormat::Events { events } => {
            let events = events.iter().map(|event| {
                let codec = match event.data {
                    None => "false".to_owned(),
                    Some(id) => codecs.of(id).unwrap_or_else(|| "null".to_owned()),
                };
                (literal::key(&event.name), codec)
            });
            fields.push(("events".to_owned(), literal::object(events)));
        }
        _ => {}
    }
    Some(literal::object(fields))
}

fn entry(route: &Route, value: &str) -> String {
    format!("{}: {value},", literal::string(&route.reference()))
}
