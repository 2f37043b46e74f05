//! The type operators `keyof T` and `T[K]`.

use kit_diagnostics::{closest, codes};
use oxc_ast::ast::TSIndexedAccessType;

use super::types::{Element, Literal, is_numeric_name};
use super::{Evaluator, KeyKind, Object, Property, ScopeId, Ty, TyId};
use crate::modules::Location;

/// Names of the properties and methods that every array has in ES2023. `keyof` of an array or tuple contains
/// them.
const ARRAY_MEMBERS: &[&str] = &[
    "length",
    "toString",
    "toLocaleString",
    "pop",
    "push",
    "concat",
    "join",
    "reverse",
    "shift",
    "slice",
    "sort",
    "splice",
    "unshift",
    "indexOf",
    "lastIndexOf",
    "every",
    "some",
    "forEach",
    "map",
    "filter",
    "reduce",
    "reduceRight",
    "find",
    "findIndex",
    "fill",
    "copyWithin",
    "entries",
    "keys",
    "values",
    "includes",
    "flatMap",
    "flat",
    "at",
    "findLast",
    "findLastIndex",
    "toReversed",
    "toSorted",
    "toSpliced",
    "with",
];

/// Methods that change an array. `keyof` of a readonly array does not contain them.
const CHANGING: &[&str] = &[
    "pop",
    "push",
    "reverse",
    "shift",
    "sort",
    "splice",
    "unshift",
    "fill",
    "copyWithin",
];

impl<'a> Evaluator<'a> {
    /// Evaluates `keyof T`.
    pub(super) fn keys_of(&mut self, ty: TyId, location: Location) -> TyId {
        let shape = self.shape(ty);
        match self.store.get(shape).clone() {
            Ty::Object(id) => {
                let object = self.store.object_at(id);
                self.object_keys(&object)
            }
            Ty::Union(members) => {
                // The keys of a union are those that all members have.
                let mut common: Option<TyId> = None;
                for member in members.iter() {
                    let keys = self.keys_of(*member, location);
                    common = Some(match common {
                        None => keys,
                        Some(common) => {
                            let both = self.store.add(Ty::Intersection([common, keys].into()));
                            self.shape(both)
                        }
                    });
                }
                common.unwrap_or(shape)
            }
            Ty::Kit(..) => {
                let object = self.without_kit_type(shape);
                self.keys_of(object, location)
            }
            Ty::Any | Ty::Never => self.any_key(),
            Ty::Unknown | Ty::Null | Ty::Undefined | Ty::NonPrimitive => self.store.add(Ty::Never),
            Ty::Array { readonly, .. } => self.list_keys(&[], readonly),
            Ty::Tuple { elements, readonly } => self.list_keys(&elements, readonly),
            Ty::Branded(_, tags) => self.keys_of(tags, location),
            Ty::Invalid(_) => shape,
            _ => {
                if let Some(keys) = self.library_keys(shape) {
                    return keys;
                }
                let message = format!(
                    "kit evaluates `keyof` only of object types, not of `{}`",
                    self.text(ty)
                );
                self.unsupported(location, &message, "write the keys as a union of literals")
            }
        }
    }

    /// Returns `string | number | symbol`, the type of all keys.
    pub(super) fn any_key(&mut self) -> TyId {
        let keys = [Ty::String, Ty::Number, Ty::Symbol].map(|ty| self.store.add(ty));
        self.union(keys.to_vec())
    }

    fn object_keys(&mut self, object: &Object) -> TyId {
        let mut keys = Vec::with_capacity(object.properties.len() + object.index.len());
        // An object with properties besides its index signature has other keys too, so the rules of the
        // signature do not apply.
        let is_map = object.visible().next().is_none();
        for index in &object.index {
            keys.push(index.ruled.filter(|_| is_map).unwrap_or(index.key));
            // An object with string keys also has number keys.
            if matches!(self.store.get(index.key), Ty::String) {
                keys.push(self.store.add(Ty::Number));
            }
        }
        for property in object.visible() {
            keys.push(self.key_of(property));
        }
        self.union(keys)
    }

    /// Returns the type of a property's key: `"id"` for the property `id`.
    pub(super) fn key_of(&mut self, property: &Property) -> TyId {
        let literal = match property.key {
            KeyKind::Text => Literal::String(property.name.clone()),
            KeyKind::Number => Literal::number(property.name.parse().unwrap_or(f64::NAN)),
            // JSON has no symbol keys. The type only has to differ from those of other keys.
            KeyKind::Symbol => return self.store.add(Ty::UniqueSymbol(property.location)),
        };
        self.store.add(Ty::Literal(literal))
    }

    fn list_keys(&mut self, elements: &[Element], readonly: bool) -> TyId {
        let mut keys = vec![self.store.add(Ty::Number)];
        keys.extend((0..elements.len()).map(|index| self.store.text(&index.to_string())));
        let members = ARRAY_MEMBERS
            .iter()
            .filter(|name| !readonly || !CHANGING.contains(name));
        keys.extend(members.map(|name| self.store.text(name)));
        self.union(keys)
    }

    /// Evaluates `T[K]`.
    pub(super) fn indexed_access(&mut self, object: TyId, index: TyId, location: Location) -> TyId {
        let (shape, index_shape) = (self.shape(object), self.shape(index));
        match (self.store.get(shape).clone(), self.store.get(index_shape).clone()) {
            (Ty::Invalid(_), _) | (Ty::String, Ty::Number) => shape,
            (_, Ty::Invalid(_)) | (Ty::Bytes, Ty::Number) => index_shape,
            (_, Ty::Union(keys)) => {
                let members = keys
                    .iter()
                    .map(|key| self.indexed_access(shape, *key, location))
                    .collect();
                self.union(members)
            }
            (_, Ty::Never) | (Ty::Never, _) => self.store.add(Ty::Never),
            (Ty::Any | Ty::Deferred(_), _) => shape,
            (Ty::Union(members), _) => {
                let members = members
                    .iter()
                    .map(|member| self.indexed_access(*member, index_shape, location))
                    .collect();
                self.union(members)
            }
            (Ty::Object(id), key) => {
                let object = self.store.object_at(id);
                self.property_type(&object, index_shape, &key, location)
            }
            // A string literal or a template has the properties of `string`.
            (
                Ty::Literal(Literal::String(_)) | Ty::Template(_) | Ty::Cased(..),
                Ty::Number | Ty::Literal(_),
            ) => {
                let text = self.store.add(Ty::String);
                self.indexed_access(text, index_shape, location)
            }
            (Ty::Array { element, .. }, Ty::Number) => element,
            (Ty::Tuple { elements, .. }, Ty::Number) => self.item_of(&elements),
            (Ty::Array { .. } | Ty::Tuple { .. } | Ty::String, Ty::Literal(key)) => {
                self.list_member(shape, &key, location)
            }
            (Ty::Kit(..), _) => {
                let object = self.without_kit_type(shape);
                self.indexed_access(object, index_shape, location)
            }
            (Ty::Branded(base, tags), Ty::Literal(key)) => {
                let tags_object = self.as_object(tags);
                if tags_object.is_some_and(|tags| tags.property(&key.name()).is_some()) {
                    self.indexed_access(tags, index_shape, location)
                } else {
                    self.indexed_access(base, index_shape, location)
                }
            }
            (Ty::Branded(base, _), _) => self.indexed_access(base, index_shape, location),
            // A property of a type parameter is not known before a call. In comparisons, TypeScript replaces the parameter by
            // `any`.
            (Ty::Parameter(_), _) => {
                let any = self.store.add(Ty::Any);
                self.store.add(Ty::Deferred([shape, any, any, any]))
            }
            (_, Ty::Literal(key)) => {
                let members = self.library_members(shape);
                let member =
                    members.and_then(|members| members.property(&key.name()).map(|member| member.ty));
                member.unwrap_or_else(|| self.no_member(object, index, location))
            }
            _ => self.no_member(object, index, location),
        }
    }

    /// Returns true if `M[K]` has no result because the argument for the type parameter `M` lacks the key `K`. TypeScript
    /// accepts `M[K]` with type parameters only if the constraint of `M` has the key, so that a missing key is an optional
    /// property of the constraint. For TypeScript, the result is `unknown`.
    pub(super) fn is_key_of_constraint(
        &mut self,
        result: TyId,
        access: &'a TSIndexedAccessType<'a>,
        scope: ScopeId,
    ) -> bool {
        let Ty::Invalid(id) = *self.store.get(result) else {
            return false;
        };
        self.store.invalid[id.index()].code == codes::UNKNOWN_KEY
            && [&access.object_type, &access.index_type].into_iter().all(|node| {
                let parameter = self.naked_parameter(node, scope);
                parameter.is_some_and(|(_, bound)| !matches!(self.shape_of(bound), Ty::Invalid(_)))
            })
    }

    fn no_member(&mut self, object: TyId, index: TyId, location: Location) -> TyId {
        let message = format!(
            "kit cannot look up `{}` in `{}`",
            self.text(index),
            self.text(object)
        );
        self.unsupported(location, &message, "write the type itself")
    }

    fn property_type(&mut self, object: &Object, key_id: TyId, key: &Ty, location: Location) -> TyId {
        let name = match key {
            Ty::Literal(key) => key.name(),
            Ty::EnumMember(member) => member.value.name(),
            Ty::UniqueSymbol(symbol) => super::members::symbol_name(*symbol),
            Ty::Branded(base, _) => {
                let (base, key) = (*base, self.shape_of(*base));
                return self.property_type(object, base, &key, location);
            }
            _ => {
                if let Some(value) = self.index_for(object, key_id) {
                    return value;
                }
                let object = self.store.object(object.clone());
                return self.no_member(object, key_id, location);
            }
        };
        let by_symbol = match key {
            // A mapped type uses the location of a property with a symbol key as its key.
            Ty::UniqueSymbol(symbol) => object
                .properties
                .iter()
                .find(|property| property.key == KeyKind::Symbol && property.location == *symbol),
            _ => None,
        };
        match by_symbol.or_else(|| object.property(&name)) {
            Some(property) if property.optional => {
                let (ty, absent) = (self.type_of(property), self.store.add(Ty::Undefined));
                self.union(vec![ty, absent])
            }
            Some(property) => self.type_of(property),
            None => match self.index_for(object, key_id) {
                Some(value) => value,
                None => self.unknown_key(object, &name, location),
            },
        }
    }

    /// Returns the value type of the index signature that accepts a key, or `None` if no signature accepts
    /// the key.
    pub(super) fn index_for(&mut self, object: &Object, key: TyId) -> Option<TyId> {
        let signatures: Vec<_> = object.index.clone();
        // A template accepts fewer keys than `number`, and `number` fewer than `string`.
        let rank = |this: &Self, key: TyId| match this.store.get(key) {
            Ty::String => 2,
            Ty::Number => 1,
            _ => 0,
        };
        let numeric = match self.store.get(key) {
            Ty::Literal(literal) => is_numeric_name(&literal.name()),
            Ty::Number => true,
            _ => false,
        };
        let text = match self.store.get(key).clone() {
            Ty::Literal(literal) => Some(self.store.add(Ty::Literal(Literal::String(literal.name())))),
            _ => None,
        };
        let mut best: Option<(i32, TyId)> = None;
        for signature in signatures {
            let fits = match self.store.get(signature.key) {
                Ty::String => matches!(
                    self.store.get(key),
                    Ty::String
                        | Ty::Number
                        | Ty::Literal(_)
                        | Ty::Template(_)
                        | Ty::Cased(..)
                        | Ty::EnumMember(_)
                ),
                Ty::Number => numeric,
                _ => self.assignable(text.unwrap_or(key), signature.key),
            };
            let rank = rank(self, signature.key);
            if fits && best.is_none_or(|(known, _)| rank < known) {
                best = Some((rank, signature.value));
            }
        }
        best.map(|(_, value)| value)
    }

    /// Returns the type of a property of an array, a tuple or a string: `T[0]`, `T["length"]`.
    fn list_member(&mut self, list: TyId, key: &Literal, location: Location) -> TyId {
        let name = key.name();
        let elements = match self.store.get(list).clone() {
            Ty::Tuple { elements, .. } => elements,
            Ty::Array { element, .. } => [Element::rest(element)].into(),
            _ => [].into(),
        };
        let is_text = matches!(self.store.get(list), Ty::String);
        if &*name == "length" {
            return self.length_of(&elements, is_text);
        }
        if !is_text && let Ok(index) = name.parse::<usize>() {
            let fixed = elements
                .iter()
                .position(|element| element.rest)
                .unwrap_or(elements.len());
            if index < fixed {
                let element = &elements[index];
                let mut members = vec![element.ty];
                if element.optional {
                    members.push(self.store.add(Ty::Undefined));
                }
                return self.union(members);
            }
            if fixed < elements.len() {
                return self.item_of(&elements[fixed..]);
            }
            let message = format!("`{}` has no element {index}", self.text(list));
            let help = format!("the tuple has {fixed} elements; the first element has the number 0");
            return self.reject(codes::UNKNOWN_KEY, location, message, &help);
        }
        if let Some(members) = self.library_members(list)
            && let Some(member) = members.property(&name)
        {
            return member.ty;
        }
        let index = self.store.text(&name);
        self.no_member(list, index, location)
    }

    /// Evaluates `T["length"]`: a literal such as `2` for a tuple without a rest element, otherwise `number`.
    fn length_of(&mut self, elements: &[Element], is_text: bool) -> TyId {
        if is_text || elements.iter().any(|element| element.rest) {
            return self.store.add(Ty::Number);
        }
        let least = elements.iter().filter(|element| !element.optional).count();
        let lengths = (least..=elements.len())
            .map(|length| {
                let length = u32::try_from(length).unwrap_or(u32::MAX);
                self.store.add(Ty::Literal(Literal::number(f64::from(length))))
            })
            .collect();
        self.union(lengths)
    }

    pub(super) fn unknown_key(&mut self, object: &Object, name: &str, location: Location) -> TyId {
        let names: Vec<&str> = object
            .properties
            .iter()
            .filter(|property| property.key != KeyKind::Symbol)
            .map(|property| &*property.name)
            .collect();
        let near = closest(name, names.iter().copied());
        let help = match near {
            Some(near) => format!("did you mean `\"{near}\"`?"),
            None if names.is_empty() => "it has none".to_owned(),
            None => format!("the keys of the type are {}", names.join(", ")),
        };
        let replacement = near.and_then(|near| self.graph.correction(location, name, near));
        let message = format!("the type has no property `{name}`");
        let diagnostic = self.diagnostic(codes::UNKNOWN_KEY, location, message);
        self.store.reject(diagnostic.help(help).replacement(replacement))
    }
}
