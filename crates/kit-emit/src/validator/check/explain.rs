//! Emits the function that finds all invalid properties of an object. The function has the same conditions as the
//! check, but does not stop at the first failure.
//!
//! The runtime takes the message and path of a failure from the shape, by the index of the property.

use kit_analysis::resolve;
use kit_ir::{ObjectType, TypeId, TypeKind};

use super::Checker;
use crate::text::{Module, Path, Writer};
use crate::validator::names::{local, read_property};

impl Checker<'_> {
    /// Returns the name of a generated function that lists the failures of a value. For a property with an
    /// object or a list, the function only tells the runtime to visit the value.
    pub(crate) fn explain(
        &self,
        id: TypeId,
        object: &ObjectType,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        module.item_once("explain", id.0.to_string(), path, |module, name| {
            let mut body = Writer::default();
            for (position, property) in object.properties.iter().enumerate() {
                let read = read_property(&property.name, module);
                if self.has_parts(property.r#type) {
                    body.line(format_args!("explainer.visit({position}, {read});"));
                    continue;
                }
                let local = local(&property.name, position);
                let path = path.step(&property.name);
                let wrong = self.refusal(property, &local, &path, module);
                body.line(format_args!("const {local} = {read};"));
                body.line(format_args!(
                    "if ({wrong}) explainer.refuse({position}, {local});"
                ));
            }
            let mut writer = Writer::default();
            writer.block(
                format_args!("function {name}(value, explainer) {{"),
                "}",
                |writer| writer.line(body.inner()),
            );
            module.push(writer);
        })
    }

    /// Returns true if values of the type have properties or items, so that a failure may concern a part of
    /// the value.
    pub(crate) fn has_parts(&self, id: TypeId) -> bool {
        let program = self.context.program;
        match &program.types[resolve(program, id)].kind {
            TypeKind::Object(_) | TypeKind::Array { .. } | TypeKind::Tuple { .. } => true,
            TypeKind::Union { members } => members.iter().any(|member| self.has_parts(*member)),
            _ => false,
        }
    }
}
