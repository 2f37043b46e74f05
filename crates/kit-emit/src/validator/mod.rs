//! Emits `validators/<Type>.validator.ts` with three functions of a declaration: the check `is`, `failures` with its shape,
//! and `decode`. Also emits `validators/<entity>.ts`, which exports the validators of an entity.

mod check;
mod decode;
mod decode_union;
mod names;
mod shape;
mod tag_switch;
mod template;

use heck::ToLowerCamelCase;
use kit_ir::{Declaration, DeclarationId};

use crate::context::Context;
use crate::job::Job;
use crate::origin::origin;
use crate::text::{Module, Writer, Written, header};

use check::Checker;
use decode::Decoder;

pub(crate) use names::{is_inherited, key_condition, local, not_an_index_key, value_step};
use shape::Shapes;
pub(crate) use tag_switch::tag_switch;
pub(crate) use template::test as template_test;

/// Returns the file name of a declaration's module.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.validator.ts")
}

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = Job<'_>> {
    let modules = context
        .program
        .declarations
        .iter_ids()
        .map(move |(id, declaration)| {
            Job::new(
                format!("validators/{}", file_name(&declaration.name)),
                move || emit_module(context, id, declaration),
            )
            .keyed(context.module_key(id))
        });
    let entities = context.program.entities.iter().map(move |entity| {
        let declaration = &context.program.declarations[entity.declaration];
        Job::new(
            format!("validators/{}.ts", declaration.name.to_lower_camel_case()),
            move || emit_entity(context, declaration),
        )
    });
    modules.chain(entities)
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> Written {
    let name = &declaration.name;
    let mut module = Module::new(
        origin(context.program, declaration),
        context.analysis.declared_names(),
    )
    .for_declaration("", name);
    let validator = module.r#type("@kit/types", "Validator");
    let this = module.program_type("../types.ts", name);
    Shapes::new(context, id).declare(declaration, &mut module);
    Checker::new(context, id).declare(declaration, &mut module);
    Decoder::new(context, id).declare(declaration, &mut module);
    let explain = module.helper("explain");
    let is = if context.analysis.is_recursive(id) {
        // The check has a second, internal parameter. This function hides it from callbacks such as that of `filter`, which
        // pass more arguments.
        format!("is: (value) => is{name}(value),")
    } else {
        format!("is: is{name},")
    };
    let mut writer = Writer::default();
    writer.doc(&format!("Validates and decodes a `{name}`."));
    writer.block(
        format_args!("export const {name}Validator: {validator}<{this}> = {{"),
        "};",
        |writer| {
            writer.line(format_args!("name: \"{name}\","));
            writer.line(is);
            writer.line(format_args!(
                "failures: (value, limit) => {explain}({name}Shape, value, \"wire\", limit),"
            ));
            if context.analysis.passes_selector(id) {
                writer.line(format_args!("decode: (value) => decode{name}(value),"));
            } else {
                writer.line(format_args!("decode: decode{name},"));
            }
        },
    );
    module.push(writer);
    module.finish()
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
            writer.line(format_args!(
                "export {{ {name}Validator }} from \"./{}\";",
                file_name(name)
            ));
        }
    }
    format!("{header}\n{}", writer.finish())
}
