//! Decodes unions: a value is decoded as the member that drops the fewest of its properties. The value is valid, so the last
//! member is used without a check.

use kit_analysis::{Decision, Switch, UnionPlan};
use kit_ir::{TypeId, TypeKind};

use super::check::Checker;
use super::decode::Decoder;
use super::names::read_property;
use super::tag_switch::labels;
use crate::text::{Module, Path, Writer};

/// A union for which code is written.
struct Union<'a> {
    id: TypeId,
    plan: &'a UnionPlan,
}

impl Decoder<'_> {
    pub(super) fn union_body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let plan = self.context.analysis.plan(id);
        let union = Union { id, plan };
        let arrays = !self.passes(&union, &plan.arrays);
        let objects = !self.passes(&union, &plan.objects);
        // True if some values are returned unchanged. The final `return value` does so.
        let mut passes = (!arrays && plan.arrays != Decision::NoMember)
            || (!objects && plan.objects != Decision::NoMember);
        let checker = Checker::uncounted(self.context, self.home);
        for (position, index) in plan.scalars.iter().enumerate() {
            let rest = &plan.scalars[position..];
            if rest
                .iter()
                .all(|index| self.is_identity(plan.members[*index].r#type))
            {
                passes = true;
                break;
            }
            let member = plan.members[*index].r#type;
            if self.context.program.types[member].kind == TypeKind::Unknown && (arrays || objects) {
                // Skip this member: the code for arrays and objects comes first, because it may find a better member.
                continue;
            }
            let step = format!("Member{index}");
            let path = path.step(&step);
            let value = self.expression(member, "value", &path, module);
            if rest.len() == 1 && !arrays && !objects && !passes {
                body.line(format_args!("return {value};"));
                return;
            }
            let condition = checker.condition(member, "value", &path, module);
            body.line(format_args!("if ({condition}) return {value};"));
        }
        if arrays && (objects || passes) {
            body.block("if (Array.isArray(value)) {", "}", |body| {
                self.decide(&union, &plan.arrays, path, body, module);
            });
        } else if arrays {
            self.decide(&union, &plan.arrays, path, body, module);
            return;
        }
        if !objects {
            body.line("return value;");
            return;
        }
        if passes {
            let is_object = module.helper("isObject");
            body.line(format_args!("if (!{is_object}(value)) return value;"));
        }
        self.decide(&union, &plan.objects, path, body, module);
    }

    /// Returns true if decoding changes nothing, because every member of the union returns the value
    /// unchanged.
    fn passes(&self, union: &Union<'_>, decision: &Decision) -> bool {
        match decision {
            Decision::NoMember => true,
            Decision::Member(member) => self.is_identity(union.plan.members[*member].r#type),
            Decision::Candidates(candidates) => candidates
                .members
                .iter()
                .all(|member| self.is_identity(union.plan.members[*member].r#type)),
            Decision::Switch(switch) => {
                let cases = switch.cases.iter().map(|case| &case.decision);
                cases
                    .chain([&*switch.otherwise])
                    .all(|decision| self.passes(union, decision))
            }
        }
    }

    /// Emits code for one step of a union's plan: statements that end with `return`.
    fn decide(
        &self,
        union: &Union<'_>,
        decision: &Decision,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        if self.passes(union, decision) {
            body.line("return value;");
            return;
        }
        match decision {
            Decision::NoMember => {}
            Decision::Member(member) => {
                let value = self.member(union, *member, path, module);
                body.line(format_args!("return {value};"));
            }
            Decision::Candidates(candidates) => {
                if candidates.disjoint && !self.context.analysis.passes_selector(self.home) {
                    self.first_that_fits(union, &candidates.members, path, body, module);
                } else {
                    self.picked(union, &candidates.members, path, body, module);
                }
            }
            Decision::Switch(switch) => self.switched(union, switch, path, body, module),
        }
    }

    fn member(&self, union: &Union<'_>, member: usize, path: &Path<'_>, module: &mut Module) -> String {
        let step = format!("Member{member}");
        self.expression(
            union.plan.members[member].r#type,
            "value",
            &path.step(&step),
            module,
        )
    }

    /// Emits code for members of a union of which a value can match only one. The code uses the first match.
    fn first_that_fits(
        &self,
        union: &Union<'_>,
        members: &[usize],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let checker = Checker::uncounted(self.context, self.home);
        for (position, member) in members.iter().enumerate() {
            let value = self.member(union, *member, path, module);
            if position + 1 == members.len() {
                body.line(format_args!("return {value};"));
                return;
            }
            let step = format!("Member{member}");
            let r#type = union.plan.members[*member].r#type;
            let condition = checker.condition(r#type, "value", &path.step(&step), module);
            body.line(format_args!("if ({condition}) return {value};"));
        }
    }

    /// Emits code for members of a union of which a value can match several. The code lets the runtime select
    /// a member.
    fn picked(
        &self,
        union: &Union<'_>,
        members: &[usize],
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let selector = if self.context.analysis.passes_selector(self.home) {
            "selector".to_owned()
        } else {
            format!("new {}(\"wire\")", module.helper("MemberSelector"))
        };
        let name = self
            .context
            .analysis
            .trial_union(self.home, union.id)
            .unwrap_or_default();
        body.block(
            format_args!("switch ({selector}.memberIndex({name}, value)) {{"),
            "}",
            |body| {
                for (position, member) in members.iter().enumerate() {
                    if position + 1 == members.len() {
                        body.line("default:");
                    } else {
                        body.line(format_args!("case {member}:"));
                    }
                    let value = self.member(union, *member, path, module);
                    body.line(format_args!("  return {value};"));
                }
            },
        );
    }

    fn switched(
        &self,
        union: &Union<'_>,
        switch: &Switch,
        path: &Path<'_>,
        body: &mut Writer,
        module: &mut Module,
    ) {
        let tag = read_property(&switch.property, module);
        let known = *switch.otherwise == Decision::NoMember;
        body.block(format_args!("switch ({tag}) {{"), "}", |body| {
            for (position, case) in switch.cases.iter().enumerate() {
                if known && position + 1 == switch.cases.len() {
                    body.line("default:");
                } else {
                    body.line(labels(&case.values));
                }
                body.deeper(|body| self.decide(union, &case.decision, path, body, module));
            }
            if !known {
                body.line("default:");
                body.deeper(|body| self.decide(union, &switch.otherwise, path, body, module));
            }
        });
    }
}
