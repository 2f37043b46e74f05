//! Emits bodies that are not JSON for clients: their types, and how the client writes and reads them.

use kit_analysis::is_json_part;
use kit_ir::{BodyFormat, DeclarationId, FilePart, FormatChoice, Program, Route};

use super::codec::Codecs;
use crate::messages::message_kinds;
use crate::text::literal;

/// Returns the members of a route's input for its bodies: `body`; if the caller chooses the media type, `contentType`; if the
/// response is a union of formats, `accept`; and if the response is a download, `range`.
/// `name` returns the type of a declaration in requests.
pub(super) fn input(route: &Route, name: impl Fn(DeclarationId) -> String) -> Vec<String> {
    let body = sent(&route.body_format, route.slots.body, &name);
    let body = body.map(|body| format!("body: {body}"));
    body.into_iter()
        .chain(content_type(&route.body_format))
        .chain(accept(route))
        .chain(
            route
                .response_format
                .is_download()
                .then(|| "range?: ByteRange".to_owned()),
        )
        .collect()
}

/// Returns the type of a request body; `None` if there is none.
fn sent(
    format: &BodyFormat,
    body: Option<DeclarationId>,
    name: &dyn Fn(DeclarationId) -> String,
) -> Option<String> {
    let typed = body.map(name);
    match (format, typed) {
        (BodyFormat::OneOf { choices }, _) => {
            Some(tagged(choices, |choice| sent(&choice.format, choice.body, name)))
        }
        (BodyFormat::Multipart { files }, typed) => Some(parts(files, typed)),
        (BodyFormat::Lines, Some(typed)) => Some(format!("LinesBody<{typed}>")),
        (BodyFormat::Text { .. }, _) => Some("string".to_owned()),
        (BodyFormat::Raw { .. } | BodyFormat::Chunks { .. } | BodyFormat::Bytes { .. }, _) => {
            Some("BytesBody".to_owned())
        }
        (_, typed) => typed,
    }
}

/// Returns the type of a body that has one of several formats: `{ type: "text/csv"; value: string } | …`.
fn tagged(choices: &[FormatChoice], value: impl Fn(&FormatChoice) -> Option<String>) -> String {
    let members: Vec<_> = choices
        .iter()
        .map(|choice| {
            let names: Vec<_> = choice.format.media_types().into_iter().map(media_type).collect();
            let value = value(choice).unwrap_or_else(|| "undefined".to_owned());
            format!(
                "{{ readonly type: {}; readonly value: {value} }}",
                names.join(" | ")
            )
        })
        .collect();
    members.join(" | ")
}

/// Returns a media type or range as a type: `"text/csv"`, or `` `image/${string}` `` for `image/*`.
fn media_type(name: &str) -> String {
    if name.contains('*') {
        format!("`{}`", name.replace('*', "${string}"))
    } else {
        literal::string(name)
    }
}

/// Returns the member `accept`, if the response is a union of formats.
fn accept(route: &Route) -> Option<String> {
    if !route.negotiates() {
        return None;
    }
    let mut names: Vec<String> = Vec::new();
    for reply in route.responses() {
        let has_body = reply.has_body();
        for name in reply.format.media_types().into_iter().filter(|_| has_body) {
            let name = literal::string(name);
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    Some(format!("accept?: {}", names.join(" | ")))
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
    | BodyFormat::Chunks { media_types }
    | BodyFormat::Text { media_types }
    | BodyFormat::Bytes { media_types, .. }) = format
    else {
        return None;
    };
    let is_one = media_types.len() == 1 && !media_types[0].contains('*');
    let types: Vec<_> = media_types.iter().map(|name| media_type(name)).collect();
    (!is_one).then(|| format!("contentType: {}", types.join(" | ")))
}

/// Returns the type of the data of a response. `received` returns the type of a declaration in responses.
pub(super) fn output(
    format: &BodyFormat,
    body: Option<DeclarationId>,
    received: &dyn Fn(DeclarationId) -> String,
) -> String {
    match (format, body) {
        (BodyFormat::OneOf { choices }, _) => tagged(choices, |choice| {
            Some(output(&choice.format, choice.body, received))
        }),
        (BodyFormat::Text { .. }, _) => "string".to_owned(),
        (BodyFormat::Bytes { .. }, _) => "Uint8Array".to_owned(),
        (BodyFormat::Lines, Some(id)) => format!("AsyncIterable<{}>", received(id)),
        (BodyFormat::Events { events }, _) => {
            let events: Vec<_> = events
                .iter()
                .map(|event| {
                    let data = event.data.map_or_else(|| "undefined".to_owned(), received);
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
        .map(|route| entry(route, &request(program, &route.body_format, route.slots.body)))
        .collect()
}

/// Returns the format of a request as the client needs it.
fn request(program: &Program, format: &BodyFormat, body: Option<DeclarationId>) -> String {
    let mut fields = vec![
        (
            "format".to_owned(),
            literal::string(&format.name().to_lowercase()),
        ),
        ("types".to_owned(), literal::strings(format.media_types())),
    ];
    let upload = format.upload();
    fields.extend(upload.map(|file| ("last".to_owned(), literal::string(&file.name))));
    if let (BodyFormat::Multipart { .. }, Some(id)) = (format, body) {
        let properties = program.properties(program.declarations[id].r#type).iter();
        let json = properties.filter(|property| is_json_part(program, property.r#type));
        let names: Vec<_> = json.map(|property| property.name.as_str()).collect();
        fields.push(("json".to_owned(), literal::strings(names)));
    }
    if let BodyFormat::OneOf { choices } = format {
        let choices = choices
            .iter()
            .map(|choice| request(program, &choice.format, choice.body));
        fields.push(("choices".to_owned(), literal::list("[", choices, "]")));
    }
    literal::object(fields)
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

/// Returns the kinds of messages of WebSockets that do not send only JSON.
pub(super) fn socket_kinds(program: &Program) -> Vec<String> {
    let routes = program.routes.iter().filter(|route| route.is_socket());
    routes
        .filter_map(|route| Some(entry(route, &message_kinds(route)?)))
        .collect()
}

/// Returns the format of a response as the client needs it; `None` if the response is JSON.
pub(super) fn response(
    format: &BodyFormat,
    body: Option<DeclarationId>,
    codecs: &Codecs<'_>,
) -> Option<String> {
    (!format.is_json()).then(|| content(format, body, codecs))
}

fn content(format: &BodyFormat, body: Option<DeclarationId>, codecs: &Codecs<'_>) -> String {
    let media_type = format.media_types().first().copied().unwrap_or_default();
    let mut fields = vec![
        (
            "format".to_owned(),
            literal::string(&format.name().to_lowercase()),
        ),
        ("type".to_owned(), literal::string(media_type)),
    ];
    match format {
        BodyFormat::Json | BodyFormat::Lines => {
            let codec = body.and_then(|id| codecs.of(id));
            let name = if format.is_json() { "json" } else { "line" };
            fields.extend(codec.map(|codec| (name.to_owned(), codec)));
        }
        BodyFormat::OneOf { choices } => {
            let choices = choices
                .iter()
                .map(|choice| content(&choice.format, choice.body, codecs));
            fields.push(("choices".to_owned(), literal::list("[", choices, "]")));
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
    literal::object(fields)
}

fn entry(route: &Route, value: &str) -> String {
    format!("{}: {value},", literal::string(&route.reference()))
}
