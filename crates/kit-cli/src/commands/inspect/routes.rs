//! The commands `kit inspect routes` and `kit inspect route`.

use indexmap::IndexMap;
use kit_diagnostics::closest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::built_project::Built;
use super::route_options::{Lifecycle, Limits, Subprotocols};
use super::static_files::{FilesRow, static_files};
use super::table::{EMPTY_CELL, cell, table};
use super::type_names::{formatted, messages};
use crate::console::Console;
use crate::failure::{CommandError, Problem};

/// Route in `routes.json`.
#[derive(Deserialize)]
struct Entry {
    method: String,
    path: String,
    params: IndexMap<String, String>,
    query: Option<String>,
    headers: Option<String>,
    cookies: Option<String>,
    body: Option<String>,
    /// Format of a body that is not JSON, such as `Multipart`.
    #[serde(rename = "bodyFormat")]
    body_format: Option<String>,
    response: Option<String>,
    /// Format of a response that is not JSON, such as `Events`.
    #[serde(rename = "responseFormat")]
    response_format: Option<String>,
    /// Types of the data of the events, by name; `None` for events without data.
    events: Option<IndexMap<String, Option<String>>>,
    /// Subprotocols of a WebSocket; `None` if the contract names none.
    subprotocols: Option<Subprotocols>,
    #[serde(default)]
    replies: Vec<Reply>,
    #[serde(default)]
    failures: Vec<Failure>,
    operation: Option<String>,
    #[serde(default)]
    limits: Limits,
    /// Scopes that the caller must have: all scopes of at least one inner list.
    #[serde(default)]
    scopes: Vec<Vec<String>>,
    lifecycle: Option<Lifecycle>,
    middleware: Vec<String>,
    handler: Option<Handler>,
    status: u16,
}

/// Reply that a contract declares, with the names of its types.
#[derive(Serialize, Deserialize)]
struct Reply {
    status: u16,
    body: Option<String>,
    /// Format of a body that is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    headers: Option<String>,
}

/// Error with details that a contract declares, with the name of the details' type.
#[derive(Serialize, Deserialize)]
struct Failure {
    status: u16,
    code: String,
    details: String,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<&'a str>,
    body: Option<&'a str>,
    #[serde(rename = "bodyFormat", skip_serializing_if = "Option::is_none")]
    body_format: Option<&'a str>,
    response: Option<&'a str>,
    #[serde(rename = "responseFormat", skip_serializing_if = "Option::is_none")]
    response_format: Option<&'a str>,
    /// Types of the data of the events, by name; `None` for events without data.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<&'a IndexMap<String, Option<String>>>,
    /// Types of the messages of a WebSocket.
    #[serde(skip_serializing_if = "Option::is_none")]
    socket: Option<Messages<'a>>,
    /// Replies that the contract declares. Absent if the response is a plain type.
    #[serde(skip_serializing_if = "<[Reply]>::is_empty")]
    replies: &'a [Reply],
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    details: Option<RouteDetails<'a>>,
}

/// Types of the messages of a WebSocket.
#[derive(Serialize)]
struct Messages<'a> {
    r#in: Option<String>,
    out: Option<String>,
    /// Subprotocols that a client may offer. Absent if the contract names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    protocols: Option<&'a Subprotocols>,
}

/// Line of `kit inspect routes`.
#[derive(Serialize)]
#[serde(untagged)]
enum Line<'a> {
    Route(Box<Row<'a>>),
    Files(FilesRow),
}

#[derive(Serialize)]
struct RouteDetails<'a> {
    /// Errors with declared details.
    #[serde(skip_serializing_if = "<[Failure]>::is_empty")]
    failures: &'a [Failure],
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    limits: Option<&'a Limits>,
    #[serde(skip_serializing_if = "<[Vec<String>]>::is_empty")]
    scopes: &'a [Vec<String>],
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle: Option<&'a Lifecycle>,
    middleware: &'a [String],
    handler: Option<&'a Handler>,
    status: u16,
    #[serde(skip_serializing_if = "Option::is_none")]
    schemas: Option<IndexMap<String, Value>>,
}

impl Entry {
    fn row<'a>(&'a self, details: Option<RouteDetails<'a>>) -> Row<'a> {
        Row {
            method: &self.method,
            path: &self.path,
            params: &self.params,
            query: self.query.as_deref(),
            headers: self.headers.as_deref(),
            cookies: self.cookies.as_deref(),
            body: self.body.as_deref().filter(|_| !self.is_socket()),
            body_format: self.body_format.as_deref().filter(|_| !self.is_socket()),
            response: self.response.as_deref().filter(|_| !self.is_socket()),
            response_format: self.response_format.as_deref().filter(|_| !self.is_socket()),
            events: self.events.as_ref(),
            socket: self.is_socket().then(|| Messages {
                r#in: messages(self.body_format.as_deref(), self.body.as_deref()),
                out: messages(self.response_format.as_deref(), self.response.as_deref()),
                protocols: self.subprotocols.as_ref(),
            }),
            replies: &self.replies,
            details,
        }
    }

    fn details(&self) -> RouteDetails<'_> {
        RouteDetails {
            failures: &self.failures,
            operation: self.operation.as_deref(),
            limits: Some(&self.limits).filter(|limits| **limits != Limits::default()),
            scopes: &self.scopes,
            lifecycle: self.lifecycle.as_ref(),
            middleware: &self.middleware,
            handler: self.handler.as_ref(),
            status: self.status,
            schemas: None,
        }
    }

    fn is_socket(&self) -> bool {
        self.method == "WS"
    }

    fn reference(&self) -> String {
        format!("{} {}", self.method, self.path)
    }

    fn params_text(&self) -> String {
        let params = self.params.iter().map(|(name, r#type)| format!("{name}: {type}"));
        or_none(&params.collect::<Vec<_>>().join(", "))
    }

    /// Returns the type of the response, or the status and the type of each reply.
    fn response_text(&self) -> String {
        if self.is_socket() {
            let sent = messages(self.response_format.as_deref(), self.response.as_deref());
            return format!("out {}", cell(sent.as_deref()));
        }
        if self.replies.is_empty() {
            return cell(
                self.content(self.response_format.as_deref(), self.response.as_deref())
                    .as_deref(),
            );
        }
        let reply = |reply: &Reply| match self.content(reply.format.as_deref(), reply.body.as_deref()) {
            Some(body) => format!("{} {body}", reply.status),
            None => reply.status.to_string(),
        };
        self.replies.iter().map(reply).collect::<Vec<_>>().join(", ")
    }

    /// Returns the type of a response with its format. Only one response of a route has events.
    fn content(&self, format: Option<&str>, name: Option<&str>) -> Option<String> {
        match (format, &self.events) {
            (Some("Events"), Some(events)) => {
                let events = events.iter().map(|(event, data)| match data {
                    Some(data) => format!("{event}: {data}"),
                    None => event.clone(),
                });
                Some(format!("Events<{}>", events.collect::<Vec<_>>().join(", ")))
            }
            _ => formatted(format, name),
        }
    }

    /// Returns the type of the request body, or of the messages that a WebSocket receives.
    fn body_text(&self) -> String {
        if self.is_socket() {
            let received = messages(self.body_format.as_deref(), self.body.as_deref());
            return format!("in {}", cell(received.as_deref()));
        }
        cell(formatted(self.body_format.as_deref(), self.body.as_deref()).as_deref())
    }

    fn status_text(&self) -> String {
        if self.replies.is_empty() {
            return self.status.to_string();
        }
        let statuses = self.replies.iter().map(|reply| reply.status.to_string());
        statuses.collect::<Vec<_>>().join(", ")
    }

    /// Returns the names and the texts of the parts of a contract that few routes have, such as replies and
    /// limits.
    fn rare_parts(&self) -> Vec<(&'static str, String)> {
        let reply_headers: Vec<String> = self
            .replies
            .iter()
            .filter_map(|reply| Some(format!("{} {}", reply.status, reply.headers.as_ref()?)))
            .collect();
        let failures: Vec<String> = self
            .failures
            .iter()
            .map(|failure| format!("{} {} {}", failure.status, failure.code, failure.details))
            .collect();
        let scopes: Vec<String> = self.scopes.iter().map(|scopes| scopes.join(" + ")).collect();
        [
            ("headers", self.headers.clone().unwrap_or_default()),
            ("cookies", self.cookies.clone().unwrap_or_default()),
            (
                "subprotocols",
                self.subprotocols
                    .as_ref()
                    .map(Subprotocols::text)
                    .unwrap_or_default(),
            ),
            ("sent headers", reply_headers.join(", ")),
            ("failures", failures.join(", ")),
            ("operation", self.operation.clone().unwrap_or_default()),
            ("limits", self.limits.text()),
            ("scopes", scopes.join(", or ")),
            (
                "lifecycle",
                self.lifecycle.as_ref().map(Lifecycle::text).unwrap_or_default(),
            ),
        ]
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
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
    let routes = entries.iter().map(|entry| {
        let row = entry.row(verbose.then(|| entry.details()));
        Line::Route(Box::new(row))
    });
    let mut rows: Vec<Line<'_>> = routes.collect();
    rows.extend(static_files(built)?.into_iter().map(Line::Files));
    console.json(&rows);
    if rows.is_empty() {
        console.result("no routes");
        return Ok(());
    }
    // Most applications read no headers and no cookies through contracts.
    let with_headers = entries.iter().any(|entry| entry.headers.is_some());
    let with_cookies = entries.iter().any(|entry| entry.cookies.is_some());
    let mut headings = vec!["METHOD", "PATH", "PARAMS", "QUERY"];
    headings.extend(with_headers.then_some("HEADERS"));
    headings.extend(with_cookies.then_some("COOKIES"));
    headings.extend(["BODY", "RESPONSE"]);
    if verbose {
        headings.extend(["MIDDLEWARE", "STATUS", "HANDLER"]);
    }
    let files = rows.iter().filter_map(|row| match row {
        Line::Route(_) => None,
        Line::Files(files) => {
            let mut cells = vec![EMPTY_CELL.to_owned(); headings.len()];
            files.method.clone_into(&mut cells[0]);
            files.path.clone_into(&mut cells[1]);
            let response = headings.iter().position(|heading| *heading == "RESPONSE");
            cells[response.unwrap_or_default()] = files.text();
            Some(cells)
        }
    });
    let cells: Vec<Vec<String>> = entries
        .iter()
        .map(|entry| {
            let mut row = vec![
                entry.method.clone(),
                entry.path.clone(),
                entry.params_text(),
                cell(entry.query.as_deref()),
            ];
            row.extend(with_headers.then(|| cell(entry.headers.as_deref())));
            row.extend(with_cookies.then(|| cell(entry.cookies.as_deref())));
            row.extend([entry.body_text(), entry.response_text()]);
            if verbose {
                row.push(or_none(&entry.middleware.join(", ")));
                row.push(entry.status_text());
                row.push(entry.handler_text());
            }
            row
        })
        .chain(files)
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
    let mut lines = vec![entry.reference()];
    let mut parts = vec![
        ("params", entry.params_text()),
        ("query", cell(entry.query.as_deref())),
        ("body", entry.body_text()),
        ("response", entry.response_text()),
        ("status", entry.status_text()),
        ("middleware", or_none(&entry.middleware.join(", "))),
        ("handler", entry.handler_text()),
    ];
    parts.extend(entry.rare_parts());
    let width = parts.iter().map(|(name, _)| name.len()).max().unwrap_or_default();
    lines.extend(
        parts
            .iter()
            .map(|(name, text)| format!("  {name:width$}  {text}")),
    );
    if verbose && !console.is_json() {
        for (name, schema) in schemas(built, entry)? {
            lines.push(format!("\n{name}"));
            lines.push(format!("{schema:#}"));
        }
    }
    console.result(&lines.join("\n"));
    Ok(())
}

/// Returns the JSON Schemas of the types that a route names, each by the slot that uses it: `params`, `body`
/// and so on.
fn schemas(built: &Built, entry: &Entry) -> Result<IndexMap<String, Value>, CommandError> {
    let all: IndexMap<String, Value> = built.read_types()?;
    let mut parts: Vec<(String, &str, bool)> = Vec::new();
    let slots = [
        ("query", &entry.query, true),
        ("headers", &entry.headers, true),
        ("cookies", &entry.cookies, true),
        ("body", &entry.body, true),
        ("response", &entry.response, false),
    ];
    for (part, name, is_input) in slots {
        parts.extend(name.iter().map(|name| (part.to_owned(), name.as_str(), is_input)));
    }
    for reply in &entry.replies {
        let status = reply.status;
        parts.extend(
            reply
                .body
                .iter()
                .map(|name| (format!("reply {status}"), name.as_str(), false)),
        );
        parts.extend(
            reply
                .headers
                .iter()
                .map(|name| (format!("reply {status} headers"), name.as_str(), false)),
        );
    }
    for failure in &entry.failures {
        parts.push((
            format!("{} details", failure.code),
            failure.details.as_str(),
            false,
        ));
    }
    let mut found = IndexMap::new();
    for (part, name, is_input) in parts {
        if let Some(schema) = all.get(name) {
            let input = if is_input { schema.get("inputSchema") } else { None };
            found.insert(part, input.unwrap_or(&schema["schema"]).clone());
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
