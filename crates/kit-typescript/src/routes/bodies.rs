//! Formats of bodies in a contract: `Json<T>`, `Form<T>`, `Multipart<T>`, `Raw<M>`, `Chunks<M>`, `Text<M>`, `Bytes<M>`,
//! `Download<M>`, `Lines<T>` and `Events<T>`, and unions of them.

use std::rc::Rc;

use kit_diagnostics::codes;
use kit_ir::{BodyFormat, DeclarationId, DeclaredEvent, FormatChoice};

use super::contract::{Part, members};
use super::{files, slot_declaration};
use crate::eval::{KitType, Object, Ty, TyId, pascal};
use crate::lower::Lowering;
use crate::modules::Location;

/// Part of a contract that has a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Request,
    Response,
    /// Response of one status, from `Reply`.
    Reply,
}

impl Direction {
    /// Returns a sentence about the formats that the part may have, for the help of an error.
    fn formats(self) -> &'static str {
        match self {
            Self::Request => {
                "a request can be `Json`, `Form`, `Multipart`, `Raw`, `Chunks`, `Text`, `Bytes` or `Lines`"
            }
            Self::Response => "a response can be `Json`, `Text`, `Bytes`, `Download`, `Lines` or `Events`",
            Self::Reply => "a reply can be `Json`, `Text`, `Bytes`, `Lines` or `Events`",
        }
    }

    fn allows(self, kind: KitType) -> bool {
        match kind {
            KitType::Form | KitType::Multipart | KitType::Raw | KitType::Chunks => self == Self::Request,
            KitType::Events => self != Self::Request,
            KitType::Download => self == Self::Response,
            _ => kind.is_body(),
        }
    }
}

/// Returns the format of a body and the declaration of its type. A type without a name gets `name`. `owner` has the
/// body, and stands in messages: ``the body of `POST /photos` ``.
pub(super) fn read(
    lowering: &mut Lowering<'_>,
    owner: &str,
    direction: Direction,
    part: Part,
    name: &str,
) -> (BodyFormat, Option<DeclarationId>) {
    let members = named_members(lowering, part.ty);
    let formats: Vec<KitType> = members
        .iter()
        .filter_map(|member| format_of(lowering, *member))
        .collect();
    let location = lowering.eval.written_at(part.ty).unwrap_or(part.location);
    match formats.first() {
        None => (BodyFormat::Json, slot_declaration(lowering, part, name, false)),
        Some(kind) if members.len() == 1 => {
            one(lowering, owner, direction, *kind, (members[0], location), name)
        }
        Some(_) => union(lowering, owner, direction, (&members, location), name),
    }
}

/// Returns the members of a union, with the names of named types. Returns any other type as the only member.
pub(super) fn named_members(lowering: &mut Lowering<'_>, ty: TyId) -> Vec<TyId> {
    let shape = lowering.eval.shape(ty);
    match lowering.eval.store.get(shape).clone() {
        Ty::Union(union) => union
            .iter()
            .flat_map(|member| named_members(lowering, *member))
            .collect(),
        _ => vec![ty],
    }
}

/// Returns the format of a type such as `Form<…>`; `None` for a type of values, which is JSON.
pub(super) fn format_of(lowering: &mut Lowering<'_>, member: TyId) -> Option<KitType> {
    match lowering.eval.shape_of(member) {
        Ty::Kit(kind, _) if kind.is_body() => Some(kind),
        _ => None,
    }
}

/// Returns a union of formats, whose members have distinct media types. All types of values together are one format: JSON.
fn union(
    lowering: &mut Lowering<'_>,
    owner: &str,
    direction: Direction,
    (members, location): (&[TyId], Location),
    name: &str,
) -> (BodyFormat, Option<DeclarationId>) {
    let values: Vec<TyId> = members
        .iter()
        .copied()
        .filter(|member| format_of(lowering, *member).is_none())
        .collect();
    let is_empty = values
        .iter()
        .any(|value| matches!(lowering.eval.shape_of(*value), Ty::Undefined));
    if is_empty {
        let message = format!("{owner} is a union of formats with `void` or `undefined`");
        let help = match direction {
            Direction::Request => "remove `void` and `undefined`: a request of a union of formats has a body",
            Direction::Response | Direction::Reply => {
                "remove `void` and `undefined`, or declare replies: `Reply<200, Text> | Reply<204>`"
            }
        };
        invalid(lowering, location, message, help);
        return (BodyFormat::Json, None);
    }
    let mut choices: Vec<FormatChoice> = Vec::new();
    let (mut has_values, mut is_valid) = (false, true);
    for member in members {
        let kind = format_of(lowering, *member);
        if kind.is_none() && std::mem::replace(&mut has_values, true) {
            continue;
        }
        if kind == Some(KitType::Download) && direction != Direction::Request {
            let message = format!("{owner} is a union of formats with `Download`");
            let help = "declare a route of its own for the download, or write `Bytes`, which has no ranges";
            invalid(lowering, location, message, help);
            return (BodyFormat::Json, None);
        }
        let name = format!("{name}{}", kind.unwrap_or(KitType::Json).name());
        let (format, body) = if let Some(kind) = kind {
            let at = lowering.eval.written_at(*member).unwrap_or(location);
            one(lowering, owner, direction, kind, (*member, at), &name)
        } else {
            let ty = lowering.eval.union(values.clone());
            let part = Part { ty, location };
            (BodyFormat::Json, slot_declaration(lowering, part, &name, false))
        };
        if format.is_json() && body.is_none() {
            // `one` has reported the mistake.
            is_valid = false;
            continue;
        }
        if direction == Direction::Request && format.is_streamed() {
            let text = lowering.eval.text(*member);
            let message =
                format!("{owner} is a union of formats, but a handler reads `{text}` while the body arrives");
            let help = "declare a route of its own for this format: the other formats are read before the handler starts";
            invalid(lowering, location, message, help);
            return (BodyFormat::Json, None);
        }
        let taken = choices
            .iter()
            .find_map(|earlier| shared_media_type(&earlier.format, &format));
        if let Some(taken) = taken {
            let message = format!("{owner} has two formats with the media type `{taken}`");
            let help = "give each format media types of its own, because the media type chooses the format";
            invalid(lowering, location, message, help);
            return (BodyFormat::Json, None);
        }
        choices.push(FormatChoice { format, body });
    }
    if !is_valid {
        return (BodyFormat::Json, None);
    }
    (BodyFormat::OneOf { choices }, None)
}

/// Returns a media type that fits both formats; `None` if there is none.
fn shared_media_type(first: &BodyFormat, second: &BodyFormat) -> Option<String> {
    let contains = |range: &str, name: &str| {
        range == "*/*"
            || range == name
            || range
                .strip_suffix('*')
                .is_some_and(|start| name.starts_with(start))
    };
    first.media_types().into_iter().find_map(|one| {
        second.media_types().into_iter().find_map(|other| {
            if contains(one, other) {
                Some(other.to_owned())
            } else {
                contains(other, one).then(|| one.to_owned())
            }
        })
    })
}

/// Returns a format that is no union, and the declaration of its type.
fn one(
    lowering: &mut Lowering<'_>,
    owner: &str,
    direction: Direction,
    kind: KitType,
    (member, location): (TyId, Location),
    name: &str,
) -> (BodyFormat, Option<DeclarationId>) {
    if !direction.allows(kind) {
        let message = format!("{owner} cannot be `{}`", kind.name());
        invalid(lowering, location, message, direction.formats());
        return (BodyFormat::Json, None);
    }
    let shape = lowering.eval.shape(member);
    let Some(arguments) = lowering.eval.kit_type_arguments(shape, kind) else {
        return (BodyFormat::Json, None);
    };
    let argument = arguments.first().map(|ty| Part {
        ty: *ty,
        location: lowering.eval.written_at(*ty).unwrap_or(location),
    });
    match (kind, argument) {
        (KitType::Json, Some(value)) => {
            if let Some(declaration) = slot_declaration(lowering, value, name, false) {
                (BodyFormat::Json, Some(declaration))
            } else {
                let message = format!("the JSON of {owner} has no type");
                invalid(
                    lowering,
                    location,
                    message,
                    "name the type of the value: `Json<Order>`",
                );
                (BodyFormat::Json, None)
            }
        }
        (KitType::Form, Some(fields)) => {
            if let Some(declaration) = slot_declaration(lowering, fields, name, false) {
                (BodyFormat::Form, Some(declaration))
            } else {
                let message = format!("the form of {owner} has no fields");
                invalid(
                    lowering,
                    location,
                    message,
                    "name the fields: `Form<{ name: string }>`",
                );
                (BodyFormat::Json, None)
            }
        }
        (KitType::Multipart, Some(parts)) => multipart(lowering, owner, parts, name),
        (KitType::Lines, Some(line)) => {
            if let Some(declaration) = slot_declaration(lowering, line, &format!("{name}Line"), false) {
                (BodyFormat::Lines, Some(declaration))
            } else {
                let message = format!("the lines of {owner} have no type");
                invalid(
                    lowering,
                    location,
                    message,
                    "name the type of a line: `Lines<Order>`",
                );
                (BodyFormat::Json, None)
            }
        }
        (KitType::Events, Some(events)) => (events_of(lowering, owner, events, name), None),
        (kind, argument) => (bytes(lowering, owner, direction, kind, argument), None),
    }
}

/// Returns the object type of `Multipart<T>` or `Events<T>`. Reports any other type.
pub(super) fn object_of(
    lowering: &mut Lowering<'_>,
    what: &str,
    part: Part,
    help: &str,
) -> Option<Rc<Object>> {
    let shape = lowering.eval.shape(part.ty);
    if let Ty::Invalid(id) = *lowering.eval.store.get(shape) {
        let diagnostic = lowering.eval.store.invalid[id.index()].clone();
        lowering.report(diagnostic);
        return None;
    }
    let Some(object) = lowering.eval.as_object(part.ty) else {
        let text = lowering.eval.text(part.ty);
        invalid(
            lowering,
            part.location,
            format!("{what} must be an object, not `{text}`"),
            help,
        );
        return None;
    };
    lowering.report_all(object.issues.clone());
    if !object.index.is_empty() {
        invalid(lowering, part.location, format!("{what} may have any name"), help);
        return None;
    }
    Some(object)
}

fn multipart(
    lowering: &mut Lowering<'_>,
    owner: &str,
    parts: Part,
    name: &str,
) -> (BodyFormat, Option<DeclarationId>) {
    let help = "name the parts: `Multipart<{ title: string; photo: File }>`";
    let Some(object) = object_of(lowering, &format!("the parts of {owner}"), parts, help) else {
        return (BodyFormat::Json, None);
    };
    let (files, others) = files::split(lowering, owner, &object);
    if files.is_empty() && others.is_empty() {
        invalid(lowering, parts.location, format!("{owner} has no parts"), help);
    }
    let declaration = if files.is_empty() {
        slot_declaration(lowering, parts, name, false)
    } else if others.is_empty() {
        None
    } else {
        let rest = Object {
            properties: others,
            nominal: object.nominal,
            ..Object::default()
        };
        let rest = Part {
            ty: lowering.eval.store.object(rest),
            location: parts.location,
        };
        slot_declaration(lowering, rest, name, false)
    };
    (BodyFormat::Multipart { files }, declaration)
}

fn events_of(lowering: &mut Lowering<'_>, owner: &str, events: Part, name: &str) -> BodyFormat {
    let help = "name the events with the types of their data: `Events<{ progress: Progress; done: Order }>`";
    let Some(object) = object_of(lowering, &format!("the events of {owner}"), events, help) else {
        return BodyFormat::Json;
    };
    let mut declared = Vec::new();
    for property in object.visible() {
        // A line break would end the field `event` (WHATWG HTML, 9.2.6).
        if property.name.is_empty() || property.name.contains(['\r', '\n', '\0']) {
            let message = format!("`{}` is not the name of an event", property.name.escape_debug());
            invalid(
                lowering,
                property.location,
                message,
                "write a name without line breaks",
            );
            continue;
        }
        if property.optional {
            let message = format!("the event `{}` of {owner} is optional", property.name);
            let help = format!(
                "remove the `?` after `{}`: every event is optional",
                property.name
            );
            invalid(lowering, property.location, message, &help);
        }
        let data = Part {
            ty: property.ty,
            location: property.location,
        };
        let data = slot_declaration(
            lowering,
            data,
            &format!("{name}{}", pascal(&property.name)),
            false,
        );
        declared.push(DeclaredEvent {
            name: property.name.to_string(),
            data,
        });
    }
    if declared.is_empty() && !lowering.diagnostics.has_errors() {
        invalid(lowering, events.location, format!("{owner} has no events"), help);
    }
    BodyFormat::Events { events: declared }
}

/// Returns the format of `Raw`, `Chunks`, `Text` or `Bytes`, whose argument is a media type or a union of them.
fn bytes(
    lowering: &mut Lowering<'_>,
    owner: &str,
    direction: Direction,
    kind: KitType,
    argument: Option<Part>,
) -> BodyFormat {
    let media_types = match argument {
        None => {
            let default = match kind {
                KitType::Raw | KitType::Chunks => "*/*",
                KitType::Text => "text/plain",
                _ => "application/octet-stream",
            };
            vec![default.to_owned()]
        }
        Some(part) => media_types(lowering, owner, direction, part),
    };
    match kind {
        KitType::Raw => BodyFormat::Raw { media_types },
        KitType::Chunks => BodyFormat::Chunks { media_types },
        KitType::Text => BodyFormat::Text { media_types },
        _ => BodyFormat::Bytes {
            media_types,
            ranges: kind == KitType::Download,
        },
    }
}

fn media_types(lowering: &mut Lowering<'_>, owner: &str, direction: Direction, part: Part) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for member in members(&mut lowering.eval, part.ty) {
        let text = match lowering.eval.store.get(member) {
            Ty::Literal(literal) => literal.name().to_ascii_lowercase(),
            _ => lowering.eval.text(member),
        };
        if !files::is_media_range(&text) {
            let message = format!("`{text}` is not a media type without parameters");
            let help =
                "write the type and the subtype, such as `\"text/csv\"`; kit adds `charset=utf-8` to text";
            invalid(lowering, part.location, message, help);
        } else if direction != Direction::Request && text.contains('*') {
            let message = format!("the media type of {owner} is the range `{text}`");
            let help = "write one media type, because it is the content type of the response";
            invalid(lowering, part.location, message, help);
        } else if !found.contains(&text) {
            found.push(text);
        }
    }
    if direction != Direction::Request && found.len() > 1 {
        let message = format!("{owner} has several media types: {}", found.join(", "));
        let help = "write one media type, because it is the content type of the response";
        invalid(lowering, part.location, message, help);
        found.truncate(1);
    }
    found
}

pub(super) fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_BODY, location, message)
        .help(help);
    lowering.report(diagnostic);
}
