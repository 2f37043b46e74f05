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

    /// Returns a message of a stream with hidden values replaced. Text that is not JSON has no property names, so the text is shown
    /// only if the contract allows plain text (`is_plain`).
    pub(super) fn message(&self, text: &str, is_plain: bool) -> Option<String> {
        // An event without data has no text.
        if text.is_empty() {
            return Some(String::new());
        }
        if !is_plain {
            return self.body(text.as_bytes());
        }
        let has_names = text
            .trim_start_matches([' ', '\t', '\r', '\n'])
            .starts_with(['[', '{']);
        let json = has_names.then(|| self.body(text.as_bytes())).flatten();
        Some(json.unwrap_or_else(|| self.text(text)))
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

#[cfg(test)]
mod tests {
    use super::Redaction;

    #[test]
    fn plain_text_is_shown_only_if_the_contract_allows_plain_text() {
        let redaction = Redaction::new(&[]).unwrap();
        let shown = |text, is_plain| redaction.message(text, is_plain);
        assert_eq!(shown("hello", false), None);
        assert_eq!(shown("hello", true).as_deref(), Some("hello"));
        assert_eq!(shown("", false).as_deref(), Some(""));
        let secret = r#" {"password":"1234","a":1}"#;
        for is_plain in [false, true] {
            let text = shown(secret, is_plain);
            assert_eq!(text.as_deref(), Some(r#"{"password":"[redacted]","a":1}"#));
        }
        // A text that only begins like JSON.
        assert_eq!(shown("[1] hello", true).as_deref(), Some("[1] hello"));
    }
}
