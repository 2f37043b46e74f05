//! Rules of the members of unions.
//!
//! The members of an inferred union have no names that connect them with their schemas. kit attaches the rules of a schema if
//! exactly one member can be the type of the schema: the only text, the only list, or the only object with these properties and
//! literals.

use super::rules::{Kind, SchemaRules};
use crate::docs::TagName;
use crate::eval::{Evaluator, Literal, Ty, TyId};

impl Evaluator<'_> {
    /// Returns a union with the rules of the schemas of its members. Warns of the rules if kit cannot tell to which members they
    /// belong.
    pub(super) fn overlay_members(&mut self, ty: TyId, rules: &SchemaRules) -> TyId {
        let mut members = Vec::new();
        flatten(&rules.members, &mut members);
        let types = match self.shape_of(ty) {
            Ty::Union(types) => types.to_vec(),
            _ => vec![ty],
        };
        let Some(found) = self.schemas_of_members(&types, &members) else {
            for member in members {
                self.warn_rules(member);
            }
            return ty;
        };
        let ruled = types.iter().zip(found).map(|(ty, schema)| match schema {
            Some(index) => self.overlay(*ty, members[index], false),
            None => *ty,
        });
        let ruled = ruled.collect();
        self.union(ruled)
    }

    /// Returns the index of the schema of each type, `None` for `null` and `undefined`. Returns `None` if a type can belong to
    /// several schemas, or a schema to several types.
    fn schemas_of_members(&mut self, types: &[TyId], members: &[&SchemaRules]) -> Option<Vec<Option<usize>>> {
        let mut found = Vec::with_capacity(types.len());
        let mut uses = vec![0_usize; members.len()];
        for ty in types {
            let shape = self.shape_of(*ty);
            if matches!(shape, Ty::Null | Ty::Undefined) {
                found.push(None);
                continue;
            }
            let mut fitting = Vec::new();
            for (index, member) in members.iter().enumerate() {
                if self.can_be_of(&shape, member) {
                    fitting.push(index);
                }
            }
            let [only] = fitting.as_slice() else {
                return None;
            };
            uses[*only] += 1;
            found.push(Some(*only));
        }
        let is_clear = members.iter().zip(uses).all(|(member, uses)| match member.kind {
            Kind::Nothing | Kind::Boolean => true,
            Kind::Literal => uses > 0,
            // A default belongs to a property, not to one member of its type.
            _ => uses == 1 && !member.rules.iter().any(|rule| rule.name == TagName::Default),
        });
        is_clear.then_some(found)
    }

    /// Returns true if a type can be the type of a schema.
    fn can_be_of(&mut self, shape: &Ty, schema: &SchemaRules) -> bool {
        match (shape, schema.kind) {
            (Ty::Branded(base, _), _) => {
                let base = self.shape_of(*base);
                self.can_be_of(&base, schema)
            }
            (Ty::String, Kind::Text)
            | (Ty::Number, Kind::Number)
            | (Ty::BigInt, Kind::BigInt)
            | (Ty::Date, Kind::Date)
            | (Ty::Boolean | Ty::Literal(Literal::Boolean(_)), Kind::Boolean)
            | (Ty::Array { .. } | Ty::Tuple { .. }, Kind::List) => true,
            (Ty::Literal(literal), Kind::Literal) => schema.literals.contains(literal),
            (Ty::EnumMember(member), Kind::Literal) => schema.literals.contains(&member.value),
            (Ty::Object(id), Kind::Record) => {
                let object = self.store.object_at(*id);
                object.properties.is_empty() && !object.index.is_empty()
            }
            (Ty::Object(id), Kind::Object) => {
                let object = self.store.object_at(*id);
                object.index.is_empty()
                    && object.properties.iter().all(|property| {
                        schema
                            .properties
                            .iter()
                            .find(|(name, ..)| **name == *property.name)
                            .is_some_and(|(.., part)| self.has_literals_of(property.ty, part))
                    })
            }
            _ => false,
        }
    }

    /// Returns false if a schema accepts only literals, and a type contains another literal.
    fn has_literals_of(&mut self, ty: TyId, schema: &SchemaRules) -> bool {
        if schema.kind != Kind::Literal {
            return true;
        }
        match self.shape_of(ty) {
            Ty::Literal(literal) => schema.literals.contains(&literal),
            Ty::EnumMember(member) => schema.literals.contains(&member.value),
            Ty::Union(members) => members.iter().all(|member| self.has_literals_of(*member, schema)),
            Ty::Branded(base, _) => self.has_literals_of(base, schema),
            Ty::Null | Ty::Undefined => true,
            _ => false,
        }
    }
}

/// Lists the schemas of a union, with those of unions in unions.
fn flatten<'r>(members: &'r [SchemaRules], found: &mut Vec<&'r SchemaRules>) {
    for member in members {
        // The rules of a union in a union belong to none of its members.
        if member.members.is_empty() || !member.rules.is_empty() {
            found.push(member);
        } else {
            flatten(&member.members, found);
        }
    }
}
