//! Lowering of properties, and of their doc tags.

use kit_ir::{Documentation, Property, PropertyTags, TypeKind};

use super::{Lowering, Tagged};
use crate::docs::{Target, documentation, examples, misplaced, property_tags};
use crate::eval::{self, Ty, TyId};

impl Lowering<'_> {
    /// Converts a property to the IR, without its doc tags. The tags are read later, because they need the
    /// types of all declarations.
    pub(super) fn property(&mut self, property: &eval::Property) -> Property {
        let written = self.eval.written_at(property.ty);
        self.eval.set_location(written.unwrap_or(property.location));
        let declared = self.eval.type_of(property);
        let (ty, absent) = self.without_undefined(declared);
        let place = std::mem::replace(&mut self.place, written.unwrap_or(property.location));
        let r#type = self.lower(ty);
        self.place = place;
        let mut about = Documentation::default();
        if let Some(doc) = property.doc {
            let doc = self.eval.store.doc(doc);
            about = documentation(&doc);
            if !property.text_only_doc {
                let issues = misplaced(&self.eval.graph, &doc, Target::Property);
                self.report_all(issues);
            }
        }
        Property {
            name: property.name.to_string(),
            r#type,
            optional: property.optional || (absent && !property.required),
            documentation: about,
            tags: PropertyTags::default(),
            span: self.span(property.location),
        }
    }

    /// Returns a type without `undefined`. The flag is true if the type contained `undefined`, so that the
    /// property may be absent.
    pub(crate) fn without_undefined(&mut self, ty: TyId) -> (TyId, bool) {
        let ty = self.eval.without_laziness(ty);
        if let Ty::Constrained(inner, source) = *self.eval.store.get(ty) {
            let (inner, absent) = self.without_undefined(inner);
            return (self.eval.store.add(Ty::Constrained(inner, source)), absent);
        }
        let shape = self.eval.shape(ty);
        match self.eval.store.get(shape).clone() {
            Ty::Undefined => (self.eval.store.add(Ty::Never), true),
            Ty::Union(members) => {
                let undefined = self.eval.store.add(Ty::Undefined);
                if !members.contains(&undefined) {
                    return (ty, false);
                }
                let rest = members
                    .iter()
                    .copied()
                    .filter(|member| *member != undefined)
                    .collect();
                (self.eval.union(rest), true)
            }
            _ => (ty, false),
        }
    }

    /// Reads the examples of all declarations. Called after all types were converted to the IR.
    pub(super) fn read_examples(&mut self) {
        for (id, doc) in std::mem::take(&mut self.documented) {
            let r#type = self.program.declarations[id].r#type;
            if self.has_failed(r#type) {
                continue;
            }
            let mut issues = Vec::new();
            let found = examples(&self.eval.graph, &self.program, r#type, &doc, &mut issues);
            self.report_all(issues);
            self.program.declarations[id].documentation.examples = found;
        }
    }

    /// Reads the doc tags of all properties. Called after all types were converted to the IR.
    pub(super) fn read_tags(&mut self) {
        for Tagged { object, index, doc } in std::mem::take(&mut self.tagged) {
            let TypeKind::Object(body) = &self.program.types[object].kind else {
                continue;
            };
            let r#type = body.properties[index].r#type;
            if self.has_failed(r#type) {
                continue;
            }
            let mut issues = Vec::new();
            let doc = self.eval.store.doc(doc);
            let tags = property_tags(&self.eval.graph, &self.program, r#type, &doc, &mut issues);
            let examples = examples(&self.eval.graph, &self.program, r#type, &doc, &mut issues);
            self.report_all(issues);
            if let TypeKind::Object(body) = &mut self.program.types[object].kind {
                body.properties[index].tags = tags;
                body.properties[index].documentation.examples = examples;
            }
        }
    }
}
