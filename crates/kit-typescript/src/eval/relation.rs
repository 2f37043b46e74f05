//! Which types are assignable to which, structurally, as conditional types ask.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::types::{Element, Function, Literal};
use super::{Evaluator, Object, ObjectId, Ty, TyId};

/// Comparisons inside of comparisons beyond this are of types that expand without end; TypeScript then says "maybe", which
/// counts as yes.
const DEEPEST_COMPARISON: u32 = 100;

/// What is known of pairs of types.
#[derive(Default)]
pub(crate) struct Relations {
    /// Decided, or assumed while it is being decided.
    known: FxHashMap<(TyId, TyId), bool>,
    /// Pairs whose answer rests on an assumption that may still turn out wrong.
    assumed: Vec<(TyId, TyId)>,
    depth: u32,
    /// A mistake that the last comparison met. An answer then means nothing.
    pub(super) broken: Option<TyId>,
}

impl Evaluator<'_> {
    /// Whether every value of one type is a value of the other.
    pub(super) fn assignable(&mut self, from: TyId, to: TyId) -> bool {
        let (from, to) = (self.shape(from), self.shape(to));
        if from == to {
            return true;
        }
        if let Some(answer) = self.simple(from, to) {
            return answer;
        }
        if let Some(known) = self.relations.known.get(&(from, to)) {
            return *known;
        }
        if self.relations.depth >= DEEPEST_COMPARISON {
            return true;
        }
        // A pair that comes up again inside itself is assumed to hold: types may be recursive.
        let open = self.store.is_open(from) || self.store.is_open(to);
        let before = self.relations.assumed.len();
        self.relations.known.insert((from, to), true);
        self.relations.assumed.push((from, to));
        self.relations.depth += 1;
        let answer = stacker::maybe_grow(super::STACK_LEFT, super::STACK_GROWTH, || {
            self.structural(from, to)
        });
        self.relations.depth -= 1;
        if !answer || open || self.relations.broken.is_some() {
            // What was found meanwhile may rest on the assumption.
            for pair in self.relations.assumed.drain(before..) {
                self.relations.known.remove(&pair);
            }
            if !answer && !open && self.relations.broken.is_none() {
                self.relations.known.insert((from, to), false);
            }
        } else if before == 0 {
            self.relations.assumed.clear();
        }
        answer
    }

    /// Answers that need no look inside; nothing where one is needed.
    fn simple(&mut self, from: TyId, to: TyId) -> Option<bool> {
        let answer = match (self.store.get(from), self.store.get(to)) {
            (Ty::Invalid(_), _) => {
                self.relations.broken = Some(from);
                false
            }
            (_, Ty::Invalid(_)) => {
                self.relations.broken = Some(to);
                false
            }
            (Ty::Never, _) | (_, Ty::Any | Ty::Unknown) => true,
            (_, Ty::Never) => false,
            (Ty::Any, _) => true,
            (Ty::Parameter(_), Ty::Parameter(_)) | (Ty::Unknown, Ty::Null | Ty::Undefined) => false,
            (Ty::Literal(literal), Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt) => {
                literal.primitive() == *self.store.get(to)
            }
            (Ty::EnumMember(member), Ty::String | Ty::Number | Ty::Boolean | Ty::BigInt) => {
                member.value.primitive() == *self.store.get(to)
            }
            // Any number passes for a member of a numeric enum whose value is not known better; a literal for its equal.
            (Ty::Literal(literal @ Literal::Number(_)), Ty::EnumMember(member)) => *literal == member.value,
            (Ty::Number, Ty::EnumMember(member)) => matches!(member.value, Literal::Number(_)),
            (
                Ty::String
                | Ty::Number
                | Ty::Boolean
                | Ty::BigInt
                | Ty::Symbol
                | Ty::Null
                | Ty::Undefined
                | Ty::Literal(_)
                | Ty::EnumMember(_),
                Ty::String
                | Ty::Number
                | Ty::Boolean
                | Ty::BigInt
                | Ty::Symbol
                | Ty::Null
                | Ty::Undefined
                | Ty::Literal(_)
                | Ty::EnumMember(_)
                | Ty::Array { .. }
                | Ty::Tuple { .. }
                | Ty::Date
                | Ty::Bytes
                | Ty::Builtin(..)
                | Ty::NonPrimitive,
            ) => {
                // `boolean` is the union of its values only where it is taken apart.
                false
            }
            (Ty::Template(_) | Ty::Cased(..), Ty::String) | (Ty::UniqueSymbol(_), Ty::Symbol) => true,
            _ => return None,
        };
        Some(answer)
    }

    fn structural(&mut self, from: TyId, to: TyId) -> bool {
        let (a, b) = (self.store.get(from).clone(), self.store.get(to).clone());
        match (a, b) {
            (Ty::Union(members), _) => members.iter().all(|member| self.assignable(*member, to)),
            (Ty::Boolean, Ty::Union(members)) => {
                let values = self.boolean_values();
                members.iter().any(|member| self.assignable(from, *member))
                    || values.iter().all(|value| self.assignable(*value, to))
            }
            (_, Ty::Union(members)) => {
                members.iter().any(|member| self.assignable(from, *member))
                    || self.by_discriminant(from, &members)
            }
            (_, Ty::Branded(base, tags)) => match self.store.get(from).clone() {
                Ty::Branded(own, more) => {
                    (self.assignable(own, base) || self.assignable(from, base))
                        && (self.assignable(more, tags) || self.assignable(own, tags))
                }
                _ => self.assignable(from, base) && self.assignable(from, tags),
            },
            (Ty::Branded(base, tags), _) => self.assignable(base, to) || self.assignable(tags, to),
            (Ty::Literal(Literal::String(text)), Ty::Template(parts)) => self.text_fits(&text, &parts),
            (Ty::Literal(Literal::String(_)) | Ty::Template(_) | Ty::Cased(..), Ty::Cased(case, inner)) => {
                let cased = self.cased(case, from);
                self.assignable(from, inner) && self.shape(cased) == from
            }
            (Ty::Template(_) | Ty::Cased(..), Ty::Template(parts)) => self.template_fits(from, &parts),
            (Ty::String, Ty::Template(parts)) => {
                matches!(parts.as_ref(), [super::Part::Hole(hole)] if self.assignable(from, *hole))
            }
            (Ty::Parameter(_) | Ty::Infer(_), _) | (_, Ty::Parameter(_) | Ty::Infer(_)) => false,
            (Ty::Deferred(a), Ty::Deferred(b)) => {
                a[0] == b[0]
                    && self.identical(a[1], b[1])
                    && self.assignable(a[2], b[2])
                    && self.assignable(a[3], b[3])
            }
            (Ty::Deferred(parts), _) => self.assignable(parts[2], to) && self.assignable(parts[3], to),
            (
                Ty::Array { element, readonly },
                Ty::Array {
                    element: other,
                    readonly: also,
                },
            ) => (also || !readonly) && self.assignable(element, other),
            (
                Ty::Tuple { elements, readonly },
                Ty::Array {
                    element,
                    readonly: also,
                },
            ) => {
                (also || !readonly)
                    && elements.iter().all(|item| {
                        let ty = self.optional_type(item);
                        self.assignable(ty, element)
                    })
            }
            (
                Ty::Tuple { elements, readonly },
                Ty::Tuple {
                    elements: other,
                    readonly: also,
                },
            ) => (also || !readonly) && self.tuple_assignable(&elements, &other),
            (
                Ty::Array { element, readonly },
                Ty::Tuple {
                    elements,
                    readonly: also,
                },
            ) => {
                (also || !readonly)
                    && elements.iter().all(|item| item.rest)
                    && elements.iter().all(|item| self.assignable(element, item.ty))
            }
            (Ty::Builtin(name, args), Ty::Builtin(other, others)) => {
                extends_builtin(name, other)
                    && args.len() == others.len()
                    && args
                        .iter()
                        .zip(others.iter())
                        .all(|(a, b)| self.assignable(*a, *b))
            }
            (
                Ty::Object(_) | Ty::Array { .. } | Ty::Tuple { .. } | Ty::Date | Ty::Bytes | Ty::Builtin(..),
                Ty::NonPrimitive,
            ) => true,
            (Ty::Object(id), Ty::Builtin("Function", _)) => self.store.object_at(id).is_function(),
            (Ty::Object(a), Ty::Object(b)) => self.object_assignable(a, b),
            (Ty::Null | Ty::Undefined | Ty::Unknown, Ty::Object(_)) => false,
            (_, Ty::Object(object)) => self.members_assignable(from, object),
            _ => false,
        }
    }

    pub(super) fn boolean_values(&mut self) -> [TyId; 2] {
        [true, false].map(|value| self.store.add(Ty::Literal(Literal::Boolean(value))))
    }

    /// The type of an item with `undefined` where it may be missing.
    fn optional_type(&mut self, element: &Element) -> TyId {
        if element.optional {
            let absent = self.store.add(Ty::Undefined);
            self.union(vec![element.ty, absent])
        } else {
            element.ty
        }
    }

    /// An object whose discriminant is a union fits a union if it fits for each value of the discriminant.
    fn by_discriminant(&mut self, from: TyId, members: &[TyId]) -> bool {
        let Ty::Object(id) = *self.store.get(from) else {
            return false;
        };
        let object = self.store.object_at(id);
        for (at, property) in object.properties.iter().enumerate() {
            let values: Vec<TyId> = match self.look(property.ty) {
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

    fn tuple_assignable(&mut self, from: &[Element], to: &[Element]) -> bool {
        let least = |elements: &[Element]| {
            elements
                .iter()
                .filter(|element| !element.optional && !element.rest)
                .count()
        };
        let open = |elements: &[Element]| elements.iter().any(|element| element.rest);
        if least(from) < least(to) || (open(from) && !open(to)) || (!open(to) && from.len() > to.len()) {
            return false;
        }
        // Elements are compared from the front up to the rest element, and from the back after it.
        let (Some(rest), true) = (to.iter().position(|element| element.rest), open(to)) else {
            return from.iter().zip(to).all(|(a, b)| {
                let target = self.optional_type(b);
                (b.optional || !a.optional) && self.assignable(a.ty, target)
            });
        };
        let after = to.len() - rest - 1;
        from.iter().enumerate().all(|(index, item)| {
            let target = if index < rest && !item.rest {
                &to[index]
            } else if from.len() - index <= after && !item.rest {
                &to[to.len() - (from.len() - index)]
            } else {
                &to[rest]
            };
            let ty = self.optional_type(target);
            self.assignable(item.ty, ty)
        })
    }

    fn object_assignable(&mut self, from_id: ObjectId, to_id: ObjectId) -> bool {
        let (from, to) = (self.store.object_at(from_id), self.store.object_at(to_id));
        if is_weak(&to)
            && !(from.properties.is_empty() && !from.is_function())
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

    /// Whether an object's properties and signatures satisfy an index signature.
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
        // Whatever goes for `any`.
        if matches!(self.look(value), Ty::Any) {
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
                !self.key_falls_under(named, key) || {
                    let ty = if property.optional {
                        // What is absent has no key.
                        property.ty
                    } else {
                        property.ty
                    };
                    self.assignable(ty, value)
                }
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
                Ty::Literal(literal) => {
                    let name = literal.name();
                    name.parse::<f64>()
                        .is_ok_and(|value| super::types::number_name(value) == *name)
                }
                _ => false,
            },
            _ => self.assignable(key, signature),
        }
    }

    /// Whether for each wanted signature there is one that can be called like it.
    fn functions_assignable(&mut self, from: &[Function], to: &[Function]) -> bool {
        to.iter()
            .all(|wanted| from.iter().any(|own| self.function_assignable(own, wanted)))
    }

    fn function_assignable(&mut self, from: &Function, to: &Function) -> bool {
        // `void` takes any result.
        let result = matches!(self.look(to.result), Ty::Undefined | Ty::Any)
            || self.assignable(from.result, to.result);
        result && self.parameters_assignable(from, to)
    }

    fn parameters_assignable(&mut self, from: &Function, to: &Function) -> bool {
        let (own, wanted) = (self.parameter_tuple(from), self.parameter_tuple(to));
        let (own_shape, wanted_shape) = (self.look(own), self.look(wanted));
        if matches!(wanted_shape, Ty::Any | Ty::Never) || matches!(own_shape, Ty::Any) {
            return true;
        }
        let list = |ty: Ty| match ty {
            Ty::Tuple { elements, .. } => Some(elements),
            Ty::Array { element, .. } => Some([Element::rest(element)].into()),
            _ => None,
        };
        let (Some(own), Some(wanted)) = (list(own_shape), list(wanted_shape)) else {
            return self.assignable(wanted, own);
        };
        let required = own
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count();
        if required > wanted.len() && !wanted.iter().any(|element| element.rest) {
            return false;
        }
        let both = from.method || to.method;
        let at = |list: &[Element], index: usize| {
            list.get(index)
                .or_else(|| list.last().filter(|element| element.rest))
                .map(|element| element.ty)
        };
        (0..own.len()).all(|index| match (at(&own, index), at(&wanted, index)) {
            (Some(a), Some(b)) => self.assignable(b, a) || (both && self.assignable(a, b)),
            _ => true,
        })
    }

    /// Whether a text, a list or another value that is no plain object has what an object type asks for.
    fn members_assignable(&mut self, from: TyId, to: ObjectId) -> bool {
        let to = self.store.object_at(to);
        if to.is_function() {
            return false;
        }
        if is_weak(&to) {
            return to.properties.iter().any(|property| &*property.name == "length") && self.has_length(from);
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
            property.optional || self.is_method(from, &property.name)
        })
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
        let place = self.some_place();
        let key = self.store.text("length");
        match self.store.get(id) {
            Ty::Tuple { .. } => self.indexed_access(id, key, place),
            _ => self.store.add(Ty::Number),
        }
    }

    /// Whether a value of TypeScript's own has a method; only names are known.
    fn is_method(&self, id: TyId, name: &str) -> bool {
        let methods: &[&str] = match self.store.get(id) {
            Ty::String | Ty::Template(_) | Ty::Literal(Literal::String(_)) => &[
                "charAt",
                "charCodeAt",
                "concat",
                "indexOf",
                "toLowerCase",
                "toUpperCase",
                "trim",
                "split",
                "slice",
                "replace",
                "match",
                "startsWith",
                "endsWith",
                "includes",
                "at",
                "normalize",
            ],
            Ty::Array { .. } | Ty::Tuple { .. } => &[
                "map", "filter", "forEach", "concat", "slice", "indexOf", "join", "includes", "find", "some",
                "every", "reduce", "entries", "keys", "values", "at", "flat", "flatMap",
            ],
            Ty::Date => &["getTime", "toISOString", "toJSON", "valueOf", "getFullYear"],
            Ty::Number | Ty::Literal(Literal::Number(_)) => &["toFixed", "toPrecision", "toExponential"],
            Ty::Builtin("Promise", _) => &["then", "catch", "finally"],
            _ => &[],
        };
        methods.contains(&name) || matches!(name, "toString" | "valueOf" | "toLocaleString")
    }
}

/// All properties are optional, so that TypeScript asks for at least one in common.
fn is_weak(object: &Object) -> bool {
    !object.properties.is_empty()
        && object.properties.iter().all(|property| property.optional)
        && object.index.is_empty()
        && !object.is_function()
}

fn extends_builtin(name: &str, other: &str) -> bool {
    name == other
        || matches!(
            (name, other),
            ("Promise", "PromiseLike")
                | ("Map", "ReadonlyMap")
                | ("Set", "ReadonlySet")
                | ("Buffer", "Uint8Array")
                | ("Generator", "Iterator" | "Iterable")
                | ("TypeError" | "RangeError" | "SyntaxError", "Error")
        )
}
