//! Formats received values for failures, with a limited length.

use serde_json::{Map, Value};

use crate::json::{Json, number_text};

/// Placeholder for a value that must not be shown.
pub(super) const REDACTED: &str = "[redacted]";

const MAX_TEXT: usize = 200;
const MAX_ENTRIES: usize = 10;
const MAX_LEVELS: usize = 3;

/// Cuts a received value for an error: a string after 200 UTF-16 code units, an array or object after 10 entries, and
/// nesting after 3 levels. `…` marks each cut.
pub(super) fn shortened_value(value: &Json) -> Value {
    shown_within(value, MAX_LEVELS)
}

fn shown_within(value: &Json, levels: usize) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) if number.is_finite() => Value::from(*number),
        Json::Number(number) if *number > 0.0 => Value::from("Infinity"),
        Json::Number(_) => Value::from("-Infinity"),
        Json::String(text) => Value::String(shortened(text)),
        Json::Array(_) | Json::Object(_) if levels == 0 => Value::from("…"),
        Json::TooDeep => Value::from("…"),
        Json::Array(items) => {
            let mut shown: Vec<_> = items
                .iter()
                .take(MAX_ENTRIES)
                .map(|item| shown_within(item, levels - 1))
                .collect();
            if items.len() > MAX_ENTRIES {
                shown.push(Value::from("…"));
            }
            Value::Array(shown)
        }
        Json::Object(members) => {
            let mut shown = Map::new();
            let members = members.iter().filter(|(key, _)| *key != "__proto__");
            for (part, (key, item)) in members.enumerate() {
                if part == MAX_ENTRIES {
                    shown.insert("…".to_owned(), Value::from("…"));
                    break;
                }
                shown.insert(shortened(key), shown_within(item, levels - 1));
            }
            Value::Object(shown)
        }
    }
}

/// Returns the first 200 UTF-16 code units of a string. Adds `…` if the string is longer.
pub(super) fn shortened(text: &str) -> String {
    // A string has at least as many bytes as code units.
    if text.len() <= MAX_TEXT {
        return text.to_owned();
    }
    let mut units = 0;
    for (at, character) in text.char_indices() {
        units += character.len_utf16();
        if units > MAX_TEXT {
            // The check is `>`, because a string of exactly 200 code units is not cut.
            return format!("{}…", &text[..at]);
        }
    }
    text.to_owned()
}

/// Describes a received value in words: `number 42`, `string of 0 characters`. If the value is hidden, says only its
/// kind and if it is empty.
pub(super) fn received(value: &Json, noun: &str, hidden: bool) -> String {
    let count = |number, noun| crate::shape::count(number, noun);
    match value {
        Json::Null => "null".to_owned(),
        Json::Array(items) if hidden && !items.is_empty() => "array".to_owned(),
        Json::Array(items) => format!("array of {}", count(items.len(), "item")),
        Json::Object(_) => "object".to_owned(),
        Json::TooDeep => "a deeper level".to_owned(),
        Json::Bool(_) if hidden => "boolean".to_owned(),
        Json::Number(_) if hidden => "number".to_owned(),
        Json::String(text) if hidden && !text.is_empty() => noun.to_owned(),
        Json::Bool(value) => format!("boolean {value}"),
        Json::Number(number) if number.is_finite() => format!("number {}", number_text(*number)),
        Json::Number(number) if *number > 0.0 => "number Infinity".to_owned(),
        Json::Number(_) => "number -Infinity".to_owned(),
        Json::String(text) => [noun, " of ", &count(text.chars().count(), "character")].concat(),
    }
}
