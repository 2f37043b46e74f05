//! Specificity of scalar types, which decides between two scalars that a value fits.

use kit_ir::{Program, TypeId, TypeKind};

use crate::walk::resolve;

/// Specificity of `unknown`: every other type is more specific.
pub(crate) const UNKNOWN: u32 = 0;

/// Returns the specificity of a scalar type. A value that fits two scalars is decoded as the type with the greater
/// number: a date string as `Date`, not as `string`. `packages/core/src/codec/match.ts` has the same numbers.
pub fn specificity(program: &Program, id: TypeId) -> u32 {
    let r#type = &program.types[resolve(program, id)];
    match &r#type.kind {
        TypeKind::Null | TypeKind::Boolean | TypeKind::Number | TypeKind::Literal { .. } => 7,
        TypeKind::Template { .. } => 6,
        TypeKind::Date => 5,
        TypeKind::BigInt => 4,
        TypeKind::String if !r#type.constraints.is_empty() => 3,
        TypeKind::Bytes => 2,
        TypeKind::String => 1,
        TypeKind::Never
        | TypeKind::Unknown
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Union { .. }
        | TypeKind::Reference { .. } => UNKNOWN,
    }
}

/// Returns true if the values of a type are not arrays or objects. Returns false for `unknown` and for
/// unions.
pub fn is_scalar(program: &Program, id: TypeId) -> bool {
    !matches!(
        program.types[resolve(program, id)].kind,
        TypeKind::Unknown
            | TypeKind::Array { .. }
            | TypeKind::Tuple { .. }
            | TypeKind::Object(_)
            | TypeKind::Union { .. }
            | TypeKind::Reference { .. }
    )
}
