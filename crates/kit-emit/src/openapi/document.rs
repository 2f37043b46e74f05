//! The parts of an OpenAPI document that kit writes, in the order in which they print.

use indexmap::IndexMap;
use serde::Serialize;
use serde_json::{Value, json};

use crate::json_schema::Schema;

/// The document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Document<'a> {
    pub(crate) openapi: &'static str,
    pub(crate) info: Info,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) tags: Vec<Tag>,
    pub(crate) paths: IndexMap<String, PathItem>,
    pub(crate) components: Components<'a>,
}

#[derive(Serialize)]
pub(crate) struct Info {
    pub(crate) title: String,
    pub(crate) version: String,
}

#[derive(Serialize)]
pub(crate) struct Tag {
    pub(crate) name: String,
}

/// Operations by method in lower case.
pub(crate) type PathItem = IndexMap<String, Operation>;

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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) parameters: Vec<Parameter>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) request_body: Option<RequestBody>,
    pub(crate) responses: IndexMap<String, Response>,
}

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
    pub(crate) content: IndexMap<&'static str, MediaType>,
}

/// A response, or a reference to one of the components.
#[derive(Serialize)]
pub(crate) struct Response {
    pub(crate) description: String,
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub(crate) content: IndexMap<&'static str, MediaType>,
}

#[derive(Serialize)]
pub(crate) struct MediaType {
    pub(crate) schema: Schema,
}

/// JSON of that schema.
pub(crate) fn json_content(schema: Schema) -> IndexMap<&'static str, MediaType> {
    IndexMap::from([("application/json", MediaType { schema })])
}

#[derive(Serialize)]
pub(crate) struct Components<'a> {
    schemas: IndexMap<String, Component<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Component<'a> {
    Declared(&'a Schema),
    Error(Value),
}

impl<'a> Components<'a> {
    /// The components of a document; the error envelope comes last.
    pub(crate) fn new(schemas: IndexMap<&str, &'a Schema>, error_name: &str) -> Self {
        let mut components: IndexMap<_, _> = schemas
            .into_iter()
            .map(|(name, schema)| (name.to_owned(), Component::Declared(schema)))
            .collect();
        components.insert(error_name.to_owned(), Component::Error(error_envelope()));
        Self { schemas: components }
    }
}

/// The one shape of every error that the runtime answers with.
fn error_envelope() -> Value {
    json!({
        "description": "What every error looks like.",
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": { "description": "Says which error it is, for programs.", "type": "string" },
                    "message": { "description": "Says what happened, for people.", "type": "string" },
                    "details": {
                        "description": "More about it. Of a `VALIDATION_ERROR`, `fields` lists what does not fit.",
                        "type": "object",
                        "properties": {
                            "fields": {
                                "type": "array",
                                "items": {
                                    "type": "object",
                                    "properties": {
                                        "path": { "description": "JSONPath of the value.", "type": "string" },
                                        "expected": { "type": "string" },
                                        "value": {},
                                    },
                                    "required": ["path", "expected"],
                                },
                            },
                        },
                    },
                    "traceId": { "description": "Finds the request in logs and traces.", "type": "string" },
                },
                "required": ["code", "message", "traceId"],
            },
        },
        "required": ["error"],
    })
}
