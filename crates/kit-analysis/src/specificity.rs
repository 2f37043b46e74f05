//! How much a type of scalars says about its values.

use kit_ir::{Program, TypeId, TypeKind};

use crate::walk::resolve;

/// What the `unknown` of a value weighs.
pub(crate) const UNKNOWN: u32 = 0;

/// How specific a scalar type is; of two that a value fits it is read as the greater. `packages/core/src/codec/match.ts` has
/// the same numbers.
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

/// Whether the values of a type have no parts. `unknown` and unions are not scalars.
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
