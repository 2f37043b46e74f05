//! Messages of a WebSocket in a contract: `Socket<{ in: ClientMessage; out: ServerMessage }>`.

use kit_diagnostics::codes;
use kit_ir::{BodyFormat, DeclarationId, SOCKET_METHOD, Slot, Subprotocols};

use super::contract::{Contract, Part, members};
use super::tags::RouteTags;
use super::{bodies, slot_declaration};
use crate::eval::{KitType, Literal, Property, Ty, TyId};
use crate::lower::Lowering;
use crate::modules::Location;

const HELP: &str =
    "name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`";

/// Names of the two slots of `Socket`: messages that the client sends, and messages that the server sends.
const SIDES: [&str; 2] = ["in", "out"];

/// Name of the property of `Socket` with the subprotocols.
const PROTOCOLS: &str = "protocols";

/// Maximum number of subprotocols. Each handshake is compared with each of them.
const MAX_PROTOCOLS: usize = 100;

/// Kinds of the messages of one side, and the type of those in JSON. `None` if no message is JSON.
pub(super) type Messages = (BodyFormat, Option<DeclarationId>);

/// WebSocket of a contract.
pub(super) struct DeclaredSocket {
    /// Messages that the server receives: their kinds, and the type of those in JSON.
    pub(super) received: Messages,
    /// Messages that the server sends.
    pub(super) sent: Messages,
    pub(super) subprotocols: Option<Subprotocols>,
}

/// Returns the messages and the subprotocols of a contract's WebSocket. Reports a contract with the key `WS …` that does
/// not describe a WebSocket, and a WebSocket under another key. `base` is the name of the route.
pub(super) fn read(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    is_socket: bool,
    tags: &RouteTags,
    base: &str,
) -> Option<DeclaredSocket> {
    let key = &contract.key;
    let Some(part) = contract.socket else {
        if is_socket {
            let message = format!("`{key}` accepts a WebSocket, but its contract has no slot `socket`");
            invalid(lowering, contract.location, message, HELP);
        }
        return None;
    };
    if !is_socket {
        let path = key.split_once(' ').map_or(key.as_str(), |(_, path)| path);
        let message = format!("`{key}` has the slot `socket`, which only WebSockets have");
        let help = format!("write `\"{SOCKET_METHOD} {path}\"` as the key of the route");
        invalid(lowering, part.location, message, &help);
        return None;
    }
    for slot in [Slot::Body, Slot::Response] {
        if let Some(other) = contract.slot(slot) {
            let message = format!(
                "`{key}` accepts a WebSocket, so it cannot have the slot `{}`",
                slot.name()
            );
            let help = format!(
                "remove the slot `{}`; the messages are in the slot `socket`",
                slot.name()
            );
            invalid(lowering, other.location, message, &help);
        }
    }
    if tags.status.is_some() {
        let message = format!("`{key}` accepts a WebSocket, so its status is 101");
        invalid(lowering, contract.location, message, "remove the tag `@status`");
    }
    let shape = lowering.eval.shape(part.ty);
    if let Ty::Invalid(id) = *lowering.eval.store.get(shape) {
        let diagnostic = lowering.eval.store.invalid[id.index()].clone();
        lowering.report(diagnostic);
        return None;
    }
    let Some(arguments) = lowering.eval.kit_type_arguments(shape, KitType::Socket) else {
        let text = lowering.eval.text(part.ty);
        let message = format!("the slot `socket` of `{key}` must be a `Socket`, not `{text}`");
        invalid(lowering, part.location, message, HELP);
        return None;
    };
    let location = lowering.eval.written_at(part.ty).unwrap_or(part.location);
    let messages = Part {
        ty: *arguments.first()?,
        location,
    };
    let object = bodies::object_of(lowering, &format!("the messages of `{key}`"), messages, HELP)?;
    let mut types = [None, None];
    for (index, name) in SIDES.into_iter().enumerate() {
        if object.property(name).is_none() {
            let message = format!(
                "the messages of `{key}` have no `{}`, which the {} sends",
                name,
                ["client", "server"][index]
            );
            invalid(lowering, location, message, HELP);
        }
    }
    let mut subprotocols = None;
    for property in object.visible() {
        if &*property.name == PROTOCOLS {
            subprotocols = read_protocols(lowering, key, property);
            continue;
        }
        let Some(index) = SIDES.iter().position(|name| *name == &*property.name) else {
            let message = format!(
                "the messages of `{key}` have `{}`, but a WebSocket has only `in`, `out` and `{PROTOCOLS}`",
                property.name
            );
            invalid(lowering, property.location, message, HELP);
            continue;
        };
        if property.optional {
            let message = format!("the messages `{}` of `{key}` are optional", property.name);
            let help = format!("remove the `?` after `{}`", property.name);
            invalid(lowering, property.location, message, &help);
        }
        let name = format!("{base}{}", ["In", "Out"][index]);
        let message = Part {
            ty: property.ty,
            location: property.location,
        };
        let owner = format!("the messages `{}` of `{key}`", property.name);
        types[index] = messages_of(lowering, &owner, message, &name);
    }
    let [received, sent] = types;
    Some(DeclaredSocket {
        received: received?,
        sent: sent?,
        subprotocols,
    })
}

/// Returns the messages of one side. A type of JSON messages without a name gets `name`. `owner` is the subject of messages:
/// ``the messages `in` of `WS /rooms` ``. Reports other formats, and kinds of messages that cannot be distinguished.
fn messages_of(lowering: &mut Lowering<'_>, owner: &str, part: Part, name: &str) -> Option<Messages> {
    let location = lowering.eval.written_at(part.ty).unwrap_or(part.location);
    let (mut text, mut bytes, mut values) = (false, false, Vec::new());
    let members = bodies::named_members(lowering, part.ty);
    for member in &members {
        match bodies::format_of(lowering, *member) {
            None => values.push(*member),
            Some(KitType::Json) => {
                let shape = lowering.eval.shape(*member);
                let arguments = lowering.eval.kit_type_arguments(shape, KitType::Json)?;
                values.push(*arguments.first()?);
            }
            Some(kind @ (KitType::Text | KitType::Bytes)) => {
                let shape = lowering.eval.shape(*member);
                if lowering
                    .eval
                    .kit_type_arguments(shape, kind)
                    .is_some_and(|arguments| !arguments.is_empty())
                {
                    let message = format!("{owner} have a media type, but a WebSocket sends none");
                    let help = format!("write `{}` without a media type", kind.name());
                    invalid(lowering, location, message, &help);
                }
                text |= kind == KitType::Text;
                bytes |= kind == KitType::Bytes;
            }
            Some(kind) => {
                let message = format!("{owner} cannot be `{}`", kind.name());
                let help = "a message can be a type of values, which is JSON, or `Text` or `Bytes`";
                invalid(lowering, location, message, help);
                return None;
            }
        }
    }
    let format = BodyFormat::Socket { text, bytes };
    if values.is_empty() && (text || bytes) {
        return Some((format, None));
    }
    if text {
        let message = format!("{owner} are JSON and plain text, and both are text messages");
        let help =
            "remove `Text` and add its texts to the type of the JSON messages, or remove the JSON messages";
        invalid(lowering, location, message, help);
        return None;
    }
    if bytes && values.iter().any(|value| is_bytes(lowering, *value)) {
        let message = format!("{owner} are `Bytes` and also JSON with a `Uint8Array`");
        let help = "remove `Uint8Array`: the messages `Bytes` are `Uint8Array` for the handler";
        invalid(lowering, location, message, help);
        return None;
    }
    // A type whose members all are values keeps its name.
    let ty = if values == members {
        part.ty
    } else {
        lowering.eval.union(values)
    };
    let part = Part {
        ty,
        location: part.location,
    };
    if let Some(declaration) = slot_declaration(lowering, part, name, false) {
        return Some((format, Some(declaration)));
    }
    invalid(lowering, part.location, format!("{owner} have no type"), HELP);
    None
}

/// Returns true if a value of the type may be a `Uint8Array`, which could not be told apart from a binary message.
fn is_bytes(lowering: &mut Lowering<'_>, ty: TyId) -> bool {
    members(&mut lowering.eval, ty)
        .into_iter()
        .any(|member| matches!(lowering.eval.store.get(member), Ty::Bytes))
}

/// Returns the subprotocols that the property `protocols` names. Reports a type that is not a union of such names.
fn read_protocols(lowering: &mut Lowering<'_>, key: &str, property: &Property) -> Option<Subprotocols> {
    const HELP: &str = "write the names as strings: `protocols: \"chat.v1\" | \"chat.v2\"`";
    let location = property.location;
    let mut names: Vec<String> = Vec::new();
    for member in members(&mut lowering.eval, property.ty) {
        let name = match lowering.eval.store.get(member).clone() {
            Ty::Literal(Literal::String(name)) => name.to_string(),
            Ty::Never => continue,
            Ty::Undefined if property.optional => continue,
            Ty::Invalid(id) => {
                let diagnostic = lowering.eval.store.invalid[id.index()].clone();
                lowering.report(diagnostic);
                return None;
            }
            _ => {
                let text = lowering.eval.text(member);
                let message =
                    format!("`{text}` in `{PROTOCOLS}` of `{key}` is not the name of a subprotocol");
                invalid(lowering, location, message, HELP);
                return None;
            }
        };
        if !is_token(&name) {
            let message = format!("{name:?} in `{PROTOCOLS}` of `{key}` is not the name of a subprotocol");
            let help = "use letters, digits and the characters !#$%&'*+-.^_`|~ (a token of RFC 9110)";
            invalid(lowering, location, message, help);
            return None;
        }
        if !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() || names.len() > MAX_PROTOCOLS {
        let message = format!("`{PROTOCOLS}` of `{key}` has {} subprotocols", names.len());
        let help = format!("write 1 to {MAX_PROTOCOLS} names: `protocols: \"chat.v1\" | \"chat.v2\"`");
        invalid(lowering, location, message, &help);
        return None;
    }
    Some(Subprotocols {
        names,
        optional: property.optional,
    })
}

/// Returns true if a text is a token (RFC 9110, section 5.6.2), as the name of a subprotocol must be.
fn is_token(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_SOCKET, location, message)
        .help(help);
    lowering.report(diagnostic);
}
