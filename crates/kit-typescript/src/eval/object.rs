//! Interfaces, object literals, intersections, and looking inside.

use kit_diagnostics::{closest, codes};
use oxc_ast::ast::{TSInterfaceDeclaration, TSTypeLiteral};

use super::members::insert;
use super::types::Literal;
use super::{Evaluator, Object, Prop, ScopeId, Ty, TyId};
use crate::modules::Place;

/// Unions multiplied out by an intersection stop here.
const MOST_COMBINATIONS: usize = 256;

impl<'a> Evaluator<'a> {
    /// The declarations of an interface, merged, each with its scope, on top of what it extends.
    pub(super) fn interface(&mut self, parts: &[(&'a TSInterfaceDeclaration<'a>, ScopeId)]) -> TyId {
        let mut object = Object::default();
        for (part, scope) in parts {
            let scope = *scope;
            for heritage in &part.extends {
                let place = self.place(scope, heritage.span);
                let arguments = heritage.type_arguments.as_deref();
                let base = self.named_type(&heritage.type_name, arguments, place, scope);
                let shape = self.shape(base);
                match *self.store.get(shape) {
                    Ty::Object(id) => {
                        let base = self.store.objects[id.index()].clone();
                        for property in base.properties {
                            insert(&mut object, property);
                        }
                        object.index = object.index.or(base.index);
                        object.issues.extend(base.issues);
                    }
                    Ty::Invalid(_) => return shape,
                    _ => {
                        let message = format!("an interface cannot extend `{}`", self.text(base));
                        return self.unsupported(place, &message, "extend an interface or an object type");
                    }
                }
            }
        }
        for (part, scope) in parts {
            for member in &part.body.body {
                self.member(&mut object, member, *scope);
            }
        }
        self.store.object(object)
    }

    pub(super) fn type_literal(&mut self, literal: &'a TSTypeLiteral<'a>, scope: ScopeId) -> TyId {
        let mut object = Object::default();
        for member in &literal.members {
            self.member(&mut object, member, scope);
        }
        self.store.object(object)
    }

    /// Evaluates an intersection: objects are merged, unions multiplied out, and equal types collapse.
    pub(super) fn intersect(&mut self, id: TyId) -> TyId {
        let Ty::Intersection(members) = self.store.get(id).clone() else {
            return id;
        };
        if let Some(known) = self.intersections.get(&id) {
            return *known;
        }
        let mut result: Option<TyId> = None;
        for member in members {
            let shape = self.shape(member);
            result = Some(match result {
                None => shape,
                Some(left) => self.intersect_two(left, shape),
            });
        }
        let result = result.unwrap_or_else(|| self.store.add(Ty::Unknown));
        self.intersections.insert(id, result);
        result
    }

    fn intersect_two(&mut self, left: TyId, right: TyId) -> TyId {
        if left == right {
            return left;
        }
        let (a, b) = (self.store.get(left).clone(), self.store.get(right).clone());
        match (a, b) {
            (Ty::Invalid(_), _) | (_, Ty::Unknown) => left,
            (_, Ty::Invalid(_)) | (Ty::Unknown, _) => right,
            (Ty::Never, _) | (_, Ty::Never) => self.store.add(Ty::Never),
            (Ty::Union(members), _) => self.distribute(&members, right, false),
            (_, Ty::Union(members)) => self.distribute(&members, left, true),
            (Ty::Object(a), Ty::Object(b)) => {
                let (a, b) = (
                    self.store.objects[a.index()].clone(),
                    self.store.objects[b.index()].clone(),
                );
                self.merge(a, b)
            }
            _ if self.assignable(left, right) == Some(true) => left,
            _ if self.assignable(right, left) == Some(true) => right,
            // No value is both, as TypeScript says with `never`.
            _ if self.is_scalar(left) && self.is_scalar(right) => self.store.add(Ty::Never),
            _ => {
                let message = format!(
                    "kit cannot intersect `{}` with `{}`",
                    self.text(left),
                    self.text(right)
                );
                let place = self.some_place();
                self.unsupported(place, &message, "intersect object types only")
            }
        }
    }

    /// Whether two different types of this kind have no value in common, unless one is assignable to the other.
    fn is_scalar(&self, id: TyId) -> bool {
        matches!(
            self.store.get(id),
            Ty::Null | Ty::Undefined | Ty::Boolean | Ty::Number | Ty::String | Ty::BigInt | Ty::Literal(_)
        )
    }

    fn distribute(&mut self, members: &[TyId], other: TyId, other_first: bool) -> TyId {
        if members.len() > MOST_COMBINATIONS {
            let place = self.some_place();
            return self.unsupported(
                place,
                "the intersection of these unions is too large",
                "write the members out",
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

    fn merge(&mut self, a: Object, b: Object) -> TyId {
        let mut merged = a;
        for property in b.properties {
            match merged
                .properties
                .iter_mut()
                .find(|known| known.name == property.name)
            {
                Some(known) => {
                    if known.ty != property.ty {
                        known.ty = self.store.add(Ty::Intersection(vec![known.ty, property.ty]));
                    }
                    known.required |= property.required || known.optional != property.optional;
                    known.optional &= property.optional;
                    known.doc = known.doc.or(property.doc);
                }
                None => merged.properties.push(property),
            }
        }
        merged.index = match (merged.index, b.index) {
            (Some(a), Some(b)) if a != b => Some(self.store.add(Ty::Intersection(vec![a, b]))),
            (a, b) => a.or(b),
        };
        merged.issues.extend(b.issues);
        self.store.object(merged)
    }

    /// `keyof T` of an object.
    pub(super) fn keys_of(&mut self, object: TyId, place: Place) -> TyId {
        let shape = self.shape(object);
        match *self.store.get(shape) {
            Ty::Object(id) => {
                let object = &self.store.objects[id.index()];
                if object.index.is_some() {
                    return self.store.add(Ty::String);
                }
                let names: Vec<String> = object
                    .properties
                    .iter()
                    .map(|property| property.name.clone())
                    .collect();
                let keys = names
                    .into_iter()
                    .map(|name| self.store.add(Ty::Literal(Literal::String(name))))
                    .collect();
                self.union(keys)
            }
            Ty::Invalid(_) => shape,
            _ => {
                let message = format!(
                    "kit evaluates `keyof` of object types only, not of `{}`",
                    self.text(object)
                );
                self.unsupported(place, &message, "write the keys as a union of literals")
            }
        }
    }

    /// `T["key"]`.
    pub(super) fn indexed_access(&mut self, object: TyId, index: TyId, place: Place) -> TyId {
        let (shape, index_shape) = (self.shape(object), self.shape(index));
        match (self.store.get(shape).clone(), self.store.get(index_shape).clone()) {
            (Ty::Invalid(_), _) => shape,
            (_, Ty::Invalid(_)) => index_shape,
            (_, Ty::Union(keys)) => {
                let members = keys
                    .iter()
                    .map(|key| self.indexed_access(shape, *key, place))
                    .collect();
                self.union(members)
            }
            (Ty::Object(id), Ty::Literal(key)) => {
                let name = key.name();
                let object = self.store.objects[id.index()].clone();
                match (object.property(&name), object.index) {
                    (
                        Some(Prop {
                            ty, optional: true, ..
                        }),
                        _,
                    ) => {
                        let absent = self.store.add(Ty::Undefined);
                        self.union(vec![*ty, absent])
                    }
                    (Some(property), _) => property.ty,
                    (None, Some(index)) => index,
                    (None, None) => self.unknown_key(&object, &name, place),
                }
            }
            (Ty::Object(id), Ty::String) if self.store.objects[id.index()].index.is_some() => {
                self.store.objects[id.index()].index.unwrap_or(shape)
            }
            (Ty::Array(element), Ty::Number) => element,
            (Ty::Tuple(elements), Ty::Number) => {
                let members = elements.iter().map(|element| element.ty).collect();
                self.union(members)
            }
            _ => {
                let message = format!(
                    "kit cannot look up `{}` in `{}`",
                    self.text(index),
                    self.text(object)
                );
                self.unsupported(place, &message, "write the type itself")
            }
        }
    }

    pub(super) fn unknown_key(&mut self, object: &Object, name: &str, place: Place) -> TyId {
        let names: Vec<&str> = object
            .properties
            .iter()
            .map(|property| property.name.as_str())
            .collect();
        let help = match closest(name, names.iter().copied()) {
            Some(near) => format!("did you mean `\"{near}\"`?"),
            None => format!("its keys are {}", names.join(", ")),
        };
        self.reject(
            codes::UNKNOWN_KEY,
            place,
            format!("the type has no property `{name}`"),
            &help,
        )
    }
}
