//! List of the values that a property can have, for types with few values.

use kit_ir::{LiteralValue, ObjectType, Program, TypeId, TypeKind};

use crate::members::{is_impossible, members};
use crate::walk::resolve;

/// A value of a property that distinguishes members of a union.
#[derive(Debug, Clone, PartialEq)]
pub enum Tag {
    /// The property is absent.
    Absent,
    /// `null`.
    Null,
    /// A literal. Never a bigint, which has two forms on the wire.
    Literal(LiteralValue),
}

/// Returns the literals of a type that has no other values; `None` for every other type. Bigint literals are not listed,
/// because a bigint has two forms on the wire.
pub fn literals(program: &Program, id: TypeId) -> Option<Vec<LiteralValue>> {
    let tags = tags(program, id)?;
    tags.into_iter()
        .map(|tag| match tag {
            Tag::Literal(literal) => Some(literal),
            Tag::Null | Tag::Absent => None,
        })
        .collect()
}

/// Returns true if the values of a type cannot be listed. The type must not be a union.
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

/// Returns all values of a type; `None` if they cannot be listed.
fn tags(program: &Program, id: TypeId) -> Option<Vec<Tag>> {
    match &program.types[resolve(program, id)].kind {
        TypeKind::Never => Some(Vec::new()),
        TypeKind::Null => Some(vec![Tag::Null]),
        TypeKind::Boolean => {
            let values = [true, false].map(LiteralValue::Boolean);
            Some(values.map(Tag::Literal).to_vec())
        }
        TypeKind::Literal { value } if !matches!(value, LiteralValue::BigInt(_)) => {
            Some(vec![Tag::Literal(value.clone())])
        }
        // Most unions contain a string or an object. Checking for one is faster than listing all members.
        TypeKind::Union { members: declared } if declared.iter().any(|id| is_unlisted(program, *id)) => None,
        TypeKind::Union { members: declared } => {
            let members = members(program, declared);
            let lists: Option<Vec<_>> = members
                .iter()
                .map(|member| tags(program, member.r#type))
                .collect();
            Some(lists?.concat())
        }
        _ => None,
    }
}

/// Returns true if all values of a type can be listed.
pub(crate) fn is_listed(program: &Program, id: TypeId) -> bool {
    tags(program, id).is_some()
}

/// Returns all values that an object may have at a key, including absence. Returns `None` if the values cannot be listed,
/// for example for a property that is not declared: a decoder drops unknown keys with any value.
pub(crate) fn property_tags(program: &Program, object: &ObjectType, name: &str) -> Option<Vec<Tag>> {
    let property = object.property(name)?;
    let mut found = tags(program, property.r#type)?;
    // A property that a request may omit can be absent. A response always has it, but the additional tag does no harm there.
    if property.optional_in_input() {
        found.push(Tag::Absent);
    }
    Some(found)
}
