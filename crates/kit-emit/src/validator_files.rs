//! Emits `validators/<entity>.ts`, which exports the validators of an entity. In a large program, a build writes the file only
//! if the project imports it.

use heck::ToLowerCamelCase;
use indexmap::IndexMap;
use kit_ir::Declaration;

use crate::context::Context;
use crate::job::Job;
use crate::text::header;
use crate::{combined, validator};

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = Job<'_>> {
    context.program.entities.iter().filter_map(move |entity| {
        let declaration = &context.program.declarations[entity.declaration];
        let path = format!("validators/{}.ts", declaration.name.to_lower_camel_case());
        let is_generated = context.has_file(&path);
        is_generated.then(|| Job::new(path, move || emit_entity(context, declaration)))
    })
}

/// Emits the exports of an entity: its own validators, and the validators of the other types in the same
/// file.
fn emit_entity(context: Context<'_>, entity: &Declaration) -> String {
    let program = context.program;
    let header = header(&format!("`{}` in {}", entity.name, program.path(entity.span)));
    let mut names: IndexMap<String, Vec<String>> = IndexMap::new();
    for id in context.analysis.in_file(entity.span.source) {
        let name = &program.declarations[*id].name;
        if *name == entity.name || context.analysis.entity(*id).is_none() {
            let module = combined::path_of(context, &validator::file_name(name));
            names.entry(module).or_default().push(format!("{name}Validator"));
        }
    }
    let exports = names.iter().map(|(module, names)| {
        let names = names.join(", ");
        format!("export {{ {names} }} from \"../{module}\";\n")
    });
    format!("{header}\n{}", exports.collect::<String>())
}
