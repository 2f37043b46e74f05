//! Validation failures in error responses: the message and `details.fields` for every client, and `failures` in
//! development.

use serde::Serialize;
use serde::ser::Serializer;
use serde_json::{Map, Value};

use crate::check::Failure;

/// Returns `details` with these failures as `fields`.
pub(super) fn details_of(failures: &[Failure]) -> Value {
    // Converting strings and JSON trees to a JSON tree cannot fail.
    serde_json::to_value(ValidationDetails::new(failures)).unwrap_or_default()
}

/// `details` of a validation error.
#[derive(Serialize)]
pub(super) struct ValidationDetails<'a> {
    fields: Fields<'a>,
}

impl<'a> ValidationDetails<'a> {
    /// Creates `details` with these failures as `fields`.
    pub(super) fn new(failures: &'a [Failure]) -> Self {
        let fields = Fields(failures);
        Self { fields }
    }
}

struct Fields<'a>(&'a [Failure]);

impl Serialize for Fields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|failure| Field {
            path: &failure.path,
            expected: &failure.expected,
            value: failure.value.as_ref(),
            rule: failure.rule.name(),
            limit: failure.limit.as_ref(),
        }))
    }
}

/// One failure in `details.fields`. `value` is absent if the failure has no value to show. `limit` is absent if the
/// rule has no argument.
#[derive(Serialize)]
struct Field<'a> {
    path: &'a str,
    expected: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<&'a Value>,
    rule: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<&'a Value>,
}

/// Returns one entry of `failures`, which only responses in development contain.
pub(super) fn development_failure(failure: &Failure) -> Value {
    let Failure {
        path,
        expected,
        received,
        rule,
        limit,
        suggestion,
        ..
    } = failure;
    let fallback = || format!("send {expected} instead");
    let suggestion = suggestion.clone().unwrap_or_else(fallback);
    let mut members = Map::new();
    members.insert("path".to_owned(), path.as_str().into());
    members.insert("expected".to_owned(), expected.as_ref().into());
    members.insert("received".to_owned(), received.as_str().into());
    members.insert("rule".to_owned(), rule.name().into());
    if let Some(limit) = limit {
        members.insert("limit".to_owned(), limit.clone());
    }
    members.insert("suggestion".to_owned(), suggestion.into());
    Value::Object(members)
}

/// Formats the message of a validation error: the first failure, then the number of other failures as ` (and 2
/// more)`.
pub(super) fn message_of(what: &str, failures: &[Failure]) -> String {
    let Some(first) = failures.first() else {
        return what.to_owned();
    };
    let Failure {
        path,
        expected,
        received,
        ..
    } = first;
    let (before, more, after) = match failures.len() {
        1 => ("", String::new(), ""),
        count => (" (and ", (count - 1).to_string(), " more)"),
    };
    [
        what,
        ": ",
        path,
        ": expected ",
        expected,
        ", received ",
        received,
        before,
        &more,
        after,
    ]
    .concat()
}
