//! Intersections: objects are merged, unions are expanded, and an intersection that no value fits becomes
//! `never`.

use std::rc::Rc;

use super::index::set_index;
use super::types::State;
use super::{Evaluator, Object, Property, Ty, TyId};
use crate::modules::DeclKind;

/// Maximum number of members of the union that an intersection of unions expands to.
const MAX_COMBINATIONS: usize = 2_000;

impl Evaluator<'_> {
    /// Evaluates an intersection to a type that is no intersection: one object, a union, `never` and so on.
    pub(super) fn intersect(&mut self, id: TyId) -> TyId {
        let Ty::Intersection(members) = self.store.get(id).clone() else {
            return id;
        };
        match self.intersections.get(&id) {
            Some(State::Done(known)) => return *known,
            // `type A = { a: 1 } & A` refers to itself.
            Some(_) => return self.endless(id),
            None => {}
        }
        self.intersections.insert(id, State::InProgress);
        let result = self.guarded(
            |this| {
                let mut result = this.store.add(Ty::Unknown);
                for member in members.iter() {
                    let member = this.with_this(*member, id);
                    let shape = this.shape(member);
                    result = this.intersect_two(result, shape);
                }
                result
            },
            |this| this.endless(id),
        );
        self.intersections.insert(id, State::Done(result));
        result
    }

    /// Returns a member of an intersection. If the member is an interface that uses `this`, `this` means the
    /// whole intersection.
    fn with_this(&mut self, member: TyId, this: TyId) -> TyId {
        let mut at = self.without_laziness(member);
        let mut passed = Vec::new();
        while let Ty::Named(id) = *self.store.get(at) {
            // `type E = E` refers to itself. This is reported when the shape of `E` is needed.
            if passed.contains(&id) {
                return member;
            }
            passed.push(id);
            let instance = &self.store.instances[id.index()];
            let (decl, args, bound) = (instance.decl, Rc::clone(&instance.args), instance.this);
            let in_progress = instance.body == State::InProgress;
            let declared = self.graph.decl(decl);
            match declared.kind {
                DeclKind::Alias(_) if !in_progress => {
                    let body = self.body(id);
                    at = self.without_laziness(body);
                }
                DeclKind::Interface(_)
                    if bound.is_none() && self.graph.module(declared.module).text.contains("this") =>
                {
                    return self.store.named_with_this(decl, args, Some(this));
                }
                _ => return member,
            }
        }
        member
    }

    /// Returns the intersection of two types as a shape: without names and without rules.
    pub(super) fn intersect_two(&mut self, left: TyId, right: TyId) -> TyId {
        if left == right {
            return left;
        }
        self.spend(1);
        if self.is_exhausted() {
            return self.exhausted_here();
        }
        let (a, b) = (self.store.get(left).clone(), self.store.get(right).clone());
        match (a, b) {
            (Ty::Invalid(_) | Ty::Never, _) | (_, Ty::Unknown) => left,
            (_, Ty::Invalid(_) | Ty::Never) | (Ty::Unknown, _) => right,
            (Ty::Any, _) => left,
            (_, Ty::Any) => right,
            (Ty::Union(members), _) => self.distribute(&members, right, false),
            (_, Ty::Union(members)) => self.distribute(&members, left, true),
            (Ty::Object(a), Ty::Object(b)) => {
                let (a, b) = (self.store.object_at(a), self.store.object_at(b));
                self.merge(&a, &b)
            }
            (Ty::Branded(base, tags), Ty::Branded(other, more)) => {
                let (base, tags) = (self.intersect_two(base, other), self.intersect_two(tags, more));
                self.brand(base, tags)
            }
            (Ty::Branded(base, tags), Ty::Object(_)) => {
                let tags = self.intersect_two(tags, right);
                self.brand(base, tags)
            }
            (Ty::Object(_), Ty::Branded(base, tags)) => {
                let tags = self.intersect_two(left, tags);
                self.brand(base, tags)
            }
            (Ty::Branded(base, tags), _) => {
                let base = self.intersect_two(base, right);
                self.brand(base, tags)
            }
            (_, Ty::Branded(base, tags)) => {
                let base = self.intersect_two(left, base);
                self.brand(base, tags)
            }
            (Ty::Object(_), _) => self.brand(right, left),
            (_, Ty::Object(_)) => self.brand(left, right),
            (
                Ty::Array { element: a, readonly },
                Ty::Array {
                    element: b,
                    readonly: also,
                },
            ) => {
                let element = self.store.intersection([a, b]);
                self.store.add(Ty::Array {
                    element,
                    readonly: readonly && also,
                })
            }
            _ if self.assignable(left, right) => left,
            _ if self.assignable(right, left) => right,
            // No value has both types: TypeScript evaluates this to `never`.
            _ => self.store.add(Ty::Never),
        }
    }

    /// Returns the shape of `base & object` if `base` is not an object, as in `string & { __brand: "UserId"
    /// }`. No JSON value fits `base` and `object`, so the object is a brand: it distinguishes types, but
    /// values do not contain it.
    fn brand(&mut self, base: TyId, object: TyId) -> TyId {
        match self.store.get(base).clone() {
            Ty::Never | Ty::Invalid(_) => base,
            Ty::Null | Ty::Undefined => self.store.add(Ty::Never),
            Ty::Object(_) => self.intersect_two(base, object),
            // `object & { a: string }` is the object, and `T & {}` is `T` without null.
            Ty::NonPrimitive => object,
            Ty::Branded(inner, more) => {
                let tags = self.intersect_two(more, object);
                self.brand(inner, tags)
            }
            Ty::Union(members) => self.distribute(&members, object, false),
            _ => match self.store.get(object) {
                Ty::Object(_) => self.store.add(Ty::Branded(base, object)),
                _ => object,
            },
        }
    }

    fn distribute(&mut self, members: &[TyId], other: TyId, other_first: bool) -> TyId {
        if members.len() > MAX_COMBINATIONS {
            let location = self.current_location();
            return self.unsupported(
                location,
                "the intersection of these unions is too large",
                "list the members",
            );
        }
        let combined = members
            .iter()
            .map(|member| {
                let member = self.shape(*member);
                if other_first {
                    self.intersect_two(other, member)
                } else {
                    self.intersect_two(member, other)
                }
            })
            .collect();
        self.union(combined)
    }

    fn merge(&mut self, a: &Object, b: &Object) -> TyId {
        self.spend_members(a.properties.len() + b.properties.len(), a.properties.len());
        let mut merged = a.clone();
        for property in &b.properties {
            let Some(at) = merged
                .properties
                .iter()
                .position(|known| known.name == property.name)
            else {
                merged.properties.push(property.clone());
                continue;
            };
            let mut known = merged.properties[at].clone();
            let of_known = known.ty;
            if known.ty != property.ty {
                if !(known.optional && property.optional) && self.no_common_value(&known, property) {
                    // No object fits, so TypeScript evaluates the intersection to `never`.
                    return self.store.add(Ty::Never);
                }
                known.ty = self.store.intersection([known.ty, property.ty]);
            }
            let is_unknown = |this: &mut Self, ty: TyId| {
                let ty = this.without_laziness(ty);
                matches!(this.store.get(ty), Ty::Unknown)
            };
            let (always, sometimes) = if known.optional {
                (property.ty, of_known)
            } else {
                (of_known, property.ty)
            };
            if known.optional != property.optional && is_unknown(self, always) && !is_unknown(self, sometimes)
            {
                // `unknown & (T | undefined)` may be `undefined`, which means that the property may be
                // absent. A plain `unknown` must be present.
                known.optional = true;
            } else {
                known.required |= property.required || known.optional != property.optional;
                known.optional &= property.optional;
            }
            known.readonly &= property.readonly;
            known.doc = known.doc.or(property.doc);
            known.column |= property.column;
            merged.properties[at] = known;
        }
        for index in &b.index {
            let mut both = *index;
            if let Some(known) = merged.index.iter().find(|known| known.key == index.key) {
                both.ruled = self.both_rules(known.ruled, index.ruled);
                if known.value != index.value {
                    both.value = self.store.intersection([known.value, index.value]);
                }
            }
            set_index(&mut merged, both);
        }
        merged.calls.extend(b.calls.iter().cloned());
        merged.constructs.extend(b.constructs.iter().cloned());
        merged.nominal |= b.nominal;
        merged.data_only |= b.data_only;
        merged.issues.extend(b.issues.iter().cloned());
        self.store.object(merged)
    }

    /// Returns true if no value fits a property that two objects have in common, and one of the two types of
    /// the property consists of literals. If so, the intersection of the objects is `never`.
    fn no_common_value(&mut self, a: &Property, b: &Property) -> bool {
        let (Some(a), Some(b)) = (self.values_of(a), self.values_of(b)) else {
            return false;
        };
        let literal = |this: &Self, parts: &[TyId]| {
            parts.iter().all(|part| {
                matches!(
                    this.store.get(*part),
                    Ty::Literal(_)
                        | Ty::EnumMember(_)
                        | Ty::Null
                        | Ty::Undefined
                        | Ty::Boolean
                        | Ty::Template(_)
                )
            })
        };
        if a.is_empty() || b.is_empty() || !(literal(self, &a) || literal(self, &b)) {
            return false;
        }
        a.iter()
            .all(|left| b.iter().all(|right| self.are_disjoint(*left, *right)))
    }

    /// Returns the members of a property's type. The property `a?: never` can only be absent, so its type is
    /// `undefined`.
    fn values_of(&mut self, property: &Property) -> Option<Vec<TyId>> {
        let own = self.without_laziness(property.ty);
        if property.optional && matches!(self.store.get(own), Ty::Never) {
            return Some(vec![self.store.add(Ty::Undefined)]);
        }
        self.parts(own)
    }

    /// Returns true if certainly no value fits the two types. An object type excludes only `null` and
    /// `undefined` with certainty.
    fn are_disjoint(&mut self, left: TyId, right: TyId) -> bool {
        let nothing = |ty: &Ty| matches!(ty, Ty::Null | Ty::Undefined);
        let (a, b) = (self.store.get(left), self.store.get(right));
        match (is_scalar(a), is_scalar(b)) {
            (true, true) => {
                let both = self.intersect_two(left, right);
                matches!(self.store.get(both), Ty::Never)
            }
            (true, false) => nothing(a),
            (false, true) => nothing(b),
            (false, false) => false,
        }
    }

    /// Returns the members of a union, or any other type as a list with one item. Returns `None` if a member
    /// may be any value, or if the members are not known yet because recursive objects are being merged.
    fn parts(&mut self, ty: TyId) -> Option<Vec<TyId>> {
        let mut at = self.without_laziness(ty);
        loop {
            match self.store.get(at).clone() {
                Ty::Named(instance) => {
                    let state = &self.store.instances[instance.index()];
                    let decl = self.graph.decl(state.decl);
                    if !matches!(decl.kind, DeclKind::Alias(_)) {
                        // An interface is not a union, so it is not evaluated here.
                        return Some(vec![at]);
                    }
                    if state.body == State::InProgress {
                        return None;
                    }
                    let body = self.body(instance);
                    at = self.without_laziness(body);
                }
                Ty::Constrained(inner, _) => at = self.without_laziness(inner),
                Ty::Union(members) => return Some(members.to_vec()),
                Ty::Never
                | Ty::Any
                | Ty::Unknown
                | Ty::Invalid(_)
                | Ty::Intersection(_)
                | Ty::Infer(_)
                | Ty::Parameter(_)
                | Ty::Deferred(_) => return None,
                _ => return Some(vec![at]),
            }
        }
    }
}

/// Returns true for a type whose values are not objects, such as `string`.
fn is_scalar(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Literal(_)
            | Ty::EnumMember(_)
            | Ty::Null
            | Ty::Undefined
            | Ty::Boolean
            | Ty::String
            | Ty::Number
            | Ty::BigInt
            | Ty::Template(_)
            | Ty::Cased(..)
    )
}
