//! Rules that follow from doc tags: a property with `@references` has the rules of the property that the tag
//! names.

use kit_ir::Constraints;

use super::Lowering;
use crate::docs::{Doc, Implied, TagName, combined_rules, generated, reference_target, rules_of, stored};
use crate::eval::{RuleSource, Ty, TyId};
use crate::modules::DeclId;

/// Maximum length of a chain of names that refer to each other. A longer chain is a cycle.
const MAX_STEPS: u32 = 10_000;

impl Lowering<'_> {
    /// Registers an entity by its name for `@references`. If two entities have the same name, the one that
    /// keeps its name in the IR is registered.
    pub(crate) fn add_entity(&mut self, decl: DeclId) {
        let ty = self.eval.declared(decl);
        let name = self.eval.pascal_name(ty);
        let order = |lowering: &Self, decl: DeclId| {
            let decl = lowering.graph().decl(decl);
            let module = lowering.graph().module(decl.module);
            (module.display.clone(), decl.span.start)
        };
        let is_first = match self.entities.get(&name) {
            Some(known) => order(self, decl) < order(self, *known),
            None => true,
        };
        if is_first {
            self.entities.insert(name, decl);
        }
    }

    /// Returns the rules that follow from the tags of a comment.
    pub(super) fn implied(&mut self, doc: &Doc) -> Vec<Implied> {
        let mut implied: Vec<_> = generated(doc).into_iter().chain(stored(doc)).collect();
        for tag in doc.all(TagName::References) {
            if let Some(target) = reference_target(tag) {
                let key = self.key_rules(&target.entity, &target.property, &mut Vec::new());
                implied.extend(Implied::by_reference(tag, key));
            }
        }
        implied
    }

    /// Returns the rules of an entity's property, including rules from its own `@references`. Returns no
    /// rules if the property does not exist, which is reported elsewhere. `seen` contains the properties that
    /// led to this property, because references may form a cycle.
    fn key_rules(&mut self, entity: &str, property: &str, seen: &mut Vec<(String, String)>) -> Constraints {
        let mut rules = Constraints::default();
        let key = (entity.to_owned(), property.to_owned());
        let Some(decl) = self
            .entities
            .get(entity)
            .copied()
            .filter(|_| !seen.contains(&key))
        else {
            return rules;
        };
        seen.push(key);
        let declared = self.eval.declared(decl);
        let object = self.eval.as_object(declared);
        let Some(ty) = object
            .as_ref()
            .and_then(|object| object.property(property))
            .map(|property| property.ty)
        else {
            return rules;
        };
        let mut at = ty;
        // A cycle of names is a mistake. It is reported where the type is needed.
        for _ in 0..MAX_STEPS {
            at = self.eval.without_laziness(at);
            at = match self.eval.store.get(at).clone() {
                Ty::Constrained(inner, source) => {
                    rules = self.and_rules(rules, source, seen);
                    inner
                }
                Ty::Named(instance) => self.eval.body(instance),
                Ty::Branded(base, brand) => {
                    if let Some(digits) = self.eval.digits_of_brand(brand) {
                        rules = combined_rules(rules, &Constraints::of_digits(digits));
                    }
                    for source in self.eval.rules_of_type_tags(brand, self.place) {
                        rules = self.and_rules(rules, source, seen);
                    }
                    base
                }
                Ty::Intersection(_) => {
                    for source in self.eval.rules_around(at) {
                        rules = self.and_rules(rules, source, seen);
                    }
                    self.eval.shape(at)
                }
                Ty::Union(members) => match self.only_value(&members) {
                    Some(member) => member,
                    None => break,
                },
                _ => break,
            };
        }
        rules
    }

    /// Combines `rules` with the rules of a comment or a database column.
    fn and_rules(
        &mut self,
        rules: Constraints,
        source: RuleSource,
        seen: &mut Vec<(String, String)>,
    ) -> Constraints {
        let RuleSource::Doc(doc) = source else {
            return combined_rules(rules, &Constraints::bigint_column());
        };
        let doc = self.eval.store.doc(doc);
        let mut rules = combined_rules(rules, &rules_of(self.graph(), &doc));
        for target in doc.all(TagName::References).filter_map(reference_target) {
            let further = self.key_rules(&target.entity, &target.property, seen);
            rules = combined_rules(rules, &further);
        }
        rules
    }

    /// Returns the only member of a union besides `null` and `undefined`; `None` if there are several such
    /// members.
    fn only_value(&self, members: &[TyId]) -> Option<TyId> {
        let mut values = members
            .iter()
            .filter(|member| !matches!(self.eval.store.get(**member), Ty::Null | Ty::Undefined));
        let first = values.next()?;
        values.next().is_none().then_some(*first)
    }
}
