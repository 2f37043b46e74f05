//! Emits modules with three functions of a declaration: the check `is`, `failures` with its shape, and `decode`.

mod check;
mod decode;
mod decode_union;
mod names;
mod shape;
mod tag_switch;
mod template;

use kit_ir::{Declaration, DeclarationId};

use crate::context::Context;
use crate::job::Job;
use crate::origin::origin;
use crate::text::{Exported, Module, Writer, Written};

use check::Checker;
use decode::Decoder;

pub(crate) use names::{key_condition, local, not_an_index_key, read_property, value_step};
use shape::Shapes;
pub(crate) use tag_switch::tag_switch;
pub(crate) use template::test as template_test;

/// Returns the file name of a declaration's module.
pub(crate) fn file_name(name: &str) -> String {
    format!("{name}.validator.js")
}

/// Returns the path from which modules of other types import the validator of a declaration.
pub(crate) fn import_path(name: &str) -> String {
    format!("./{}", file_name(name))
}

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = Job<'_>> {
    context
        .program
        .declarations
        .iter_ids()
        .map(move |(id, declaration)| {
            Job::new(file_name(&declaration.name), move || {
                emit_module(context, id, declaration)
            })
            .keyed(context.module_key(id))
        })
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> Written {
    let name = &declaration.name;
    let mut module = Module::new(
        origin(context.program, declaration),
        context.analysis.declared_names(),
    )
    .for_declaration("", name);
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
    writer.block(
        format_args!("export const {name}Validator = {{"),
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
    module.export(Exported::of_type(name, "Validator"));
    module.finish()
}
