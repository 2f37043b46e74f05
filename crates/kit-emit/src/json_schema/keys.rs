//! JSON Schema of index signatures: `patternProperties` for their values, `propertyNames` for the rules of their keys.

use indexmap::IndexMap;
use kit_ir::{IndexKey, ObjectType};
use serde_json::Value;

use super::{Schema, Schemas, any_of};
use crate::template_pattern::template_pattern;

/// Pattern of a number in the form in which JavaScript prints it. Keys of `[key: number]` have this form.
const NUMERIC_KEY: &str =
    r"^(?!-0$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]*[1-9])?(?:e[+\-][1-9][0-9]*)?$|^-?Infinity$|^NaN$";

impl Schemas<'_> {
    /// Returns the schemas of the values of index signatures, by the pattern that their keys match. Ignores
    /// index signatures that accept every key.
    pub(super) fn pattern_properties(self, object: &ObjectType) -> IndexMap<String, Schema> {
        object
            .signatures()
            .into_iter()
            .filter_map(|signature| Some((self.key_pattern(&signature.key)?, self.schema(signature.value))))
            .collect()
    }

    /// Returns the pattern of the keys of an index signature; `None` if it accepts every key.
    fn key_pattern(self, key: &IndexKey) -> Option<String> {
        match key {
            IndexKey::String => None,
            IndexKey::Number => Some(NUMERIC_KEY.to_owned()),
            IndexKey::Template { parts } => Some(template_pattern(self.program, parts)),
        }
    }

    /// Returns a schema for the rules of keys, such as `@maxLength`. The schema accepts declared properties,
    /// and keys that belong to an index signature without rules.
    pub(super) fn property_names(self, object: &ObjectType) -> Option<Schema> {
        let declared: Vec<Value> = object
            .properties
            .iter()
            .map(|property| Value::from(property.name.as_str()))
            .collect();
        let signatures = object.signatures().into_iter();
        let mut rules: Vec<Schema> = signatures
            .filter(|signature| !signature.rules.is_empty())
            .map(|signature| {
                let mut choices = Vec::new();
                if !declared.is_empty() {
                    choices.push(Schema {
                        choices: Some(declared.clone()),
                        ..Schema::default()
                    });
                }
                if let Some(pattern) = self.key_pattern(&signature.key) {
                    let taken = Schema {
                        pattern: Some(pattern),
                        ..Schema::default()
                    };
                    choices.push(Schema {
                        not: Some(Box::new(taken)),
                        ..Schema::default()
                    });
                }
                choices.push(Self::text_rules(&signature.rules));
                any_of(choices)
            })
            .collect();
        match rules.len() {
            0 => None,
            1 => rules.pop(),
            _ => Some(Schema {
                all_of: rules,
                ..Schema::default()
            }),
        }
    }
}
