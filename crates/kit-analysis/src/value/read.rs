//! Result of reading a value: the rule for choosing a member of a union, in Rust.

use kit_ir::{Program, TypeId, TypeKind};
use serde_json::Value;

use super::fit::{Fit, element_types, fit};
use super::index_types;
use crate::members::members;
use crate::specificity::{UNKNOWN, specificity};
use crate::walk::resolve;

/// Result of reading a value, as a handler receives it.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    /// Value that is passed on unchanged.
    Unchanged(Value),
    /// String or number that was converted.
    Converted {
        /// Name of the resulting type: `Date`, `bigint` or `Uint8Array`.
        to: &'static str,
        /// Value before the conversion.
        from: Value,
    },
    /// Items of an array.
    Items(Vec<Reading>),
    /// Keys that are kept, in the order of the value.
    Entries(Vec<(String, Reading)>),
}

/// Number of keys that a result keeps, and specificity of its scalars. The greater score wins.
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

/// Returns the result of reading a value as a type; `None` if the value does not certainly fit the type.
pub fn read(program: &Program, id: TypeId, value: &Value) -> Option<Reading> {
    (fit(program, id, value) == Fit::Yes).then(|| scored(program, id, value).0)
}

impl Reading {
    /// Returns true if this result has a key that the other one does not have, at any depth.
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
            // An `unknown` on one side keeps all keys.
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

/// Converts a value to entries and items at all depths.
fn entries(value: &Value) -> Reading {
    match value {
        Value::Array(items) => Reading::Items(items.iter().map(entries).collect()),
        Value::Object(map) => Reading::Entries(
            map.iter()
                .map(|(key, value)| (key.clone(), entries(value)))
                .collect(),
        ),
        scalar => Reading::Unchanged(scalar.clone()),
    }
}

/// Reads a value that fits and returns the result with its score.
fn scored(program: &Program, id: TypeId, value: &Value) -> (Reading, Score) {
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
                let (read, inner) = scored(program, found, value);
                score.add(inner);
                score.kept += 1;
                // A declared property is more specific than an index signature.
                score.specific += u64::from(declared.is_some());
                kept.push((key.clone(), read));
            }
            (Reading::Entries(kept), score)
        }
        (TypeKind::Array { element }, Value::Array(items)) => {
            let types = vec![*element; items.len()];
            items_scored(program, &types, items)
        }
        (TypeKind::Tuple { elements }, Value::Array(items)) => {
            let types = element_types(elements, items.len()).unwrap_or_default();
            items_scored(program, &types, items)
        }
        (TypeKind::Union { members: declared }, value) => members(program, declared)
            .iter()
            .filter(|member| fit(program, member.r#type, value) == Fit::Yes)
            .map(|member| scored(program, member.r#type, value))
            // Chooses the first of the greatest scores. `max_by_key` would choose the last.
            .reduce(|best, next| if next.1 > best.1 { next } else { best })
            .unwrap_or_else(|| (Reading::Unchanged(value.clone()), Score::default())),
        (TypeKind::Unknown, value) => (
            Reading::Unchanged(value.clone()),
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
                Some(to) => Reading::Converted {
                    to,
                    from: value.clone(),
                },
                None => Reading::Unchanged(value.clone()),
            };
            let score = Score {
                kept: 0,
                specific: u64::from(specificity(program, resolved)),
            };
            (read, score)
        }
    }
}

fn items_scored(program: &Program, types: &[TypeId], items: &[Value]) -> (Reading, Score) {
    let mut score = Score::default();
    let mut read = Vec::with_capacity(items.len());
    for (id, item) in types.iter().zip(items) {
        let (item, inner) = scored(program, *id, item);
        score.add(inner);
        read.push(item);
    }
    (Reading::Items(read), score)
}

/// Returns the number of keys of a value at all depths.
fn keys(value: &Value) -> u64 {
    match value {
        Value::Array(items) => items.iter().map(keys).sum(),
        Value::Object(map) => map.values().map(|value| 1 + keys(value)).sum(),
        _ => 0,
    }
}
