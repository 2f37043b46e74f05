//! Unions: which member a handler's value is.

use kit_ir::{LiteralValue, TypeId, TypeKind};

use super::{Serializers, literal_writer, read};
use crate::analysis::{Discriminant, discriminant, ordered_members, resolve};
use crate::text::{Module, Path, Writer, literal};
use crate::validator::Shapes;

impl Serializers<'_> {
    /// The distinct helpers that write the members of a union; empty where a member is no scalar.
    pub(super) fn uniform(&self, members: &[TypeId]) -> Vec<&'static str> {
        let mut helpers = Vec::new();
        for member in members {
            let helper = match &self.context.program.types[resolve(self.context.program, *member)].kind {
                TypeKind::Null => "null",
                TypeKind::Boolean => "writeBoolean",
                TypeKind::Number => "writeNumber",
                TypeKind::String | TypeKind::Template { .. } => "writeString",
                TypeKind::BigInt => "writeBigInt",
                TypeKind::Date => "writeDate",
                TypeKind::Bytes => "writeBytes",
                TypeKind::Literal { value } => literal_writer(value),
                _ => return Vec::new(),
            };
            if !helpers.contains(&helper) {
                helpers.push(helper);
            }
        }
        helpers
    }

    /// Members by what the value is: scalars by their type, arrays, then objects by discriminant or by fit.
    pub(super) fn union_body(
        &self,
        members: &[TypeId],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let program = self.context.program;
        let found = discriminant(program, members);
        let ordered = ordered_members(program, members);
        let mut tested: Vec<&str> = Vec::new();
        let mut containers = Vec::new();
        for (position, member) in ordered.iter().enumerate() {
            let resolved = resolve(program, *member);
            let test = match &program.types[resolved].kind {
                TypeKind::Null => "value === null",
                TypeKind::Boolean => "typeof value === \"boolean\"",
                TypeKind::Number => "typeof value === \"number\"",
                TypeKind::String | TypeKind::Template { .. } => "typeof value === \"string\"",
                TypeKind::BigInt => "typeof value === \"bigint\"",
                TypeKind::Date => "value instanceof Date",
                TypeKind::Bytes => "value instanceof Uint8Array",
                TypeKind::Literal { value } => match value {
                    LiteralValue::String(_) => "typeof value === \"string\"",
                    LiteralValue::Number(_) => "typeof value === \"number\"",
                    LiteralValue::Boolean(_) => "typeof value === \"boolean\"",
                    LiteralValue::BigInt(_) => "typeof value === \"bigint\"",
                },
                TypeKind::Never => continue,
                TypeKind::Unknown
                | TypeKind::Array { .. }
                | TypeKind::Tuple { .. }
                | TypeKind::Object(_)
                | TypeKind::Union { .. }
                | TypeKind::Reference { .. } => {
                    containers.push((position, *member));
                    continue;
                }
            };
            if tested.contains(&test) {
                continue;
            }
            tested.push(test);
            let text = self.expression(resolved, "value", path, module);
            body.line(format_args!("if ({test}) return {text};"));
        }
        self.container_members(&containers, found.as_ref(), path, body, module);
    }

    fn container_members(
        &self,
        containers: &[(usize, TypeId)],
        found: Option<&Discriminant>,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let refuse = module.helper("refuse");
        if let [(position, only)] = containers {
            let text = self.expression(*only, "value", &path.step(&format!("Member{position}")), module);
            body.line(format_args!("return {text};"));
            return;
        }
        let is_case = |id: TypeId| found.is_some_and(|found| found.cases.iter().any(|(case, _)| *case == id));
        for (position, member) in containers.iter().filter(|(_, member)| !is_case(*member)) {
            let step = format!("Member{position}");
            let path = path.step(&step);
            let (shape, fits) = (self.hoisted_shape(*member, &path, module), module.helper("fits"));
            let text = self.expression(*member, "value", &path, module);
            body.line(format_args!(
                "if ({fits}({shape}, value, \"value\")) return {text};"
            ));
        }
        let Some(found) = found else {
            body.line(format_args!("return {refuse}(value);"));
            return;
        };
        let is_object = module.helper("isObject");
        body.line(format_args!("if (!{is_object}(value)) {refuse}(value);"));
        let tag = read(&found.property, module);
        body.block(format_args!("switch ({tag}) {{"), "}", |body| {
            for (position, (member, literals)) in found.cases.iter().enumerate() {
                for literal in literals {
                    body.line(format_args!("case {}:", literal::value(literal)));
                }
                let text = self.expression(*member, "value", &path.step(&format!("Case{position}")), module);
                body.line(format_args!("  return {text};"));
            }
            body.line("default:");
            body.line(format_args!("  return {refuse}(value);"));
        });
    }

    fn hoisted_shape(&self, id: TypeId, path: &Path<'_>, module: &mut Module) -> String {
        module.once("shape", id.0.to_string(), path, |module, name| {
            let shape = module.codec_type("Shape");
            let text = Shapes::new(self.context, None).shape(id, None, path, module);
            let mut writer = Writer::default();
            writer.line(format_args!("const {name}: {shape} = {text};"));
            module.push(writer);
        })
    }
}
