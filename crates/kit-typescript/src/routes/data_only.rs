//! Checks of values that kit reads, and whose types have members that only objects of the application have: methods that
//! `@dataOnly` leaves out, and `toJSON`.

use kit_analysis::children;
use kit_diagnostics::codes;
use kit_ir::{DeclarationId, Program, Route, Span, Type, TypeId, TypeKind};
use rustc_hash::FxHashSet;

use super::declared::location;
use crate::lower::Lowering;

/// Help for a request whose type has members that only objects of the application have.
const DECLARE_DATA: &str = "declare an interface with the data, without functions and private members";

/// Reports the types that a route reads from requests and that leave out members or have `toJSON`, and headers of replies that
/// have `toJSON`.
pub(super) fn check(lowering: &mut Lowering<'_>, route: &Route) {
    if lowering.left_out.is_empty() && !lowering.has_to_json {
        return;
    }
    let reader = format!("requests of `{}`", route.reference());
    for declaration in route.read() {
        if check_read(lowering, declaration, &reader, route.span) {
            return;
        }
    }
    for reply in &route.replies {
        let headers = reply
            .headers
            .and_then(|headers| owner_of_to_json(lowering, headers));
        if let Some(owner) = headers {
            let message = format!(
                "headers of `{}` contain an object with `toJSON` in `{owner}`, which kit calls only for bodies",
                route.reference()
            );
            let help = "declare the header as `ReturnType<X[\"toJSON\"]>`, and call `toJSON` in the handler";
            report(lowering, route.span, message, help);
        }
    }
}

/// Reports a type that kit reads and that leaves out members or has `toJSON`. `reader` names the values that contain the type.
/// Returns true if there is such a type.
pub(crate) fn check_read(
    lowering: &mut Lowering<'_>,
    declaration: DeclarationId,
    reader: &str,
    span: Span,
) -> bool {
    let found = find(&lowering.program, declaration, |id, r#type| {
        let member = lowering.left_out.get(&id).map(String::as_str);
        member.or(r#type.calls_to_json.then_some("toJSON"))
    });
    let Some((owner, member)) = found else {
        return false;
    };
    let message = if member == "toJSON" {
        format!(
            "{reader} contain an object with `toJSON` in `{owner}`, in whose place the handler would receive the result of `toJSON`"
        )
    } else {
        format!("{reader} contain `{owner}`, whose member `{member}` a value that kit reads does not have")
    };
    report(lowering, span, message, DECLARE_DATA);
    true
}

/// Reports entities whose rows would contain objects with `toJSON`.
pub(super) fn check_entities(lowering: &mut Lowering<'_>) {
    if !lowering.has_to_json {
        return;
    }
    let entities: Vec<DeclarationId> = lowering
        .program
        .entities
        .iter()
        .map(|entity| entity.declaration)
        .collect();
    for declaration in entities {
        let Some(owner) = owner_of_to_json(lowering, declaration) else {
            continue;
        };
        let span = lowering.program.declarations[declaration].span;
        let message = format!(
            "a column of the table contains an object with `toJSON` in `{owner}`, in whose place a row would have the result of `toJSON`"
        );
        let help = "declare the column as `ReturnType<X[\"toJSON\"]>`";
        report(lowering, span, message, help);
    }
}

fn report(lowering: &mut Lowering<'_>, span: Span, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::NO_JSON_FORM, location(span), message)
        .help(help);
    lowering.report(diagnostic);
}

fn owner_of_to_json(lowering: &Lowering<'_>, declaration: DeclarationId) -> Option<String> {
    find(&lowering.program, declaration, |_, r#type| {
        r#type.calls_to_json.then_some(())
    })
    .map(|(owner, ())| owner)
}

/// Returns the name of the first declaration inside of a declaration that contains a type for which `test` returns a result, and
/// the result. Returns `None` if there is no such type.
fn find<T>(
    program: &Program,
    declaration: DeclarationId,
    test: impl Fn(TypeId, &Type) -> Option<T>,
) -> Option<(String, T)> {
    let mut open = vec![(declaration, program.declarations[declaration].r#type)];
    let mut seen = FxHashSet::default();
    while let Some((owner, id)) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Some(result) = test(id, &program.types[id]) {
            return Some((program.declarations[owner].name.clone(), result));
        }
        match &program.types[id].kind {
            TypeKind::Reference { declaration } => {
                open.push((*declaration, program.declarations[*declaration].r#type));
            }
            kind => open.extend(children(kind).into_iter().map(|child| (owner, child))),
        }
    }
    None
}
