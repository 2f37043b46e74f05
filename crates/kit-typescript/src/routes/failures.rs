//! Failures of a contract: the members of `errors`, such as `Failure<409, "SOLD_OUT", { left: number }>`.

use kit_diagnostics::codes;
use kit_ir::DeclaredError;

use super::contract::Part;
use super::contract::members;
use super::replies::status;
use super::tags::{DeclaredThrow, is_error_code};
use super::{Contract, slot_declaration};
use crate::eval::{KitType, Literal, Ty, TyId, pascal};
use crate::lower::Lowering;
use crate::modules::Location;

/// Returns the errors of a contract: the failures in its type, then the errors that only its `@throws` tags
/// declare. If a failure and a tag declare the same code, the failure gives the details and the tag the
/// description.
pub(super) fn read(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    base: &str,
    throws: Vec<DeclaredThrow>,
) -> Vec<DeclaredError> {
    let mut errors = match contract.errors {
        Some(part) => union(
            lowering,
            &format!("the errors of `{}` have", contract.key),
            part,
            base,
        ),
        None => Vec::new(),
    };
    let failures = errors.len();
    for DeclaredThrow {
        error: thrown,
        location,
    } in throws
    {
        match errors[..failures]
            .iter_mut()
            .find(|failure| failure.code == thrown.code)
        {
            Some(failure) if failure.status == thrown.status => {
                failure.description = failure.description.take().or(thrown.description);
            }
            Some(failure) => {
                let message = format!(
                    "`@throws {} {}` says another status than `Failure<{}, \"{}\">` in the contract",
                    thrown.code, thrown.status, failure.status, failure.code
                );
                let help = format!(
                    "write `@throws {} {}`, or give one of the two another code",
                    thrown.code, failure.status
                );
                invalid(lowering, location, message, &help);
            }
            None => errors.push(thrown),
        }
    }
    errors
}

/// Returns the failures in a union. `owner_has` begins the messages, such as ``the contract `GET /notes`
/// has``.
pub(super) fn union(
    lowering: &mut Lowering<'_>,
    owner_has: &str,
    part: Part,
    base: &str,
) -> Vec<DeclaredError> {
    let mut errors: Vec<DeclaredError> = Vec::new();
    for member in members(&mut lowering.eval, part.ty) {
        let Some((error, at)) = failure(lowering, owner_has, member, base, part.location) else {
            continue;
        };
        if errors.iter().any(|earlier| earlier.code == error.code) {
            let message = format!("{owner_has} two failures with the code `{}`", error.code);
            let help = "give each failure its own code, or write one failure whose details are a union";
            invalid(lowering, at, message, help);
        } else {
            errors.push(error);
        }
    }
    errors
}

/// Returns a failure and the location of its code. Reports a member that is not a valid failure.
fn failure(
    lowering: &mut Lowering<'_>,
    owner_has: &str,
    member: TyId,
    base: &str,
    location: Location,
) -> Option<(DeclaredError, Location)> {
    let Some(arguments) = lowering.eval.kit_type_arguments(member, KitType::Failure) else {
        not_a_failure(lowering, owner_has, member, location);
        return None;
    };
    let at = |lowering: &Lowering<'_>, index: usize| {
        lowering.eval.written_at(arguments[index]).unwrap_or(location)
    };
    let status = status(&mut lowering.eval, arguments[0], 400..600);
    if status.is_none() {
        let text = lowering.eval.text(arguments[0]);
        let message = format!("`{text}` is not the status of a failure");
        let help = "write one number from 400 to 599; other statuses belong into the slot `response`, as `Reply<303, void, { location: string }>`";
        let at = at(lowering, 0);
        invalid(lowering, at, message, help);
    }
    let code = match lowering.eval.shape_of(arguments[1]) {
        Ty::Literal(Literal::String(code)) if is_error_code(&code) => Some(code.to_string()),
        _ => None,
    };
    if code.is_none() {
        let text = lowering.eval.text(arguments[1]);
        let message = format!("`{text}` is not the code of a failure");
        let help = "write one string of letters, digits and the characters `_`, `-` and `.`, which begins with a letter: `\"SOLD_OUT\"`";
        let at = at(lowering, 1);
        invalid(lowering, at, message, help);
    }
    let (status, code) = (status?, code?);
    let details = arguments.get(2).map(|ty| Part {
        ty: *ty,
        location: at(lowering, 2),
    });
    let name = format!("{base}{}Details", pascal(&code.to_lowercase()));
    let details = details.and_then(|details| slot_declaration(lowering, details, &name, false));
    let error = DeclaredError {
        code,
        status,
        description: None,
        details,
    };
    Some((error, at(lowering, 1)))
}

fn not_a_failure(lowering: &mut Lowering<'_>, owner_has: &str, member: TyId, location: Location) {
    match *lowering.eval.store.get(member) {
        Ty::Undefined | Ty::Never => {}
        Ty::Invalid(id) => {
            let diagnostic = lowering.eval.store.invalid[id.index()].clone();
            lowering.report(diagnostic);
        }
        _ => {
            let text = lowering.eval.text(member);
            let message = format!("{owner_has} `{text}`, which is not a failure");
            let help = "write `Failure<404, \"NOT_FOUND\">`, or a union of failures";
            invalid(lowering, location, message, help);
        }
    }
}

pub(super) fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_FAILURE, location, message)
        .help(help);
    lowering.report(diagnostic);
}
