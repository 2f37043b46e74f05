//! Groups: interfaces whose keys are routes and whose values are contracts.

use std::rc::Rc;

use kit_diagnostics::codes;

use crate::docs::Doc;
use crate::eval::{Evaluator, Ty, TyId};
use crate::lower::Lowering;
use crate::modules::{DeclId, Location, ModuleId};

/// A route in a group: its key and its contract.
#[derive(Clone)]
pub(crate) struct Contract {
    /// Route key in the source, such as `GET /notes/:id`.
    pub(crate) key: String,
    pub(crate) location: Location,
    /// Types of params, query, body and response.
    pub(crate) slots: [TyId; 4],
    pub(crate) doc: Option<Rc<Doc>>,
}

/// Returns the groups that a module declares, in the order of the source.
pub(crate) fn groups(eval: &mut Evaluator<'_>, module: ModuleId) -> Vec<DeclId> {
    let candidates: Vec<DeclId> = eval.graph.declared_in(module);
    candidates
        .into_iter()
        .filter(|decl| eval.parameter_count(*decl) == 0 && is_group(eval, *decl))
        .collect()
}

/// Returns true if a declaration is a group: one of its values is a contract, or one of its keys looks like a
/// route key.
fn is_group(eval: &mut Evaluator<'_>, decl: DeclId) -> bool {
    let ty = eval.declared(decl);
    let Some(object) = eval.as_object(ty) else {
        return false;
    };
    object.properties.iter().any(|property| {
        let shape = eval.shape(property.ty);
        matches!(eval.store.get(shape), Ty::Contract(_))
            || property.name.contains(" /")
            || property.name.starts_with('/')
    })
}

/// Returns the routes of a group. Reports properties that are not contracts.
pub(crate) fn contracts(lowering: &mut Lowering<'_>, group: TyId) -> Vec<Contract> {
    let Some(object) = lowering.eval.as_object(group) else {
        return Vec::new();
    };
    lowering.report_all(object.issues.clone());
    let mut contracts = Vec::new();
    for property in &object.properties {
        let shape = lowering.eval.shape(property.ty);
        match lowering.eval.store.get(shape).clone() {
            Ty::Contract(slots) => {
                let doc = property.doc.map(|doc| lowering.eval.store.doc(doc));
                contracts.push(Contract {
                    key: property.name.to_string(),
                    location: property.location,
                    slots,
                    doc,
                });
            }
            Ty::Invalid(id) => {
                let diagnostic = lowering.eval.store.invalid[id.index()].clone();
                lowering.report(diagnostic);
            }
            _ => {
                let text = lowering.eval.text(property.ty);
                let message = format!("`{}` must be a `RouteContract`, not `{text}`", property.name);
                let diagnostic = lowering
                    .eval
                    .diagnostic(codes::INVALID_CONTRACT, property.location, message)
                    .help("write `RouteContract<Params, Query, Body, Response>` with `void` for each absent part");
                lowering.report(diagnostic);
            }
        }
    }
    contracts
}
