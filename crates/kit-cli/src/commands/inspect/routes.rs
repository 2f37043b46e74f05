//! The commands `kit inspect routes` and `kit inspect route`.

use indexmap::IndexMap;
use kit_diagnostics::closest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::built_project::Built;
use super::table::{EMPTY_CELL, cell, table};
use crate::console::Console;
use crate::failure::{CommandError, Problem};

/// Route in `routes.json`.
#[derive(Deserialize)]
struct Entry {
    method: String,
    path: String,
    params: IndexMap<String, String>,
    query: Option<String>,
    body: Option<String>,
    response: Option<String>,
    middleware: Vec<String>,
    handler: Option<Handler>,
    status: u16,
}

#[derive(Serialize, Deserialize)]
struct Handler {
    file: String,
    export: String,
    line: u32,
}

/// Route as the command prints it.
#[derive(Serialize)]
struct Row<'a> {
    method: &'a str,
    path: &'a str,
    /// Types of the path parameters, by name.
    params: &'a IndexMap<String, String>,
    query: Option<&'a str>,
    body: Option<&'a str>,
    response: Option<&'a str>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    details: Option<RouteDetails<'a>>,
}

#[derive(Serialize)]
struct RouteDetails<'a> {
    middleware: &'a [String],
    handler: Option<&'a Handler>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    schemas: Option<IndexMap<&'a str, Value>>,
}

impl Entry {
    fn row<'a>(&'a self, details: Option<RouteDetails<'a>>) -> Row<'a> {
        Row {
            method: &self.method,
            path: &self.path,
            params: &self.params,
            query: self.query.as_deref(),
            body: self.body.as_deref(),
            response: self.response.as_deref(),
            details,
        }
    }

    fn details(&self) -> RouteDetails<'_> {
        RouteDetails {
            middleware: &self.middleware,
            handler: self.handler.as_ref(),
            status: self.status,
            schemas: None,
        }
    }

    fn reference(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn params_text(&self) -> String {
        let params = self.params.iter().map(|(name, r#type)| format!("{name}: {type}"));
        or_none(&params.collect::<Vec<_>>().join(", "))
    }

    fn handler_text(&self) -> String {
        let Some(Handler { file, export, line }) = &self.handler else {
            return EMPTY_CELL.to_owned();
        };
        format!("{file}:{line} ({export})")
    }
}

fn or_none(text: &str) -> String {
    if text.is_empty() { EMPTY_CELL } else { text }.to_owned()
}

/// Prints all routes.
pub(super) fn print_all(built: &Built, verbose: bool, console: &Console<'_>) -> Result<(), CommandError> {
    let entries: Vec<Entry> = built.read("routes.json")?;
    let rows: Vec<Row<'_>> = entries
        .iter()
        .map(|entry| entry.row(verbose.then(|| entry.details())))
        .collect();
    console.json(&rows);
    if entries.is_empty() {
        console.result("no routes");
        return Ok(());
    }
    let mut headings = vec!["METHOD", "PATH", "PARAMS", "QUERY", "BODY", "RESPONSE"];
    if verbose {
        headings.extend(["MIDDLEWARE", "STATUS", "HANDLER"]);
    }
    let cells: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let mut row = vec![
                entry.method.clone(),
                entry.path.clone(),
                entry.params_text(),
                cell(entry.query.as_deref()),
                cell(entry.body.as_deref()),
                cell(entry.response.as_deref()),
            ];
            if verbose {
                row.push(or_none(&entry.middleware.join(", ")));
                row.push(entry.status.to_string());
                row.push(entry.handler_text());
            }
            row
        })
        .collect();
    console.result(&table(&headings, &cells));
    Ok(())
}

/// Prints one route.
pub(super) fn print_one(
    built: &Built,
    name: &str,
    verbose: bool,
    console: &Console<'_>,
) -> Result<(), CommandError> {
    let entries: Vec<Entry> = built.read("routes.json")?;
    let wanted = normalized_reference(name);
    let Some(entry) = entries.iter().find(|entry| entry.reference() == wanted) else {
        return Err(unknown(name, &wanted, &entries));
    };
    let mut details = entry.details();
    if verbose {
        details.schemas = Some(schemas(built, entry)?);
    }
    console.json(&entry.row(Some(details)));
    let mut lines = vec![
        entry.reference(),
        format!("  params      {}", entry.params_text()),
        format!("  query       {}", cell(entry.query.as_deref())),
        format!("  body        {}", cell(entry.body.as_deref())),
        format!("  response    {}", cell(entry.response.as_deref())),
        format!("  status      {}", entry.status),
        format!("  middleware  {}", or_none(&entry.middleware.join(", "))),
        format!("  handler     {}", entry.handler_text()),
    ];
    if verbose && !console.is_json() {
        for (name, schema) in schemas(built, entry)? {
            lines.push(format!("\n{name}"));
            lines.push(format!("{schema:#}"));
        }
    }
    console.result(&lines.join("\n"));
    Ok(())
}

/// Returns the JSON Schemas of a route's params, query, body and response, by slot.
fn schemas<'a>(built: &Built, entry: &'a Entry) -> Result<IndexMap<&'a str, Value>, CommandError> {
    let mut all: IndexMap<String, Value> = built.read("schemas.json")?;
    let slots = [
        ("query", &entry.query, true),
        ("body", &entry.body, true),
        ("response", &entry.response, false),
    ];
    let mut found = IndexMap::new();
    for (slot, name, is_input) in slots {
        let schema = name.as_ref().and_then(|name| all.get_mut(name.as_str()));
        if let Some(schema) = schema {
            let input = if is_input { schema.get("inputSchema") } else { None };
            found.insert(slot, input.unwrap_or(&schema["schema"]).clone());
        }
    }
    Ok(found)
}

/// Normalizes the name of a route that a user typed: `get  /notes/` becomes `GET /notes`.
fn normalized_reference(name: &str) -> String {
    let mut words = name.split_whitespace();
    let method = words.next().unwrap_or_default().to_uppercase();
    let path = words.next().unwrap_or_default();
    let trimmed = path.trim_end_matches('/');
    format!("{method} {}", if trimmed.is_empty() { "/" } else { trimmed })
}

fn unknown(name: &str, wanted: &str, entries: &[Entry]) -> CommandError {
    let references: Vec<String> = entries.iter().map(Entry::reference).collect();
    let help = match closest(wanted, references.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`? `kit inspect routes` lists all"),
        None if wanted.starts_with('/') || !wanted.contains('/') => {
            "write method and path, as in `kit inspect route \"GET /notes/:id\"`".to_owned()
        }
        None => "`kit inspect routes` lists all; after a change to the contracts run `kit build`".to_owned(),
    };
    Problem::inspection(format!("there is no route `{}`", name.trim()))
        .help(&help)
        .into()
}

#[cfg(test)]
mod tests {
    use super::normalized_reference;

    #[test]
    fn normalizes_spaces_case_and_trailing_slashes_of_a_route() {
        for (name, expected) in [
            ("GET /notes", "GET /notes"),
            ("  get   /notes/ ", "GET /notes"),
            ("get /", "GET /"),
            ("/notes", "/NOTES /"),
        ] {
            assert_eq!(normalized_reference(name), expected, "{name}");
        }
    }
}
