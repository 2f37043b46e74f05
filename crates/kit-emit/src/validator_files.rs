//! Emits `validators/<entity>.ts`, which exports the validators of an entity.

use heck::ToLowerCamelCase;
use kit_ir::Declaration;

use crate::context::Context;
use crate::job::Job;
use crate::text::{Writer, header};
use crate::{combined, validator};

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = Job<'_>> {
    context.program.entities.iter().map(move |entity| {
        let declaration = &context.program.declarations[entity.declaration];
        Job::new(
            format!("validators/{}.ts", declaration.name.to_lower_camel_case()),
            move || emit_entity(context, declaration),
        )
    })
}

/// Emits the exports of an entity: its own validators, and the validators of the other types in the same
/// file.
fn emit_entity(context: Context<'_>, entity: &Declaration) -> String {
    let program = context.program;
    let header = header(&format!("`{}` in {}", entity.name, program.path(entity.span)));
    let mut writer = Writer::default();
    for id in context.analysis.in_file(entity.span.source) {
        let name = &program.declarations[*id].name;
        if *name == entity.name || context.analysis.entity(*id).is_none() {
            let module = combined::path_of(context, &validator::file_name(name));
            writer.line(format_args!("export {{ {name}Validator }} from \"../{module}\";"));
        }
    }
    format!("{header}\n{}", writer.finish())
}
