//! Messages of a WebSocket in a contract: `Socket<{ in: ClientMessage; out: ServerMessage }>`.

use kit_diagnostics::codes;
use kit_ir::{DeclarationId, SOCKET_METHOD, Slot};

use super::contract::{Contract, Part};
use super::tags::RouteTags;
use super::{bodies, slot_declaration};
use crate::eval::{KitType, Ty};
use crate::lower::Lowering;
use crate::modules::Location;

const HELP: &str =
    "name the messages of both sides: `Route<{ socket: Socket<{ in: ClientMessage; out: ServerMessage }> }>`";

/// Names of the two slots of `Socket`: messages that the client sends, and messages that the server sends.
const SIDES: [&str; 2] = ["in", "out"];

/// Returns the types of the messages that the server receives and sends. Reports a contract with the key `WS …` that does
/// not describe a WebSocket, and a WebSocket under another key. `base` is the name of the route.
pub(super) fn read(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    is_socket: bool,
    tags: &RouteTags,
    base: &str,
) -> Option<(DeclarationId, DeclarationId)> {
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
    for property in object.visible() {
        let Some(index) = SIDES.iter().position(|name| *name == &*property.name) else {
            let message = format!(
                "the messages of `{key}` have `{}`, but a WebSocket has only `in` and `out`",
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
        types[index] = slot_declaration(lowering, message, &name, false);
        if types[index].is_none() {
            let message = format!("the messages `{}` of `{key}` have no type", property.name);
            invalid(lowering, property.location, message, HELP);
        }
    }
    let [received, sent] = types;
    Some((received?, sent?))
}

fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_SOCKET, location, message)
        .help(help);
    lowering.report(diagnostic);
}
