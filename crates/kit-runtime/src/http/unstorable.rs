//! Text that a type takes as a string and no database keeps: U+0000, which PostgreSQL refuses, and surrogates without their partner,
//! which [`crate::json::parse`] reads as U+0000. Both come in by an escape only, so a request without one pays for a search in its text.

use serde::Serialize;
use serde_json::Value;

use crate::check::{Failure, PathText, Rule};

/// Finds the first place in a decoded part of a request that holds such text. It looks at what the handler would get: an undeclared
/// property, which is dropped, is nobody's fault.
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

/// A step on the way to a place.
enum Step<'v> {
    Member(&'v str),
    Item(usize),
}

/// Place of the text: its holder, and the steps to the text, the last one first.
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

/// The text itself is not shown: it may be sensitive, and it is what could not be shown well.
fn failure(path: String, what: &str) -> Failure {
    Failure {
        path,
        expected: format!("{what} without U+0000 and unpaired surrogates"),
        received: format!("{what} with one of them"),
        value: None,
        rule: Rule::Characters,
        limit: None,
        suggestion: Some("Leave the character out".to_owned()),
    }
}
