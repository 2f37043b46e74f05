//! Search for JSON values that are valid for several types.

use std::collections::BTreeSet;

use kit_ir::{IndexKey, ObjectType, Program, Type, TypeId, TypeKind};
use serde_json::{Map, Value};

use super::check::{element_types, fit};
use super::fit::Fit;
use super::{index_types, scalar, template};
use crate::members::members;
use crate::walk::resolve;

/// Maximum number of steps of one search. The limit ends a search in a recursive type.
const MAX_STEPS: usize = 2_000;

/// Maximum depth of nested objects for which a search adds optional properties.
const FULL_LEVELS: usize = 4;

/// Maximum depth of nested values in an example.
const MAX_LEVELS: usize = 16;

/// Returns a JSON value that certainly fits all of the types. The value has all optional properties if `full`
/// is true, and otherwise only required properties. Returns `None` if no value fits, or if the search finds
/// no value, for example because of a `@pattern`.
pub fn example(program: &Program, types: &[TypeId], full: bool) -> Option<Value> {
    let mut search = Search {
        program,
        full,
        steps: 0,
    };
    let value = search.of_all(types, 0)?;
    // The search fits the parts of the value, so the complete value still needs a check.
    let fits = types.iter().all(|id| fit(program, *id, &value) == Fit::Yes);
    fits.then_some(value)
}

struct Search<'a> {
    program: &'a Program,
    full: bool,
    steps: usize,
}

impl<'a> Search<'a> {
    fn of_all(&mut self, types: &[TypeId], level: usize) -> Option<Value> {
        self.steps += 1;
        if self.steps > MAX_STEPS || level > MAX_LEVELS {
            return None;
        }
        let program = self.program;
        let mut resolved: Vec<TypeId> = types.iter().map(|id| resolve(program, *id)).collect();
        resolved.dedup();
        // Tries each member of a union in turn.
        for (at, id) in resolved.iter().enumerate() {
            if let TypeKind::Union { members: declared } = &program.types[*id].kind {
                return members(program, declared).into_iter().find_map(|member| {
                    let mut narrowed = resolved.clone();
                    narrowed[at] = member.r#type;
                    self.of_all(&narrowed, level)
                });
            }
        }
        resolved.retain(|id| program.types[*id].kind != TypeKind::Unknown);
        let kinds: Vec<&'a Type> = resolved.iter().map(|id| &program.types[*id]).collect();
        let objects: Option<Vec<&'a ObjectType>> = kinds
            .iter()
            .map(|r#type| match &r#type.kind {
                TypeKind::Object(object) => Some(object),
                _ => None,
            })
            .collect();
        if kinds.is_empty() {
            return Some(Value::from("a"));
        }
        if let Some(objects) = objects {
            return self.object(&objects, level);
        }
        let is_list = |r#type: &&Type| matches!(r#type.kind, TypeKind::Array { .. } | TypeKind::Tuple { .. });
        if kinds.iter().all(is_list) {
            return self.array(&kinds, level);
        }
        kinds
            .iter()
            .flat_map(|r#type| scalar::examples(program, r#type))
            .find(|value| resolved.iter().all(|id| fit(program, *id, value) == Fit::Yes))
    }

    fn object(&mut self, objects: &[&'a ObjectType], level: usize) -> Option<Value> {
        let full = self.full && level < FULL_LEVELS;
        let mut value = Map::new();
        let mut seen = BTreeSet::new();
        for property in objects.iter().flat_map(|object| &object.properties) {
            if !seen.insert(property.name.as_str()) || property.name == "__proto__" {
                continue;
            }
            let required = objects.iter().any(|object| {
                let found = object.property(&property.name);
                found.is_some_and(|found| !found.optional_in_input())
            });
            if !required && !full {
                continue;
            }
            match self.entry(objects, &property.name, level) {
                Some(found) => {
                    value.insert(property.name.clone(), found);
                }
                None if required => return None,
                None => {}
            }
        }
        if full {
            for key in self.keys(objects) {
                if !seen.contains(key.as_str())
                    && let Some(found) = self.entry(objects, &key, level)
                {
                    value.insert(key, found);
                }
            }
        }
        Some(Value::Object(value))
    }

    /// Returns one key for each index signature. Leaves out signatures for which no fitting key is found.
    fn keys(&self, objects: &[&ObjectType]) -> Vec<String> {
        let signatures = objects.iter().flat_map(|object| &object.index);
        let keys = signatures.filter_map(|signature| {
            let mut choices = match &signature.key {
                IndexKey::String => vec!["key".to_owned()],
                IndexKey::Number => vec!["1".to_owned()],
                IndexKey::Template { parts } => template::example(self.program, parts).into_iter().collect(),
            };
            if signature.key == IndexKey::String {
                choices.extend(scalar::text_choices(&signature.rules));
            }
            let fits = |key: &String| scalar::text_fit(&signature.rules, key) == Fit::Yes;
            choices.into_iter().find(fits)
        });
        let keys: BTreeSet<String> = keys.collect();
        keys.into_iter().collect()
    }

    /// Returns a value for a key that fits the key's type in all of the objects.
    fn entry(&mut self, objects: &[&ObjectType], key: &str, level: usize) -> Option<Value> {
        let types: Vec<_> = objects
            .iter()
            .flat_map(|object| match object.property(key) {
                Some(property) => vec![property.r#type],
                None => index_types(self.program, object, key),
            })
            .collect();
        self.of_all(&types, level + 1)
    }

    fn array(&mut self, types: &[&Type], level: usize) -> Option<Value> {
        let least = types.iter().map(|r#type| least_items(r#type)).max().unwrap_or(0);
        let wanted = if self.full && level < FULL_LEVELS {
            [least.max(1), least]
        } else {
            [least, least]
        };
        wanted
            .into_iter()
            .filter(|length| *length <= FULL_LEVELS)
            .find_map(|length| self.array_of(types, length, level))
    }

    fn array_of(&mut self, types: &[&Type], length: usize, level: usize) -> Option<Value> {
        let lists: Vec<Vec<TypeId>> = types
            .iter()
            .map(|r#type| match &r#type.kind {
                TypeKind::Array { element } => Some(vec![*element; length]),
                TypeKind::Tuple { elements } => element_types(elements, length),
                _ => None,
            })
            .collect::<Option<_>>()?;
        let items = (0..length).map(|position| {
            let types: Vec<_> = lists.iter().map(|list| list[position]).collect();
            self.of_all(&types, level + 1)
        });
        let items: Option<Vec<_>> = items.collect();
        Some(Value::Array(items?))
    }
}

fn least_items(r#type: &Type) -> usize {
    match &r#type.kind {
        TypeKind::Tuple { elements } => elements
            .iter()
            .filter(|element| !element.optional && !element.rest)
            .count(),
        // No example has so many items.
        _ => usize::try_from(r#type.constraints.min_items.unwrap_or(0)).unwrap_or(usize::MAX),
    }
}
