//! Texts of validation failures: they contain values of fields whose names are in the path of the failure, and not in the names
//! around the values.

use serde_json::{Map, Value};

use super::Redactor;

/// Properties of a failure that can contain the invalid value.
const TEXTS: [&str; 3] = ["value", "received", "suggestion"];

impl Redactor {
    /// Returns the names of the properties that are hidden because the object is the failure of a hidden field, such as
    /// `{ path: "$.password", value: "short" }`.
    pub(super) fn texts_of_hidden_failure(&self, members: &Map<String, Value>) -> &'static [&'static str] {
        match members.get("path").and_then(Value::as_str) {
            Some(path) if path.starts_with('$') && self.hides_failure(path) => &TEXTS,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{CREDENTIALS, Redactor};

    #[test]
    fn hides_values_in_failures_of_hidden_fields() {
        let redactor = Redactor::new(CREDENTIALS.iter().copied()).expect("valid patterns");
        let failure = |path: &str| json!({ "path": path, "expected": "at least 12 characters", "value": "hunter2", "received": "\"hunter2\"", "suggestion": "not hunter2" });
        let details = json!({ "fields": [failure("$.user.password"), failure("$.name")] });
        let shown = redactor.value("details", details);
        let hidden = &shown["fields"][0];
        for name in ["value", "received", "suggestion"] {
            assert_eq!(hidden[name], "[redacted]", "{name}");
        }
        assert_eq!(hidden["expected"], "at least 12 characters");
        assert_eq!(shown["fields"][1], failure("$.name"));
    }
}
