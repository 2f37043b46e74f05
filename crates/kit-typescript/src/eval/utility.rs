//! Utility types of TypeScript such as `Partial` and `Pick`, applied to evaluated types.

use std::rc::Rc;

use kit_diagnostics::{Diagnostic, closest, codes};

use super::index::set_index;
use super::mapped::Modifier;
use super::types::{Case, Element, Function, Index};
use super::{Evaluator, KeyKind, Object, Property, Ty, TyId};
use crate::known_types::Utility;
use crate::modules::Location;

impl Evaluator<'_> {
    pub(super) fn utility(
        &mut self,
        utility: Utility,
        arguments: &[TyId],
        locations: &[Location],
        location: Location,
    ) -> TyId {
        let (first, first_location) = (arguments[0], locations[0]);
        let second = arguments.get(1).copied().unwrap_or(first);
        let second_location = locations.get(1).copied().unwrap_or(location);
        match utility {
            Utility::Array | Utility::ReadonlyArray => self.store.add(Ty::Array {
                element: first,
                readonly: utility == Utility::ReadonlyArray,
            }),
            Utility::Readonly => self.map_members(first, Modifier::Keep, Modifier::Add),
            Utility::Partial => self.map_members(first, Modifier::Add, Modifier::Keep),
            Utility::Required => self.map_members(first, Modifier::Remove, Modifier::Keep),
            Utility::Pick => self.pick(first, second, second_location),
            Utility::Omit => self.omit(first, second, first_location, second_location),
            Utility::Record => self.keyed(first, second, first_location),
            Utility::NonNullable => {
                let nothing = [Ty::Null, Ty::Undefined].map(|ty| self.store.add(ty));
                if matches!(self.shape_of(first), Ty::Unknown) {
                    return self.store.object(Object::default());
                }
                self.filter(first, |_, member| Ok(!nothing.contains(&member)))
            }
            Utility::Exclude => self.filter(first, |this, member| {
                this.decide(member, second).map(|fits| !fits)
            }),
            Utility::Extract => self.filter(first, |this, member| this.decide(member, second)),
            Utility::Awaited => self.awaited(first),
            Utility::ReturnType => {
                self.of_function(first, first_location, false, |_, function| function.result)
            }
            Utility::InstanceType => {
                self.of_function(first, first_location, true, |_, function| function.result)
            }
            Utility::Parameters => self.of_function(first, first_location, false, Self::parameter_tuple),
            Utility::ConstructorParameters => {
                self.of_function(first, first_location, true, Self::parameter_tuple)
            }
            Utility::ThisParameterType => self.of_function(first, first_location, false, |this, function| {
                function.this.unwrap_or_else(|| this.store.add(Ty::Unknown))
            }),
            Utility::OmitThisParameter => self.without_this(first),
            Utility::ThisType => self.store.object(Object::default()),
            Utility::NoInfer => first,
            Utility::Uppercase => self.cased(Case::Upper, first),
            Utility::Lowercase => self.cased(Case::Lower, first),
            Utility::Capitalize => self.cased(Case::Capital, first),
            Utility::Uncapitalize => self.cased(Case::Uncapital, first),
        }
    }

    /// Changes the modifiers of all properties of an object, or of each object in a union, as `Partial` and
    /// `Readonly` do.
    fn map_members(&mut self, ty: TyId, optional: Modifier, readonly: Modifier) -> TyId {
        let shape = self.shape(ty);
        match self.store.get(shape).clone() {
            Ty::Object(id) => {
                let mut object = Object::clone(&self.store.object_at(id));
                self.spend(object.properties.len());
                object.nominal = false;
                object.calls.clear();
                object.constructs.clear();
                object
                    .properties
                    .retain(|property| property.private_name().is_none());
                for property in &mut object.properties {
                    match optional {
                        Modifier::Keep => {}
                        Modifier::Add => (property.optional, property.required) = (true, false),
                        Modifier::Remove => {
                            if property.optional {
                                property.ty = self.defined_later(property.ty);
                                (property.optional, property.required) = (false, true);
                            }
                        }
                    }
                    property.readonly |= readonly == Modifier::Add;
                }
                if optional == Modifier::Add {
                    let absent = self.store.add(Ty::Undefined);
                    for index in &mut object.index {
                        index.value = self.union(vec![index.value, absent]);
                    }
                }
                self.store.object(object)
            }
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| self.map_members(*member, optional, readonly))
                    .collect();
                self.union(members)
            }
            Ty::Array {
                element,
                readonly: before,
            } => {
                // `Partial` of an array would add `undefined` to its items, but an item of a JSON array is
                // never `undefined`.
                let element = match optional {
                    Modifier::Keep | Modifier::Add => element,
                    Modifier::Remove => self.defined_later(element),
                };
                self.store.add(Ty::Array {
                    element,
                    readonly: before || readonly == Modifier::Add,
                })
            }
            Ty::Tuple {
                elements,
                readonly: before,
            } => {
                let elements = elements
                    .iter()
                    .map(|element| Element {
                        ty: match optional {
                            Modifier::Remove => self.defined_later(element.ty),
                            _ => element.ty,
                        },
                        optional: match optional {
                            Modifier::Keep => element.optional,
                            Modifier::Add => !element.rest,
                            Modifier::Remove => false,
                        },
                        ..element.clone()
                    })
                    .collect();
                self.tuple_of(elements, before || readonly == Modifier::Add)
            }
            // The properties of `unknown` and `object` are not known.
            Ty::Unknown | Ty::NonPrimitive => self.store.object(Object::default()),
            // Primitives stay unchanged, and so does a mistake.
            _ => ty,
        }
    }

    /// Returns the members of a union of keys: `"a"` and `"b"` for `"a" | "b"`.
    fn key_list(&mut self, keys: TyId) -> Rc<[TyId]> {
        let shape = self.shape(keys);
        match self.store.get(shape).clone() {
            Ty::Union(members) => members,
            Ty::Never => [].into(),
            _ => [shape].into(),
        }
    }

    fn pick(&mut self, ty: TyId, keys: TyId, keys_location: Location) -> TyId {
        let shape = self.shape(ty);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return shape;
        }
        let object = self.as_object(ty);
        let mut picked = Object { ..Object::default() };
        let count = self.key_list(keys).len();
        self.spend_members(count, count);
        if let Some(object) = &object {
            picked.issues.extend(object.issues.iter().cloned());
            picked.data_only = object.data_only;
        }
        for member in self.key_members(keys) {
            let key = member.shape;
            if matches!(self.store.get(key), Ty::Invalid(_)) {
                return key;
            }
            let named = self.key_name(key);
            let own = match (&object, &named) {
                (Some(object), Some((name, _))) => object.property(name).cloned(),
                _ => None,
            };
            if let Some(own) = own {
                picked.insert(own);
                continue;
            }
            let value = self.indexed_access(ty, key, keys_location);
            if matches!(self.store.get(value), Ty::Invalid(_)) {
                return value;
            }
            match named {
                Some((name, kind)) => picked.insert(Property::plain(name, kind, value, keys_location)),
                None if matches!(
                    self.store.get(key),
                    Ty::String | Ty::Number | Ty::Symbol | Ty::Template(_) | Ty::Cased(..)
                ) =>
                {
                    let own = object.as_ref().and_then(|object| {
                        let same = object.index.iter().find(|index| index.key == key);
                        same.and_then(|index| index.ruled)
                    });
                    let ruled = self.both_rules(own, member.ruled);
                    set_index(&mut picked, Index { key, ruled, value });
                }
                None => {
                    let message = format!("the keys must be literals, not `{}`", self.text(key));
                    return self.unsupported(
                        keys_location,
                        &message,
                        "write the keys as literals: `\"id\" | \"title\"`",
                    );
                }
            }
        }
        // The properties have the order that they have in the object, not that of the keys.
        if let Some(object) = object {
            let order = |property: &Property| {
                object
                    .properties
                    .iter()
                    .position(|own| own.name == property.name)
                    .unwrap_or(usize::MAX)
            };
            picked.properties.sort_by_key(order);
        }
        self.store.object(picked)
    }

    fn omit(&mut self, ty: TyId, keys: TyId, location: Location, keys_location: Location) -> TyId {
        let shape = self.shape(keys);
        if matches!(self.store.get(shape), Ty::Invalid(_)) {
            return shape;
        }
        let all = self.keys_of(ty, location);
        let kept = self.filter(all, |this, key| this.decide(key, keys).map(|left_out| !left_out));
        let picked = self.pick(ty, kept, location);
        let Some(object) = self.as_object(ty) else {
            return picked;
        };
        let issues = self.unknown_omitted(&object, keys, keys_location);
        match self.shape_of(picked) {
            Ty::Object(id) if !issues.is_empty() => {
                let mut picked = Object::clone(&self.store.object_at(id));
                picked.issues.extend(issues);
                self.store.object(picked)
            }
            _ => picked,
        }
    }

    /// Returns true if the source at a location contains `text` as a string in quotes.
    fn is_written(&self, text: &str, location: Location) -> bool {
        let source = self.graph.module(location.module).text;
        let code = source.get(location.span.start as usize..location.span.end as usize);
        ['"', '\'', '`']
            .iter()
            .any(|quote| code.is_some_and(|code| code.contains(&format!("{quote}{text}{quote}"))))
    }

    /// Returns an error for each key of `Omit` that the object does not have. TypeScript allows these keys,
    /// but nearly always they are misspelt.
    fn unknown_omitted(&mut self, object: &Object, keys: TyId, location: Location) -> Vec<Diagnostic> {
        if !object.index.is_empty() {
            return Vec::new();
        }
        let known: Vec<&str> = object
            .properties
            .iter()
            .filter(|property| property.key != KeyKind::Symbol)
            .map(|property| &*property.name)
            .collect();
        let mut issues = Vec::new();
        for key in self.key_list(keys).iter() {
            let Some((name, KeyKind::Text | KeyKind::Number)) = self.key_name(*key) else {
                continue;
            };
            // A computed key type, as in `Omit<A, keyof B>`, often has more keys than the type.
            if known.contains(&&*name) || !self.is_written(&name, location) {
                continue;
            }
            let help = match closest(&name, known.iter().copied()) {
                Some(near) => format!("did you mean `\"{near}\"`?"),
                None => format!("the keys of the type are {}", known.join(", ")),
            };
            issues.push(
                Diagnostic::warning(
                    codes::UNKNOWN_KEY,
                    format!("`Omit` leaves out `{name}`, which the type does not have"),
                )
                .label(self.graph.label(location))
                .help(help),
            );
        }
        issues
    }

    /// Returns the members of a union for which `keep` returns true. If `keep` fails with an invalid type,
    /// returns the invalid type.
    fn filter(&mut self, ty: TyId, mut keep: impl FnMut(&mut Self, TyId) -> Result<bool, TyId>) -> TyId {
        let shape = self.shape(ty);
        let members: Rc<[TyId]> = match self.store.get(shape).clone() {
            Ty::Union(members) => members,
            Ty::Invalid(_) => return shape,
            // A type that is not a union keeps its name.
            Ty::Boolean => self.boolean_values().into(),
            _ => [ty].into(),
        };
        let mut kept = Vec::with_capacity(members.len());
        for member in members.iter() {
            // `boolean` is the union of `true` and `false`, and only one of them may satisfy the condition.
            let values: Vec<TyId> = match self.shape_of(*member) {
                Ty::Boolean => self.boolean_values().to_vec(),
                _ => vec![*member],
            };
            for value in values {
                match keep(self, value) {
                    Ok(true) => kept.push(value),
                    Ok(false) => {}
                    Err(invalid) => return invalid,
                }
            }
        }
        self.union(kept)
    }

    /// Returns the type of `await` for a value of a type.
    fn awaited(&mut self, ty: TyId) -> TyId {
        match self.shape_of(ty) {
            Ty::Union(members) => {
                let members = members.iter().map(|member| self.awaited(*member)).collect();
                self.union(members)
            }
            Ty::Builtin("Promise" | "PromiseLike", arguments) if !arguments.is_empty() => {
                self.awaited(arguments[0])
            }
            Ty::Object(id) => {
                let object = self.store.object_at(id);
                let Some(then) = object.property("then") else {
                    return ty;
                };
                // The result is the type `V` in `then(use: (value: V) => …)`.
                let value = self
                    .last_function(then.ty, false)
                    .and_then(|then| then.parameters.first().map(|callback| callback.ty))
                    .and_then(|callback| {
                        let callback = self.defined(callback);
                        self.last_function(callback, false)
                    })
                    .and_then(|callback| callback.parameters.first().map(|value| value.ty));
                match value {
                    Some(value) => self.awaited(value),
                    None => ty,
                }
            }
            _ => ty,
        }
    }

    /// Returns the last overload of a function, which TypeScript uses in `ReturnType` and `Parameters`.
    fn last_function(&mut self, ty: TyId, construct: bool) -> Option<Function> {
        match self.shape_of(ty) {
            Ty::Object(id) => {
                let object = self.store.object_at(id);
                let list = if construct {
                    &object.constructs
                } else {
                    &object.calls
                };
                let last = list.last().cloned();
                last.map(|last| self.base_signature(&last))
            }
            _ => None,
        }
    }

    fn of_function(
        &mut self,
        ty: TyId,
        location: Location,
        construct: bool,
        read: impl Fn(&mut Self, &Function) -> TyId + Copy,
    ) -> TyId {
        let shape = self.shape(ty);
        match self.store.get(shape).clone() {
            Ty::Any | Ty::Never | Ty::Invalid(_) => shape,
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| self.of_function(*member, location, construct, read))
                    .collect();
                self.union(members)
            }
            _ => {
                if let Some(function) = self.last_function(shape, construct) {
                    read(self, &function)
                } else {
                    let what = if construct { "class" } else { "function" };
                    let message = format!("`{}` is not the type of a {what}", self.text(ty));
                    self.unsupported(location, &message, "write `typeof` before its name")
                }
            }
        }
    }

    fn without_this(&mut self, ty: TyId) -> TyId {
        match self.shape_of(ty) {
            Ty::Object(id) => {
                let mut object = Object::clone(&self.store.object_at(id));
                object.calls.iter_mut().for_each(|call| call.this = None);
                self.store.object(object)
            }
            _ => ty,
        }
    }
}
