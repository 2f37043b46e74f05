//! Properties of declarations, and their locations, for checks that need the IR of types.

use kit_ir::{DeclarationId, Program, Property, TypeKind};

use crate::modules::{Location, ModuleId};

/// Returns the properties of a declared object type. Returns `None` for another type.
pub(super) fn properties(program: &Program, id: DeclarationId) -> Option<&[Property]> {
    match &program.types[program.declarations[id].r#type].kind {
        TypeKind::Object(object) => Some(&object.properties),
        _ => None,
    }
}

/// Returns the location of a span of the IR. The function works only before [`Lowering::into_program`](crate::lower::Lowering::into_program) sorts
/// the source files.
pub(crate) fn location(span: kit_ir::Span) -> Location {
    Location {
        module: ModuleId(span.source.0),
        span: oxc_span::Span::new(span.start, span.end),
    }
}
