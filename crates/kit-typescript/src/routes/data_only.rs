//! Check of requests whose types leave out members with `@dataOnly`: a value that kit reads has no methods, although its type
//! promises them to the handler.

use kit_analysis::children;
use kit_diagnostics::codes;
use kit_ir::{DeclarationId, Program, Route, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::declared::location;
use crate::lower::Lowering;

/// Reports the types that a route reads from requests and that leave out members.
pub(super) fn check(lowering: &mut Lowering<'_>, route: &Route) {
    if lowering.left_out.is_empty() {
        return;
    }
    for declaration in route.read() {
        let Some((owner, member)) = left_out(&lowering.program, &lowering.left_out, declaration) else {
            continue;
        };
        let message = format!(
            "requests of `{}` contain `{owner}`, whose member `{member}` a value that kit reads does not have",
            route.reference()
        );
        let help = "declare an interface with the data of the request, without functions and private members";
        let diagnostic = lowering
            .eval
            .diagnostic(codes::NO_JSON_FORM, location(route.span), message)
            .help(help);
        lowering.report(diagnostic);
        return;
    }
}

/// Returns the name of the first type inside of a declaration that leaves out a member, and the name of the member. Returns
/// `None` if no type does.
fn left_out(
    program: &Program,
    left_out: &FxHashMap<TypeId, String>,
    declaration: DeclarationId,
) -> Option<(String, String)> {
    let mut open = vec![(declaration, program.declarations[declaration].r#type)];
    let mut seen = FxHashSet::default();
    while let Some((owner, id)) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if let Some(member) = left_out.get(&id) {
            return Some((program.declarations[owner].name.clone(), member.clone()));
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
