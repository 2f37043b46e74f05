//! Assignability of object types: properties and index signatures, also of strings, arrays and classes.

use std::rc::Rc;

use crate::eval::types::{Element, Literal, Property, is_numeric_name};
use crate::eval::{Evaluator, Object, ObjectId, Ty, TyId};

impl Evaluator<'_> {
    /// Returns true if an object fits a union because it fits one member for each literal of a property: `{
    /// kind: "a" | "b" }` is assignable to `{ kind: "a" } | { kind: "b" }`.
    pub(super) fn by_discriminant(&mut self, from: TyId, members: &[TyId]) -> bool {
        let Ty::Object(id) = *self.store.get(from) else {
            return false;
        };
        let object = self.store.object_at(id);
        for (at, property) in object.properties.iter().enumerate() {
            let values: Vec<TyId> = match self.shape_of(property.ty) {
                Ty::Union(values) => values.to_vec(),
                Ty::Boolean => self.boolean_values().to_vec(),
                _ => continue,
            };
            let unit = |this: &Self, id: TyId| {
                matches!(
                    this.store.get(id),
                    Ty::Literal(_) | Ty::EnumMember(_) | Ty::Null | Ty::Undefined
                )
            };
            if values.len() > 25 || !values.iter().all(|value| unit(self, *value)) {
                continue;
            }
            let fits = values.iter().all(|value| {
                let mut narrowed = Object::clone(&object);
                narrowed.properties[at].ty = *value;
                let narrowed = self.store.object(narrowed);
                members.iter().any(|member| self.assignable(narrowed, *member))
            });
            if fits {
                return true;
            }
        }
        false
    }

    pub(super) fn object_assignable(&mut self, from_id: ObjectId, to_id: ObjectId) -> bool {
        let (from, to) = (self.store.object_at(from_id), self.store.object_at(to_id));
        if is_weak(&to)
            && (from.is_function() || !from.properties.is_empty())
            && !from
                .properties
                .iter()
                .any(|property| to.property(&property.name).is_some())
        {
            return false;
        }
        for target in &to.properties {
            match from.property(&target.name) {
                Some(source) => {
                    if source.optional && !target.optional {
                        return false;
                    }
                    let wanted = if target.optional {
                        let absent = self.store.add(Ty::Undefined);
                        self.union(vec![target.ty, absent])
                    } else {
                        target.ty
                    };
                    if !self.assignable(source.ty, wanted) {
                        return false;
                    }
                }
                None if target.optional => {}
                None => return false,
            }
        }
        for index in &to.index {
            if !self.index_assignable(&from, index.key, index.value) {
                return false;
            }
        }
        self.functions_assignable(&from.calls, &to.calls)
            && self.functions_assignable(&from.constructs, &to.constructs)
    }

    /// Returns true if an object satisfies the index signature of another type: all its properties and index
    /// signatures fit.
    fn index_assignable(&mut self, from: &Rc<Object>, key: TyId, value: TyId) -> bool {
        if let Some(own) = self.index_for(from, key)
            && !from.index.is_empty()
        {
            return self.assignable(own, value)
                && from.properties.iter().all(|property| {
                    let named = self.key_of(property);
                    !self.key_falls_under(named, key) || self.assignable(property.ty, value)
                });
        }
        // Every type is assignable to `any`.
        if matches!(self.shape_of(value), Ty::Any) {
            return true;
        }
        if from.nominal {
            return false;
        }
        let own_index = from
            .index
            .iter()
            .all(|index| !self.key_falls_under(index.key, key) || self.assignable(index.value, value));
        own_index
            && from.properties.iter().all(|property| {
                let named = self.key_of(property);
                // An absent property has no key, so its type is compared without `undefined`.
                !self.key_falls_under(named, key) || self.assignable(property.ty, value)
            })
    }

    fn key_falls_under(&mut self, key: TyId, signature: TyId) -> bool {
        let key = self.shape(key);
        match self.store.get(signature) {
            Ty::String => matches!(
                self.store.get(key),
                Ty::Literal(_)
                    | Ty::EnumMember(_)
                    | Ty::String
                    | Ty::Number
                    | Ty::Template(_)
                    | Ty::Cased(..)
            ),
            Ty::Number => match self.store.get(key) {
                Ty::Number => true,
                Ty::Literal(literal) => is_numeric_name(&literal.name()),
                _ => false,
            },
            _ => self.assignable(key, signature),
        }
    }

    fn has_member(&self, from: TyId, name: &str) -> bool {
        (name == "length" && self.has_length(from)) || self.is_method(from, name)
    }

    /// Returns true if all properties of a brand are optional, and a type has none of them. TypeScript does not compare a
    /// part of an intersection as a weak type, so `string` is assignable to `string & { readonly mark?: "id" }`.
    pub(super) fn lacks_optional(&mut self, from: TyId, brand: TyId) -> bool {
        let Ty::Object(brand) = *self.store.get(brand) else {
            return false;
        };
        let brand = self.store.object_at(brand);
        let from_object = match *self.store.get(from) {
            Ty::Object(object) => Some(self.store.object_at(object)),
            _ => None,
        };
        is_weak(&brand)
            && brand.properties.iter().all(|property| match &from_object {
                Some(object) => object.property(&property.name).is_none(),
                None => !self.has_member(from, &property.name),
            })
    }

    /// Returns true if a value such as a string or an array has the members of an object type: `length` for
    /// `{ length: number }`.
    pub(super) fn members_assignable(&mut self, from: TyId, to: ObjectId) -> bool {
        let to = self.store.object_at(to);
        if to.is_function() {
            return false;
        }
        let has_member = |property: &Property| self.has_member(from, &property.name);
        if is_weak(&to) && !to.properties.iter().any(has_member) {
            return false;
        }
        let element = match self.store.get(from).clone() {
            Ty::Array { element, .. } => Some(element),
            Ty::Tuple { elements, .. } => Some(self.item_of(&elements)),
            Ty::String | Ty::Literal(Literal::String(_)) | Ty::Template(_) => {
                Some(self.store.add(Ty::String))
            }
            _ => None,
        };
        for index in &to.index {
            let numeric = matches!(self.store.get(index.key), Ty::Number);
            let fits = match element {
                Some(element) if numeric => self.assignable(element, index.value),
                _ => false,
            };
            if !fits {
                return false;
            }
        }
        to.properties.iter().all(|property| {
            if &*property.name == "length" && self.has_length(from) {
                let number = self.length(from);
                return self.assignable(number, property.ty);
            }
            if let Ty::Tuple { elements, .. } = self.store.get(from).clone()
                && let Ok(index) = property.name.parse::<usize>()
            {
                return elements
                    .get(index)
                    .is_some_and(|element| self.assignable(element.ty, property.ty));
            }
            if let Some(member) = self.library_member(from, &property.name) {
                return self.assignable(member, property.ty);
            }
            property.optional || self.is_method(from, &property.name)
        })
    }

    /// Returns the type of the items of an iterable value of TypeScript, such as an array; `None` for any
    /// other value.
    pub(super) fn iterated(&mut self, id: TyId) -> Option<TyId> {
        match self.store.get(id).clone() {
            Ty::Array { element, .. } => Some(element),
            Ty::Tuple { elements, .. } => Some(self.item_of(&elements)),
            Ty::String | Ty::Template(_) | Ty::Cased(..) | Ty::Literal(Literal::String(_)) => {
                Some(self.store.add(Ty::String))
            }
            Ty::Bytes => Some(self.store.add(Ty::Number)),
            Ty::Builtin("Set" | "ReadonlySet" | "Generator" | "IterableIterator", arguments) => {
                arguments.first().copied()
            }
            Ty::Builtin("Map" | "ReadonlyMap", arguments) if arguments.len() == 2 => {
                let elements = arguments.iter().map(|argument| Element::plain(*argument));
                let elements = elements.collect();
                Some(self.store.add(Ty::Tuple {
                    elements,
                    readonly: false,
                }))
            }
            _ => None,
        }
    }

    /// Returns true if an object has the members of an interface of TypeScript such as `Error`. kit knows
    /// this interface only by name, so it cannot decide if the object is assignable to it.
    pub(super) fn may_be_builtin(&self, object: ObjectId, name: &str) -> bool {
        let members: &[&str] = match name {
            "Error" | "EvalError" | "RangeError" | "ReferenceError" | "SyntaxError" | "TypeError" => {
                &["name", "message"]
            }
            "PromiseLike" => &["then"],
            "Promise" => &["then", "catch", "finally"],
            "Iterable" | "IterableIterator" | "Generator" => &["\0symbol Symbol.iterator"],
            "AsyncIterable" | "AsyncIterableIterator" | "AsyncGenerator" => {
                &["\0symbol Symbol.asyncIterator"]
            }
            "Iterator" | "AsyncIterator" => &["next"],
            "Set" | "ReadonlySet" | "WeakSet" | "Map" | "ReadonlyMap" | "WeakMap" => &["has"],
            "ArrayBuffer" | "ArrayBufferLike" | "SharedArrayBuffer" => &["byteLength", "slice"],
            "URL" => &["href"],
            "RegExp" => &["exec"],
            _ => match super::super::library::library_type(name) {
                Some((_, member)) => return self.store.object_at(object).property(member).is_some(),
                None => return false,
            },
        };
        let object = self.store.object_at(object);
        members.iter().all(|member| object.property(member).is_some())
    }

    pub(super) fn unknown_builtin(&mut self, from: TyId, to: TyId) -> TyId {
        let message = format!(
            "kit cannot tell whether `{}` is assignable to `{}`",
            self.text(from),
            self.text(to)
        );
        let location = self.current_location();
        self.unsupported(location, &message, "write the result of the comparison")
    }

    fn has_length(&self, id: TyId) -> bool {
        matches!(
            self.store.get(id),
            Ty::Array { .. }
                | Ty::Tuple { .. }
                | Ty::String
                | Ty::Template(_)
                | Ty::Bytes
                | Ty::Literal(Literal::String(_))
        )
    }

    fn length(&mut self, id: TyId) -> TyId {
        let location = self.current_location();
        let key = self.store.text("length");
        match self.store.get(id) {
            Ty::Tuple { .. } => self.indexed_access(id, key, location),
            _ => self.store.add(Ty::Number),
        }
    }

    /// Returns true if values of a TypeScript type have a method with the given name. The type of the method
    /// is not known.
    pub(in crate::eval) fn is_method(&self, id: TyId, name: &str) -> bool {
        let methods: &[&str] = match self.store.get(id) {
            Ty::Array { .. } | Ty::Tuple { .. } => &[
                "map", "filter", "forEach", "concat", "slice", "indexOf", "join", "includes", "find", "some",
                "every", "reduce", "entries", "keys", "values", "at", "flat", "flatMap",
            ],
            _ => &[],
        };
        let everywhere = matches!(name, "toString" | "valueOf" | "toLocaleString");
        methods.contains(&name)
            || self.has_library_member(id, name)
            || (everywhere && !matches!(self.store.get(id), Ty::Object(_)))
    }
}

/// Returns true if all properties of an object are optional. TypeScript then requires that an assigned type
/// has at least one of these properties.
fn is_weak(object: &Object) -> bool {
    !object.properties.is_empty()
        && object.properties.iter().all(|property| property.optional)
        && object.index.is_empty()
        && !object.is_function()
}
