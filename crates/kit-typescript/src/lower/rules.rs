//! Lowering of types with rules, from doc comments and database columns.

use kit_ir::{Constraints, Digits, TypeId};

use super::Lowering;
use crate::docs::{Misfit, apply_constraints, limit_bigints};
use crate::eval::{RuleSource, Ty, TyId};

impl Lowering<'_> {
    /// Converts a type with rules to the IR.
    pub(super) fn constrained(&mut self, inner: TyId, source: RuleSource) -> TypeId {
        let shape = self.eval.shape(inner);
        let has_none = match source {
            RuleSource::Column => false,
            RuleSource::Doc(doc) => {
                let doc = self.eval.store.doc(doc);
                !doc.limits() && self.implied(&doc).is_empty()
            }
        };
        // No rule fits an object, so it stays a reference to its declaration. Any other named type with rules
        // does not.
        let id = match self.eval.store.get(shape) {
            _ if has_none => return self.lower(inner),
            Ty::Object(_) => self.lower(inner),
            _ => self.structure(inner),
        };
        if self.has_failed(id) {
            return id;
        }
        self.with_rules(id, source, Misfit::Reported)
    }

    /// Adds rules to a type of the IR. `misfit` decides if a rule that does not fit the type is an error.
    pub(super) fn with_rules(&mut self, id: TypeId, source: RuleSource, misfit: Misfit) -> TypeId {
        let RuleSource::Doc(doc) = source else {
            return limit_bigints(&mut self.program, id);
        };
        let doc = self.eval.store.doc(doc);
        let implied = self.implied(&doc);
        let mut issues = Vec::new();
        let id = apply_constraints(
            &self.eval.graph,
            &mut self.program,
            id,
            &doc,
            &implied,
            misfit,
            &mut issues,
        );
        self.report_all(issues);
        id
    }

    /// Returns the type of a decimal number as text.
    pub(super) fn decimal(&mut self, id: TypeId, digits: Digits) -> TypeId {
        let mut r#type = self.program.types[id].clone();
        r#type.constraints = Constraints::of_digits(digits);
        self.program.add_type(r#type)
    }

    /// Returns the union of the members without their brands, such as `string` for `string & { __brand: "Id"
    /// }`. Returns `None` if no member has a brand.
    pub(super) fn unbranded(&mut self, members: &[TyId]) -> Option<TyId> {
        let mut branded = false;
        let mut plain = Vec::with_capacity(members.len());
        for member in members {
            let shape = self.eval.shape(*member);
            match self.eval.store.get(shape).clone() {
                Ty::Branded(base, brand)
                    if self.eval.digits_of_brand(brand).is_none() && !self.eval.has_type_tags(brand) =>
                {
                    branded = true;
                    let rules = self.eval.rules_around(*member);
                    plain.push(self.eval.ruled(base, &rules));
                }
                _ => plain.push(*member),
            }
        }
        branded.then(|| self.eval.union(plain))
    }
}
