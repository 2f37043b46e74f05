//! Names of generated functions for types, with their imports.

use kit_ir::DeclarationId;

use crate::context::Context;
use crate::text::Module;
use crate::{coercer, combined, header_writer, serializer, validator};

/// Returns the name of a type's coercer, and imports the coercer.
pub(super) fn coercer_of(context: Context<'_>, id: DeclarationId, module: &mut Module) -> String {
    let name = &context.program.declarations[id].name;
    import(
        context,
        &coercer::file_name(name),
        &format!("{name}Coercer"),
        module,
    )
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
    let file = match kind {
        "Serializer" => serializer::file_name(name),
        "HeaderWriter" => header_writer::file_name(name),
        _ => validator::file_name(name),
    };
    import(context, &file, &format!("{name}{kind}"), module)
}

fn import(context: Context<'_>, file: &str, name: &str, module: &mut Module) -> String {
    let path = combined::path_for_routes(context, file);
    module.value(&format!("../{path}"), name)
}
