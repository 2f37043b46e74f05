//! What a property of a type can hold, where that can be listed.

use kit_ir::{LiteralValue, ObjectType, Program, TypeId, TypeKind};

use crate::members::{is_impossible, members};
use crate::walk::resolve;

/// A value of a property that tells members of a union apart.
#[derive(Debug, Clone, PartialEq)]
pub enum Tag {
    /// The property is not there.
    Absent,
    /// `null`.
    Null,
    /// A literal; never a bigint, which has two forms on the wire.
    Literal(LiteralValue),
}

/// The literals of a type that has no other values. A bigint is none: on the wire it has two forms.
pub fn literals(program: &Program, id: TypeId) -> Option<Vec<LiteralValue>> {
    let tags = tags(program, id)?;
    tags.into_iter()
        .map(|tag| match tag {
            Tag::Literal(literal) => Some(literal),
            Tag::Null | Tag::Absent => None,
        })
        .collect()
}

/// Returns true if a type that is no union has values that cannot be listed.
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

/// All values of a type, where they can be listed.
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
        // Nearly every union has a text or an object in it, which is found faster than all of its members.
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

/// All that an object may hold under a name, absence included; nothing where that cannot be listed, as for a property that is
/// not declared: unknown keys are dropped, whatever they hold.
pub(crate) fn property_tags(program: &Program, object: &ObjectType, name: &str) -> Option<Vec<Tag>> {
    let property = object.property(name)?;
    let mut found = tags(program, property.r#type)?;
    // What a request may leave out can be missing; that a response never lacks it does not hurt.
    if property.optional_in_input() {
        found.push(Tag::Absent);
    }
    Some(found)
}
