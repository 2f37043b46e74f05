//! Unions: literals by comparison or by a set, objects by their discriminant, anything else member by member.

use kit_ir::{TypeId, TypeKind};

use super::{Checker, operand};
use crate::analysis::{discriminant, literals, ordered_members};
use crate::text::{Module, Path, Writer, literal};
use crate::validator::names::is_inherited;

/// From so many literals on, a set is faster than comparing one by one.
const SET_FROM: usize = 9;

impl Checker<'_> {
    pub(super) fn union_condition(
        &self,
        id: TypeId,
        members: &[TypeId],
        value: &str,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        if let Some(literals) = literals(self.context.program, id)
            && literals.len() >= SET_FROM
        {
            let choices = module.once("choices", id.0.to_string(), path, |module, name| {
                let values = literal::list("[", literals.iter().map(literal::value), "]");
                let mut writer = Writer::default();
                writer.line(format_args!(
                    "const {name}: ReadonlySet<unknown> = new Set({values});"
                ));
                module.push(writer);
            });
            return format!("{choices}.has({value})");
        }
        if self.simple_union(id).is_none() {
            return self.private_function(id, value, path, module);
        }
        let conditions: Vec<_> = members
            .iter()
            .map(|member| operand(&self.condition(*member, value, path, module)))
            .collect();
        format!("({})", conditions.join(" || "))
    }

    /// Something where the union is one inline expression: at most one of its members is an object.
    pub(super) fn simple_union(&self, id: TypeId) -> Option<()> {
        let TypeKind::Union { members } = &self.context.program.types[id].kind else {
            return None;
        };
        discriminant(self.context.program, members)
            .is_none()
            .then_some(())
    }

    pub(super) fn union_body(
        &self,
        members: &[TypeId],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let program = self.context.program;
        let found = discriminant(program, members);
        let members = ordered_members(program, members);
        let is_case = |id: &TypeId| {
            found
                .as_ref()
                .is_some_and(|found| found.cases.iter().any(|(case, _)| case == id))
        };
        for (position, member) in members.iter().enumerate().filter(|(_, member)| !is_case(member)) {
            let condition =
                self.condition(*member, "value", &path.step(&format!("Member{position}")), module);
            body.line(format_args!("if ({condition}) return true;"));
        }
        let Some(found) = found else {
            body.line("return false;");
            return;
        };
        let is_object = module.helper("isObject");
        body.line(format_args!("if (!{is_object}(value)) return false;"));
        let property = literal::string(&found.property);
        let tag = if is_inherited(&found.property) {
            format!("{}(value, {property})", module.helper("own"))
        } else {
            format!("value[{property}]")
        };
        body.block(format_args!("switch ({tag}) {{"), "}", |body| {
            for (position, (member, literals)) in found.cases.iter().enumerate() {
                for literal in literals {
                    body.line(format_args!("case {}:", literal::value(literal)));
                }
                let condition =
                    self.condition(*member, "value", &path.step(&format!("Case{position}")), module);
                body.line(format_args!("  return {condition};"));
            }
            body.line("default:");
            body.line("  return false;");
        });
    }
}
