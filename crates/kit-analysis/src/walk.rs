//! Functions that follow references between types.

use kit_ir::{DeclarationId, Program, TemplatePart, TypeId, TypeKind};

/// Returns the type to which a reference refers, directly or through other references. If references form a
/// cycle, which the compiler never creates, returns a reference of the cycle.
pub fn resolve(program: &Program, id: TypeId) -> TypeId {
    let mut at = id;
    for _ in 0..=program.declarations.len() {
        match program.types[at].kind {
            TypeKind::Reference { declaration } => at = program.declarations[declaration].r#type,
            _ => return at,
        }
    }
    at
}

/// Returns the types that appear inside of a type: elements, types of properties, members of a union, and
/// placeholders of a template. The templates in the keys of index signatures are not included.
pub fn children(kind: &TypeKind) -> Vec<TypeId> {
    match kind {
        TypeKind::Unknown
        | TypeKind::Never
        | TypeKind::Null
        | TypeKind::Boolean
        | TypeKind::Number
        | TypeKind::String
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Literal { .. }
        | TypeKind::Reference { .. } => Vec::new(),
        TypeKind::Template { parts } => parts
            .iter()
            .filter_map(|part| match part {
                TemplatePart::Text(_) => None,
                TemplatePart::Placeholder(id) => Some(*id),
            })
            .collect(),
        TypeKind::Array { element } => vec![*element],
        TypeKind::Tuple { elements } => elements.iter().map(|element| element.r#type).collect(),
        TypeKind::Object(object) => {
            let properties = object.properties.iter().map(|property| property.r#type);
            properties
                .chain(object.index.iter().map(|signature| signature.value))
                .collect()
        }
        TypeKind::Union { members } => members.clone(),
    }
}

/// Adds the declarations to which a type refers directly to `found`, each once.
pub fn collect_references(program: &Program, id: TypeId, found: &mut Vec<DeclarationId>) {
    match &program.types[id].kind {
        TypeKind::Reference { declaration } => {
            if !found.contains(declaration) {
                found.push(*declaration);
            }
        }
        kind => {
            for child in children(kind) {
                collect_references(program, child, found);
            }
        }
    }
}
