//! Events for the hook functions of plugins. A long property of an event is a separate JSON text, so that the host parses it
//! only if the function reads it.

use std::io;
use std::sync::Arc;

use kit_ir::Program;
use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter};
use serde_json::{Serializer, Value, json};

/// Event for a plugin's hook function. The function sees one document, [`TapEvent::complete_document`]. The
/// host may parse the attachment later, when the function reads it.
#[derive(Debug, Clone, PartialEq)]
pub struct TapEvent {
    /// `{ build, event }`: information on the build, and the data of the hook without the attachment.
    pub document: Value,
    /// A long property of the document's `event`, such as `program`.
    pub attachment: Option<Attachment>,
}

/// A long property of an event, with its value as JSON text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attachment {
    /// Name of the property.
    pub name: &'static str,
    content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Content {
    Printed(Arc<str>),
    Validators(Arc<[Validator]>),
}

/// A generated module with the validator of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Validator {
    pub(super) r#type: String,
    pub(super) path: String,
    pub(super) text: Arc<String>,
}

impl TapEvent {
    /// Returns the document with the attachment inserted.
    ///
    /// # Panics
    /// Never: the attachment was printed as JSON.
    pub fn complete_document(&self) -> Value {
        let mut document = self.document.clone();
        if let Some(attachment) = &self.attachment {
            let member = serde_json::from_str(&attachment.text()).expect("it was printed as JSON");
            document["event"][attachment.name] = member;
        }
        document
    }
}

impl Attachment {
    pub(super) fn program(program: &Program) -> Self {
        #[derive(Serialize)]
        struct Document<'a> {
            #[serde(flatten)]
            program: &'a Program,
            version: u32,
        }
        let version = Program::VERSION;
        Self::printed("program", &Document { program, version })
    }

    pub(super) fn routes(program: &Program) -> Self {
        Self::printed("routes", &program.routes)
    }

    pub(super) fn validators(validators: Vec<Validator>) -> Self {
        Self {
            name: "validators",
            content: Content::Validators(validators.into()),
        }
    }

    fn printed(name: &'static str, value: &impl Serialize) -> Self {
        let mut text = Vec::new();
        value
            .serialize(&mut Serializer::with_formatter(&mut text, JavaScriptNumbers))
            .expect("what plugins get always has a JSON form");
        let text = String::from_utf8(text).expect("JSON is text");
        Self {
            name,
            content: Content::Printed(text.into()),
        }
    }

    /// Returns the value of the property as JSON text.
    pub fn text(&self) -> String {
        match &self.content {
            Content::Printed(text) => text.to_string(),
            Content::Validators(validators) => {
                let documents: Vec<Value> = validators
                    .iter()
                    .map(|Validator { r#type, path, text }| json!({ "type": r#type, "path": path, "text": **text }))
                    .collect();
                Value::from(documents).to_string()
            }
        }
    }
}

/// Prints whole numbers without `.0`, as `JSON.stringify` does. The host compares the text with its own output to find changes.
struct JavaScriptNumbers;

impl Formatter for JavaScriptNumbers {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        #[allow(clippy::cast_possible_truncation)] // Reason: the condition excludes truncation.
        if value.fract() == 0.0 && value.abs() < 9e15 {
            CompactFormatter.write_i64(writer, value as i64)
        } else {
            CompactFormatter.write_f64(writer, value)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kit_ir::{Constraints, Decimal, Program, Type, TypeKind};
    use serde_json::json;

    use super::{Attachment, TapEvent, Validator};

    #[test]
    fn program_for_plugins_contains_numbers_as_javascript_prints_them() {
        let mut program = Program::default();
        program.types.push(Type {
            kind: TypeKind::Number,
            constraints: Constraints {
                minimum: Decimal::new(-0.0),
                maximum: Decimal::new(1_000.0),
                multiple_of: Decimal::new(0.5),
                ..Constraints::default()
            },
            calls_to_json: false,
        });
        let attachment = Attachment::program(&program);
        assert!(
            attachment
                .text()
                .contains(r#""minimum":0,"maximum":1000,"multipleOf":0.5"#),
            "{}",
            attachment.text()
        );
        let event = TapEvent {
            document: json!({ "event": { "files": [] } }),
            attachment: Some(attachment),
        };
        assert_eq!(
            event.complete_document()["event"]["program"]["version"],
            Program::VERSION
        );
        assert_eq!(event.complete_document()["event"]["files"], json!([]));
    }

    #[test]
    fn validators_for_plugins_are_printed_as_json() {
        let attachment = Attachment::validators(vec![Validator {
            r#type: "Note".to_owned(),
            path: "validators/Note.validator.ts".to_owned(),
            text: Arc::new("\"use strict\";\n".to_owned()),
        }]);
        assert_eq!(
            attachment.text(),
            r#"[{"type":"Note","path":"validators/Note.validator.ts","text":"\"use strict\";\n"}]"#
        );
    }
}
