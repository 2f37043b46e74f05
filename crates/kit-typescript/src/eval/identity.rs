//! Identity of types. The identity is stricter than assignability in both directions: `any` is not identical
//! to `unknown`, and `a?: 1` is not identical to `a: 1 | undefined`.

use super::types::{Element, Function, State};
use super::{Evaluator, Ty, TyId};
use crate::modules::DeclKind;

/// Maximum depth to which nested types are compared. Types without a difference down to this depth count as
/// identical.
const MAX_DEPTH: u32 = 50;

impl Evaluator<'_> {
    pub(super) fn identical(&mut self, a: TyId, b: TyId) -> bool {
        self.same(a, b, MAX_DEPTH)
    }

    fn same(&mut self, a: TyId, b: TyId, left: u32) -> bool {
        // `{ a: 1 } & { b: 2 }` is not identical to `{ a: 1; b: 2 }`.
        if self.is_object_intersection(a) != self.is_object_intersection(b) {
            return false;
        }
        let (a, b) = (self.shape(a), self.shape(b));
        if a == b || left == 0 {
            return true;
        }
        let left = left - 1;
        match (self.store.get(a).clone(), self.store.get(b).clone()) {
            (Ty::Invalid(_), _) => {
                self.relations.broken = Some(a);
                false
            }
            (_, Ty::Invalid(_)) => {
                self.relations.broken = Some(b);
                false
            }
            (
                Ty::Array { element: a, readonly },
                Ty::Array {
                    element: b,
                    readonly: also,
                },
            ) => readonly == also && self.same(a, b, left),
            (
                Ty::Tuple {
                    elements: a,
                    readonly,
                },
                Ty::Tuple {
                    elements: b,
                    readonly: also,
                },
            ) => readonly == also && self.same_elements(&a, &b, left),
            (Ty::Union(a), Ty::Union(b)) => {
                a.len() == b.len()
                    && a.iter()
                        .all(|member| b.iter().any(|other| self.same(*member, *other, left)))
            }
            (Ty::Builtin(name, a), Ty::Builtin(other, b)) => {
                name == other
                    && a.len() == b.len()
                    && a.iter().zip(b.iter()).all(|(a, b)| self.same(*a, *b, left))
            }
            (Ty::Branded(a, tags), Ty::Branded(b, others)) => {
                self.same(a, b, left) && self.same(tags, others, left)
            }
            (Ty::Deferred(a), Ty::Deferred(b)) => a.iter().zip(&b).all(|(a, b)| self.same(*a, *b, left)),
            (Ty::Object(a), Ty::Object(b)) => {
                let (a, b) = (self.store.object_at(a), self.store.object_at(b));
                a.properties.len() == b.properties.len()
                    && a.index.len() == b.index.len()
                    && a.properties.iter().all(|property| {
                        b.property(&property.name).is_some_and(|other| {
                            let (mut own, mut others) = (property.ty, other.ty);
                            if property.optional {
                                // An optional property may be `undefined`, with or without `undefined` in its type.
                                (own, others) = (self.defined(own), self.defined(others));
                            }
                            property.optional == other.optional
                                && property.readonly == other.readonly
                                && self.same(own, others, left)
                        })
                    })
                    && a.index.iter().all(|index| {
                        b.index
                            .iter()
                            .any(|other| index.key == other.key && self.same(index.value, other.value, left))
                    })
                    && self.same_functions(&a.calls, &b.calls, left)
                    && self.same_functions(&a.constructs, &b.constructs, left)
            }
            _ => false,
        }
    }

    /// Returns true for an intersection of object types such as `{ a: 1 } & { b: 2 }`, or for a type alias of
    /// such an intersection.
    fn is_object_intersection(&mut self, ty: TyId) -> bool {
        let mut at = self.without_laziness(ty);
        while let Ty::Named(id) = *self.store.get(at) {
            let instance = &self.store.instances[id.index()];
            let is_alias = matches!(self.graph.decl(instance.decl).kind, DeclKind::Alias(_));
            if !is_alias || instance.body == State::InProgress {
                return false;
            }
            let body = self.body(id);
            at = self.without_laziness(body);
        }
        let Ty::Intersection(members) = self.store.get(at).clone() else {
            return false;
        };
        let mut objects: Vec<TyId> = Vec::with_capacity(members.len());
        for member in members.iter() {
            let shape = self.shape(*member);
            if let Ty::Object(id) = *self.store.get(shape) {
                let object = self.store.object_at(id);
                // `T & {}` counts as `T`.
                let empty = object.properties.is_empty() && object.index.is_empty() && !object.is_function();
                if !empty && !objects.contains(&shape) {
                    objects.push(shape);
                }
            }
        }
        objects.len() > 1
    }

    fn same_elements(&mut self, a: &[Element], b: &[Element], left: u32) -> bool {
        a.len() == b.len()
            && a.iter()
                .zip(b)
                .all(|(a, b)| a.optional == b.optional && a.rest == b.rest && self.same(a.ty, b.ty, left))
    }

    fn same_functions(&mut self, a: &[Function], b: &[Function], left: u32) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| {
                self.same_elements(&a.parameters, &b.parameters, left) && self.same(a.result, b.result, left)
            })
    }
}
