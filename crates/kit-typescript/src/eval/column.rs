//! Properties of entities. Their values are stored in columns of a table, which adds rules for a `bigint`.

use super::types::{RuleSource, State};
use super::{Evaluator, Object, Property, Ty, TyId};
use crate::docs::TagName;
use crate::modules::{DeclId, DeclKind};

/// Maximum length of a chain of names that refer to each other. A longer chain is a cycle.
const MAX_CHAIN: u32 = 10_000;

impl Evaluator<'_> {
    /// Returns true if a declaration has `@table`. Comments without the text `@table` are not parsed, which
    /// saves time.
    pub(super) fn is_entity(&mut self, decl: DeclId) -> bool {
        let declared = self.graph.decl(decl);
        let module = self.graph.module(declared.module);
        let mut comments = declared.statements.iter().filter_map(|start| module.doc(*start));
        let may_be = comments
            .next()
            .and_then(|span| module.text.get(span.start as usize..span.end as usize))
            .is_some_and(|text| text.contains("@table"));
        may_be
            && self
                .declaration_doc(decl)
                .is_some_and(|doc| doc.has(TagName::Table))
    }

    /// Returns the object type with its properties marked as stored in columns. Returns any other type
    /// unchanged.
    pub(super) fn with_columns(&mut self, body: TyId) -> TyId {
        let shape = self.shape(body);
        let Ty::Object(id) = *self.store.get(shape) else {
            return body;
        };
        let mut object = Object::clone(&self.store.object_at(id));
        for property in &mut object.properties {
            property.column = true;
        }
        self.store.object(object)
    }

    /// Returns the type of a property for use outside of its object, as in `Note["views"]`. It includes the
    /// rules of the column.
    pub(crate) fn type_of(&mut self, property: &Property) -> TyId {
        if property.column && !property.text_only_doc && self.holds_bigint(property.ty) {
            self.store.add(Ty::Constrained(property.ty, RuleSource::Column))
        } else {
            property.ty
        }
    }

    /// Returns true for `bigint` and for a union that contains `bigint`. Returns false for a type whose
    /// evaluation is in progress, because a second evaluation would make the type refer to itself.
    fn holds_bigint(&mut self, ty: TyId) -> bool {
        let mut next = vec![ty];
        // A cycle of names is a mistake. It is reported at a type that needs one of the names.
        for _ in 0..MAX_CHAIN {
            let Some(at) = next.pop() else {
                return false;
            };
            match self.store.get(at).clone() {
                Ty::BigInt => return true,
                Ty::Union(members) | Ty::Intersection(members) => next.extend(members.iter()),
                Ty::Constrained(inner, _) | Ty::Branded(inner, _) | Ty::Defined(inner) => next.push(inner),
                Ty::Lazy(lazy) if self.store.lazies[lazy.index()].value != State::InProgress => {
                    next.push(self.without_laziness(at));
                }
                Ty::Named(instance) => {
                    let known = &self.store.instances[instance.index()];
                    let is_alias = matches!(self.graph.decl(known.decl).kind, DeclKind::Alias(_));
                    if is_alias && known.body != State::InProgress {
                        next.push(self.body(instance));
                    }
                }
                _ => {}
            }
        }
        false
    }
}
