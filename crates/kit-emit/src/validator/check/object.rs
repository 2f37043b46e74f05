//! Checks of objects: a condition for each property, and a loop for index signatures.

use kit_ir::{ObjectType, TypeId, TypeKind};

use super::{Checker, negated, operand, scalar};
use crate::text::{Module, Path, Writer};
use crate::validator::names::{
    is_inherited, key_condition, local, not_an_index_key, read_property, value_step,
};

impl Checker<'_> {
    pub(super) fn object_body(
        &self,
        object: &ObjectType,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let guard = if self.array_cannot_fit(object) {
            "typeof value !== \"object\" || value === null".to_owned()
        } else {
            format!("!{}(value)", module.helper("isObject"))
        };
        body.line(format_args!("if ({guard}) return false;"));
        // Read a property right before its check. Most invalid values are refused early, and reading takes most of the time.
        let last = object.properties.len().wrapping_sub(1);
        for (position, property) in object.properties.iter().enumerate() {
            let name = local(&property.name, position);
            let read = read_property(&property.name, module);
            body.line(format_args!("const {name} = {read};"));
            let condition = self.condition(property.r#type, &name, &path.step(&property.name), module);
            if position == last && object.index.is_empty() {
                let condition = if property.optional_in_input() {
                    format!("{name} === undefined || {}", operand(&condition))
                } else {
                    condition
                };
                body.line(format_args!("return {condition};"));
            } else if property.optional_in_input() {
                let negated = negated(&condition);
                body.line(format_args!(
                    "if ({name} !== undefined && {negated}) return false;"
                ));
            } else {
                body.line(format_args!("if ({}) return false;", negated(&condition)));
            }
        }
        if !object.index.is_empty() {
            body.block("for (const key in value) {", "}", |body| {
                let skip = format!("!Object.hasOwn(value, key) || {}", not_an_index_key(object));
                body.line(format_args!("if ({skip}) continue;"));
                body.line("const item = value[key];");
                for (position, signature) in object.signatures().into_iter().enumerate() {
                    let step = value_step(position);
                    let path = path.step(&step);
                    let condition = self.condition(signature.value, "item", &path, module);
                    let wrong = negated(&condition);
                    let rules = scalar::text_rules("key", &signature.rules, &path.step("Key"), module);
                    let wrong_key = (!rules.is_empty()).then(|| negated(&rules.join(" && ")));
                    let taken = key_condition(self.context.program, &signature.key, &path, module);
                    let condition = match (taken, wrong_key) {
                        (None, None) => wrong,
                        (None, Some(wrong_key)) => format!("{wrong_key} || {wrong}"),
                        (Some(taken), None) => format!("{taken} && {wrong}"),
                        (Some(taken), Some(wrong_key)) => format!("{taken} && ({wrong_key} || {wrong})"),
                    };
                    body.line(format_args!("if ({condition}) return false;"));
                }
            });
            body.line("return true;");
        } else if object.properties.is_empty() {
            body.line("return true;");
        }
    }

    /// Returns true if no array satisfies one of the properties, so that the code needs no check for arrays.
    /// Arrays have only functions as properties, except for `length` and the items, and no condition accepts
    /// a function.
    fn array_cannot_fit(&self, object: &ObjectType) -> bool {
        object.properties.iter().any(|property| {
            !property.optional_in_input()
                && property.name != "length"
                && !property.name.bytes().all(|byte| byte.is_ascii_digit())
                && !is_inherited(&property.name)
                && self.refuses_functions(property.r#type)
        })
    }

    fn refuses_functions(&self, id: TypeId) -> bool {
        match &self.context.program.types[id].kind {
            TypeKind::Unknown | TypeKind::Reference { .. } => false,
            TypeKind::Union { members } => members.iter().all(|member| self.refuses_functions(*member)),
            _ => true,
        }
    }
}
