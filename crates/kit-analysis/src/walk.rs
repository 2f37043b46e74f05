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
    let mut found = Vec::new();
    each_child(kind, |child| found.push(child));
    found
}

/// Calls a function with each of the types that [`children`] returns, without a list in memory.
pub fn each_child(kind: &TypeKind, mut visit: impl FnMut(TypeId)) {
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
        | TypeKind::Reference { .. } => {}
        TypeKind::Template { parts } => {
            for part in parts {
                if let TemplatePart::Placeholder(id) = part {
                    visit(*id);
                }
            }
        }
        TypeKind::Array { element } => visit(*element),
        TypeKind::Tuple { elements } => elements.iter().for_each(|element| visit(element.r#type)),
        TypeKind::Object(object) => {
            object
                .properties
                .iter()
                .for_each(|property| visit(property.r#type));
            object.index.iter().for_each(|signature| visit(signature.value));
        }
        TypeKind::Union { members } => members.iter().for_each(|member| visit(*member)),
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
        kind => each_child(kind, |child| collect_references(program, child, found)),
    }
}
