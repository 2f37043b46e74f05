//! Directions of values between client and server.

use kit_ir::{Program, TypeId, TypeKind};

/// Direction in which a value travels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Direction {
    /// From the server to the client.
    Output,
    /// From the client to the server: a request body or a parameter.
    Input,
}

/// Returns true if a type's request schema differs from its response schema. Does not look into types to
/// which the type refers.
pub(crate) fn differs_inline(program: &Program, id: TypeId) -> bool {
    let kind = &program.types[id].kind;
    if let TypeKind::Object(object) = kind
        && object
            .properties
            .iter()
            .any(|property| property.tags.default.is_some() || property.tags.generated.is_some())
    {
        return true;
    }
    kit_analysis::children(kind)
        .into_iter()
        .any(|child| differs_inline(program, child))
}
