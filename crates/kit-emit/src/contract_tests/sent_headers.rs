//! Selects the rules of headers that a test can break: `fetch` sends only some values as they are.

use serde_json::Value;

use super::rule::{RequestValue, Rule, Step};

/// Maximum length of a header in a test. Servers refuse a request with 431 if its headers are too long.
const MAX_HEADER: usize = 4_000;

/// Returns true if the server reads a header with the value of a rule exactly as the test sent it.
pub(super) fn is_sent_in_a_header(rule: &Rule) -> bool {
    match &rule.given {
        RequestValue::Value(Value::Array(items)) => items.iter().all(|item| match item {
            Value::String(text) => !text.is_empty() && !text.contains([',', '"']) && is_header(text),
            _ => true,
        }),
        RequestValue::Value(Value::String(text)) => {
            // A row can be about an item of a list, which a comma would divide.
            let is_item = rule.path.iter().any(|step| matches!(step, Step::Index(_)));
            is_header(text) && !(is_item && (text.is_empty() || text.contains([',', '"'])))
        }
        RequestValue::Missing | RequestValue::Value(_) => true,
        RequestValue::Nested { .. } => false,
    }
}

fn is_header(text: &str) -> bool {
    text.len() <= MAX_HEADER
        && text.trim_matches(' ') == text
        && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}
