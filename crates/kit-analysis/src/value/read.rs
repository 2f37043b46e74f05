//! Result of decoding a value, with the rule for choosing a member of a union.

use std::cell::RefCell;

use kit_ir::{Program, TypeId, TypeKind};
use rustc_hash::FxHashMap;
use serde_json::Value;

use super::check::{Check, element_types};
use super::fit::Fit;
use super::index_types;
use crate::members::members;
use crate::specificity::{UNKNOWN, specificity};
use crate::walk::resolve;

/// Result of decoding a JSON value, as a handler receives it.
#[derive(Debug, Clone, PartialEq)]
pub enum DecodedValue {
    /// The value did not change.
    Unchanged(Value),
    /// The string or number was converted.
    Converted {
        /// Type of the result: `Date`, `bigint` or `Uint8Array`.
        to: &'static str,
        /// JSON value before the conversion.
        from: Value,
    },
    /// Results of the items of an array.
    Items(Vec<DecodedValue>),
    /// Results of the keys that the type accepts, in the order of the JSON value.
    Entries(Vec<(String, DecodedValue)>),
}

/// Score of a member of a union: the number of keys that it accepts, then the specificity of its scalars. The
/// member with the greatest score is chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    kept: u64,
    specific: u64,
}

impl Score {
    fn add(&mut self, other: Self) {
        self.kept += other.kept;
        self.specific += other.specific;
    }
}

/// Returns the result of decoding a value as a type. Returns `None` if the value does not fit, or if this is
/// not certain.
pub fn read(program: &Program, id: TypeId, value: &Value) -> Option<DecodedValue> {
    let reading = Reading {
        program,
        check: Check::new(program),
        known: RefCell::default(),
    };
    (reading.check.fit(id, value) == Fit::Yes).then(|| reading.scored(id, value).0)
}

impl DecodedValue {
    /// Returns true if this result contains a key, at any depth, that the other result lacks.
    pub fn has_keys_missing_in(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Items(ours), Self::Items(theirs)) => ours
                .iter()
                .zip(theirs)
                .any(|(ours, theirs)| ours.has_keys_missing_in(theirs)),
            (Self::Entries(ours), Self::Entries(theirs)) => ours.iter().any(|(key, ours)| {
                let theirs = theirs.iter().find(|(other, _)| other == key);
                theirs.is_none_or(|(_, theirs)| ours.has_keys_missing_in(theirs))
            }),
            // An `unknown` in one of the types accepts all keys.
            (Self::Unchanged(ours), Self::Entries(_) | Self::Items(_)) => {
                entries(ours).has_keys_missing_in(other)
            }
            (Self::Entries(_) | Self::Items(_), Self::Unchanged(theirs)) => {
                self.has_keys_missing_in(&entries(theirs))
            }
            _ => false,
        }
    }
}

/// Converts an unchanged value to results of items and keys, at all depths.
fn entries(value: &Value) -> DecodedValue {
    match value {
        Value::Array(items) => DecodedValue::Items(items.iter().map(entries).collect()),
        Value::Object(map) => DecodedValue::Entries(
            map.iter()
                .map(|(key, value)| (key.clone(), entries(value)))
                .collect(),
        ),
        scalar => DecodedValue::Unchanged(scalar.clone()),
    }
}

/// Result of decoding, and the score of the members of unions that were chosen for it.
type Scored = (DecodedValue, Score);

/// Decoding of one value.
struct Reading<'a> {
    program: &'a Program,
    check: Check<'a>,
    /// Results of unions, by the union and the address of the value. If nested values fit several members of unions, each
    /// member would otherwise decode them again, which takes exponential time.
    known: RefCell<FxHashMap<(TypeId, *const Value), Scored>>,
}

impl Reading<'_> {
    /// Returns the result of decoding a value that fits the type, with its score.
    fn scored(&self, id: TypeId, value: &Value) -> Scored {
        let program = self.program;
        let resolved = resolve(program, id);
        match (&program.types[resolved].kind, value) {
            (TypeKind::Object(object), Value::Object(map)) => {
                let mut score = Score::default();
                let mut kept = Vec::new();
                for (key, value) in map {
                    let declared = object.property(key).map(|property| property.r#type);
                    let indexed = || index_types(program, object, key).first().copied();
                    let Some(found) = declared.or_else(indexed) else {
                        continue;
                    };
                    let (read, inner) = self.scored(found, value);
                    score.add(inner);
                    score.kept += 1;
                    // A declared property is more specific than an index signature.
                    score.specific += u64::from(declared.is_some());
                    kept.push((key.clone(), read));
                }
                (DecodedValue::Entries(kept), score)
            }
            (TypeKind::Array { element }, Value::Array(items)) => {
                let types = vec![*element; items.len()];
                self.items_scored(&types, items)
            }
            (TypeKind::Tuple { elements }, Value::Array(items)) => {
                let types = element_types(elements, items.len()).unwrap_or_default();
                self.items_scored(&types, items)
            }
            (TypeKind::Union { members: declared }, value) => {
                let key = (resolved, std::ptr::from_ref(value));
                if let Some(known) = self.known.borrow().get(&key) {
                    return known.clone();
                }
                let found = members(program, declared)
                    .iter()
                    .filter(|member| self.check.fit(member.r#type, value) == Fit::Yes)
                    .map(|member| self.scored(member.r#type, value))
                    // Chooses the first of several equal scores. `max_by_key` would choose the last.
                    .reduce(|best, next| if next.1 > best.1 { next } else { best })
                    .unwrap_or_else(|| (DecodedValue::Unchanged(value.clone()), Score::default()));
                // Scalars are read quickly, and most values are scalars.
                if value.is_array() || value.is_object() {
                    self.known.borrow_mut().insert(key, found.clone());
                }
                found
            }
            (TypeKind::Unknown, value) => (
                DecodedValue::Unchanged(value.clone()),
                Score {
                    kept: keys(value),
                    specific: u64::from(UNKNOWN),
                },
            ),
            (kind, value) => {
                let to = match kind {
                    TypeKind::Date => Some("Date"),
                    TypeKind::BigInt
                    | TypeKind::Literal {
                        value: kit_ir::LiteralValue::BigInt(_),
                    } => Some("bigint"),
                    TypeKind::Bytes => Some("Uint8Array"),
                    _ => None,
                };
                let read = match to {
                    Some(to) => DecodedValue::Converted {
                        to,
                        from: value.clone(),
                    },
                    None => DecodedValue::Unchanged(value.clone()),
                };
                let score = Score {
                    kept: 0,
                    specific: u64::from(specificity(program, resolved)),
                };
                (read, score)
            }
        }
    }

    fn items_scored(&self, types: &[TypeId], items: &[Value]) -> Scored {
        let mut score = Score::default();
        let mut read = Vec::with_capacity(items.len());
        for (id, item) in types.iter().zip(items) {
            let (item, inner) = self.scored(*id, item);
            score.add(inner);
            read.push(item);
        }
        (DecodedValue::Items(read), score)
    }
}

/// Returns the number of keys in a value, including the keys of nested objects.
fn keys(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(keys).sum(),
        Value::Object(map) => map.values().map(|value| 1 + keys(value)).sum(),
        _ => 0,
    }
}
