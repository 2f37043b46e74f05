//! Objects: one expression on locals, and a loop where there is an index signature.

use kit_ir::ObjectType;

use super::{Checker, negated, operand};
use crate::text::{Module, Path, Writer, literal};
use crate::validator::names::{is_inherited, is_no_index, key_condition, local, value_step};

impl Checker<'_> {
    pub(super) fn object_body(
        &self,
        object: &ObjectType,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let is_object = module.helper("isObject");
        body.line(format_args!("if (!{is_object}(value)) return false;"));
        let mut conditions = Vec::new();
        for (position, property) in object.properties.iter().enumerate() {
            let name = local(&property.name, position);
            let read = if is_inherited(&property.name) {
                format!(
                    "{}(value, {})",
                    module.helper("own"),
                    literal::string(&property.name)
                )
            } else {
                format!("value[{}]", literal::string(&property.name))
            };
            body.line(format_args!("const {name} = {read};"));
            let condition = self.condition(property.r#type, &name, &path.step(&property.name), module);
            conditions.push(if property.optional_in_input() {
                format!("({name} === undefined || {})", operand(&condition))
            } else {
                condition
            });
        }
        if !object.index.is_empty() {
            if !conditions.is_empty() {
                body.line(format_args!("if (!({})) return false;", conditions.join(" && ")));
            }
            body.block("for (const key in value) {", "}", |body| {
                let skip = format!("!Object.hasOwn(value, key) || {}", is_no_index(object));
                body.line(format_args!("if ({skip}) continue;"));
                body.line("const item = value[key];");
                for (position, signature) in object.signatures().into_iter().enumerate() {
                    let step = value_step(position);
                    let path = path.step(&step);
                    let condition = self.condition(signature.value, "item", &path, module);
                    let negated = negated(&condition);
                    match key_condition(self.context.program, &signature.key, &path, module) {
                        None => body.line(format_args!("if ({negated}) return false;")),
                        Some(taken) => {
                            body.line(format_args!("if ({taken} && {negated}) return false;"));
                        }
                    }
                }
            });
            body.line("return true;");
        } else if conditions.is_empty() {
            body.line("return true;");
        } else if let [only] = conditions.as_slice() {
            body.line(format_args!("return {only};"));
        } else {
            body.block("return (", ");", |body| body.line(conditions.join(" &&\n")));
        }
    }
}
