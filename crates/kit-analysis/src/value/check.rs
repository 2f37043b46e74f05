//! Check of a JSON value against the wire form of a type.

use std::cell::RefCell;

use kit_ir::{Constraints, ObjectType, Program, TupleElement, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::fit::Fit;
use super::{scalar, signatures_of};
use crate::members::members;
use crate::walk::resolve;

/// Checks a JSON value against the wire form of a type.
///
/// ```
/// use kit_analysis::{Fit, fit};
/// use kit_ir::{Program, TypeKind};
///
/// let mut program = Program::default();
/// let text = program.add_type(TypeKind::String);
/// assert_eq!(fit(&program, text, &serde_json::json!("a")), Fit::Yes);
/// assert_eq!(fit(&program, text, &serde_json::json!(1)), Fit::No);
/// ```
pub fn fit(program: &Program, id: TypeId, value: &Value) -> Fit {
    Check::new(program).fit(id, value)
}

/// Check of one value.
pub(super) struct Check<'a> {
    program: &'a Program,
    /// Results of unions, by the union and the address of the value. If nested values fit several members of unions, each
    /// member would otherwise check them again, which takes exponential time.
    known: RefCell<FxHashMap<(TypeId, *const Value), Fit>>,
}

impl<'a> Check<'a> {
    pub(super) fn new(program: &'a Program) -> Self {
        Self {
            program,
            known: RefCell::default(),
        }
    }

    pub(super) fn fit(&self, id: TypeId, value: &Value) -> Fit {
        let id = resolve(self.program, id);
        let r#type = &self.program.types[id];
        match &r#type.kind {
            TypeKind::Object(object) => match value {
                Value::Object(entries) => self.object(object, entries),
                _ => Fit::No,
            },
            TypeKind::Array { element } => match value {
                Value::Array(items) => items_fit(&r#type.constraints, items)
                    .and(Fit::all(items.iter().map(|item| self.fit(*element, item)))),
                _ => Fit::No,
            },
            TypeKind::Tuple { elements } => match value {
                Value::Array(items) => self.tuple(elements, items),
                _ => Fit::No,
            },
            TypeKind::Union { members: declared } => {
                let key = (id, std::ptr::from_ref(value));
                if let Some(known) = self.known.borrow().get(&key) {
                    return *known;
                }
                let found = members(self.program, declared)
                    .iter()
                    .map(|member| self.fit(member.r#type, value))
                    .max()
                    .unwrap_or(Fit::No);
                // Scalars are checked quickly, and most values are scalars.
                if value.is_array() || value.is_object() {
                    self.known.borrow_mut().insert(key, found);
                }
                found
            }
            _ => scalar::fit(self.program, r#type, value),
        }
    }

    fn object(&self, object: &ObjectType, entries: &serde_json::Map<String, Value>) -> Fit {
        let declared = object
            .properties
            .iter()
            .map(|property| match entries.get(&property.name) {
                Some(value) => self.fit(property.r#type, value),
                None => Fit::from_bool(property.optional_in_input()),
            });
        let others = entries
            .iter()
            .filter(|(key, _)| object.property(key).is_none())
            .flat_map(|(key, value)| {
                signatures_of(self.program, object, key)
                    .into_iter()
                    .map(move |signature| {
                        scalar::text_fit(&signature.rules, key).and(self.fit(signature.value, value))
                    })
            });
        Fit::all(declared).and(Fit::all(others))
    }

    fn tuple(&self, elements: &[TupleElement], items: &[Value]) -> Fit {
        let Some(types) = element_types(elements, items.len()) else {
            return Fit::No;
        };
        Fit::all(items.iter().zip(types).map(|(item, id)| self.fit(id, item)))
    }
}

fn items_fit(constraints: &Constraints, items: &[Value]) -> Fit {
    let length = items.len() as u64;
    let unique = !constraints.unique_items
        || items
            .iter()
            .enumerate()
            .all(|(at, item)| !items[..at].contains(item));
    Fit::from_bool(
        constraints.min_items.is_none_or(|least| length >= least)
            && constraints.max_items.is_none_or(|most| length <= most)
            && unique,
    )
}

/// Returns the type of each item of a tuple with `length` items. Returns `None` if the tuple cannot have this
/// number of items.
///
/// ```
/// use kit_analysis::element_types;
/// use kit_ir::{Program, TupleElement, TypeKind};
///
/// let mut program = Program::default();
/// let (number, text) = (program.add_type(TypeKind::Number), program.add_type(TypeKind::String));
/// let element = |r#type, rest| TupleElement { r#type, optional: false, rest, label: None };
/// let elements = [element(number, true), element(text, false)];
/// assert_eq!(element_types(&elements, 2), Some(vec![number, text]));
/// assert_eq!(element_types(&elements, 0), None);
/// ```
pub fn element_types(elements: &[TupleElement], length: usize) -> Option<Vec<TypeId>> {
    let rest = elements.iter().position(|element| element.rest);
    let least = elements
        .iter()
        .filter(|element| !element.optional && !element.rest)
        .count();
    if length < least || (rest.is_none() && length > elements.len()) {
        return None;
    }
    let after = rest.map_or(0, |rest| elements.len() - rest - 1);
    let types = (0..length).map(|position| match rest {
        Some(rest) if position >= rest => {
            let from_end = length - position;
            if from_end <= after {
                elements[elements.len() - from_end].r#type
            } else {
                elements[rest].r#type
            }
        }
        _ => elements[position].r#type,
    });
    Some(types.collect())
}
