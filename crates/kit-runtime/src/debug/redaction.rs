//! Hides values before the sidecar shows them: credentials in every mode, `@sensitive` properties, the patterns of the log, and
//! those of `DEBUG_REDACT`.

use serde_json::{Map, Value};

use super::ring::KeptText;
use crate::http::{Segment, hide_parameters};
use crate::redact::{CREDENTIALS, REDACTED, Redactor, redactor};
use crate::{Error, coerce};

/// Hides values in records.
#[derive(Debug)]
pub(super) struct Redaction(Redactor);

impl Redaction {
    /// Creates the redaction with additional patterns.
    pub(super) fn new(patterns: &[String]) -> Result<Self, Error> {
        let own = CREDENTIALS.iter().copied().chain(["x-debug-key"]);
        let all = own.chain(patterns.iter().map(String::as_str));
        redactor().with(all, "DEBUG_REDACT").map(Self)
    }

    pub(super) fn text(&self, text: &str) -> String {
        self.0.text(text).into_owned()
    }

    pub(super) fn json(&self, value: Value) -> Value {
        self.0.tree(value)
    }

    /// Returns the value of a span's attribute. The attribute `user.password` is hidden like the property `password` of an
    /// object `user`.
    pub(super) fn attribute(&self, name: &str, value: Value) -> Value {
        self.0.value(name, value)
    }

    /// Returns a JSON body with hidden values replaced. A body that is not JSON has no property names, so `None` is returned.
    pub(super) fn body(&self, bytes: &[u8]) -> Option<String> {
        let value = serde_json::from_slice(bytes).ok()?;
        serde_json::to_string(&self.json(value)).ok()
    }

    /// Returns a request target without the values of hidden parameters: `/notes?token=[redacted]`.
    pub(super) fn target(&self, target: &str, segments: &[Segment]) -> String {
        let (path, query) = match target.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (target, None),
        };
        let is_hidden = |name: &str| self.0.hides_parameter(name);
        let shown = hide_parameters(segments, path, is_hidden, REDACTED).into_owned();
        match query {
            None => shown,
            Some(query) => format!("{shown}?{}", self.query(query)),
        }
    }

    fn query(&self, query: &str) -> String {
        let pairs = query.split('&').map(|pair| match pair.split_once('=') {
            Some((name, _)) if self.hides_query(name) => format!("{name}={REDACTED}"),
            _ => pair.to_owned(),
        });
        pairs.collect::<Vec<_>>().join("&")
    }

    fn hides_query(&self, name: &str) -> bool {
        let spaced = name.replace('+', " ");
        let decoded =
            coerce::decode_percent(&spaced).map_or_else(|| name.to_owned(), std::borrow::Cow::into_owned);
        self.0.hides(&["query".to_owned(), decoded.to_lowercase()])
    }

    /// Returns a description of an error with hidden values replaced.
    pub(super) fn error(&self, kept: &KeptText) -> Value {
        let mut record = self.parts(value_of(kept), &["details", "failures"], &["message", "stack"]);
        if let Some(Value::String(path)) = record.get_mut("path") {
            *path = self.target(path, kept.segments);
        }
        record
    }

    /// Returns a log entry with hidden values replaced.
    pub(super) fn log(&self, kept: &KeptText) -> Value {
        let mut entry = self.parts(value_of(kept), &["data"], &["message"]);
        if let Some(Value::Array(spans)) = entry.get_mut("spans") {
            for span in spans {
                *span = self.parts(span.take(), &["data"], &[]);
            }
        }
        entry
    }

    fn parts(&self, record: Value, trees: &[&str], texts: &[&str]) -> Value {
        let Value::Object(record) = record else {
            return record;
        };
        let members = record.into_iter().map(|(name, value)| {
            let shown = match value {
                Value::String(text) if texts.contains(&name.as_str()) => self.text(&text).into(),
                value if trees.contains(&name.as_str()) => self.json(value),
                value => value,
            };
            (name, shown)
        });
        Value::Object(members.collect::<Map<_, _>>())
    }
}

fn value_of(kept: &KeptText) -> Value {
    serde_json::from_str(&kept.text).unwrap_or_default()
}
