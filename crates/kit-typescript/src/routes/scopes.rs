//! Scopes of a contract: the slot `auth`, such as `Scopes<"orders:write">`.

use kit_diagnostics::codes;
use kit_ir::DeclaredError;

use super::contract::{Contract, Part, members};
use crate::eval::{AUTH, KitType, Literal, Ty, TyId};
use crate::factory::Entry;
use crate::lower::Lowering;
use crate::modules::Location;

/// Code of the error for a caller who is not authenticated, if the route declares no other error with this status.
const UNAUTHORIZED: &str = "UNAUTHORIZED";

const INSUFFICIENT_SCOPE: &str = DeclaredError::INSUFFICIENT_SCOPE;

/// Maximum number of alternatives and of scopes in one alternative. Each scope is checked in each request.
const MAX_SCOPES: usize = 100;

/// Returns the scopes that a contract requires: all scopes of at least one inner list. Returns an empty list if the
/// contract requires none. Reports scopes that are not valid.
pub(super) fn read(lowering: &mut Lowering<'_>, contract: &Contract) -> Vec<Vec<String>> {
    let Some(part) = contract.auth else {
        return Vec::new();
    };
    let mut alternatives: Vec<Vec<String>> = Vec::new();
    for member in members(&mut lowering.eval, part.ty) {
        let Some(arguments) = lowering.eval.kit_type_arguments(member, KitType::Scopes) else {
            not_scopes(lowering, contract, member, part.location);
            continue;
        };
        if let Some(names) = names(lowering, contract, arguments[0], part)
            && !alternatives.contains(&names)
        {
            alternatives.push(names);
        }
    }
    if alternatives.len() > MAX_SCOPES {
        let message = format!(
            "`{}` has {} alternatives in `auth`; at most {MAX_SCOPES} are allowed",
            contract.key,
            alternatives.len()
        );
        invalid(
            lowering,
            part.location,
            message,
            "require a scope that several callers have",
        );
        alternatives.truncate(MAX_SCOPES);
    }
    alternatives
}

/// Returns the scopes in a type argument of `Scopes`, in alphabetical order.
fn names(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    argument: TyId,
    part: Part,
) -> Option<Vec<String>> {
    let location = lowering.eval.written_at(argument).unwrap_or(part.location);
    let mut names: Vec<String> = Vec::new();
    for member in members(&mut lowering.eval, argument) {
        let name = match lowering.eval.store.get(member).clone() {
            Ty::Literal(Literal::String(name)) => name.to_string(),
            Ty::Never => continue,
            Ty::Invalid(id) => {
                let diagnostic = lowering.eval.store.invalid[id.index()].clone();
                lowering.report(diagnostic);
                return None;
            }
            _ => {
                let text = lowering.eval.text(member);
                let message = format!(
                    "`{text}` in `auth` of `{}` is not the name of a scope",
                    contract.key
                );
                invalid(
                    lowering,
                    location,
                    message,
                    "write strings: `Scopes<\"orders:write\">`",
                );
                return None;
            }
        };
        if !is_scope(&name) {
            let message = format!(
                "{name:?} in `auth` of `{}` is not the name of a scope",
                contract.key
            );
            let help =
                "use visible ASCII characters other than quotes, backslashes and spaces (RFC 6749, 3.3)";
            invalid(lowering, location, message, help);
            return None;
        }
        names.push(name);
    }
    if names.is_empty() || names.len() > MAX_SCOPES {
        let message = format!("`auth` of `{}` requires {} scopes", contract.key, names.len());
        let help = format!("write 1 to {MAX_SCOPES} scopes: `Scopes<\"orders:write\">`");
        invalid(lowering, location, message, &help);
        return None;
    }
    names.sort();
    Some(names)
}

/// Returns true if a text can be a scope token: one or more of the characters that RFC 6749, 3.3 allows.
fn is_scope(name: &str) -> bool {
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b'"' && byte != b'\\')
}

fn not_scopes(lowering: &mut Lowering<'_>, contract: &Contract, member: TyId, location: Location) {
    match *lowering.eval.store.get(member) {
        Ty::Undefined => {}
        Ty::Invalid(id) => {
            let diagnostic = lowering.eval.store.invalid[id.index()].clone();
            lowering.report(diagnostic);
        }
        _ => {
            let text = lowering.eval.text(member);
            let message = format!("`{AUTH}` of `{}` must be `Scopes<…>`, not `{text}`", contract.key);
            let help = "write `auth: Scopes<\"orders:write\">`, or a union of such types if one of several is enough";
            invalid(lowering, location, message, help);
        }
    }
}

/// Adds the errors with which kit refuses callers: 403, and 401 if no other error of the route has this status.
pub(super) fn add_errors(lowering: &mut Lowering<'_>, contract: &Contract, throws: &mut Vec<DeclaredError>) {
    let error = |code: &str, status, description: &str| DeclaredError {
        code: code.to_owned(),
        status,
        description: Some(description.to_owned()),
        details: None,
    };
    if !throws.iter().any(|error| error.status == 401) {
        throws.push(error(UNAUTHORIZED, 401, "The caller is not authenticated."));
    }
    match throws.iter().find(|error| error.code == INSUFFICIENT_SCOPE) {
        None => throws.push(error(
            INSUFFICIENT_SCOPE,
            403,
            "The caller does not have the required scopes.",
        )),
        Some(known) if known.status == 403 && known.details.is_none() => {}
        Some(known) => {
            let (declared, help) = if known.status == 403 {
                (
                    "own details".to_owned(),
                    "declare no details, or give the error another code",
                )
            } else {
                (
                    format!("the status {}", known.status),
                    "declare the status 403, or give the error another code",
                )
            };
            let message = format!(
                "`{}` has the error `{INSUFFICIENT_SCOPE}` with {declared}, but kit sends it with the status 403 and the missing scopes to callers without the scopes of `auth`",
                contract.key
            );
            super::failures::invalid(lowering, contract.location, message, help);
        }
    }
}

/// Returns the name of the middleware that adds `ctx.auth`, and the name of the wrapper before which the scopes are
/// checked. Reports a contract if certainly no middleware of its route adds `ctx.auth`. TypeScript checks that the type of
/// `ctx.auth` knows the scopes.
///
/// - The first name is the last middleware whose type declares the property. If there is none, the name is the only
///   middleware whose type the compiler does not know.
/// - The second name is the first wrapper after all middleware that may add the property. A wrapper may answer by itself or
///   open a transaction, which it must not do for a caller without the scopes. Other middleware cannot answer, and the
///   scopes are checked after it. A wrapper does not count if a middleware of the same name runs earlier: the server would
///   find that middleware, which may run before the authentication.
pub(super) fn place(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    middleware: &[Entry],
) -> (Option<String>, Option<String>) {
    let kinds: Vec<_> = middleware.iter().map(|entry| added(lowering, entry)).collect();
    let known = kinds.iter().rposition(|&kind| kind == Added::Auth);
    let unknown: Vec<_> = (0..kinds.len())
        .filter(|&at| kinds[at] == Added::Unknown)
        .collect();
    let authenticator = match (known, &unknown[..]) {
        (Some(known), _) => Some(known),
        (None, &[only]) => Some(only),
        (None, &[_, ..]) => None,
        (None, &[]) => {
            let location = contract.auth.map_or(contract.location, |part| part.location);
            let message = format!(
                "`{}` requires scopes, but no middleware of the route adds `ctx.auth`, which has the scopes of the caller",
                contract.key
            );
            let help = "add a middleware that authenticates requests to the route group, such as `jwt(…)` of `@kit/auth`, or one with the type `Middleware<{ auth: Auth<\"orders:write\"> }>`";
            invalid(lowering, location, message, help);
            return (None, None);
        }
    };
    let may_add = |at: &&usize| authenticator.is_none() || !middleware[**at].never_adds_auth;
    let last = authenticator.max(unknown.iter().rfind(may_add).copied());
    let wrapper = last.and_then(|last| {
        let after = (last + 1..middleware.len()).find(|&at| {
            let (earlier, entry) = (&middleware[..at], &middleware[at]);
            entry.wrapper.is_some() && earlier.iter().all(|other| other.name != entry.name)
        });
        after.map(|at| &middleware[at])
    });
    let name = |entry: &Entry| entry.name.clone();
    (authenticator.map(|at| name(&middleware[at])), wrapper.map(name))
}

/// Values that a middleware adds to `ctx`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Added {
    /// `ctx.auth`, perhaps with other values.
    Auth,
    /// Other values, or none.
    Others,
    /// The compiler does not know the type of the middleware.
    Unknown,
}

fn added(lowering: &mut Lowering<'_>, entry: &Entry) -> Added {
    let added = match &entry.wrapper {
        None => entry.added,
        Some(wrapper) => wrapper.argument.and_then(|parts| {
            let parts = lowering.eval.as_object(parts)?;
            Some(parts.property("adds")?.ty)
        }),
    };
    match added.map(|added| lowering.eval.as_object(added)) {
        Some(Some(object)) if object.property(AUTH).is_some() => Added::Auth,
        Some(Some(_)) => Added::Others,
        // A wrapper without declared values adds none.
        None if entry.wrapper.is_some() => Added::Others,
        None | Some(None) => Added::Unknown,
    }
}

fn invalid(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_SCOPES, location, message)
        .help(help);
    lowering.report(diagnostic);
}
