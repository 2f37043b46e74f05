//! Checks of arrays and tuples.

use kit_ir::{Constraints, TupleElement, TypeId};

use super::{Checker, negated};
use crate::text::{Module, Path, Writer};

impl Checker<'_> {
    pub(super) fn array_body(
        &self,
        element: TypeId,
        constraints: &Constraints,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        body.line("if (!Array.isArray(value)) return false;");
        if let Some(min) = constraints.min_items.filter(|min| *min > 0) {
            body.line(format_args!("if (value.length < {min}) return false;"));
        }
        if let Some(max) = constraints.max_items {
            body.line(format_args!("if (value.length > {max}) return false;"));
        }
        body.block(
            "for (let index = 0; index < value.length; index++) {",
            "}",
            |body| {
                body.line("const item = value[index];");
                let condition = self.condition(element, "item", &path.step("Item"), module);
                body.line(format_args!("if ({}) return false;", negated(&condition)));
            },
        );
        if constraints.unique_items {
            body.line(format_args!("return {}(value);", module.helper("hasUniqueItems")));
        } else {
            body.line("return true;");
        }
    }

    pub(super) fn tuple_body(
        &self,
        elements: &[TupleElement],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let rest = elements.iter().position(|element| element.rest);
        let least = elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        body.line("if (!Array.isArray(value)) return false;");
        if least > 0 {
            body.line(format_args!("if (value.length < {least}) return false;"));
        }
        if rest.is_none() {
            body.line(format_args!(
                "if (value.length > {}) return false;",
                elements.len()
            ));
        }
        for (position, element) in elements.iter().enumerate() {
            let step = format!("Item{position}");
            let path = path.step(&step);
            if element.rest {
                let after = elements.len() - position - 1;
                let end = if after == 0 {
                    "value.length".to_owned()
                } else {
                    format!("value.length - {after}")
                };
                body.block(
                    format_args!("for (let index = {position}; index < {end}; index++) {{"),
                    "}",
                    |body| {
                        body.line("const item = value[index];");
                        let condition = self.condition(element.r#type, "item", &path, module);
                        body.line(format_args!("if ({}) return false;", negated(&condition)));
                    },
                );
                continue;
            }
            let name = format!("item{position}");
            let at = if rest.is_some_and(|rest| position > rest) {
                format!("value.length - {}", elements.len() - position)
            } else {
                position.to_string()
            };
            body.line(format_args!("const {name} = value[{at}];"));
            let condition = self.condition(element.r#type, &name, &path, module);
            let absent = if element.optional {
                format!("value.length > {position} && ")
            } else {
                String::new()
            };
            body.line(format_args!("if ({absent}{}) return false;", negated(&condition)));
        }
        body.line("return true;");
    }
}
