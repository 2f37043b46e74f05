//! Objects of an OpenAPI document that kit writes, in the order of the output.

use indexmap::IndexMap;
use kit_ir::CalendarDate;
use serde::Serialize;
use serde_json::{Value, json};

use crate::json_schema::Schema;
use crate::options::Contact;
use crate::text::nested;

/// An OpenAPI document. Its operations and components were printed before, with [`part`].
pub(crate) struct Document<'a> {
    pub(crate) head: Head<'a>,
    /// Operations by path, then by method in lower case.
    pub(crate) paths: IndexMap<String, IndexMap<String, &'a str>>,
    /// Schemas by name.
    pub(crate) components: IndexMap<&'a str, &'a str>,
    /// Responses that are components, by name.
    pub(crate) responses: IndexMap<&'a str, &'a str>,
    /// Security schemes by name.
    pub(crate) schemes: IndexMap<&'a str, String>,
}

/// Properties of an OpenAPI document that stand before `paths` and `components`.
#[derive(Serialize)]
pub(crate) struct Head<'a> {
    pub(crate) openapi: &'static str,
    pub(crate) info: Info<'a>,
    pub(crate) servers: [Server; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<Tag>,
}

impl Document<'_> {
    /// Prints the document. The text equals the JSON of the whole document, although its parts were printed
    /// separately.
    pub(crate) fn print(&self) -> String {
        let operations = self.paths.values().flatten();
        let parts = operations
            .map(|(_, text)| *text)
            .chain(self.components.values().copied());
        let length: usize = parts.map(|part| part.len() + 100).sum();
        let head = pretty(&self.head);
        let mut text = String::with_capacity(head.len() + length);
        // Without the last two characters, a line break and a brace.
        text.push_str(&head[..head.len() - 2]);
        text.push_str(",\n  \"paths\": ");
        let paths = self.paths.iter();
        object(&mut text, 4, paths, |text, item| {
            object(text, 6, item.iter(), |text, operation| text.push_str(operation));
        });
        text.push_str(",\n  \"components\": {\n    \"schemas\": ");
        let components = self.components.iter();
        object(&mut text, 6, components, |text, schema| text.push_str(schema));
        if !self.responses.is_empty() {
            text.push_str(",\n    \"responses\": ");
            let responses = self.responses.iter();
            object(&mut text, 6, responses, |text, response| text.push_str(response));
        }
        if !self.schemes.is_empty() {
            text.push_str(",\n    \"securitySchemes\": ");
            let schemes = self.schemes.iter();
            object(&mut text, 6, schemes, |text, scheme| text.push_str(scheme));
        }
        text.push_str("\n  }\n}\n");
        text
    }
}

/// Prints an object with its keys indented by `depth` spaces.
fn object<K: AsRef<str>, V>(
    text: &mut String,
    depth: usize,
    entries: impl Iterator<Item = (K, V)>,
    write: impl Fn(&mut String, V),
) {
    let indent = &"      "[..depth];
    let mut separator = "{\n";
    for (key, value) in entries {
        text.push_str(separator);
        text.push_str(indent);
        text.push_str(&Value::from(key.as_ref()).to_string());
        text.push_str(": ");
        write(text, value);
        separator = ",\n";
    }
    if separator == "{\n" {
        text.push_str("{}");
    } else {
        text.push('\n');
        text.push_str(&indent[..depth - 2]);
        text.push('}');
    }
}

/// Layout of an operation or a component.
#[derive(Debug, Clone, Copy, Hash)]
pub(crate) enum Layout {
    /// Many lines, with indentation.
    Lines,
    /// One line, which takes less than half of the bytes.
    OneLine,
}

/// Prints an operation or a component with the indentation that it has in the document.
pub(crate) fn part(content: &impl Serialize, layout: Layout) -> String {
    match layout {
        Layout::Lines => nested(&pretty(content), "      "),
        Layout::OneLine => serde_json::to_string(content).expect(SERIALIZABLE),
    }
}

fn pretty(content: &impl Serialize) -> String {
    serde_json::to_string_pretty(content).expect(SERIALIZABLE)
}

const SERIALIZABLE: &str = "documents are structs and maps with text keys, which serialize without fail";

#[derive(Serialize)]
pub(crate) struct Info<'a> {
    pub(crate) title: &'a str,
    pub(crate) version: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact: Option<&'a Contact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) license: Option<License<'a>>,
}

#[derive(Serialize)]
pub(crate) struct License<'a> {
    pub(crate) name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) identifier: Option<&'a str>,
}

/// Server of the API. The server also serves the document, so the URL is relative (OpenAPI 3.1, section 4.6).
#[derive(Serialize)]
pub(crate) struct Server {
    pub(crate) url: &'static str,
}

#[derive(Serialize)]
pub(crate) struct Tag {
    pub(crate) name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Operation {
    #[serde(rename = "operationId")]
    pub(crate) id: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<bool>,
    #[serde(rename = "x-deprecated-since", skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated_since: Option<CalendarDate>,
    #[serde(rename = "x-sunset", skip_serializing_if = "Option::is_none")]
    pub(crate) sunset: Option<CalendarDate>,
    #[serde(rename = "x-successor", skip_serializing_if = "Option::is_none")]
    pub(crate) successor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_body: Option<RequestBody>,
    pub(crate) responses: IndexMap<String, Response>,
    /// Alternative security requirements, of which a request must satisfy one. `None` if the requirements are
    /// unknown, empty if the operation requires no authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) security: Option<Vec<Requirement>>,
}

/// Names of the security schemes of one requirement, each with the scopes that the caller must have. A request must
/// satisfy all of them.
pub(crate) type Requirement = IndexMap<String, Vec<String>>;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Parameter {
    pub(crate) name: String,
    #[serde(rename = "in")]
    pub(crate) location: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<bool>,
    pub(crate) schema: Schema,
}

#[derive(Serialize)]
pub(crate) struct RequestBody {
    pub(crate) required: bool,
    pub(crate) content: IndexMap<String, MediaType>,
}

/// Response of an operation: a reference to a component, or the response itself.
#[derive(Default, Serialize)]
pub(crate) struct Response {
    #[serde(rename = "$ref", skip_serializing_if = "Option::is_none")]
    pub(crate) reference: Option<String>,
    /// Empty if the response is a reference.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) description: String,
    /// Headers by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) headers: IndexMap<String, Header>,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) content: IndexMap<String, MediaType>,
}

impl Response {
    /// Creates a reference to a component.
    pub(crate) fn component(name: &str) -> Self {
        Self {
            reference: Some(format!("#/components/responses/{name}")),
            ..Self::default()
        }
    }
}

/// Header of a response.
#[derive(Clone, Serialize)]
pub(crate) struct Header {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) description: Option<String>,
    pub(crate) required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) deprecated: Option<bool>,
    pub(crate) schema: Schema,
}

#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MediaType {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) schema: Option<Schema>,
    /// Schema of each item of a stream. Only in OpenAPI 3.2.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_schema: Option<Schema>,
    /// Encoding of the properties of a form, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) encoding: IndexMap<String, Encoding>,
    /// Examples by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) examples: IndexMap<String, Example>,
}

impl MediaType {
    /// Creates the content of a stream from the schema of one item.
    pub(crate) fn of_items(item: Schema) -> Self {
        Self {
            schema: None,
            item_schema: Some(item),
            encoding: IndexMap::new(),
            examples: IndexMap::new(),
        }
    }
}

/// Encoding of a property of a form.
#[derive(Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Encoding {
    /// Media types of the part, separated by commas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) content_type: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) style: Option<&'static str>,
    /// True if each item of an array is a field of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) explode: Option<bool>,
}

#[derive(Clone, Serialize)]
pub(crate) struct Example {
    pub(crate) value: Value,
}

/// Returns the schema of any text.
pub(crate) fn text_schema() -> Schema {
    Schema {
        r#type: Some("string"),
        ..Schema::default()
    }
}

/// Returns the content of one media type with a schema and an optional example.
pub(crate) fn with_example(schema: Schema, example: Option<Value>) -> MediaType {
    let examples = example.map(|value| ("example".to_owned(), Example { value }));
    MediaType {
        schema: Some(schema),
        item_schema: None,
        encoding: IndexMap::new(),
        examples: examples.into_iter().collect(),
    }
}

/// Returns the schema of the body that every error response of the runtime has.
pub(crate) fn error_envelope() -> Value {
    json!({
        "description": "What every error looks like.",
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "description": "Code of the error, for programs.", "type": "string" },
                    "message": { "description": "Description of the error, for people.", "type": "string" },
                    "details": {
                        "description": "Details of the error. For `VALIDATION_ERROR`, `fields` lists the invalid values.",
                        "type": "object",
                        "properties": {
                            "fields": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "properties": {
                                        "path": { "description": "JSONPath of the value.", "type": "string" },
                                        "expected": {
                                            "description": "Type and rules of the value, for people.",
                                            "type": "string",
                                        },
                                        "value": {
                                            "description": "The value; null if it is missing, absent if it cannot be shown.",
                                        },
                                        "rule": {
                                            "description": "The first rule that the value breaks, for programs: the keyword of JSON Schema, or a name of kit if JSON Schema has no keyword for the rule.",
                                            "type": "string",
                                            "examples": ["required", "type", "minLength"],
                                        },
                                        "limit": {
                                            "description": "The argument of the rule; absent if the rule has no argument.",
                                        },
                                    },
                                    "required": ["path", "expected", "rule"],
                                },
                            },
                        },
                    },
                    "traceId": { "description": "Id with which to find the request in logs and traces.", "type": "string" },
                },
                "required": ["code", "message", "traceId"],
            },
        },
        "required": ["error"],
    })
}

/// Returns the schema of an error response with this code, whose details have a declared type.
pub(crate) fn error_with_details(code: &str, details: Schema) -> Schema {
    let text = |description: &str| Schema {
        description: Some(description.to_owned()),
        r#type: Some("string"),
        ..Schema::default()
    };
    let object = |properties: Vec<(&str, Schema)>| {
        let properties: IndexMap<String, Schema> = properties
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), schema))
            .collect();
        Schema {
            r#type: Some("object"),
            required: properties.keys().cloned().collect(),
            properties: Some(properties),
            ..Schema::default()
        }
    };
    let code = Schema {
        r#type: Some("string"),
        constant: Some(Value::from(code)),
        ..Schema::default()
    };
    object(vec![(
        "error",
        object(vec![
            ("code", code),
            ("message", text("Description of the error, for people.")),
            ("details", details),
            (
                "traceId",
                text("Id with which to find the request in logs and traces."),
            ),
        ]),
    )])
}
