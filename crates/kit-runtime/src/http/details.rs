//! Details of an error in development: the location of the handler that failed.

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use serde_json::Value;

use super::source::RouteSource;

/// Location of the handler that failed, and the tests of its route.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HandlerLocation {
    #[serde(skip_serializing_if = "Option::is_none")]
    handler: Option<Handler>,
    related_tests: &'static [&'static str],
}

#[derive(Serialize)]
struct Handler {
    file: &'static str,
    export: &'static str,
    line: usize,
}

impl HandlerLocation {
    /// Finds the line of the handler in its source file. Leaves out the location if the file or the function
    /// is not found, because the program may run in another directory.
    #[allow(clippy::disallowed_methods)] // Reason: a program reads its own sources, only in development.
    pub(super) fn of(source: &RouteSource) -> Self {
        let (file, export) = source.handler;
        let text = if file.is_empty() {
            String::new()
        } else {
            std::fs::read_to_string(file).unwrap_or_default()
        };
        Self {
            handler: line_of(&text, export).map(|line| Handler { file, export, line }),
            related_tests: source.tests,
        }
    }
}

/// Returns the line number of a function, from 1.
fn line_of(text: &str, function: &str) -> Option<usize> {
    let head = format!("fn {function}(");
    let found = text.lines().position(|line| line.contains(&head));
    found.map(|line| line + 1)
}

/// The property `details` of a 500 error in development, for errors that are not application errors.
#[derive(Serialize)]
pub(super) struct UnexpectedDetails {
    pub(super) name: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) causes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stack: Option<String>,
    #[serde(flatten)]
    pub(super) located: Option<HandlerLocation>,
}

/// The property `details` of an application error in development, with the location of the handler added.
/// Does not overwrite keys that the application has set.
pub(super) struct WithLocation<'a> {
    pub(super) details: &'a Value,
    pub(super) located: Option<HandlerLocation>,
}

impl Serialize for WithLocation<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let (
            Value::Object(own),
            Some(HandlerLocation {
                handler,
                related_tests,
            }),
        ) = (self.details, &self.located)
        else {
            return self.details.serialize(serializer);
        };
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in own {
            map.serialize_entry(name, value)?;
        }
        if let Some(handler) = handler.as_ref().filter(|_| !own.contains_key("handler")) {
            map.serialize_entry("handler", handler)?;
        }
        if !own.contains_key("relatedTests") {
            map.serialize_entry("relatedTests", related_tests)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Handler, HandlerLocation, WithLocation, line_of};

    #[test]
    fn finds_the_line_number_of_a_function_in_source_code() {
        let text = "impl Notes for App {\n    async fn get_notes(&self) {}\n    async fn get_notes_by_id(&self) {}\n}\n";
        assert_eq!(line_of(text, "get_notes_by_id"), Some(3));
        assert_eq!(line_of(text, "get_notes"), Some(2));
        assert_eq!(line_of(text, "get_note"), None);
    }

    #[test]
    fn keeps_the_details_that_the_application_has_set() {
        let located = || {
            Some(HandlerLocation {
                handler: Some(Handler {
                    file: "src/handlers/notes.rs",
                    export: "get_notes",
                    line: 7,
                }),
                related_tests: &["tests/notes.test.ts"],
            })
        };
        let shown = |details: serde_json::Value| {
            let located = located();
            serde_json::to_value(WithLocation {
                details: &details,
                located,
            })
            .unwrap()
        };
        assert_eq!(
            shown(json!({ "id": "1", "handler": "mine" })),
            json!({ "id": "1", "handler": "mine", "relatedTests": ["tests/notes.test.ts"] })
        );
        assert_eq!(
            shown(json!({})),
            json!({
                "handler": { "file": "src/handlers/notes.rs", "export": "get_notes", "line": 7 },
                "relatedTests": ["tests/notes.test.ts"],
            })
        );
        assert_eq!(shown(json!(["a"])), json!(["a"]));
    }
}
