//! Responses about the types of the application, from `schemas.json` of the build.

use std::collections::{HashSet, VecDeque};

use serde_json::{Map, Value, json};

use super::answer::{Refusal, truncate};
use super::nearest::suggestion;
use super::state::State;

/// Start of a reference to a schema of the OpenAPI document. Only large projects have such references.
const REFERENCE: &str = "schemas/openapi.json#/components/schemas/";

/// Keywords of a property's JSON Schema that the response contains in another form, so they are not listed with its rules.
const SAID_OTHERWISE: [&str; 4] = ["type", "default", "readOnly", "$ref"];

fn entries(state: &State) -> Map<String, Value> {
    match serde_json::from_str(state.sidecar.schemas) {
        Ok(Value::Object(entries)) => entries,
        _ => Map::new(),
    }
}

/// Returns the names of all types, with their locations.
pub(super) fn all_schemas(state: &State) -> Value {
    let entries = entries(state);
    let schemas = entries.values().map(|entry| {
        let mut shown = Map::new();
        for name in ["name", "table", "file", "line"] {
            let value = &entry[name];
            if !value.is_null() {
                shown.insert(name.to_owned(), value.clone());
            }
        }
        Value::Object(shown)
    });
    json!({ "schemas": schemas.collect::<Vec<_>>() })
}

/// Returns one type with its properties and its uses.
pub(super) fn schema(state: &State, name: &str) -> Result<Value, Refusal> {
    let entries = entries(state);
    let Some(entry) = entries.get(name) else {
        let names: Vec<_> = entries.keys().map(String::as_str).collect();
        let (shown, help) = (truncate(name), suggestion(name, &names));
        return Err(Refusal::not_found(format!("there is no type {shown}; {help}")));
    };
    let openapi = || serde_json::from_str::<Value>(state.openapi.unwrap_or("{}")).unwrap_or_default();
    let resolved = |schema: &Value| match schema["$ref"]
        .as_str()
        .and_then(|name| name.strip_prefix(REFERENCE))
    {
        Some(name) => openapi()["components"]["schemas"][name].clone(),
        None => schema.clone(),
    };
    let schema = resolved(&entry["schema"]);
    let properties = entry["properties"].as_array();
    let properties = properties
        .into_iter()
        .flatten()
        .map(|property| shown_property(property, &schema));
    let mut shown = Map::new();
    shown.insert("name".to_owned(), entry["name"].clone());
    if !entry["table"].is_null() {
        shown.insert("table".to_owned(), entry["table"].clone());
    }
    shown.insert("properties".to_owned(), properties.collect());
    shown.insert("usedBy".to_owned(), uses(entry, &entries).into());
    shown.insert("file".to_owned(), entry["file"].clone());
    shown.insert("line".to_owned(), entry["line"].clone());
    shown.insert("schema".to_owned(), schema);
    let input = resolved(&entry["inputSchema"]);
    if !input.is_null() {
        shown.insert("inputSchema".to_owned(), input);
    }
    Ok(shown.into())
}

fn shown_property(property: &Value, schema: &Value) -> Value {
    let name = property["name"].as_str().unwrap_or_default();
    let own = &schema["properties"][name];
    let is_integer = property["type"] == "number" && own["type"] == "integer";
    let mut shown = Map::new();
    shown.insert("name".to_owned(), name.into());
    let integer = Value::from("integer");
    let kind = if is_integer { &integer } else { &property["type"] };
    shown.insert("type".to_owned(), kind.clone());
    for (rule, value) in own.as_object().into_iter().flatten() {
        if !SAID_OTHERWISE.contains(&rule.as_str()) {
            shown.insert(rule.clone(), value.clone());
        }
    }
    if !property["default"].is_null() {
        shown.insert("default".to_owned(), property["default"].clone());
    }
    shown.insert(
        "required".to_owned(),
        property["required"].as_bool().unwrap_or(true).into(),
    );
    shown.insert(
        "tags".to_owned(),
        property.get("tags").cloned().unwrap_or_else(|| json!([])),
    );
    shown.into()
}

/// Returns the uses of a type. Slots that name the type itself come first, then slots that contain the type through other types.
/// Each slot occurs once, with its shortest path.
fn uses(entry: &Value, entries: &Map<String, Value>) -> Vec<Value> {
    let mut uses: Vec<Value> = Vec::new();
    let mut known = HashSet::new();
    let name_of = |entry: &Value| entry["name"].as_str().unwrap_or_default().to_owned();
    let mut seen = HashSet::from([name_of(entry)]);
    let mut open = VecDeque::from([(entry, Vec::<String>::new())]);
    while let Some((current, through)) = open.pop_front() {
        for used in current["usedBy"].as_array().into_iter().flatten() {
            if known.insert(format!("{} {}", used["route"], used["as"])) {
                let mut used = json!({ "route": used["route"], "as": used["as"] });
                if !through.is_empty() {
                    used["through"] = json!(through);
                }
                uses.push(used);
            }
        }
        let own = name_of(current);
        for other in entries.values() {
            let refers = other["refersTo"].as_array();
            let refers = refers.is_some_and(|names| names.iter().any(|name| *name == own.as_str()));
            if refers && seen.insert(name_of(other)) {
                let path = std::iter::once(name_of(other)).chain(through.iter().cloned());
                open.push_back((other, path.collect()));
            }
        }
    }
    uses
}
