//! Rules that doc tags and database columns add to types. The shape of a type has no rules, so they are
//! collected separately.

use super::types::{RuleSource, State};
use super::{Evaluator, Ty, TyId};
use crate::modules::DeclKind;

impl Evaluator<'_> {
    /// Returns the sources of all rules that apply to a type, the outermost first: rules of the type aliases
    /// that lead to the type, and rules of the members of an intersection.
    pub(crate) fn rules_around(&mut self, ty: TyId) -> Vec<RuleSource> {
        let mut rules = Vec::new();
        self.collect_rules(ty, &mut rules);
        rules
    }

    fn collect_rules(&mut self, ty: TyId, rules: &mut Vec<RuleSource>) {
        let mut at = ty;
        let mut passed = Vec::new();
        loop {
            at = self.without_laziness(at);
            at = match self.store.get(at).clone() {
                Ty::Named(instance) if !passed.contains(&instance) => {
                    passed.push(instance);
                    let named = &self.store.instances[instance.index()];
                    let is_alias = matches!(self.graph.decl(named.decl).kind, DeclKind::Alias(_));
                    if !is_alias || named.body == State::InProgress {
                        return;
                    }
                    self.body(instance)
                }
                Ty::Constrained(inner, source) => {
                    if !rules.contains(&source) {
                        rules.push(source);
                    }
                    inner
                }
                Ty::Intersection(members) => {
                    for member in members.iter() {
                        self.collect_rules(*member, rules);
                    }
                    return;
                }
                _ => return,
            };
        }
    }

    /// Returns a type with rules. The first of the sources is the outermost.
    pub(crate) fn ruled(&mut self, ty: TyId, rules: &[RuleSource]) -> TyId {
        rules
            .iter()
            .rev()
            .fold(ty, |ty, source| self.store.add(Ty::Constrained(ty, *source)))
    }

    /// Returns the shape of an intersection with the rules of its members. Objects have no rules themselves,
    /// but their properties keep their rules.
    pub(super) fn ruled_intersection(&mut self, intersection: TyId) -> TyId {
        let shape = self.shape(intersection);
        if matches!(
            self.store.get(shape),
            Ty::Object(_) | Ty::Union(_) | Ty::Never | Ty::Invalid(_)
        ) {
            return shape;
        }
        let rules = self.rules_around(intersection);
        self.ruled(shape, &rules)
    }

    /// Returns a key type with the rules of two key types. A key must satisfy the rules of both types.
    pub(super) fn both_rules(&mut self, a: Option<TyId>, b: Option<TyId>) -> Option<TyId> {
        match (a, b) {
            (Some(a), Some(b)) if a != b => {
                let known = self.rules_around(a);
                let rules = self.rules_around(b);
                let new: Vec<RuleSource> = rules
                    .into_iter()
                    .filter(|source| !known.contains(source))
                    .collect();
                Some(self.ruled(a, &new))
            }
            (a, b) => a.or(b),
        }
    }

    /// Returns a template with the rules of its placeholders. The compiler reports these rules as errors
    /// later, because no validator checks a part of a string.
    pub(super) fn with_ruled_placeholders(&mut self, template: TyId, placeholders: &[TyId]) -> TyId {
        let mut rules = Vec::new();
        for placeholder in placeholders {
            let shape = self.shape(*placeholder);
            let members = match self.store.get(shape).clone() {
                Ty::Union(members) => members,
                _ => [shape].into(),
            };
            let mut many = members
                .iter()
                .filter(|member| !self.is_one_text(**member))
                .peekable();
            if many.peek().is_none() {
                continue;
            }
            let many: Vec<TyId> = many.copied().collect();
            for part in [*placeholder].into_iter().chain(many) {
                for source in self.rules_around(part) {
                    // Rules of a database column apply to a complete value, not to a part of a string.
                    let RuleSource::Doc(doc) = source else { continue };
                    if !self.store.doc(doc).limits() {
                        continue;
                    }
                    let source = RuleSource::Doc(self.store.doc_in_template(doc));
                    if !rules.contains(&source) {
                        rules.push(source);
                    }
                }
            }
        }
        self.ruled(template, &rules)
    }

    /// Returns true if exactly one string fits a type. Such a type needs no rules.
    fn is_one_text(&self, ty: TyId) -> bool {
        matches!(
            self.store.get(ty),
            Ty::Literal(_) | Ty::EnumMember(_) | Ty::Null | Ty::Undefined
        )
    }
}
