//! `kit inspect schema`.

use indexmap::IndexMap;
use kit_diagnostics::closest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::artifacts::Built;
use super::table::{NONE, table};
use crate::console::Console;
use crate::failure::{Problem, Stop};

/// An entry of `schemas.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    file: String,
    line: u32,
    table: Option<String>,
    schema: Value,
    input_schema: Option<Value>,
    properties: Vec<Property>,
    used_by: Vec<Usage>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    r#type: String,
    required: bool,
    default: Option<Value>,
    tags: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Usage {
    route: String,
    r#as: String,
}

/// A type as it is shown.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    properties: Vec<PropertyReport<'a>>,
    used_by: &'a [Usage],
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    schema: Option<&'a Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<&'a Value>,
}

#[derive(Serialize)]
struct PropertyReport<'a> {
    name: &'a str,
    r#type: &'a str,
    /// `format`, `maxLength`, `enum` and the like, as JSON Schema has them.
    #[serde(flatten)]
    rules: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    required: bool,
    tags: &'a [String],
}

/// Of a property's JSON Schema, what the report says in another way.
const SAID_OTHERWISE: [&str; 4] = ["type", "default", "readOnly", "$ref"];

impl Entry {
    fn reports(&self) -> Vec<PropertyReport<'_>> {
        self.properties
            .iter()
            .map(|property| PropertyReport {
                name: &property.name,
                r#type: self.kind(property),
                rules: self.rules(&property.name),
                default: property.default.as_ref(),
                required: property.required,
                tags: &property.tags,
            })
            .collect()
    }

    /// The type as TypeScript has it, which does not know integers.
    fn kind<'a>(&self, property: &'a Property) -> &'a str {
        let schema = &self.schema["properties"][&property.name];
        if property.r#type == "number" && schema["type"] == "integer" {
            "integer"
        } else {
            &property.r#type
        }
    }

    fn rules(&self, property: &str) -> Map<String, Value> {
        let schema = self.schema["properties"].get(property).and_then(Value::as_object);
        let rules = schema.into_iter().flatten();
        rules
            .filter(|(name, _)| !SAID_OTHERWISE.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

pub(super) fn run(built: &Built, name: &str, verbose: bool, console: &Console<'_>) -> Result<(), Stop> {
    let entries: IndexMap<String, Entry> = built.read("schemas.json")?;
    let Some(entry) = entries.get(name) else {
        return Err(unknown(name, &entries));
    };
    let properties = entry.reports();
    let text = text(entry, &properties, verbose);
    console.json(&Report {
        name: &entry.name,
        table: entry.table.as_deref(),
        properties,
        used_by: &entry.used_by,
        file: &entry.file,
        line: entry.line,
        schema: verbose.then_some(&entry.schema),
        input_schema: entry.input_schema.as_ref().filter(|_| verbose),
    });
    console.result(&text);
    Ok(())
}

fn text(entry: &Entry, properties: &[PropertyReport<'_>], verbose: bool) -> String {
    let table_name = entry.table.as_ref().map(|name| format!(", table {name}"));
    let mut blocks = vec![format!(
        "{} ({}:{}){}",
        entry.name,
        entry.file,
        entry.line,
        table_name.unwrap_or_default()
    )];
    if !properties.is_empty() {
        let rows: Vec<Vec<String>> = properties
            .iter()
            .map(|property| {
                vec![
                    property.name.to_owned(),
                    property.r#type.to_owned(),
                    if property.required { "required" } else { "optional" }.to_owned(),
                    rules_text(property),
                    if property.tags.is_empty() {
                        NONE.to_owned()
                    } else {
                        property.tags.join(" ")
                    },
                ]
            })
            .collect();
        blocks.push(table(&["PROPERTY", "TYPE", "", "RULES", "TAGS"], &rows));
    }
    if !entry.used_by.is_empty() {
        let uses: Vec<String> = entry
            .used_by
            .iter()
            .map(|usage| format!("  {} of {}", usage.r#as, usage.route))
            .collect();
        blocks.push(format!("Used as\n{}", uses.join("\n")));
    }
    if verbose || properties.is_empty() {
        blocks.push(format!("Schema\n{:#}", entry.schema));
    }
    blocks.join("\n\n")
}

/// `minLength 1, maxLength 200`; texts of the documentation are left to `--json`.
fn rules_text(property: &PropertyReport<'_>) -> String {
    let rules: Vec<String> = property
        .rules
        .iter()
        .filter(|(name, _)| !matches!(name.as_str(), "description" | "examples"))
        .map(|(name, value)| match value {
            Value::String(text) => format!("{name} {text}"),
            other => format!("{name} {other}"),
        })
        .collect();
    if rules.is_empty() {
        NONE.to_owned()
    } else {
        rules.join(", ")
    }
}

fn unknown(name: &str, entries: &IndexMap<String, Entry>) -> Stop {
    let help = if let Some(near) = closest(name, entries.keys().map(String::as_str)) {
        format!("did you mean `{near}`?")
    } else {
        let names: Vec<&str> = entries.keys().map(String::as_str).collect();
        format!("there are {}", names.join(", "))
    };
    Problem::inspection(format!("there is no type `{name}`"))
        .help(&help)
        .into()
}
