//! Specificity of scalar types.

use kit_ir::{Program, TypeId, TypeKind};

use crate::walk::resolve;

/// Specificity of `unknown`.
pub(crate) const UNKNOWN: u32 = 0;

/// Returns the specificity of a scalar type. A value that fits two types is read as the one with the greater number.
/// `packages/core/src/codec/match.ts` has the same numbers.
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

/// Returns true if the type is a scalar: its values are not arrays or objects. `unknown` and unions are not scalars.
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
