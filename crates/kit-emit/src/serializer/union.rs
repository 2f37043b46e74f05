//! Serializers of unions: select the member that a handler's value belongs to. They refuse a value that belongs to no member.

use kit_analysis::{Decision, Switch, literals, resolve};
use kit_ir::{LiteralValue, TypeId, TypeKind};

use super::{Serializers, literal_text};
use crate::text::{Module, PURE, Path, Writer, literal};
use crate::validator::{self, read_property, tag_switch};

/// Number of literals from which a `Set` is faster than comparisons.
const SET_FROM: usize = 9;

impl Serializers<'_> {
    /// Returns the functions of the runtime that write the members of a union, each function once. Returns an
    /// empty list if a member is not a scalar, or if the union contains literals or templates.
    pub(super) fn uniform(&self, members: &[TypeId]) -> Vec<&'static str> {
        let program = self.context.program;
        let mut helpers = Vec::new();
        for member in members {
            let helper = match &program.types[resolve(program, *member)].kind {
                TypeKind::Null => "null",
                TypeKind::Boolean => "writeBoolean",
                TypeKind::Number => "writeNumber",
                TypeKind::String => "writeString",
                TypeKind::BigInt => "writeBigInt",
                TypeKind::Date => "writeDate",
                TypeKind::Bytes => "writeBytes",
                _ => return Vec::new(),
            };
            if !helpers.contains(&helper) {
                helpers.push(helper);
            }
        }
        helpers
    }

    /// Emits code that finds the member to which a value belongs: first scalars by their type, then arrays,
    /// then objects.
    pub(super) fn union_body(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        if let Some(literals) = literals(self.context.program, id)
            && literals.len() >= SET_FROM
            && literals
                .iter()
                .all(|value| matches!(value, LiteralValue::String(_)))
        {
            many_literals(&literals, path, body, module);
            return;
        }
        let plan = self.context.analysis.plan(id);
        self.scalars(id, path, body, module);
        if plan.arrays != Decision::NoMember {
            if plan.objects == Decision::NoMember {
                self.decide(id, &plan.arrays, path, body, module);
                return;
            }
            body.block("if (Array.isArray(value)) {", "}", |body| {
                self.decide(id, &plan.arrays, path, body, module);
            });
        }
        if matches!(plan.objects, Decision::Switch(_)) {
            let (is_object, refuse) = (module.helper("isObject"), module.helper("refuse"));
            body.line(format_args!("if (!{is_object}(value)) {refuse}(value);"));
        }
        self.decide(id, &plan.objects, path, body, module);
    }

    /// Emits code that finds the member to which a scalar belongs. If the union contains `string`, its string
    /// literals and templates need no code.
    fn scalars(&self, id: TypeId, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let program = self.context.program;
        let plan = self.context.analysis.plan(id);
        let types: Vec<_> = plan
            .scalars
            .iter()
            .map(|member| resolve(program, plan.members[*member].r#type))
            .collect();
        let has = |kind: &TypeKind| types.iter().any(|id| program.types[*id].kind == *kind);
        let mut tested: Vec<String> = Vec::new();
        for (position, member) in types.iter().enumerate() {
            let kind = &program.types[*member].kind;
            let test = match kind {
                TypeKind::Null => "value === null".to_owned(),
                TypeKind::Boolean => "typeof value === \"boolean\"".to_owned(),
                TypeKind::Number => "typeof value === \"number\"".to_owned(),
                TypeKind::String => "typeof value === \"string\"".to_owned(),
                TypeKind::BigInt => "typeof value === \"bigint\"".to_owned(),
                TypeKind::Date => "value instanceof Date".to_owned(),
                TypeKind::Bytes => "value instanceof Uint8Array".to_owned(),
                TypeKind::Template { .. } if has(&TypeKind::String) => continue,
                TypeKind::Template { parts } => self.template_test(parts, position, path, module),
                TypeKind::Literal { value } => {
                    let whole = match value {
                        LiteralValue::String(_) => TypeKind::String,
                        LiteralValue::Number(_) => TypeKind::Number,
                        LiteralValue::Boolean(_) => TypeKind::Boolean,
                        LiteralValue::BigInt(_) => TypeKind::BigInt,
                    };
                    if has(&whole) {
                        continue;
                    }
                    format!("value === {}", literal::value(value))
                }
                TypeKind::Unknown
                | TypeKind::Never
                | TypeKind::Array { .. }
                | TypeKind::Tuple { .. }
                | TypeKind::Object(_)
                | TypeKind::Union { .. }
                | TypeKind::Reference { .. } => continue,
            };
            if tested.contains(&test) {
                continue;
            }
            let text = match kind {
                TypeKind::Literal { value } => literal_text(value),
                TypeKind::Template { .. } => format!("{}(value)", module.helper("writeString")),
                TypeKind::Null => literal::string("null"),
                _ => self.expression(*member, "value", path, module),
            };
            body.line(format_args!("if ({test}) return {text};"));
            tested.push(test);
        }
    }

    fn template_test(
        &self,
        parts: &[kit_ir::TemplatePart],
        position: usize,
        path: &Path<'_>,
        module: &mut Module,
    ) -> String {
        let step = format!("Member{position}");
        let program = self.context.program;
        let texts = crate::validator::template_test(program, parts, &path.step(&step), module);
        format!("typeof value === \"string\" && {texts}.test(value)")
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
            Decision::NoMember => {
                let refuse = module.helper("refuse");
                body.line(format_args!("return {refuse}(value);"));
            }
            Decision::Member(member) => {
                let step = format!("Member{member}");
                let text = self.expression(plan.members[*member].r#type, "value", &path.step(&step), module);
                body.line(format_args!("return {text};"));
            }
            Decision::Candidates(candidates) => {
                self.picked(id, &candidates.members, path, body, module);
            }
            Decision::Switch(switch) => self.switched(id, switch, path, body, module),
        }
    }

    fn picked(&self, id: TypeId, members: &[usize], path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let analysis = self.context.analysis;
        let plan = analysis.plan(id);
        let selector = if analysis.passes_selector(self.home) {
            "selector".to_owned()
        } else {
            format!("new {}(\"value\")", module.helper("MemberSelector"))
        };
        let name = analysis.trial_union(self.home, id).unwrap_or_default();
        let home = &self.context.program.declarations[self.home].name;
        module.value(&validator::import_path(home), name);
        body.block(
            format_args!("switch ({selector}.memberIndex({name}, value)) {{"),
            "}",
            |body| {
                for member in members {
                    let step = format!("Member{member}");
                    let text =
                        self.expression(plan.members[*member].r#type, "value", &path.step(&step), module);
                    body.line(format_args!("case {member}:"));
                    body.line(format_args!("  return {text};"));
                }
                let refuse = module.helper("refuse");
                body.line("default:");
                body.line(format_args!("  return {refuse}(value);"));
            },
        );
    }

    fn switched(&self, id: TypeId, switch: &Switch, path: &Path<'_>, body: &mut Writer, module: &mut Module) {
        let tag = read_property(&switch.property, module);
        tag_switch(&tag, switch, path, body, |decision, path, body| {
            self.decide(id, decision, path, body, module);
        });
    }
}

/// Emits code that checks many literals with a `Set`.
fn many_literals(literals: &[LiteralValue], path: &Path<'_>, body: &mut Writer, module: &mut Module) {
    let values = literal::list("[", literals.iter().map(literal::value), "]");
    let choices = module.item(
        "choices",
        "const ",
        &format!(" = {PURE} new Set({values});\n"),
        path,
    );
    let (refuse, write) = (module.helper("refuse"), module.helper("writeString"));
    body.line(format_args!(
        "return {choices}.has(value) ? {write}(value) : {refuse}(value);"
    ));
}
