//! Routes that the debug sidecar of the generated server shows.

use kit_ir::{BodyFormat, DeclarationId, Program, Slot};
use serde_json::{Map, Value, json};

use crate::route_groups::{Group, Routes};
use crate::route_names::RouteNames;
use crate::sidecar::ROUTES;
use crate::types::Types;
use crate::{File, Options, Owner};

/// Returns the file with the routes that the sidecar shows. Returns `None` if the server has no sidecar.
pub(crate) fn file(types: &Types<'_>, routes: &Routes<'_>, options: &Options) -> Option<File> {
    let groups = routes.groups.iter();
    let all = groups.flat_map(|group| group.routes.iter().map(move |handled| (group, handled)));
    let all: Vec<_> = all
        .map(|(group, handled)| route(types.program, group, handled))
        .collect();
    options.sidecar.then(|| File {
        path: ROUTES.to_owned(),
        text: format!("{}\n", Value::Array(all)),
        owner: Owner::Output,
    })
}

/// Returns a route in the form of `ShownRoute` in `packages/plugin-debug/src/responses/shapes.ts`.
fn route(program: &Program, group: &Group<'_>, handled: &RouteNames<'_>) -> Value {
    let route = handled.route;
    let reference = route.reference();
    let (method, path) = reference.split_once(' ').unwrap_or((&reference, ""));
    let name = |id: DeclarationId| program.declarations[id].name.as_str();
    let mut validators = Map::new();
    for slot in Slot::INPUTS {
        let r#type = route.slots.get(slot);
        let shown = match slot {
            Slot::Body => content(program, &route.body_format, r#type),
            _ => r#type.map(|id| name(id).to_owned()),
        };
        if let Some(shown) = shown {
            validators.insert(slot.name().to_owned(), shown.into());
        }
    }
    let replies = route.replies.iter().map(|reply| {
        json!({
            "status": reply.status,
            "body": content(program, &reply.format, reply.body),
            "headers": reply.headers.map(name),
        })
    });
    let details = route
        .throws
        .iter()
        .filter_map(|error| Some((error.code.clone(), name(error.details?).into())));
    json!({
        "method": method,
        "path": path,
        "ref": reference,
        "middleware": route.middleware,
        "validators": validators,
        "serializer": content(program, &route.response_format, route.slots.response),
        "replies": replies.collect::<Vec<_>>(),
        "details": details.collect::<Map<_, _>>(),
        "scopes": route.scopes,
        "status": route.status,
        "group": route.group,
        // Only the running server knows the line, because the file belongs to the user.
        "handler": { "file": group.file(), "export": handled.function, "line": 1 },
        "contract": { "file": program.path(route.span), "line": route.span.line },
        "tests": route.tests,
    })
}

/// Returns a body as the contract writes it: `Book`, `Form<Login>`, `Raw<"application/json">`. Returns `None` if there is no
/// body.
fn content(program: &Program, format: &BodyFormat, r#type: Option<DeclarationId>) -> Option<String> {
    let name = r#type.map(|id| program.declarations[id].name.clone());
    let of_media_types = |types: &[String]| {
        let quoted: Vec<_> = types.iter().map(|name| format!("\"{name}\"")).collect();
        quoted.join(" | ")
    };
    let in_braces = |names: Vec<&str>| format!("{{ {} }}", names.join(", "));
    let inner = |format: &str, content: String| Some(format!("{format}<{content}>"));
    match format {
        BodyFormat::Json => name,
        BodyFormat::Form => inner("Form", name?),
        BodyFormat::Lines => inner("Lines", name?),
        BodyFormat::Socket { text, bytes } => {
            let others = [("Text", *text), ("Bytes", *bytes)].into_iter();
            let others = others.filter(|(_, is_there)| *is_there);
            let others = others.map(|(name, _)| name.to_owned());
            let all: Vec<String> = name.into_iter().chain(others).collect();
            inner("Socket", all.join(" | "))
        }
        BodyFormat::Multipart { files } => {
            let names = || in_braces(files.iter().map(|file| file.name.as_str()).collect());
            inner("Multipart", name.unwrap_or_else(names))
        }
        BodyFormat::Raw { media_types } => inner("Raw", of_media_types(media_types)),
        BodyFormat::Chunks { media_types } => inner("Chunks", of_media_types(media_types)),
        BodyFormat::Text { media_types } => inner("Text", of_media_types(media_types)),
        BodyFormat::Bytes { media_types, .. } => inner(format.name(), of_media_types(media_types)),
        BodyFormat::Events { events } => inner(
            "Events",
            in_braces(events.iter().map(|event| event.name.as_str()).collect()),
        ),
        BodyFormat::OneOf { choices } => {
            let choices = choices.iter().filter_map(|choice| {
                let text = content(program, &choice.format, choice.body)?;
                let is_json = choice.format == BodyFormat::Json;
                Some(if is_json { format!("Json<{text}>") } else { text })
            });
            Some(choices.collect::<Vec<_>>().join(" | "))
        }
    }
}
