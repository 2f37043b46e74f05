//! Groups: interfaces whose keys are routes and whose values are contracts.

use std::rc::Rc;

use kit_diagnostics::{closest, codes};
use kit_ir::Slot;

use crate::docs::Doc;
use crate::eval::{AUTH, ERRORS, Evaluator, KitType, OTHER_SLOTS, Property, SOCKET, Ty, TyId};
use crate::lower::Lowering;
use crate::modules::{DeclId, Location};

/// A route in a group: its key and its contract.
#[derive(Clone)]
pub(crate) struct Contract {
    /// Route key in the source, such as `GET /notes/:id`.
    pub(crate) key: String,
    pub(crate) location: Location,
    /// Slots that the contract declares.
    pub(super) slots: Vec<(Slot, Part)>,
    /// Failures that the contract declares.
    pub(super) errors: Option<Part>,
    /// Messages of the WebSocket that the contract declares.
    pub(super) socket: Option<Part>,
    /// Scopes that the contract requires.
    pub(super) auth: Option<Part>,
    pub(crate) doc: Option<Rc<Doc>>,
}

/// Type of a slot, with its location.
#[derive(Clone, Copy)]
pub(super) struct Part {
    pub(super) ty: TyId,
    pub(super) location: Location,
}

impl Contract {
    /// Returns the type of a slot. Returns `None` if the contract does not declare the slot.
    pub(super) fn slot(&self, wanted: Slot) -> Option<Part> {
        let found = self.slots.iter().find(|(slot, _)| *slot == wanted);
        found.map(|(_, part)| *part)
    }
}

/// Returns the declarations that are groups.
pub(crate) fn groups(eval: &mut Evaluator<'_>, declarations: Vec<DeclId>) -> Vec<DeclId> {
    declarations
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
        matches!(
            eval.store.get(shape),
            Ty::Kit(KitType::Route | KitType::RouteContract, _)
        ) || property.name.contains(" /")
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
            Ty::Kit(KitType::RouteContract, arguments) => {
                let mut contract = without_slots(lowering, property);
                let parts = arguments.iter().map(|ty| Part {
                    ty: *ty,
                    location: property.location,
                });
                contract.slots.extend(Slot::POSITIONAL.into_iter().zip(parts));
                contracts.push(contract);
            }
            Ty::Kit(KitType::Route, arguments) => {
                let mut contract = without_slots(lowering, property);
                for slots in arguments.iter() {
                    named_slots(lowering, &mut contract, *slots);
                }
                contracts.push(contract);
            }
            Ty::Invalid(id) => {
                let diagnostic = lowering.eval.store.invalid[id.index()].clone();
                lowering.report(diagnostic);
            }
            _ => {
                let text = lowering.eval.text(property.ty);
                let message = format!(
                    "`{}` must be a `Route` or a `RouteContract`, not `{text}`",
                    property.name
                );
                let diagnostic = lowering
                    .eval
                    .diagnostic(codes::INVALID_CONTRACT, property.location, message)
                    .help("write `Route<{ query: Query; body: Body; response: Response }>` with the slots that the route has");
                lowering.report(diagnostic);
            }
        }
    }
    contracts
}

fn without_slots(lowering: &Lowering<'_>, property: &Property) -> Contract {
    Contract {
        key: property.name.to_string(),
        location: property.location,
        slots: Vec::new(),
        errors: None,
        socket: None,
        auth: None,
        doc: property.doc.map(|doc| lowering.eval.store.doc(doc)),
    }
}

/// Adds the slots of `Route<{ … }>` to a contract: the properties of an object type. Reports other types and
/// properties that are not slots.
fn named_slots(lowering: &mut Lowering<'_>, contract: &mut Contract, slots: TyId) {
    let location = lowering.eval.written_at(slots).unwrap_or(contract.location);
    let shape = lowering.eval.shape(slots);
    let object = match *lowering.eval.store.get(shape) {
        Ty::Object(object) => lowering.eval.store.object_at(object),
        Ty::Invalid(id) => {
            let diagnostic = lowering.eval.store.invalid[id.index()].clone();
            lowering.report(diagnostic);
            return;
        }
        _ => {
            let text = lowering.eval.text(slots);
            let message = format!("the slots of `{}` must be an object, not `{text}`", contract.key);
            let help = "write an object type with the slots that the route has: `Route<{ body: NewOrder }>`";
            invalid_slot(lowering, location, message, help);
            return;
        }
    };
    lowering.report_all(object.issues.clone());
    if !object.index.is_empty() {
        let message = format!(
            "the contract of `{}` has an index signature, which allows any slot",
            contract.key
        );
        invalid_slot(lowering, location, message, "name the slots that the route has");
    }
    for property in object.visible() {
        let part = Part {
            ty: property.ty,
            location: property.location,
        };
        let name = &*property.name;
        match Slot::ALL.into_iter().find(|slot| slot.name() == name) {
            Some(slot) => contract.slots.push((slot, part)),
            None if name == ERRORS => contract.errors = Some(part),
            None if name == SOCKET => contract.socket = Some(part),
            None if name == AUTH => contract.auth = Some(part),
            None => {
                unknown_slot(lowering, contract, property);
                continue;
            }
        }
        if property.optional {
            let message = format!("the slot `{name}` of `{}` is optional", contract.key);
            let help = format!("remove the `?` after `{name}`; only properties in a slot can be optional");
            invalid_slot(lowering, property.location, message, &help);
        }
    }
}

fn unknown_slot(lowering: &mut Lowering<'_>, contract: &Contract, property: &Property) {
    let names = || Slot::ALL.iter().map(|slot| slot.name()).chain(OTHER_SLOTS);
    let help = match closest(&property.name, names()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the slots are {}", names().collect::<Vec<_>>().join(", ")),
    };
    let message = format!(
        "the contract of `{}` has `{}`, which is not a slot",
        contract.key, property.name
    );
    invalid_slot(lowering, property.location, message, &help);
}

fn invalid_slot(lowering: &mut Lowering<'_>, location: Location, message: String, help: &str) {
    let diagnostic = lowering
        .eval
        .diagnostic(codes::INVALID_SLOT, location, message)
        .help(help);
    lowering.report(diagnostic);
}

/// Returns the members of a union as shapes. Returns any other type as the only member.
pub(super) fn members(eval: &mut Evaluator<'_>, ty: TyId) -> Vec<TyId> {
    let shape = eval.shape(ty);
    match eval.store.get(shape).clone() {
        Ty::Union(union) => union.iter().flat_map(|member| members(eval, *member)).collect(),
        _ => vec![shape],
    }
}
