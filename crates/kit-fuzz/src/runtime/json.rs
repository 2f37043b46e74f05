//! Fuzz target for JSON: compares the parser of `kit-runtime` with `serde_json`. Also compares two ways of decoding: in one
//! pass, and from a parsed tree.

use kit_runtime::check::{explain, explain_briefly};
use kit_runtime::json::{Json, MAX_LEVELS, from_json, parse, read_valid};
use kit_runtime::shape::{Format, Index, Keys, Property, Shape};
use kit_runtime::{Contract, IndexMap, Timestamp, Value, optional};
use serde::{Deserialize, Serialize};

/// Maximum length of the path in a validation failure, in UTF-16 code units. Longer paths are cut, because
/// they contain keys that clients choose.
const LONGEST_PATH: usize = 1_001;

/// Parses any text as JSON.
///
/// # Panics
///
/// Panics if `serde_json` parses the text differently, if the result is nested too deeply, or if the two
/// decoders give different values.
pub fn json(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = parse(&text);
    match (&read, serde_json::from_str::<Value>(&text)) {
        (Ok(json), Ok(expected)) => assert!(is_same(json, &expected), "{json:?} is not {expected}"),
        (Err(error), Ok(_)) => panic!("serde_json reads the text, but kit says: {error:?}"),
        (Ok(_), Err(error)) => assert!(is_stricter(&error, &text), "kit reads what is no JSON: {error}"),
        (Err(error), Err(_)) => assert!(error.line >= 1 && error.column >= 1 && error.offset <= text.len()),
    }
    if let Ok(json) = &read {
        assert!(levels(json) <= MAX_LEVELS);
        let everything = explain(AllKinds::shape(), json);
        for failure in &everything {
            assert!(
                failure.path.encode_utf16().count() <= LONGEST_PATH,
                "{}",
                failure.path
            );
        }
        assert_eq!(everything.len(), explain_briefly(AllKinds::shape(), json).len());
    }
    let Some(quick) = read_valid::<AllKinds>(&text) else {
        return;
    };
    let json = read.expect("what is read in one pass is JSON");
    assert_eq!(explain(AllKinds::shape(), &json), []);
    let slow: AllKinds = from_json(&json).expect("what fits is read");
    assert_eq!(quick, slow);
}

/// Returns true if `serde_json` refuses a text that is valid JSON: it refuses unpaired surrogates, numbers beyond the range
/// of `f64`, and deep nesting.
fn is_stricter(error: &serde_json::Error, text: &str) -> bool {
    let message = error.to_string();
    message.starts_with("recursion limit exceeded")
        || message.starts_with("number out of range")
        || (text.contains("\\u") && (message.contains("surrogate") || message.contains("hex escape")))
}

/// Returns true if two JSON values are equal. Ignores the order of properties, because kit uses the order of
/// JavaScript. Ignores the last bits of numbers, because `serde_json` does not parse numbers exactly.
fn is_same(json: &Json, expected: &Value) -> bool {
    match (json, expected) {
        (Json::Null, Value::Null) => true,
        (Json::Bool(one), Value::Bool(other)) => one == other,
        (Json::Number(one), Value::Number(other)) => other
            .as_f64()
            .is_some_and(|other| (one - other).abs() <= other.abs() * 1e-14 + f64::MIN_POSITIVE),
        (Json::String(one), Value::String(other)) => one == other,
        (Json::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
        }
        (Json::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(key, one)| other.get(key).is_some_and(|other| is_same(one, other)))
        }
        _ => false,
    }
}

fn levels(json: &Json) -> usize {
    match json {
        Json::Array(items) => 1 + items.iter().map(levels).max().unwrap_or(0),
        Json::Object(members) => 1 + members.values().map(levels).max().unwrap_or(0),
        _ => 0,
    }
}

/// A type with properties of every kind. A generated Rust server contains such types.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
struct AllKinds {
    title: String,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    size: Option<f64>,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    email: Option<String>,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    any: Option<Value>,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    names: Option<IndexMap<String, String>>,
    #[serde(default, with = "optional", skip_serializing_if = "Option::is_none")]
    #[allow(clippy::option_option)] // Reason: a property that may be absent or null.
    lost: Option<Option<bool>>,
    children: Vec<AllKinds>,
}

impl Contract for AllKinds {
    const NAME: &'static str = "AllKinds";

    fn shape() -> &'static Shape {
        static SHAPE: Shape = Shape::object(
            "AllKinds",
            &[
                Property::required("title", Shape::TEXT.min_length(1).max_length(20)),
                Property::optional("size", Shape::NUMBER.minimum(0.0)),
                Property::optional("at", Shape::Date),
                Property::optional("email", Shape::TEXT.format(Format::Email)),
                Property::optional("any", Shape::Unknown),
                Property::optional(
                    "names",
                    Shape::anonymous(&[]).index(&[Index::new(Keys::Any, Shape::TEXT)]),
                ),
                Property::optional("lost", Shape::union(&[Shape::Null, Shape::Boolean])),
                Property::required("children", Shape::array(&Shape::of::<AllKinds>())),
            ],
        );
        &Shape::Recursive(|| &SHAPE)
    }
}
