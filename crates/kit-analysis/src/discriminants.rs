//! Values that a property can have, for types with a limited number of values such as `"a" | "b"`.

use kit_ir::{LiteralValue, ObjectType, Program, TypeId, TypeKind};

use crate::members::{is_impossible, members};
use crate::walk::resolve;

/// A value of the property that distinguishes the members of a union, such as `"circle"` for `kind`.
#[derive(Debug, Clone, PartialEq)]
pub enum DiscriminantValue {
    /// The property is absent.
    Absent,
    /// `null`.
    Null,
    /// A literal. Not a bigint, which has two forms on the wire.
    Literal(LiteralValue),
}

/// Returns the values of a type that consists of literals, such as `"a" | "b"`. Returns `None` for any other
/// type, and for a bigint literal, which has two forms on the wire.
pub fn literals(program: &Program, id: TypeId) -> Option<Vec<LiteralValue>> {
    let values = listed_values(program, id)?;
    values
        .into_iter()
        .map(|value| match value {
            DiscriminantValue::Literal(literal) => Some(literal),
            DiscriminantValue::Null | DiscriminantValue::Absent => None,
        })
        .collect()
}

/// Returns true if a type, which must not be a union, has too many values to list them, such as `string`.
fn is_unlisted(program: &Program, id: TypeId) -> bool {
    let id = resolve(program, id);
    match &program.types[id].kind {
        TypeKind::Unknown
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Template { .. }
        | TypeKind::Array { .. }
        | TypeKind::Literal {
            value: LiteralValue::BigInt(_),
        } => true,
        TypeKind::Tuple { .. } | TypeKind::Object(_) => !is_impossible(program, id),
        TypeKind::Never
        | TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Literal { .. }
        | TypeKind::Union { .. }
        | TypeKind::Reference { .. } => false,
    }
}

/// Returns all values of a type. Returns `None` if there are too many to list them, as for `string`.
fn listed_values(program: &Program, id: TypeId) -> Option<Vec<DiscriminantValue>> {
    match &program.types[resolve(program, id)].kind {
        TypeKind::Never => Some(Vec::new()),
        TypeKind::Null => Some(vec![DiscriminantValue::Null]),
        TypeKind::Boolean => {
            let values = [true, false].map(LiteralValue::Boolean);
            Some(values.map(DiscriminantValue::Literal).to_vec())
        }
        TypeKind::Literal { value } if !matches!(value, LiteralValue::BigInt(_)) => {
            Some(vec![DiscriminantValue::Literal(value.clone())])
        }
        // Most unions contain a string or an object. Checking for one is faster than listing all members.
        TypeKind::Union { members: declared } if declared.iter().any(|id| is_unlisted(program, *id)) => None,
        TypeKind::Union { members: declared } => {
            let members = members(program, declared);
            let lists: Option<Vec<_>> = members
                .iter()
                .map(|member| listed_values(program, member.r#type))
                .collect();
            Some(lists?.concat())
        }
        _ => None,
    }
}

/// Returns true if the values of a type can be listed, as for `"a" | "b"`.
pub(crate) fn is_listed(program: &Program, id: TypeId) -> bool {
    listed_values(program, id).is_some()
}

/// Returns all values that a property of an object may have, including its absence. Returns `None` if the
/// values cannot be listed. Returns `None` too if the object does not declare the property, because a decoder drops
/// an undeclared key, so that the key may have any value.
pub(crate) fn property_values(
    program: &Program,
    object: &ObjectType,
    name: &str,
) -> Option<Vec<DiscriminantValue>> {
    let property = object.property(name)?;
    let mut found = listed_values(program, property.r#type)?;
    // A property that a request may omit can be absent. A response always has it, but the additional value
    // does no harm there.
    if property.optional_in_input() {
        found.push(DiscriminantValue::Absent);
    }
    Some(found)
}
