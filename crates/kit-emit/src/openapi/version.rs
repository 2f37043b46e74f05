//! Versions of OpenAPI. kit makes documents of 3.1. A document of 3.2 differs only in its version number, and a document of 3.0
//! is converted: its schemas are not JSON Schema 2020-12, but an older dialect of OpenAPI's own.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::document::{Layout, Operation, part};
use crate::options::OpenApiVersion;

impl OpenApiVersion {
    /// Returns the version as the document's property `openapi` states it: `3.1.0`.
    pub(super) fn number(self) -> &'static str {
        match self {
            Self::V3_0 => "3.0.3",
            Self::V3_1 => "3.1.0",
            Self::V3_2 => "3.2.0",
        }
    }

    /// Returns true if documents of this version contain schemas in JSON Schema 2020-12.
    pub(crate) fn has_json_schema(self) -> bool {
        self != Self::V3_0
    }

    /// Prints a component.
    pub(super) fn print_schema(self, schema: &impl Serialize, layout: Layout) -> String {
        if self.has_json_schema() {
            return part(schema, layout);
        }
        let mut value = to_value(schema);
        convert(&mut value);
        part(&value, layout)
    }

    /// Prints an operation.
    pub(super) fn print_operation(self, operation: &Operation, layout: Layout) -> String {
        if self.has_json_schema() {
            return part(operation, layout);
        }
        let mut value = to_value(operation);
        // 3.0 allows scopes only for OAuth 2 and OpenID Connect (section 4.7.30).
        for requirement in value["security"].as_array_mut().into_iter().flatten() {
            for scopes in members(requirement) {
                *scopes = json!([]);
            }
        }
        for parameter in value["parameters"].as_array_mut().into_iter().flatten() {
            convert_in(parameter);
        }
        convert_content(&mut value["requestBody"]);
        for response in members(&mut value["responses"]) {
            convert_content(response);
            for header in members(&mut response["headers"]) {
                convert_in(header);
            }
        }
        split_default(&mut value["responses"]);
        // The accesses above add `null` for absent properties.
        remove_absent(&mut value, &["parameters", "requestBody", "security"]);
        for response in members(&mut value["responses"]) {
            remove_absent(response, &["headers", "content"]);
        }
        part(&value, layout)
    }
}

/// Replaces the response `default` by the responses `4XX` and `5XX`. Generators such as progenitor count
/// `default` as a success too, and refuse an operation with two types of successes.
fn split_default(responses: &mut Value) {
    if let Some(responses) = responses.as_object_mut()
        && let Some(other) = responses.shift_remove("default")
    {
        responses.insert("4XX".to_owned(), other.clone());
        responses.insert("5XX".to_owned(), other);
    }
}

fn to_value(content: &impl Serialize) -> Value {
    serde_json::to_value(content)
        .expect("documents are structs and maps with text keys, which serialize without fail")
}

fn members(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_object_mut().into_iter().flat_map(Map::values_mut)
}

fn remove_absent(value: &mut Value, names: &[&str]) {
    if let Value::Object(object) = value {
        object.retain(|name, value| !(value.is_null() && names.contains(&name.as_str())));
    }
}

/// Converts the schema of a parameter, a header or a media type.
fn convert_in(value: &mut Value) {
    if let Some(schema) = value.get_mut("schema") {
        convert(schema);
    }
}

fn convert_content(value: &mut Value) {
    if let Some(content) = value.get_mut("content") {
        members(content).for_each(convert_in);
    }
}

/// Converts a schema of JSON Schema 2020-12 to a Schema Object of OpenAPI 3.0 (section 4.7.24). Leaves out
/// rules that 3.0 cannot express, so that the schema accepts more values, never fewer.
fn convert(schema: &mut Value) {
    match schema {
        Value::Bool(true) => *schema = json!({}),
        Value::Bool(false) => *schema = json!({ "not": {} }),
        Value::Object(object) => convert_object(object),
        _ => {}
    }
}

fn convert_object(schema: &mut Map<String, Value>) {
    let nullable = remove_null_members(schema);
    for name in ["properties", "patternProperties"] {
        schema
            .get_mut(name)
            .into_iter()
            .flat_map(members)
            .for_each(convert);
    }
    for name in ["prefixItems", "allOf", "anyOf", "oneOf"] {
        let list = schema.get_mut(name).and_then(Value::as_array_mut);
        list.into_iter().flatten().for_each(convert);
    }
    for name in ["items", "additionalProperties", "not"] {
        // `items: false` and `additionalProperties: false` have other meanings here.
        if let Some(inner @ Value::Object(_)) = schema.get_mut(name) {
            convert(inner);
        }
    }
    if nullable {
        hoist_only_member(schema);
    }
    convert_items(schema);
    convert_keys(schema);
    convert_values(schema, nullable);
    split_mixed_enum(schema);
    for (bound, exclusive, is_stricter) in [
        ("minimum", "exclusiveMinimum", f64::gt as fn(&f64, &f64) -> bool),
        ("maximum", "exclusiveMaximum", f64::lt),
    ] {
        convert_bound(schema, bound, exclusive, is_stricter);
    }
    if schema.len() > 1
        && let Some(reference) = schema.shift_remove("$ref")
    {
        // Keywords beside `$ref` have no effect.
        let mut all = vec![json!({ "$ref": reference })];
        all.extend(
            schema
                .shift_remove("allOf")
                .and_then(into_array)
                .unwrap_or_default(),
        );
        schema.insert("allOf".to_owned(), Value::Array(all));
    }
}

fn into_array(value: Value) -> Option<Vec<Value>> {
    match value {
        Value::Array(items) => Some(items),
        _ => None,
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null" || schema.get("const") == Some(&Value::Null)
}

/// Removes `null` from the members of a union. Returns true if the schema accepts `null`.
fn remove_null_members(schema: &mut Map<String, Value>) -> bool {
    if schema.get("type").is_some_and(|r#type| r#type == "null") {
        schema.shift_remove("type");
        schema.shift_remove("const");
        schema.insert("enum".to_owned(), json!([null]));
        return true;
    }
    let mut found = schema
        .get("enum")
        .and_then(Value::as_array)
        .is_some_and(|values| values.contains(&Value::Null));
    for name in ["anyOf", "oneOf"] {
        if let Some(members) = schema.get_mut(name).and_then(Value::as_array_mut) {
            let before = members.len();
            members.retain(|member| !is_null(member));
            found |= members.len() < before;
        }
    }
    found
}

/// Replaces a union with a single member by this member.
fn hoist_only_member(schema: &mut Map<String, Value>) {
    for name in ["anyOf", "oneOf"] {
        if schema
            .get(name)
            .and_then(Value::as_array)
            .is_none_or(|members| members.len() != 1)
        {
            continue;
        }
        let Some(Value::Array(mut members)) = schema.shift_remove(name) else {
            continue;
        };
        if let Some(Value::Object(member)) = members.pop() {
            for (key, value) in member {
                schema.entry(key).or_insert(value);
            }
        }
    }
}

/// Converts a tuple to an array whose items may have the type of any element.
fn convert_items(schema: &mut Map<String, Value>) {
    let rest = schema.get("items").cloned();
    if let Some(Value::Array(mut members)) = schema.shift_remove("prefixItems") {
        members.extend(rest.filter(Value::is_object));
        let mut distinct: Vec<Value> = Vec::new();
        for member in members {
            if !distinct.contains(&member) {
                distinct.push(member);
            }
        }
        let items = match distinct.len() {
            1 => distinct.remove(0),
            _ => json!({ "anyOf": distinct }),
        };
        schema.insert("items".to_owned(), items);
    } else if schema.get("items").is_some_and(Value::is_boolean) {
        schema.insert("items".to_owned(), json!({}));
    }
    if schema.get("type").is_some_and(|r#type| r#type == "array") {
        schema.entry("items").or_insert_with(|| json!({}));
    }
}

/// Converts rules of keys: values whose keys match a pattern become values of any other key.
fn convert_keys(schema: &mut Map<String, Value>) {
    schema.shift_remove("propertyNames");
    let Some(Value::Object(patterns)) = schema.shift_remove("patternProperties") else {
        return;
    };
    let mut values: Vec<Value> = patterns.into_iter().map(|(_, value)| value).collect();
    values.extend(
        schema
            .shift_remove("additionalProperties")
            .filter(Value::is_object),
    );
    let value = match values.len() {
        1 => values.remove(0),
        _ => json!({ "anyOf": values }),
    };
    schema.insert("additionalProperties".to_owned(), value);
}

/// Converts `const`, `examples` and `contentEncoding`, and adds `nullable`.
fn convert_values(schema: &mut Map<String, Value>, nullable: bool) {
    if let Some(value) = schema.shift_remove("const") {
        schema.insert("enum".to_owned(), json!([value]));
    }
    if nullable {
        if let Some(Value::Array(values)) = schema.get_mut("enum")
            && !values.contains(&Value::Null)
        {
            values.push(Value::Null);
        }
        schema.insert("nullable".to_owned(), Value::Bool(true));
    }
    if let Some(Value::Array(examples)) = schema.shift_remove("examples")
        && let Some(first) = examples.into_iter().next()
    {
        schema.insert("example".to_owned(), first);
    }
    schema.shift_remove("contentSchema");
    if schema.shift_remove("contentMediaType").is_some() && !schema.contains_key("type") {
        schema.insert("type".to_owned(), json!("string"));
        schema.insert("format".to_owned(), json!("binary"));
    }
    if schema
        .shift_remove("contentEncoding")
        .is_some_and(|encoding| encoding == "base64")
    {
        schema.insert("format".to_owned(), json!("byte"));
    }
}

/// Replaces an `enum` with values of several types by one schema for each type, because generators of clients
/// need the type of a value.
fn split_mixed_enum(schema: &mut Map<String, Value>) {
    if schema.contains_key("type") || schema.contains_key("anyOf") {
        return;
    }
    let Some(Value::Array(values)) = schema.get("enum") else {
        return;
    };
    let mut by_type: Vec<(&str, Vec<Value>)> = Vec::new();
    for value in values.iter().filter(|value| !value.is_null()) {
        let r#type = type_name(value);
        match by_type.iter_mut().find(|(known, _)| *known == r#type) {
            Some((_, values)) => values.push(value.clone()),
            None => by_type.push((r#type, vec![value.clone()])),
        }
    }
    let members: Vec<Value> = by_type
        .into_iter()
        .map(|(r#type, values)| json!({ "type": r#type, "enum": values }))
        .collect();
    if members.len() > 1 {
        schema.shift_remove("enum");
        schema.insert("anyOf".to_owned(), Value::Array(members));
    }
}

fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) | Value::Null => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Converts a number in `exclusiveMinimum` or `exclusiveMaximum` to a boolean beside the bound.
fn convert_bound(
    schema: &mut Map<String, Value>,
    bound: &str,
    exclusive: &str,
    is_stricter: fn(&f64, &f64) -> bool,
) {
    let Some(limit) = schema.get(exclusive).filter(|limit| limit.is_number()).cloned() else {
        return;
    };
    let other = schema.get(bound).and_then(Value::as_f64);
    // An inclusive bound that is stricter makes the exclusive one superfluous.
    if let (Some(other), Some(limit)) = (other, limit.as_f64())
        && is_stricter(&other, &limit)
    {
        schema.shift_remove(exclusive);
        return;
    }
    schema.insert(bound.to_owned(), limit);
    schema.insert(exclusive.to_owned(), Value::Bool(true));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(mut schema: Value) -> Value {
        convert(&mut schema);
        schema
    }

    #[test]
    fn openapi_3_0_describes_null_in_a_union_as_nullable() {
        assert_eq!(
            converted(
                json!({ "anyOf": [{ "type": "string", "maxLength": 3 }, { "type": "null" }], "description": "a" })
            ),
            json!({ "description": "a", "type": "string", "maxLength": 3, "nullable": true })
        );
        assert_eq!(
            converted(json!({ "anyOf": [{ "$ref": "#/a" }, { "type": "null" }] })),
            json!({ "nullable": true, "allOf": [{ "$ref": "#/a" }] })
        );
        assert_eq!(
            converted(json!({ "anyOf": [{ "$ref": "#/a" }, { "$ref": "#/b" }, { "type": "null" }] })),
            json!({ "anyOf": [{ "$ref": "#/a" }, { "$ref": "#/b" }], "nullable": true })
        );
        assert_eq!(
            converted(json!({ "type": "null" })),
            json!({ "enum": [null], "nullable": true })
        );
        assert_eq!(
            converted(json!({ "enum": ["a", null] })),
            json!({ "enum": ["a", null], "nullable": true })
        );
        assert_eq!(
            converted(json!({ "anyOf": [{ "const": "a", "type": "string" }, { "type": "null" }] })),
            json!({ "type": "string", "enum": ["a", null], "nullable": true })
        );
    }

    #[test]
    fn openapi_3_0_has_one_schema_for_each_type_of_the_values_of_an_enum() {
        assert_eq!(
            converted(json!({ "enum": [1, "all", 2, null] })),
            json!({
                "nullable": true,
                "anyOf": [{ "type": "number", "enum": [1, 2] }, { "type": "string", "enum": ["all"] }],
            })
        );
    }

    #[test]
    fn openapi_3_0_describes_an_exclusive_bound_as_a_bound_and_a_boolean() {
        assert_eq!(
            converted(json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5 })),
            json!({ "type": "number", "exclusiveMinimum": true, "exclusiveMaximum": true, "minimum": 0, "maximum": 1.5 })
        );
        assert_eq!(
            converted(json!({ "minimum": 2, "exclusiveMinimum": 1 })),
            json!({ "minimum": 2 })
        );
        assert_eq!(
            converted(json!({ "minimum": 2, "exclusiveMinimum": 2 })),
            json!({ "minimum": 2, "exclusiveMinimum": true })
        );
    }

    #[test]
    fn openapi_3_0_moves_a_reference_with_other_keywords_into_all_of() {
        assert_eq!(
            converted(json!({ "$ref": "#/a", "description": "b" })),
            json!({ "description": "b", "allOf": [{ "$ref": "#/a" }] })
        );
        assert_eq!(converted(json!({ "$ref": "#/a" })), json!({ "$ref": "#/a" }));
    }

    #[test]
    fn older_openapi_versions_describe_tuples_and_key_rules_less_strictly() {
        assert_eq!(
            converted(json!({
                "type": "array", "minItems": 2, "maxItems": 2, "items": false,
                "prefixItems": [{ "type": "string" }, { "const": 1 }],
            })),
            json!({
                "type": "array", "minItems": 2, "maxItems": 2,
                "items": { "anyOf": [{ "type": "string" }, { "enum": [1] }] },
            })
        );
        assert_eq!(
            converted(json!({ "type": "array", "items": false, "maxItems": 0 })),
            json!({ "type": "array", "items": {}, "maxItems": 0 })
        );
        assert_eq!(
            converted(json!({
                "type": "object", "propertyNames": { "maxLength": 3 },
                "patternProperties": { "^a": { "type": "string" } },
            })),
            json!({ "type": "object", "additionalProperties": { "type": "string" } })
        );
    }

    #[test]
    fn openapi_3_0_contains_examples_and_defaults_unchanged() {
        let value = json!({ "const": { "type": "null" } });
        assert_eq!(
            converted(json!({ "default": value, "enum": [value] })),
            json!({ "default": value, "enum": [value] })
        );
        assert_eq!(
            converted(json!({ "examples": ["a", "b"], "type": "string", "contentEncoding": "base64" })),
            json!({ "type": "string", "example": "a", "format": "byte" })
        );
    }
}
