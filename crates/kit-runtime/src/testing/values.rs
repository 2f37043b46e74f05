//! Values of requests, and changes of single values.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::{Map, Value};

/// Part of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Slot {
    Params,
    Query,
    Headers,
    Cookies,
    Body,
}

impl Slot {
    /// Returns the slot with a name.
    pub(super) fn named(name: &str) -> Self {
        match name {
            "params" => Self::Params,
            "query" => Self::Query,
            "headers" => Self::Headers,
            "cookies" => Self::Cookies,
            _ => Self::Body,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Params => "params",
            Self::Query => "query",
            Self::Headers => "headers",
            Self::Cookies => "cookies",
            Self::Body => "body",
        }
    }
}

/// Value that a test puts into a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Given {
    /// The request lacks the property.
    Missing,
    Value(Value),
}

impl Given {
    fn into_value(self) -> Option<Value> {
        match self {
            Self::Missing => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// Returns the value that an entry of a table stands for. Long and missing values are objects with one property: `$text`, `$list`,
/// `$nested`, `$missing`, `$object`.
pub(super) fn given(packed: &Value) -> Given {
    let Some((mark, content)) = marked(packed) else {
        return Given::Value(plain(packed));
    };
    let part = |index: usize| content.get(index).cloned().unwrap_or_default();
    let count = |index: usize| usize::try_from(part(index).as_u64().unwrap_or_default()).unwrap_or_default();
    match mark {
        "$missing" => Given::Missing,
        "$text" => Given::Value(part(0).as_str().unwrap_or_default().repeat(count(1)).into()),
        "$list" => Given::Value(vec![plain(&part(0)); count(1)].into()),
        "$nested" => {
            let steps: Vec<Step> = part(1)
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Step::of)
                .collect();
            let sample = plain(&part(0));
            let mut inner = sample.clone();
            for _ in 1..count(2) {
                inner = placed(Some(sample.clone()), &steps, Some(inner)).unwrap_or_default();
            }
            Given::Value(inner)
        }
        _ => Given::Value(members(content)),
    }
}

/// Returns the mark and the content of an object with one property whose name is a mark.
fn marked(packed: &Value) -> Option<(&str, &Value)> {
    let object = packed.as_object().filter(|object| object.len() == 1)?;
    let (name, content) = object.iter().next()?;
    name.starts_with('$').then_some((name, content))
}

fn plain(packed: &Value) -> Value {
    if marked(packed).is_some() {
        return given(packed).into_value().unwrap_or_default();
    }
    match packed {
        Value::Array(items) => items.iter().map(plain).collect(),
        Value::Object(_) => members(packed),
        _ => packed.clone(),
    }
}

fn members(packed: &Value) -> Value {
    let entries = packed.as_object().into_iter().flatten();
    let entries: Map<_, _> = entries
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect();
    Value::Object(entries)
}

/// Step from a value to a value inside of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

impl Step {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::String(key) => Some(Self::Key(key.clone())),
            Value::Number(index) => Some(Self::Index(usize::try_from(index.as_u64()?).ok()?)),
            _ => None,
        }
    }
}

/// Splits a path into its steps: `$.items[0]["odd key"]`.
pub(super) fn steps_of(path: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut rest = path.strip_prefix('$').unwrap_or(path);
    while let Some(after) = rest.strip_prefix('.') {
        let end = after.find(['.', '[']).unwrap_or(after.len());
        let (key, left) = after.split_at(end);
        steps.push(Step::Key(key.to_owned()));
        rest = indexes(left, &mut steps);
    }
    if rest.starts_with('[') {
        rest = indexes(rest, &mut steps);
        if !rest.is_empty() {
            steps.extend(steps_of(rest));
        }
    }
    steps
}

/// Adds the steps in brackets at the start of a text. Returns the rest of the text.
fn indexes<'a>(mut text: &'a str, steps: &mut Vec<Step>) -> &'a str {
    while let Some(after) = text.strip_prefix('[') {
        // A quoted key may contain a bracket, so its end is found by a parser of JSON.
        let mut parser = serde_json::Deserializer::from_str(after).into_iter::<Value>();
        let Some(Ok(step)) = parser.next() else {
            return "";
        };
        steps.extend(Step::of(&step));
        let rest = after.get(parser.byte_offset()..).unwrap_or_default();
        text = rest.strip_prefix(']').unwrap_or_default();
    }
    text
}

/// Returns a value with `inner` at a path. Without an `inner`, removes the property at the path. Creates objects and lists on the
/// path that do not exist.
pub(super) fn placed(value: Option<Value>, steps: &[Step], inner: Option<Value>) -> Option<Value> {
    let Some((step, rest)) = steps.split_first() else {
        return inner;
    };
    match step {
        Step::Index(index) => {
            let mut list = match value {
                Some(Value::Array(list)) => list,
                _ => Vec::new(),
            };
            if list.len() <= *index {
                list.resize(index + 1, Value::Null);
            }
            if let Some(item) = list.get_mut(*index) {
                *item = placed(Some(item.take()), rest, inner).unwrap_or_default();
            }
            Some(Value::Array(list))
        }
        Step::Key(key) => {
            let mut object = match value {
                Some(Value::Object(object)) => object,
                _ => Map::new(),
            };
            let old = object.get_mut(key).map(Value::take);
            match placed(old, rest, inner) {
                Some(new) => {
                    object.insert(key.clone(), new);
                }
                None => {
                    object.shift_remove(key);
                }
            }
            Some(Value::Object(object))
        }
    }
}

/// Returns a value as the text of a path, a query or a header.
pub(super) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// Returns the names and texts of the values of a query or form. Each item of a list has the name of the list.
pub(super) fn pairs_of_form(fields: &Map<String, Value>) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for (name, value) in fields {
        match value {
            Value::Array(items) => pairs.extend(items.iter().map(|item| (name.clone(), text_of(item)))),
            other => pairs.push((name.clone(), text_of(other))),
        }
    }
    pairs
}

/// Returns a text with percent-escapes, as `encodeURIComponent` of JavaScript does.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            escaped.push(char::from(byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Given, Step, given, placed, steps_of};

    #[test]
    fn reads_long_missing_and_nested_values() {
        assert_eq!(given(&json!({ "$text": ["b", 3] })), Given::Value(json!("bbb")));
        assert_eq!(given(&json!({ "$list": [1, 3] })), Given::Value(json!([1, 1, 1])));
        assert_eq!(given(&json!({ "$missing": true })), Given::Missing);
        assert_eq!(
            given(&json!({ "$nested": [{ "a": [] }, ["a", 0], 3] })),
            Given::Value(json!({ "a": [{ "a": [{ "a": [] }] }] }))
        );
        assert_eq!(
            given(&json!({ "a": { "$object": { "$text": "x" } } })),
            Given::Value(json!({ "a": { "$text": "x" } }))
        );
    }

    #[test]
    fn splits_paths_with_indexes_and_quoted_keys() {
        let key = |key: &str| Step::Key(key.to_owned());
        assert_eq!(steps_of("$"), []);
        assert_eq!(steps_of("$.a[0].b"), [key("a"), Step::Index(0), key("b")]);
        assert_eq!(steps_of("$[0]"), [Step::Index(0)]);
        assert_eq!(
            steps_of(r#"$["a]b"][1].c"#),
            [key("a]b"), Step::Index(1), key("c")]
        );
        assert_eq!(steps_of(r#"$.a["b"].c["d"]"#), ["a", "b", "c", "d"].map(key));
    }

    #[test]
    fn sets_and_removes_values_at_paths() {
        let valid = json!({ "a": [{ "b": 1 }] });
        let changed = placed(Some(valid.clone()), &steps_of("$.a[0].b"), Some(json!(2)));
        assert_eq!(changed, Some(json!({ "a": [{ "b": 2 }] })));
        let removed = placed(Some(valid), &steps_of("$.a[0].b"), None);
        assert_eq!(removed, Some(json!({ "a": [{}] })));
        assert_eq!(
            placed(None, &steps_of("$.x.y"), Some(json!(1))),
            Some(json!({ "x": { "y": 1 } }))
        );
    }
}
