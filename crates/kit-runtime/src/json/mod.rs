//! JSON with the semantics of JavaScript: numbers are doubles, a repeated key keeps its first position and its last
//! value, and keys that look like array indexes come first.

mod de;
mod fast_path;
mod finite;
mod flat;
mod number;
mod parse;
mod serialize;

use indexmap::IndexMap;

pub use de::from_json;
pub use fast_path::read_valid;
pub(crate) use flat::explain_flat;
pub use number::number_text;
pub use parse::{MAX_LEVELS, SyntaxError, parse};
pub use serialize::to_text;
pub(crate) use serialize::to_text_of;

/// A parsed JSON value.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number; infinite if the number exceeds the range of a double.
    Number(f64),
    /// A string. An unpaired surrogate, which has no UTF-8 form, is replaced by U+0000: databases can store neither
    /// an unpaired surrogate nor U+0000.
    String(String),
    /// An array.
    Array(Vec<Self>),
    /// An object.
    Object(IndexMap<String, Self>),
    /// A value nested deeper than [`MAX_LEVELS`]. It fits no type.
    TooDeep,
}

impl Json {
    /// Returns true for an array or an object.
    ///
    /// ```
    /// use kit_runtime::json::Json;
    ///
    /// assert!(Json::Array(vec![]).is_container());
    /// assert!(!Json::Null.is_container());
    /// ```
    pub fn is_container(&self) -> bool {
        matches!(self, Self::Array(_) | Self::Object(_))
    }

    /// Returns the value of a property. Returns `None` if the property is missing or this value is not an object.
    ///
    /// ```
    /// use kit_runtime::json::{Json, parse};
    ///
    /// let note = parse(r#"{ "title": "Milk" }"#).unwrap();
    /// assert_eq!(note.get("title"), Some(&Json::String("Milk".to_owned())));
    /// assert_eq!(note.get("author"), None);
    /// ```
    pub fn get(&self, key: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.get(key),
            _ => None,
        }
    }
}

/// Returns a string as a JSON string, with quotes and escapes.
///
/// ```
/// use kit_runtime::json::quoted;
///
/// assert_eq!(quoted("a \"b\""), r#""a \"b\"""#);
/// ```
pub fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Returns the step to a property in a JSONPath: `.title`, or `["odd key"]`.
///
/// ```
/// use kit_runtime::json::member_step;
///
/// assert_eq!(member_step("title"), ".title");
/// assert_eq!(member_step("odd key"), r#"["odd key"]"#);
/// ```
pub fn member_step(key: &str) -> String {
    if is_identifier(key) {
        format!(".{key}")
    } else {
        format!("[{}]", quoted(key))
    }
}

/// Returns true for a key that a JSONPath contains without quotes.
pub(crate) fn is_identifier(key: &str) -> bool {
    let mut bytes = key.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Moves the keys that are array indexes in JavaScript, such as `"7"`, to the front, in ascending order.
fn order_like_javascript(members: &mut IndexMap<String, Json>) {
    if members.keys().any(|key| array_index(key).is_some()) {
        members.sort_by(|a, _, b, _| match (array_index(a), array_index(b)) {
            (Some(a), Some(b)) => a.cmp(&b),
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (None, None) => std::cmp::Ordering::Equal,
        });
    }
}

fn array_index(key: &str) -> Option<u32> {
    let canonical = key == "0" || !key.starts_with('0');
    if !canonical || key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    key.parse().ok().filter(|index| *index != u32::MAX)
}
