//! Mapped types: `{ [K in Keys as Name]?: Value }`.

use std::rc::Rc;

use super::index::KeyMember;
use super::members::symbol_name;
use super::types::{Element, Index, Literal, Owner};
use super::{Evaluator, KeyKind, Object, Property, ScopeId, Ty, TyId, reference};
use crate::modules::Location;
use oxc_ast::ast::{TSMappedType, TSMappedTypeModifierOperator, TSType, TSTypeName, TSTypeOperatorOperator};

/// Effect of a mapped type on a modifier (`?` or `readonly`): keep, add or remove it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modifier {
    Keep,
    Add,
    Remove,
}

impl From<Option<TSMappedTypeModifierOperator>> for Modifier {
    fn from(written: Option<TSMappedTypeModifierOperator>) -> Self {
        match written {
            None => Self::Keep,
            Some(TSMappedTypeModifierOperator::Minus) => Self::Remove,
            Some(TSMappedTypeModifierOperator::True | TSMappedTypeModifierOperator::Plus) => Self::Add,
        }
    }
}

impl Modifier {
    fn apply(self, before: bool) -> bool {
        match self {
            Self::Keep => before,
            Self::Add => true,
            Self::Remove => false,
        }
    }
}

/// A key for which a mapped type creates a property.
struct Key {
    member: KeyMember,
    /// Property with this key in the object to which the mapped type is applied.
    source: Option<Property>,
}

impl<'a> Evaluator<'a> {
    pub(super) fn mapped(&mut self, node: &'a TSMappedType<'a>, scope: ScopeId) -> TyId {
        let location = self.location(scope, node.span);
        let Some(of) = key_of_operand(&node.constraint) else {
            return self.mapped_over_keys(node, scope, location);
        };
        // `{ [K in keyof T]: … }` with a type parameter `T` maps each member of a union and the elements of
        // an array. It leaves primitives unchanged.
        if let Some((name, bound)) = self.naked_parameter(of, scope) {
            return self.mapped_over(node, bound, name, scope, location);
        }
        let source = self.evaluate(of, scope);
        let shape = self.shape(source);
        match self.store.get(shape).clone() {
            Ty::Object(id) => {
                let object = self.store.object_at(id);
                self.mapped_object(node, &object, scope, location)
            }
            _ => self.mapped_over_keys(node, scope, location),
        }
    }

    fn mapped_over(
        &mut self,
        node: &'a TSMappedType<'a>,
        source: TyId,
        name: &'a str,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let shape = self.shape(source);
        match self.store.get(shape).clone() {
            Ty::Union(members) => {
                let members = members
                    .iter()
                    .map(|member| {
                        let scope = self.store.inner_scope(scope, vec![(name, *member)]);
                        self.mapped_over(node, *member, name, scope, location)
                    })
                    .collect();
                self.union(members)
            }
            Ty::Object(id) => {
                let object = self.store.object_at(id);
                self.mapped_object(node, &object, scope, location)
            }
            Ty::Array { element, readonly } if node.name_type.is_none() => {
                let key = self.store.add(Ty::Number);
                let element = self.mapped_element(node, key, element, false, scope);
                let readonly = Modifier::from(node.readonly).apply(readonly);
                self.store.add(Ty::Array { element, readonly })
            }
            Ty::Tuple { elements, readonly } if node.name_type.is_none() => {
                let readonly = Modifier::from(node.readonly).apply(readonly);
                let mut mapped = Vec::with_capacity(elements.len());
                for (index, element) in elements.iter().enumerate() {
                    // The type of a rest element is mapped as an array of it.
                    let (key, scope) = if element.rest {
                        let rest = self.store.add(Ty::Array {
                            element: element.ty,
                            readonly: false,
                        });
                        let scope = self.store.inner_scope(scope, vec![(name, rest)]);
                        (self.store.add(Ty::Number), scope)
                    } else {
                        (self.store.text(&index.to_string()), scope)
                    };
                    let optional = !element.rest && Modifier::from(node.optional).apply(element.optional);
                    mapped.push(Element {
                        ty: self.mapped_element(node, key, element.ty, element.optional, scope),
                        optional,
                        ..element.clone()
                    });
                }
                self.tuple_of(mapped, readonly)
            }
            Ty::Any => {
                let key = self.store.add(Ty::String);
                let value = self.mapped_value(node, key, scope);
                self.store.object(Object {
                    index: vec![Index::plain(key, value)],
                    ..Object::default()
                })
            }
            Ty::Branded(base, _) if !matches!(self.store.get(base), Ty::Array { .. } | Ty::Tuple { .. }) => {
                source
            }
            Ty::Date | Ty::Bytes | Ty::Builtin(..) if node.name_type.is_none() => {
                self.mapped_over_library(node, shape, scope, location)
            }
            Ty::Array { .. } | Ty::Tuple { .. } | Ty::Date | Ty::Bytes | Ty::Builtin(..) => {
                self.mapped_over_keys(node, scope, location)
            }
            Ty::Unknown | Ty::NonPrimitive => self.store.object(Object::default()),
            // A mapped type leaves primitives unchanged.
            _ => source,
        }
    }

    /// Maps a type of TypeScript itself, such as `Date`. The result has the methods of the type, which only its own values
    /// have on the wire. If the mapped type accepts these values, as in `DeepPartial<Date>`, the result is the type itself.
    fn mapped_over_library(
        &mut self,
        node: &'a TSMappedType<'a>,
        source: TyId,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let Some(members) = self.library_members(source) else {
            return source;
        };
        let mapped = self.mapped_object(node, &members, scope, location);
        let Some(object) = self.as_object(mapped) else {
            return mapped;
        };
        let accepts = object.properties.iter().all(|property| {
            members
                .property(&property.name)
                .is_some_and(|member| self.assignable(member.ty, property.ty))
        });
        if accepts { source } else { mapped }
    }

    fn mapped_element(
        &mut self,
        node: &'a TSMappedType<'a>,
        key: TyId,
        element: TyId,
        optional: bool,
        scope: ScopeId,
    ) -> TyId {
        let value = self.mapped_value(node, key, scope);
        if optional && Modifier::from(node.optional) == Modifier::Remove {
            return self.defined_later(value);
        }
        // Usually the value is `T[K]`, and the element keeps its name and doc tags.
        let (a, b) = (self.without_laziness(value), self.without_laziness(element));
        if a == b { element } else { value }
    }

    /// Maps the properties of an object, as `{ [K in keyof T]: … }` does. The properties keep their
    /// modifiers, comments and order.
    fn mapped_object(
        &mut self,
        node: &'a TSMappedType<'a>,
        source: &Rc<Object>,
        scope: ScopeId,
        location: Location,
    ) -> TyId {
        let mut keys: Vec<Key> = Vec::with_capacity(source.properties.len());
        for property in source.visible() {
            let shape = self.key_of(property);
            keys.push(Key {
                member: KeyMember { shape, ruled: None },
                source: Some(property.clone()),
            });
        }
        for index in &source.index {
            let member = KeyMember {
                shape: index.key,
                ruled: index.ruled,
            };
            keys.push(Key { member, source: None });
        }
        let mut object = self.mapped_members(node, keys, scope, location);
        object.issues.extend(source.issues.iter().cloned());
        object.data_only = source.data_only;
        self.store.object(object)
    }

    /// Maps `[K in Keys]`. For a parameter `Keys extends keyof T`, as in `Pick`, the properties keep the
    /// modifiers and comments that they have in `T`.
    fn mapped_over_keys(&mut self, node: &'a TSMappedType<'a>, scope: ScopeId, location: Location) -> TyId {
        let constraint = self.evaluate(&node.constraint, scope);
        let shape = self.shape(constraint);
        let members = match self.store.get(shape) {
            Ty::Invalid(_) => return shape,
            Ty::Any => {
                let string = self.store.add(Ty::String);
                self.key_members(string)
            }
            _ => self.key_members(constraint),
        };
        let modifiers = self.modifiers_type(&node.constraint, scope);
        let keys = members
            .into_iter()
            .map(|member| {
                let source = modifiers
                    .as_ref()
                    .and_then(|object| object.property(&self.key_name(member.shape)?.0).cloned());
                Key { member, source }
            })
            .collect();
        let object = self.mapped_members(node, keys, scope, location);
        self.store.object(object)
    }

    /// Returns the object whose keys limit a type parameter: `T` for `K extends keyof T`.
    fn modifiers_type(&mut self, constraint: &'a TSType<'a>, scope: ScopeId) -> Option<Rc<Object>> {
        let TSType::TSTypeReference(reference) = constraint else {
            return None;
        };
        let TSTypeName::IdentifierReference(name) = &reference.type_name else {
            return None;
        };
        let (home, owner) = self.store.binder(scope, name.name.as_str())?;
        let (constraint, scope) = match owner {
            Owner::Declaration(decl) => {
                let parameter = reference::parameters(self.graph.decl(decl))?
                    .iter()
                    .find(|parameter| parameter.name.name == name.name)?;
                (parameter.constraint.as_ref()?, home)
            }
            Owner::Mapped(node) => (&node.constraint, self.store.parent(home)?),
        };
        let of = key_of_operand(constraint)?;
        let source = self.evaluate(of, scope);
        self.as_object(source)
    }

    fn mapped_members(
        &mut self,
        node: &'a TSMappedType<'a>,
        keys: Vec<Key>,
        scope: ScopeId,
        location: Location,
    ) -> Object {
        let mut object = Object { ..Object::default() };
        self.spend_members(keys.len(), keys.len());
        if self.is_exhausted() {
            let invalid = self.exhausted(location);
            if let Ty::Invalid(id) = *self.store.get(invalid) {
                object.issues.push(self.store.invalid[id.index()].clone());
            }
            return object;
        }
        for key in keys {
            // A value that is the key itself, as in `{ [K in Code]: K }`, has the rules of the key.
            let bound = key.member.ruled.unwrap_or(key.member.shape);
            let inner = self.store.key_scope(scope, node, bound);
            let names: Vec<KeyMember> = match &node.name_type {
                None => vec![key.member],
                Some(name) => {
                    let name = self.evaluate(name, inner);
                    self.key_members(name)
                }
            };
            for name in names {
                self.mapped_member(&mut object, node, &key, name, inner, location);
            }
        }
        object
    }

    fn mapped_member(
        &mut self,
        object: &mut Object,
        node: &'a TSMappedType<'a>,
        key: &Key,
        name: KeyMember,
        scope: ScopeId,
        location: Location,
    ) {
        let value = match &node.type_annotation {
            Some(annotation) => self.store.lazy(annotation, scope),
            None => self.store.add(Ty::Any),
        };
        let Some((text, kind)) = self.key_name(name.shape) else {
            self.mapped_signature(object, name, value, location);
            return;
        };
        let (optional, readonly) = (Modifier::from(node.optional), Modifier::from(node.readonly));
        let source = key.source.as_ref();
        let was_optional = source.is_some_and(|source| source.optional);
        // If the value is `T[K]`, the property keeps its doc tags. Otherwise it keeps only the text of its
        // comment, because the tags may not apply to the new type.
        let same = source.is_some()
            && node
                .type_annotation
                .as_ref()
                .is_some_and(|value| self.is_own_value(value, node, scope));
        let (ty, text_only_doc) = match source {
            Some(source) if same => (source.ty, source.text_only_doc),
            Some(_) => (value, true),
            None => (value, false),
        };
        let ty = if was_optional && optional == Modifier::Remove {
            self.defined_later(ty)
        } else {
            ty
        };
        // Two keys with the same name become one property with a union of both types.
        let ty = match object.property(&text) {
            Some(known) => self.union(vec![known.ty, ty]),
            None => ty,
        };
        let property = Property {
            name: text,
            key: kind,
            ty,
            optional: optional.apply(was_optional),
            required: source.is_some_and(|source| source.required)
                || (was_optional && optional == Modifier::Remove),
            readonly: readonly.apply(source.is_some_and(|source| source.readonly)),
            text_only_doc,
            column: same && source.is_some_and(|source| source.column),
            doc: source.and_then(|source| source.doc),
            location: source.map_or(location, |source| source.location),
        };
        object.insert(property);
    }

    /// Returns true if the value of a mapped type over `T` with the key `K` is `T[K]`.
    fn is_own_value(&mut self, value: &'a TSType<'a>, node: &'a TSMappedType<'a>, scope: ScopeId) -> bool {
        let TSType::TSIndexedAccessType(access) = value else {
            return false;
        };
        let is_key = matches!(
            &access.index_type,
            TSType::TSTypeReference(reference)
                if matches!(&reference.type_name, TSTypeName::IdentifierReference(name) if name.name == node.key.name)
        );
        if !is_key {
            return false;
        }
        let Some(of) = key_of_operand(&node.constraint) else {
            // In `[K in Keys]: T[K]`, the parameter is declared as `Keys extends keyof T`.
            return true;
        };
        let (of, own) = (
            self.evaluate(of, scope),
            self.evaluate(&access.object_type, scope),
        );
        self.shape(of) == self.shape(own)
    }

    fn mapped_value(&mut self, node: &'a TSMappedType<'a>, key: TyId, scope: ScopeId) -> TyId {
        let inner = self.store.key_scope(scope, node, key);
        match &node.type_annotation {
            Some(value) => self.element_type(value, inner),
            None => self.store.add(Ty::Any),
        }
    }

    /// Returns the property name that a key type names: `a` for `"a"`. Returns `None` for a key such as
    /// `string`.
    pub(super) fn key_name(&mut self, key: TyId) -> Option<(Rc<str>, KeyKind)> {
        match self.shape_of(key) {
            Ty::Literal(literal @ Literal::Number(_)) => Some((literal.name(), KeyKind::Number)),
            Ty::Literal(literal @ Literal::String(_)) => Some((literal.name(), KeyKind::Text)),
            Ty::EnumMember(member) => Some((member.value.name(), KeyKind::Text)),
            Ty::UniqueSymbol(location) => Some((symbol_name(location), KeyKind::Symbol)),
            Ty::Branded(base, _) => self.key_name(base),
            _ => None,
        }
    }

    /// Returns an object type for a key type, as `Record` does: a literal key becomes a property, and any
    /// other key an index signature.
    pub(super) fn keyed(&mut self, keys: TyId, value: TyId, location: Location) -> TyId {
        let shape = self.shape(keys);
        let members = match self.store.get(shape) {
            Ty::Invalid(_) => return shape,
            Ty::Any => {
                let string = self.store.add(Ty::String);
                self.key_members(string)
            }
            _ => self.key_members(keys),
        };
        let mut object = Object { ..Object::default() };
        let mut many = Vec::new();
        for member in members {
            if let Some((name, key)) = self.key_name(member.shape) {
                let property = Property::plain(name, key, value, location);
                object.insert(property);
            } else {
                many.push(member);
            }
        }
        self.index_signatures(&mut object, &many, value, location);
        self.store.object(object)
    }
}

/// Returns the operand of `keyof`: `T` for `keyof T`. Returns `None` for any other type.
fn key_of_operand<'a>(node: &'a TSType<'a>) -> Option<&'a TSType<'a>> {
    match node {
        TSType::TSParenthesizedType(inner) => key_of_operand(&inner.type_annotation),
        TSType::TSTypeOperatorType(operator) if operator.operator == TSTypeOperatorOperator::Keyof => {
            Some(&operator.type_annotation)
        }
        _ => None,
    }
}
