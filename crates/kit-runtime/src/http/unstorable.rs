//! Text that a type takes as a string and no database keeps: U+0000, which PostgreSQL refuses, and surrogates without their partner,
//! which [`crate::json::parse`] reads as U+0000. Both come in by an escape only, so a request without one pays for a search in its text.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::Value;

use crate::check::Failure;
use crate::json::member_step;

/// The first place in a decoded part of a request that holds such text. It looks at what the handler would get: an undeclared
/// property, which is dropped, is nobody's fault.
pub(super) fn find_unstorable(decoded: &impl Serialize) -> Option<Failure> {
    let value = serde_json::to_value(decoded).ok()?;
    find(&value, &mut "$".to_owned())
}

fn find(value: &Value, path: &mut String) -> Option<Failure> {
    let length = path.len();
    match value {
        Value::String(text) => is_unstorable(text).then(|| failure(path, "string")),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            let _ = write!(path, "[{index}]");
            let found = find(item, path);
            path.truncate(length);
            found
        }),
        Value::Object(members) => {
            let unstorable = members.iter().find(|(key, _)| is_unstorable(key));
            if let Some((key, _)) = unstorable {
                return Some(failure(&format!("{path}{}", member_step(key)), "key"));
            }
            members.iter().find_map(|(key, item)| {
                path.push_str(&member_step(key));
                let found = find(item, path);
                path.truncate(length);
                found
            })
        }
        _ => None,
    }
}

fn is_unstorable(text: &str) -> bool {
    text.contains('\0')
}

/// The text itself is not shown: it may be sensitive, and it is what could not be shown well.
fn failure(path: &str, what: &str) -> Failure {
    Failure {
        path: path.to_owned(),
        expected: format!("{what} without U+0000 and unpaired surrogates"),
        received: format!("{what} with one of them"),
        value: None,
        suggestion: Some("Leave the character out".to_owned()),
    }
}
