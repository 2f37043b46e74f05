//! Schemas and examples of error bodies, in the format that the option `errors` of the application selects.

use indexmap::IndexMap;
use kit_ir::{DeclaredError, ErrorFormat, ErrorRules, Route};
use serde_json::{Map, Value, json};

use super::document::{Example, MediaType, Response, error_envelope, with_example};
use super::status::error_phrase;
use crate::json_schema::Schema;

/// The example of a trace id in W3C Trace Context, section 3.2.2.
const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
/// The same trace id in the form of a UUID.
const TRACE_UUID: &str = "4bf92f35-77b3-4da6-a3ce-929d0e0e4736";

/// Returns the media type of error bodies.
pub(super) fn media_type(rules: &ErrorRules) -> &str {
    match &rules.format {
        ErrorFormat::Envelope => "application/json",
        ErrorFormat::ProblemDetails => "application/problem+json",
        ErrorFormat::Declared(declared) => &declared.content_type,
    }
}

/// Returns an error response.
pub(super) fn error(
    rules: &ErrorRules,
    description: String,
    schema: Schema,
    examples: IndexMap<String, Example>,
) -> Response {
    let content = MediaType {
        examples,
        ..with_example(schema, None)
    };
    Response {
        description,
        content: IndexMap::from([(media_type(rules).to_owned(), content)]),
        ..Response::default()
    }
}

/// Returns the component for error bodies. Returns `None` if the application declares the type of error
/// bodies, because this type has a component already. `has_scopes` is true if a contract requires scopes.
pub(super) fn component(rules: &ErrorRules, has_scopes: bool) -> Option<Value> {
    let (mut component, details) = match rules.format {
        ErrorFormat::Envelope => (error_envelope(), "/properties/error/properties/details"),
        ErrorFormat::ProblemDetails => (problem_details(), "/properties/details"),
        ErrorFormat::Declared(_) => return None,
    };
    if has_scopes && let Some(details) = component.pointer_mut(details) {
        details["properties"]["missingScopes"] = json!({
            "description": "For `INSUFFICIENT_SCOPE`, lists of scopes that the caller lacks. A caller with all scopes of one list may send the request.",
            "type": "array",
            "items": { "type": "array", "items": { "type": "string" } },
        });
    }
    Some(component)
}

/// Returns the details of an example of the error with which kit refuses a caller without scopes. Returns `None` for
/// errors with other codes.
pub(super) fn missing_scopes(route: &Route, code: &str) -> Option<Value> {
    let is_of_scopes = code == DeclaredError::INSUFFICIENT_SCOPE && !route.scopes.is_empty();
    is_of_scopes.then(|| json!({ "missingScopes": route.scopes }))
}

/// Returns an example of an error body. Returns `None` if the application declares the type of error bodies,
/// because only the running application can create a body.
pub(super) fn example(
    rules: &ErrorRules,
    status: u16,
    code: &str,
    message: &str,
    details: Option<Value>,
) -> Option<Value> {
    let mut body = match rules.format {
        ErrorFormat::Declared(_) => return None,
        ErrorFormat::Envelope => json!({ "code": code, "message": message }),
        ErrorFormat::ProblemDetails => json!({
            "type": "about:blank",
            "title": error_phrase(status),
            "status": status,
            "detail": message,
            "instance": format!("urn:uuid:{TRACE_UUID}"),
            "code": code,
        }),
    };
    if let Some(object) = body.as_object_mut() {
        object.extend(details.map(|details| ("details".to_owned(), details)));
        object.insert("traceId".to_owned(), TRACE.into());
    }
    Some(match rules.format {
        ErrorFormat::Envelope => json!({ "error": body }),
        _ => body,
    })
}

/// Returns the schema of an error response with this code, whose details have a declared type. `other` is the schema of
/// all error responses.
pub(super) fn with_details(rules: &ErrorRules, code: &str, details: Schema, other: &Schema) -> Schema {
    match &rules.format {
        ErrorFormat::Envelope => super::document::error_with_details(code, details),
        ErrorFormat::ProblemDetails => {
            let path = |name: &str| vec![name.to_owned()];
            narrowed(
                other,
                &[(path("code"), constant(code)), (path("details"), details)],
            )
        }
        // Without a place of the code, no schema can tell which error has these details.
        ErrorFormat::Declared(declared) if declared.paths.code.is_empty() => other.clone(),
        ErrorFormat::Declared(declared) => {
            let mut parts = vec![(declared.paths.code.clone(), constant(code))];
            if !declared.paths.details.is_empty() {
                parts.push((declared.paths.details.clone(), details));
            }
            narrowed(other, &parts)
        }
    }
}

fn constant(code: &str) -> Schema {
    Schema {
        r#type: Some("string"),
        constant: Some(Value::from(code)),
        ..Schema::default()
    }
}

/// Returns a copy of `schema` in which some properties have narrower types. `parts` lists the path and the
/// type of each.
fn narrowed(schema: &Schema, parts: &[(Vec<String>, Schema)]) -> Schema {
    let mut all_of = vec![schema.clone()];
    all_of.extend(parts.iter().map(|(path, part)| {
        path.iter().rev().fold(part.clone(), |inner, name| Schema {
            r#type: Some("object"),
            required: vec![name.clone()],
            properties: Some(IndexMap::from([(name.clone(), inner)])),
            ..Schema::default()
        })
    }));
    Schema {
        all_of,
        ..Schema::default()
    }
}

/// Returns the schema of problem details (RFC 9457) with the members that kit adds.
fn problem_details() -> Value {
    let mut envelope = error_envelope();
    let field = envelope
        .pointer_mut("/properties/error/properties/details/properties/fields/items")
        .map_or(Value::Object(Map::new()), Value::take);
    json!({
        "description": "Problem details (RFC 9457).",
        "type": "object",
        "properties": {
            "type": { "description": "URI of the type of the problem.", "type": "string", "format": "uri-reference" },
            "title": { "description": "Name of the type of the problem.", "type": "string" },
            "status": { "description": "HTTP status of the response.", "type": "integer" },
            "detail": { "description": "Description of the error, for people.", "type": "string" },
            "instance": {
                "description": "URI of this occurrence of the problem: the trace id as a URN.",
                "type": "string",
                "format": "uri-reference",
            },
            "code": { "description": "Code of the error, for programs.", "type": "string" },
            "details": { "description": "Details of the error.", "type": "object" },
            "errors": {
                "description": "Invalid values, if the code is `VALIDATION_ERROR`.",
                "type": "array",
                "items": field,
            },
            "traceId": { "description": "Id with which to find the request in logs and traces.", "type": "string" },
        },
        "required": ["type", "title", "status", "detail", "instance", "code", "traceId"],
    })
}

#[cfg(test)]
mod tests {
    use kit_ir::{ErrorFormat, ErrorRules};

    use super::component;

    #[test]
    fn describes_missing_scopes_only_if_a_contract_requires_scopes() {
        let places = [
            (ErrorFormat::Envelope, "/properties/error/properties/details"),
            (ErrorFormat::ProblemDetails, "/properties/details"),
        ];
        for (format, details) in places {
            let rules = ErrorRules {
                format,
                ..ErrorRules::DEFAULT
            };
            let place = format!("{details}/properties/missingScopes/items/items/type");
            let found = |has_scopes| component(&rules, has_scopes)?.pointer(&place).cloned();
            assert_eq!(found(true), Some("string".into()));
            assert_eq!(found(false), None);
        }
    }
}
