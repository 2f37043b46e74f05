//! Finds strings that a type accepts and databases cannot store: U+0000, which PostgreSQL rejects, and unpaired
//! surrogates, which [`crate::json::parse`] reads as U+0000. Both can only arrive as an escape, so the search runs
//! only for requests that contain escapes.

use serde::Serialize;
use serde_json::Value;

use crate::check::{Failure, PathText, Rule};

/// Returns the failure for the first string in the decoded params, query or body that databases cannot store.
/// Undeclared properties cause no failure, because decoding has dropped them.
pub(super) fn find_unstorable(decoded: &impl Serialize) -> Option<Failure> {
    let value = serde_json::to_value(decoded).ok()?;
    let (what, steps) = find(&value)?;
    let mut path = PathText::root();
    for step in steps.iter().rev() {
        match step {
            Step::Member(key) => path.member(key),
            Step::Item(index) => path.item(*index),
        }
    }
    Some(failure(path.into_text(), what))
}

/// A step on the path to a string inside of a value.
enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

/// Finds the first string that databases cannot store. Returns `"string"` for a value or `"key"` for a
/// property name, and the path to the string in reverse order.
fn find(value: &Value) -> Option<(&'static str, Vec<Step<'_>>)> {
    let within = |step, item| {
        let (what, mut steps) = find(item)?;
        steps.push(step);
        Some((what, steps))
    };
    match value {
        Value::String(text) => is_unstorable(text).then(|| ("string", Vec::new())),
        Value::Array(items) => {
            let mut items = items.iter().enumerate();
            items.find_map(|(index, item)| within(Step::Item(index), item))
        }
        Value::Object(members) => match members.iter().find(|(key, _)| is_unstorable(key)) {
            Some((key, _)) => Some(("key", vec![Step::Member(key)])),
            None => members
                .iter()
                .find_map(|(key, item)| within(Step::Member(key), item)),
        },
        _ => None,
    }
}

fn is_unstorable(text: &str) -> bool {
    text.contains('\0')
}

/// Creates the failure. The failure does not show the string, because the string may be sensitive and cannot be
/// displayed well.
fn failure(path: String, what: &str) -> Failure {
    Failure {
        path,
        expected: format!("{what} without U+0000 and unpaired surrogates").into(),
        received: format!("{what} with one of them"),
        value: None,
        rule: Rule::Characters,
        limit: None,
        suggestion: Some("Leave the character out".to_owned()),
    }
}
