//! Types whose values are fields of a form or parts of a multipart body: as text, or as JSON.

use kit_ir::{Program, TypeId, TypeKind};

use crate::resolve;

/// Returns true if a text has at most one value of the type, which text can hold: a scalar, or with `lists` also a list
/// of scalars, which several fields with one name hold.
///
/// ```
/// use kit_analysis::is_text;
/// use kit_ir::{Program, TypeKind};
///
/// let mut program = Program::default();
/// let number = program.add_type(TypeKind::Number);
/// let list = program.add_type(TypeKind::Array { element: number });
/// assert!(is_text(&program, number, false));
/// assert!(!is_text(&program, list, false));
/// assert!(is_text(&program, list, true));
/// ```
pub fn is_text(program: &Program, id: TypeId, lists: bool) -> bool {
    match &program.types[resolve(program, id)].kind {
        TypeKind::String
        | TypeKind::Number
        | TypeKind::Boolean
        | TypeKind::BigInt
        | TypeKind::Date
        | TypeKind::Literal { .. }
        | TypeKind::Template { .. } => true,
        // A text could fit several members of any other union.
        TypeKind::Union { members } => members.iter().all(|member| {
            matches!(
                program.types[resolve(program, *member)].kind,
                TypeKind::Literal { .. }
            )
        }),
        TypeKind::Array { element } => lists && is_text(program, *element, false),
        _ => false,
    }
}

/// Returns true if a part of a multipart body with this type is JSON: text cannot hold the type, and every value is an
/// object, an array or `null`, so that JSON cannot be confused with text.
///
/// ```
/// use kit_analysis::is_json_part;
/// use kit_ir::{Program, TypeKind};
///
/// let mut program = Program::default();
/// let number = program.add_type(TypeKind::Number);
/// let list = program.add_type(TypeKind::Array { element: number });
/// let lists = program.add_type(TypeKind::Array { element: list });
/// assert!(!is_json_part(&program, list));
/// assert!(is_json_part(&program, lists));
/// ```
pub fn is_json_part(program: &Program, id: TypeId) -> bool {
    !is_text(program, id, true) && is_json(program, id)
}

fn is_json(program: &Program, id: TypeId) -> bool {
    match &program.types[resolve(program, id)].kind {
        TypeKind::Object(_) | TypeKind::Array { .. } | TypeKind::Tuple { .. } => true,
        TypeKind::Union { members } => members.iter().all(|member| {
            let kind = &program.types[resolve(program, *member)].kind;
            matches!(kind, TypeKind::Null) || is_json(program, *member)
        }),
        _ => false,
    }
}
