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
use crate::text::{Exported, PURE, Writer, Written};

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

pub(crate) fn emit(context: Context<'_>) -> impl Iterator<Item = (DeclarationId, Job<'_>)> {
    context.changed().map(move |(id, declaration)| {
        let job = Job::new(file_name(&declaration.name), move || {
            emit_module(context, id, declaration)
        });
        (id, job.keyed(context.module_key(id)))
    })
}

fn emit_module(context: Context<'_>, id: DeclarationId, declaration: &Declaration) -> Written {
    let name = &declaration.name;
    let mut module = context.module("", declaration);
    Shapes::new(context, id).declare(declaration, &mut module);
    Checker::new(context, id).declare(declaration, &mut module);
    Decoder::new(context, id).declare(declaration, &mut module);
    let validator = module.helper("validator");
    // A function may have a second, internal parameter. This function hides it from callbacks such as that of `filter`, which
    // pass more arguments.
    let with_one_parameter = |function: String, has_more: bool| {
        if has_more {
            format!("(value) => {function}(value)")
        } else {
            function
        }
    };
    let is = with_one_parameter(format!("is{name}"), context.analysis.is_recursive(id));
    let decode = with_one_parameter(format!("decode{name}"), context.analysis.passes_selector(id));
    let mut writer = Writer::default();
    writer.line(format_args!(
        "export const {name}Validator = {PURE} {validator}(\"{name}\", {name}Shape, {is}, {decode});"
    ));
    module.push(writer);
    module.export(Exported::of_type(name, "Validator"));
    module.finish()
}
