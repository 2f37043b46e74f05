//! Checks of objects: a condition for each property, and a loop for index signatures.

use kit_ir::{ObjectType, TypeId, TypeKind};

use super::{Checker, negated, operand, scalar};
use crate::text::{Module, Path, Writer, function};
use crate::validator::names::{
    is_inherited, key_condition, local, not_an_index_key, read_property, value_step,
};

/// Maximum number of conditions in one expression. A longer expression would be nested too deep for some tools.
const CONDITIONS: usize = 8;

/// Emits a statement that returns `false` unless all conditions are met, and removes the conditions.
fn refuse_unless(conditions: &mut Vec<String>, body: &mut Writer) {
    if !conditions.is_empty() {
        let all = conditions.join(" && ");
        body.line(format_args!("if ({}) return false;", negated(&all)));
        conditions.clear();
    }
}

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
        let common = self.common_condition(object, &guard, path, module);
        if common.is_none() {
            body.line(format_args!("if ({guard}) return false;"));
        }
        // Read a property right before its check. Most invalid values are refused early, and reading takes most of the time.
        let mut conditions = Vec::new();
        let skipped = common.as_ref().map_or(0, |(count, _)| *count);
        conditions.extend(common.map(|(_, condition)| condition));
        for (position, property) in object.properties.iter().enumerate().skip(skipped) {
            let read = read_property(&property.name, module);
            let path = path.step(&property.name);
            if let Some(condition) = self.property_condition(property, &read, &path, module) {
                conditions.push(condition);
                if conditions.len() == CONDITIONS && position + 1 < object.properties.len() {
                    refuse_unless(&mut conditions, body);
                }
                continue;
            }
            refuse_unless(&mut conditions, body);
            let name = local(&property.name, position);
            body.line(format_args!("const {name} = {read};"));
            if position + 1 == object.properties.len() && object.index.is_empty() {
                let condition = self.condition(property.r#type, &name, &path, module);
                if property.optional_in_input() {
                    let condition = operand(&condition);
                    body.line(format_args!("return {name} === undefined || {condition};"));
                } else {
                    body.line(format_args!("return {condition};"));
                }
                return;
            }
            let wrong = self.refusal(property, &name, &path, module);
            body.line(format_args!("if ({wrong}) return false;"));
        }
        if !object.index.is_empty() {
            refuse_unless(&mut conditions, body);
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
        } else if conditions.is_empty() {
            body.line("return true;");
        } else {
            body.line(format_args!("return {};", conditions.join(" && ")));
        }
    }

    /// Returns the condition on the first properties that several types have in common, and their number. The condition is a
    /// call of a function that these types share. The function also returns false if `guard` is true.
    fn common_condition(
        &self,
        object: &ObjectType,
        guard: &str,
        path: &Path<'_>,
        module: &mut Module,
    ) -> Option<(usize, String)> {
        let analysis = self.context.analysis;
        let count = analysis.common_properties(self.context.program, self.home, object);
        let mut conditions = Vec::new();
        for property in &object.properties[..count] {
            let read = read_property(&property.name, module);
            let path = path.step(&property.name);
            conditions.push(self.property_condition(property, &read, &path, module)?);
        }
        if count == 0 || module.uses_private_names(&conditions.concat()) {
            return None;
        }
        let mut body = Writer::default();
        body.line(format_args!("if ({guard}) return false;"));
        let mut chunks = conditions.chunks(CONDITIONS).peekable();
        while let Some(chunk) = chunks.next() {
            if chunks.peek().is_some() {
                refuse_unless(&mut chunk.to_vec(), &mut body);
            } else {
                body.line(format_args!("return {};", chunk.join(" && ")));
            }
        }
        let name = module.item("has", "function ", &function("value", body), path);
        Some((count, format!("{name}(value)")))
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
