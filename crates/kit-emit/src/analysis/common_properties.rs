//! Finds properties that several types have in common, so that the code of a large program contains them once.

use std::hash::{Hash, Hasher};

use kit_ir::{DeclarationId, ObjectType, Program, Property, TypeId, TypeKind};
use rustc_hash::{FxHashMap, FxHasher};

/// Minimum number of properties for which a function of their own makes the code shorter.
const PROPERTIES: usize = 4;
/// Minimum number of types that have the properties in common.
const TYPES: usize = 3;

/// Returns for each declaration the number of its first properties that other types have too; 0 if there are no such types.
pub(super) fn common_properties(program: &Program) -> Vec<usize> {
    let starts: Vec<Vec<u64>> = program
        .declarations
        .iter_ids()
        .map(|(id, _)| starts(program, id))
        .collect();
    let mut counts: FxHashMap<u64, usize> = FxHashMap::default();
    for start in starts.iter().flatten() {
        *counts.entry(*start).or_default() += 1;
    }
    let of = |starts: &Vec<u64>| {
        let is_common = |start: &u64| counts[start] >= TYPES;
        let length = starts.iter().rposition(is_common).map_or(0, |last| last + 1);
        if length < PROPERTIES { 0 } else { length }
    };
    starts.iter().map(of).collect()
}

/// Returns hashes of the first property of a declaration, of the first two, and so on. The hashes do not contain constraints and
/// comments, which most edits change. Ends at the first property whose code could need functions of its own type.
pub(super) fn starts(program: &Program, declaration: DeclarationId) -> Vec<u64> {
    let Some(object) = root(program, declaration) else {
        return Vec::new();
    };
    let mut hasher = FxHasher::default();
    let mut starts = Vec::new();
    for property in &object.properties {
        let Property {
            name,
            r#type,
            optional,
            tags,
            ..
        } = property;
        let is_made = (tags.default.is_some(), tags.generated.is_some());
        (name, optional, is_made).hash(&mut hasher);
        if name == "__proto__" || !add_plain(program, *r#type, &mut hasher) {
            break;
        }
        starts.push(hasher.finish());
    }
    starts
}

/// Returns the object type of a declaration, if the type is an object without index signatures.
pub(super) fn root(program: &Program, declaration: DeclarationId) -> Option<&ObjectType> {
    match &program.types[program.declarations[declaration].r#type].kind {
        TypeKind::Object(object) if object.index.is_empty() => Some(object),
        _ => None,
    }
}

/// Adds a type to a hash. Returns false if the type contains objects, other declarations, or unions of lists.
fn add_plain(program: &Program, id: TypeId, hasher: &mut FxHasher) -> bool {
    let kind = &program.types[id].kind;
    std::mem::discriminant(kind).hash(hasher);
    match kind {
        TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes => true,
        TypeKind::Literal { value } => {
            value.hash(hasher);
            true
        }
        TypeKind::Array { element } => add_plain(program, *element, hasher),
        TypeKind::Union { members } => {
            let is_list = |id: &TypeId| matches!(program.types[*id].kind, TypeKind::Array { .. });
            members.len().hash(hasher);
            !members.iter().any(is_list) && members.iter().all(|member| add_plain(program, *member, hasher))
        }
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Template { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => false,
    }
}
