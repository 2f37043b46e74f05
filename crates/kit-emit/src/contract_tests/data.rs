//! Values in the tables of contract tests, which are printed as JavaScript or as JSON.

use std::collections::BTreeSet;

use kit_ir::DeclarationId;
use serde_json::{Map, Value, json};

use super::rule::{RequestValue, Step};
use crate::text::literal;

/// Maximum length of a string of equal characters. A longer string is printed as a call such as
/// `characters(5000)`.
const MAX_STRING: usize = 40;

/// Maximum length of a list of equal items. A longer list is printed as a call such as `items(1000, "a")`.
const MAX_LIST: usize = 4;

/// Start of the names of properties that have a meaning for the reader of the JSON form.
const MARK: char = '$';

/// Value in a table.
#[derive(Debug, Clone)]
pub(super) enum Data {
    /// Value of a request, or part of a description.
    Value(Value),
    /// Value that a test puts into a request at a path.
    Given(RequestValue),
    /// Shape of a declared type.
    Shape(DeclarationId),
    List(Vec<Data>),
    /// Properties in the order in which they are printed.
    Object(Vec<(String, Data)>),
}

impl Data {
    pub(super) fn text(text: impl Into<String>) -> Self {
        Self::Value(Value::String(text.into()))
    }

    pub(super) fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::List(texts.into_iter().map(Self::text).collect())
    }

    pub(super) fn object<K: Into<String>>(fields: impl IntoIterator<Item = (K, Self)>) -> Self {
        Self::Object(
            fields
                .into_iter()
                .map(|(key, value)| (key.into(), value))
                .collect(),
        )
    }

    /// Returns the shape of a type; null if there is no type.
    pub(super) fn shape(id: Option<DeclarationId>) -> Self {
        id.map_or(Self::Value(Value::Null), Self::Shape)
    }
}

/// Prints data as JavaScript.
pub(super) struct JavaScript<F> {
    /// Functions of `@kit/testing` that the printed code calls.
    pub(super) helpers: BTreeSet<&'static str>,
    /// Returns the name of the shape of a type.
    pub(super) shape: F,
}

impl<F: FnMut(DeclarationId) -> String> JavaScript<F> {
    pub(super) fn print(&mut self, data: &Data) -> String {
        match data {
            Data::Value(value) => self.value(value),
            Data::Given(given) => self.given(given),
            Data::Shape(id) => (self.shape)(*id),
            Data::List(items) => {
                let items: Vec<_> = items.iter().map(|item| self.print(item)).collect();
                literal::list("[", items, "]")
            }
            Data::Object(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, value)| (literal::key(name), self.print(value)))
                    .collect();
                literal::object(fields)
            }
        }
    }

    fn given(&mut self, given: &RequestValue) -> String {
        match given {
            RequestValue::Missing => {
                self.helpers.insert("missing");
                "missing".to_owned()
            }
            RequestValue::Value(value) => self.value(value),
            RequestValue::Nested {
                sample,
                steps,
                levels,
            } => {
                self.helpers.insert("nested");
                let steps = steps.iter().map(|step| match step {
                    Step::Key(key) => literal::string(key),
                    Step::Index(index) => index.to_string(),
                });
                let steps = literal::list("[", steps, "]");
                format!("nested({levels}, {steps}, {})", self.value(sample))
            }
        }
    }

    /// Prints a value. Long strings and lists become calls with their length.
    fn value(&mut self, value: &Value) -> String {
        if let Some((character, count)) = repeated_character(value) {
            self.helpers.insert("characters");
            return match character {
                'a' => format!("characters({count})"),
                _ => format!("characters({count}, {})", literal::string(&character.to_string())),
            };
        }
        if let Some((item, count)) = repeated_item(value) {
            self.helpers.insert("items");
            return format!("items({count}, {})", self.value(item));
        }
        match value {
            Value::String(text) => literal::string(text),
            Value::Array(items) => {
                let items: Vec<_> = items.iter().map(|item| self.value(item)).collect();
                literal::list("[", items, "]")
            }
            Value::Object(entries) => {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(name, value)| (literal::key(name), self.value(value)))
                    .collect();
                literal::object(entries)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => literal::json(value),
        }
    }
}

/// Returns data as JSON. A shape becomes the name of its type, which `shape` returns.
///
/// The JSON has objects with one property for values that would be long: `{"$text": ["a", 5000]}`, `{"$list": ["a", 1000]}`,
/// `{"$nested": [value, path, levels]}`. `{"$missing": true}` stands for a property that a request lacks, and `{"$object": {…}}` for
/// an object of a request with names that begin with `$`.
pub(super) fn to_json(data: &Data, shape: &mut impl FnMut(DeclarationId) -> String) -> Value {
    match data {
        Data::Value(value) | Data::Given(RequestValue::Value(value)) => packed(value),
        Data::Given(RequestValue::Missing) => json!({ "$missing": true }),
        Data::Given(RequestValue::Nested {
            sample,
            steps,
            levels,
        }) => {
            let steps: Vec<Value> = steps
                .iter()
                .map(|step| match step {
                    Step::Key(key) => key.as_str().into(),
                    Step::Index(index) => (*index).into(),
                })
                .collect();
            json!({ "$nested": [packed(sample), steps, levels] })
        }
        Data::Shape(id) => shape(*id).into(),
        Data::List(items) => items.iter().map(|item| to_json(item, shape)).collect(),
        Data::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), to_json(value, shape)));
            Value::Object(fields.collect())
        }
    }
}

/// Returns a value of a request in the form of [`to_json`].
fn packed(value: &Value) -> Value {
    if let Some((character, count)) = repeated_character(value) {
        return json!({ "$text": [character, count] });
    }
    if let Some((item, count)) = repeated_item(value) {
        return json!({ "$list": [packed(item), count] });
    }
    match value {
        Value::Array(items) => items.iter().map(packed).collect(),
        Value::Object(entries) => {
            let is_marked = entries.keys().any(|name| name.starts_with(MARK));
            let entries: Map<_, _> = entries
                .iter()
                .map(|(name, value)| (name.clone(), packed(value)))
                .collect();
            if is_marked {
                json!({ "$object": entries })
            } else {
                Value::Object(entries)
            }
        }
        _ => value.clone(),
    }
}

/// Returns the character and the length of a long string of equal characters.
fn repeated_character(value: &Value) -> Option<(char, usize)> {
    let text = value.as_str()?;
    let first = text.chars().next()?;
    let length = text.chars().count();
    (length > MAX_STRING && text.chars().all(|other| other == first)).then_some((first, length))
}

/// Returns the item and the length of a long list of equal items.
fn repeated_item(value: &Value) -> Option<(&Value, usize)> {
    let items = value.as_array()?;
    let first = items.first()?;
    (items.len() > MAX_LIST && items.iter().all(|item| item == first)).then_some((first, items.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json_of(value: Value) -> Value {
        to_json(&Data::Value(value), &mut |_| String::new())
    }

    #[test]
    fn shortens_long_strings_and_lists_of_equal_parts_in_json() {
        assert_eq!(json_of("b".repeat(41).into()), json!({ "$text": ["b", 41] }));
        assert_eq!(json_of("b".repeat(40).into()), json!("b".repeat(40)));
        let list = vec![json!({ "a": 1 }); 5];
        assert_eq!(json_of(list.into()), json!({ "$list": [{ "a": 1 }, 5] }));
    }

    #[test]
    fn wraps_objects_of_requests_whose_names_begin_with_the_mark() {
        assert_eq!(
            json_of(json!({ "$text": ["a", 2] })),
            json!({ "$object": { "$text": ["a", 2] } })
        );
    }

    #[test]
    fn prints_missing_and_nested_values_in_json() {
        let mut no_shape = |_| String::new();
        let missing = Data::Given(RequestValue::Missing);
        assert_eq!(to_json(&missing, &mut no_shape), json!({ "$missing": true }));
        let nested = Data::Given(RequestValue::Nested {
            sample: json!({ "children": [] }),
            steps: vec![Step::Key("children".to_owned()), Step::Index(0)],
            levels: 300,
        });
        assert_eq!(
            to_json(&nested, &mut no_shape),
            json!({ "$nested": [{ "children": [] }, ["children", 0], 300] })
        );
    }
}
