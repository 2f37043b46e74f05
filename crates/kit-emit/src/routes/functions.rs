//! Names of generated functions for types, with their imports.

use kit_ir::DeclarationId;

use crate::context::Context;
use crate::runtime::module_of;
use crate::text::Module;
use crate::{coercer, header_writer, serializer, validator};

/// Returns the name of a type's coercer, and imports the coercer.
pub(super) fn coercer_of(context: Context<'_>, id: DeclarationId, module: &mut Module) -> String {
    let name = &context.program.declarations[id].name;
    let own = format!("coercers/{}", coercer::file_name(name));
    module.value(&module_of(context, &own), &format!("{name}Coercer"))
}

/// Returns the name of a type's validator, serializer or header writer, and imports it. Returns `null` if the
/// route does not declare the slot.
pub(super) fn value(
    context: Context<'_>,
    slot: Option<DeclarationId>,
    kind: &str,
    module: &mut Module,
) -> String {
    let Some(id) = slot else {
        return "null".to_owned();
    };
    let name = &context.program.declarations[id].name;
    let path = match kind {
        "Serializer" => format!("serializers/{}", serializer::file_name(name)),
        "HeaderWriter" => format!("headers/{}", header_writer::file_name(name)),
        _ => format!("validators/{}", validator::file_name(name)),
    };
    module.value(&module_of(context, &path), &format!("{name}{kind}"))
}
