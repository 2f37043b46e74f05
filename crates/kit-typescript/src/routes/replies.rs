//! Replies of a contract: the members of a `response` such as `Reply<201, Order> | Reply<202, Job>`.

use std::rc::Rc;

use kit_diagnostics::codes;
use kit_ir::{BodyFormat, DeclaredReply, Slot};

use super::contract::{Part, members};
use super::{Contract, bodies, slot_declaration};
use crate::eval::{Evaluator, KitType, Ty, TyId};
use crate::lower::Lowering;
use crate::modules::Location;

/// Returns the replies that the response of a contract declares; `None` if the response is a plain type.
pub(super) fn read(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    base: &str,
) -> Option<Vec<DeclaredReply>> {
    if !declares(lowering, contract) {
        return None;
    }
    let response = contract.slot(Slot::Response)?;
    let owner = format!("the response of `{}`", contract.key);
    Some(union(lowering, &owner, response, base))
}

/// Returns the replies in a union. `owner` names the union in messages, before the word "has".
pub(super) fn union(lowering: &mut Lowering<'_>, owner: &str, part: Part, base: &str) -> Vec<DeclaredReply> {
    let members = members(&mut lowering.eval, part.ty);
    let mut replies: Vec<DeclaredReply> = Vec::with_capacity(members.len());
    for member in members {
        let Some(arguments) = lowering.eval.kit_type_arguments(member, KitType::Reply) else {
            plain_member(lowering, owner, member, part.location);
            continue;
        };
        if let Some((reply, at)) = reply(lowering, &arguments, base, part.location) {
            if replies.iter().any(|earlier| earlier.status == reply.status) {
                let message = format!("{owner} has two replies with the status {}", reply.status);
                let help = "give each reply its own status, or write one reply whose body is a union";
                invalid(lowering, at, message, help);
            } else {
                replies.push(reply);
            }
        }
    }
    replies
}

/// Returns true if the response of a contract has at least one reply.
pub(super) fn declares(lowering: &mut Lowering<'_>, contract: &Contract) -> bool {
    let Some(response) = contract.slot(Slot::Response) else {
        return false;
    };
    let members = members(&mut lowering.eval, response.ty);
    members
        .into_iter()
        .any(|member| lowering.eval.kit_type_arguments(member, KitType::Reply).is_some())
}

/// Returns the status in a type argument. Returns `None` unless the argument is a single literal, and a whole
/// number in `range`.
pub(super) fn status(eval: &mut Evaluator<'_>, ty: TyId, range: std::ops::Range<u16>) -> Option<u16> {
    match eval.shape_of(ty) {
        Ty::Literal(literal) => literal
            .name()
            .parse()
            .ok()
            .filter(|status| range.contains(status)),
        _ => None,
    }
}

fn plain_member(lowering: &mut Lowering<'_>, owner: &str, member: TyId, location: Location) {
    if let Ty::Invalid(id) = *lowering.eval.store.get(member) {
        let diagnostic = lowering.eval.store.invalid[id.index()].clone();
        lowering.report(diagnostic);
        return;
    }
    let text = lowering.eval.text(member);
    let message = format!("{owner} has replies and `{text}`, which is not a reply");
    let help = if matches!(lowering.eval.store.get(member), Ty::Undefined) {
        "write a reply without a body in place of it: `Reply<204>`".to_owned()
    } else {
        format!("write a reply in place of this type: `Reply<200, {text}>`")
    };
    invalid(lowering, location, message, &help);
}

/// Returns a reply and the location of its status. Reports a status that is not valid.
fn reply(
    lowering: &mut Lowering<'_>,
    arguments: &Rc<[TyId]>,
    base: &str,
    location: Location,
) -> Option<(DeclaredReply, Location)> {
    let at = lowering.eval.written_at(arguments[0]).unwrap_or(location);
    let Some(status) = status(&mut lowering.eval, arguments[0], 200..400) else {
        let text = lowering.eval.text(arguments[0]);
        let message = format!("`{text}` is not the status of a reply");
        let help = "write one number from 200 to 399; errors belong into the slot `errors`, as `Failure<404, \"NOT_FOUND\">`";
        invalid(lowering, at, message, help);
        return None;
    };
    let base = format!("{base}Reply{status}");
    let argument = |lowering: &Lowering<'_>, index: usize| {
        arguments.get(index).map(|ty: &TyId| Part {
            ty: *ty,
            location: lowering.eval.written_at(*ty).unwrap_or(location),
        })
    };
    let owner = format!("the reply {status}");
    let (format, body) = match argument(lowering, 1) {
        Some(body) => bodies::read(lowering, &owner, bodies::Direction::Reply, body, &base),
        None => (BodyFormat::Json, None),
    };
    if (body.is_some() || !format.is_json()) && [204, 205, 304].contains(&status) {
        let message =
            format!("a response with the status {status} cannot have a body, but this reply has a body type");
        let help = format!("write `void` as the body: `Reply<{status}, void>`, or choose another status");
        invalid(lowering, at, message, &help);
        return None;
    }
    let headers = argument(lowering, 2);
    let headers =
        headers.and_then(|headers| slot_declaration(lowering, headers, &format!("{base}Headers"), true));
    Some((
        DeclaredReply {
            status,
            body,
            format,
            headers,
        },
        at,
    ))
}

pub(super) fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_REPLY, location, message)
        .help(help);
    lowering.report(diagnostic);
}
