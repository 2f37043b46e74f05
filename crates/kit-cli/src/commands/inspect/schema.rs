//! The commands `kit inspect schemas` and `kit inspect schema`.

use std::collections::{HashMap, HashSet, VecDeque};
use std::iter;

use indexmap::IndexMap;
use kit_diagnostics::closest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::built_project::Built;
use super::table::{EMPTY_CELL, table};
use crate::console::Console;
use crate::failure::{CommandError, Problem};

/// Type in `schemas.json`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    name: String,
    file: String,
    line: u32,
    table: Option<String>,
    owner: Option<String>,
    schema: Value,
    input_schema: Option<Value>,
    properties: Vec<Property>,
    // In a large project, empty lists are left out.
    #[serde(default)]
    used_by: Vec<DirectUse>,
    #[serde(default)]
    refers_to: Vec<String>,
}

#[derive(Deserialize)]
struct Property {
    name: String,
    r#type: String,
    /// In a large project, absent if the property is required.
    #[serde(default = "required")]
    required: bool,
    default: Option<Value>,
    #[serde(default)]
    tags: Vec<String>,
}

/// Returns true: a property without `required` is required.
fn required() -> bool {
    true
}

#[derive(Deserialize)]
struct DirectUse {
    route: String,
    r#as: String,
}

/// Use of the type by a route, as its params, query, body or response.
#[derive(Serialize)]
struct Usage<'a> {
    route: &'a str,
    r#as: &'a str,
    /// Names of the types that lead to this type: first the type that the route names, last the type that contains
    /// this type. Empty if the route itself names this type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    through: Vec<&'a str>,
}

/// Type as the command prints it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    /// Argument of the `@owner` tag.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a str>,
    properties: Vec<PropertyReport<'a>>,
    used_by: &'a [Usage<'a>],
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
    /// Rules of the property as keywords of JSON Schema, such as `format`, `maxLength` and `enum`.
    #[serde(flatten)]
    rules: Map<String, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<&'a Value>,
    required: bool,
    tags: &'a [String],
}

/// Keywords of JSON Schema that are not rules. The report shows them in fields of their own.
const OMITTED_KEYWORDS: [&str; 4] = ["type", "default", "readOnly", "$ref"];

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

    /// Returns the property's type as in TypeScript. For `@integer`, returns `integer`, which TypeScript does not have.
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
            .filter(|(name, _)| !OMITTED_KEYWORDS.contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    }
}

pub(super) fn run(
    built: &Built,
    name: &str,
    verbose: bool,
    console: &Console<'_>,
) -> Result<(), CommandError> {
    let entries: IndexMap<String, Entry> = built.read_types()?;
    let Some(entry) = entries.get(name) else {
        return Err(unknown(name, &entries));
    };
    let properties = entry.reports();
    let uses = uses(entry, &entries);
    let text = text(entry, &properties, &uses, verbose);
    console.json(&Report {
        name: &entry.name,
        table: entry.table.as_deref(),
        owner: entry.owner.as_deref(),
        properties,
        used_by: &uses,
        file: &entry.file,
        line: entry.line,
        schema: verbose.then_some(&entry.schema),
        input_schema: entry.input_schema.as_ref().filter(|_| verbose),
    });
    console.result(&text);
    Ok(())
}

/// Prints the names of all types.
pub(super) fn list(built: &Built, console: &Console<'_>) -> Result<(), CommandError> {
    let entries: IndexMap<String, Entry> = built.read_types()?;
    let summaries: Vec<Summary<'_>> = entries
        .values()
        .map(|entry| Summary {
            name: &entry.name,
            table: entry.table.as_deref(),
            file: &entry.file,
            line: entry.line,
        })
        .collect();
    console.json(&summaries);
    if summaries.is_empty() {
        console.result("no types");
        return Ok(());
    }
    let rows: Vec<Vec<String>> = summaries
        .iter()
        .map(|summary| {
            vec![
                summary.name.to_owned(),
                summary.table.unwrap_or(EMPTY_CELL).to_owned(),
                format!("{}:{}", summary.file, summary.line),
            ]
        })
        .collect();
    console.result(&table(&["NAME", "TABLE", "FILE"], &rows));
    Ok(())
}

/// A type in the list of all types.
#[derive(Serialize)]
struct Summary<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    file: &'a str,
    line: u32,
}

/// Returns the routes that use a type, each slot once. Routes that name the type come first, then routes that contain
/// it in other types, each with the shortest path to the type.
fn uses<'a>(entry: &'a Entry, entries: &'a IndexMap<String, Entry>) -> Vec<Usage<'a>> {
    let mut referring: HashMap<&str, Vec<&Entry>> = HashMap::new();
    for other in entries.values() {
        for name in &other.refers_to {
            referring.entry(name).or_default().push(other);
        }
    }
    let mut found = Vec::new();
    let mut slots = HashSet::new();
    let mut seen = HashSet::from([entry.name.as_str()]);
    let mut open = VecDeque::from([(entry, Vec::new())]);
    while let Some((current, through)) = open.pop_front() {
        for DirectUse { route, r#as } in &current.used_by {
            if slots.insert((route, r#as)) {
                let through = through.clone();
                found.push(Usage { route, r#as, through });
            }
        }
        for other in referring.get(current.name.as_str()).into_iter().flatten() {
            if seen.insert(&other.name) {
                let longer = iter::once(other.name.as_str()).chain(through.iter().copied());
                open.push_back((other, longer.collect()));
            }
        }
    }
    found
}

fn text(entry: &Entry, properties: &[PropertyReport<'_>], uses: &[Usage<'_>], verbose: bool) -> String {
    let table_name = entry.table.as_ref().map(|name| format!(", table {name}"));
    let owner = entry.owner.as_ref().map(|owner| format!(", owner {owner}"));
    let mut blocks = vec![format!(
        "{} ({}:{}){}{}",
        entry.name,
        entry.file,
        entry.line,
        table_name.unwrap_or_default(),
        owner.unwrap_or_default()
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
                        EMPTY_CELL.to_owned()
                    } else {
                        property.tags.join(" ")
                    },
                ]
            })
            .collect();
        blocks.push(table(&["PROPERTY", "TYPE", "", "RULES", "TAGS"], &rows));
    }
    if !uses.is_empty() {
        let lines: Vec<String> = uses
            .iter()
            .map(|Usage { route, r#as, through }| match through[..] {
                [] => format!("  {as} of {route}"),
                _ => format!("  {as} of {route}, through {}", through.join(", ")),
            })
            .collect();
        blocks.push(format!("Used as\n{}", lines.join("\n")));
    }
    if verbose || properties.is_empty() {
        blocks.push(format!("Schema\n{:#}", entry.schema));
    }
    blocks.join("\n\n")
}

/// Formats the rules of a property: `minLength 1, maxLength 200`. Leaves out descriptions and examples, which
/// only the JSON output contains.
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
        EMPTY_CELL.to_owned()
    } else {
        rules.join(", ")
    }
}

fn unknown(name: &str, entries: &IndexMap<String, Entry>) -> CommandError {
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
