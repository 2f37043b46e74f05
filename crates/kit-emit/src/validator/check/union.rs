//! Checks of unions: literals by comparison or with a `Set`, objects by properties that distinguish them. All other members
//! are tried.

use kit_analysis::{Candidates, Decision, Kinds, Member, UnionPlan, kinds, literals};
use kit_ir::TypeId;

use super::{Checker, operand};
use crate::text::{Module, PURE, Path, Writer, literal};
use crate::validator::names::read_property;
use crate::validator::tag_switch;

/// From this number of literals on, a `Set` is faster than comparisons.
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
            let values = literal::list("[", literals.iter().map(literal::value), "]");
            let choices = module.item(
                "choices",
                "const ",
                &format!(" = {PURE} new Set({values});\n"),
                path,
            );
            return format!("{choices}.has({value})");
        }
        if !self.is_simple_union(id, members) {
            return self.private_function(id, value, path, module);
        }
        let conditions: Vec<_> = members
            .iter()
            .map(|member| operand(&self.condition(*member, value, path, module)))
            .collect();
        format!("({})", conditions.join(" || "))
    }

    /// Returns true if one inline expression can try the members in order: at most one member is an object or
    /// array, or no property distinguishes the members and the attempts are cheap.
    pub(super) fn is_simple_union(&self, id: TypeId, members: &[TypeId]) -> bool {
        let with_parts = members
            .iter()
            .filter(|member| !kinds(self.context.program, **member).is_disjoint(Kinds::ARRAY | Kinds::OBJECT))
            .count();
        let plan = self.context.analysis.plan(id);
        with_parts <= 1
            || !matches!(plan.objects, Decision::Switch(_))
                && !self.is_entangled(plan, &plan.objects)
                && !self.is_entangled(plan, &plan.arrays)
    }

    /// Returns true if trying the members could check the same values inside of a recursive value again and
    /// again.
    fn is_entangled(&self, plan: &UnionPlan, decision: &Decision) -> bool {
        let Decision::Candidates(candidates) = decision else {
            return false;
        };
        let recursive = candidates
            .members
            .iter()
            .filter(|member| self.reaches_recursive(plan.members[**member].r#type));
        self.counts_depth && recursive.count() > 1
    }

    pub(super) fn union_body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let plan = self.context.analysis.plan(id);
        let scalars: Vec<_> = plan
            .scalars
            .iter()
            .map(|member| operand(&self.member(&plan.members[*member], path, module)))
            .collect();
        if !scalars.is_empty() {
            body.line(format_args!("if ({}) return true;", scalars.join(" || ")));
        }
        match &plan.arrays {
            Decision::NoMember => {}
            decision => {
                body.block("if (Array.isArray(value)) {", "}", |body| {
                    self.decide(id, decision, path, body, module);
                });
            }
        }
        if matches!(plan.objects, Decision::Switch(_)) {
            let is_object = module.helper("isObject");
            body.line(format_args!("if (!{is_object}(value)) return false;"));
        }
        self.decide(id, &plan.objects, path, body, module);
    }

    /// Emits code for one step of a union's plan: statements that end with `return`.
    fn decide(
        &self,
        id: TypeId,
        decision: &Decision,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let plan = self.context.analysis.plan(id);
        match decision {
            Decision::NoMember => body.line("return false;"),
            Decision::Member(member) => {
                let condition = self.member(&plan.members[*member], path, module);
                body.line(format_args!("return {condition};"));
            }
            Decision::Candidates(candidates) => {
                let condition = self.candidates(id, decision, candidates, path, module);
                body.line(format_args!("return {condition};"));
            }
            Decision::Switch(switch) => {
                let tag = read_property(&switch.property, module);
                tag_switch(&tag, switch, path, body, |decision, path, body| {
                    self.decide(id, decision, path, body, module);
                });
            }
        }
    }

    fn candidates(
        &self,
        id: TypeId,
        decision: &Decision,
        candidates: &Candidates,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        let plan = self.context.analysis.plan(id);
        if self.is_entangled(plan, decision)
            && let Some(union) = self.context.analysis.trial_union(self.home, id)
        {
            return format!(
                "{}({union}, value, {})",
                module.helper("fitsUnion"),
                self.depth(0)
            );
        }
        let conditions: Vec<_> = candidates
            .members
            .iter()
            .map(|member| operand(&self.member(&plan.members[*member], path, module)))
            .collect();
        conditions.join(" || ")
    }

    /// Returns the condition for a member of a union. Each recursive union between the union and the member
    /// counts as a level of depth.
    fn member(&self, member: &Member, path: &Path<'_>, module: &mut Module) -> String {
        let entered = member
            .containing_unions
            .iter()
            .filter(|declaration| self.context.analysis.is_recursive(**declaration));
        let checker = Checker {
            entered_levels: self.entered_levels + entered.count(),
            ..*self
        };
        checker.condition(member.r#type, "value", path, module)
    }
}
