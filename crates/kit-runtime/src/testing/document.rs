//! Tables of requests, which the build has generated from the contracts.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value};

use super::client::Headers;
use super::values::{Given, Slot, given};

/// Tables of all routes.
#[derive(Debug, Deserialize)]
pub(super) struct Document {
    /// Format of error bodies.
    #[serde(default)]
    pub(super) errors: ErrorPlaces,
    /// Headers of every request, from the configuration.
    #[serde(default)]
    pub(super) headers: BTreeMap<String, String>,
    /// Options of the configuration that only the tests on Node use.
    #[serde(default)]
    pub(super) unused: Vec<String>,
    pub(super) routes: Vec<Table>,
}

/// Names of the nested properties of an error body that lead to each value. A list is empty if bodies lack the value.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ErrorPlaces {
    pub(super) validation_status: u16,
    #[serde(default)]
    pub(super) code: Vec<String>,
    #[serde(default)]
    pub(super) message: Vec<String>,
    #[serde(default)]
    pub(super) details: Vec<String>,
    #[serde(default)]
    pub(super) fields: Vec<String>,
    #[serde(default)]
    pub(super) trace_id: Vec<String>,
    /// Type of the body, if the application declares the type.
    pub(super) body: Option<String>,
}

impl Default for ErrorPlaces {
    fn default() -> Self {
        let place = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            validation_status: 400,
            code: place(&["error", "code"]),
            message: place(&["error", "message"]),
            details: place(&["error", "details"]),
            fields: place(&["error", "details", "fields"]),
            trace_id: place(&["error", "traceId"]),
            body: None,
        }
    }
}

/// Contract of a route as a list of requests, with the expected responses.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Table {
    /// File and line of the contract.
    pub(super) place: String,
    /// Method and path pattern, such as `GET /notes/:id`.
    pub(super) route: String,
    /// Reason of the configuration to leave out the tests of the route.
    pub(super) skip: Option<String>,
    /// Headers of the requests of the route, from the configuration.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Maximum size of the body in bytes. `None` if the limit of the server applies.
    pub(super) body_bytes: Option<usize>,
    /// Names of the headers that announce the end of the route.
    #[serde(default)]
    pub(super) lifecycle: Vec<String>,
    /// True if the body may consist of nested lists.
    #[serde(default)]
    pub(super) accepts_nested_lists: bool,
    /// Format of the request body in this table. A contract with several formats has one table for each format.
    pub(super) choice: Option<Choice>,
    #[serde(default)]
    pub(super) replies: Vec<DeclaredReply>,
    /// Declared errors, such as `404 NOTE_NOT_FOUND`.
    #[serde(default)]
    pub(super) errors: Vec<String>,
    /// Types of the details of errors.
    #[serde(default)]
    pub(super) details: BTreeMap<String, String>,
    /// List that is read with cursors.
    pub(super) list: Option<List>,
    pub(super) auth: Option<Auth>,
    /// Method that the path does not accept.
    pub(super) wrong_method: Option<WrongMethod>,
    /// Reason why the build has generated no request.
    pub(super) untested: Option<String>,
    /// Present only for a WebSocket.
    pub(super) socket: Option<SocketTable>,
    /// Format of a request body that is not JSON.
    pub(super) format: Option<Format>,
    /// Values of a valid request.
    #[serde(default)]
    pub(super) request: BTreeMap<Slot, Value>,
    /// Objects of the request that accept only declared properties.
    #[serde(default)]
    pub(super) closed: Vec<(Slot, String)>,
    /// Properties of the body with another string in each request.
    #[serde(default)]
    pub(super) fresh: Map<String, Value>,
    /// Path parameters that have values of the configuration, which random requests keep.
    #[serde(default)]
    pub(super) kept_params: Vec<String>,
    /// Types of the slots from which random requests are made.
    #[serde(default)]
    pub(super) shapes: BTreeMap<Slot, String>,
    #[serde(default)]
    pub(super) accepts: Vec<Row>,
    #[serde(default)]
    pub(super) refuses: Vec<Row>,
}

impl Table {
    /// Returns the method and the path pattern.
    pub(super) fn method_and_path(&self) -> (&str, &str) {
        let (method, path) = self.route.split_once(' ').unwrap_or(("GET", "/"));
        (if method == "WS" { "GET" } else { method }, path)
    }

    /// Returns the headers of the configuration for the route, replaced by headers of a fixture.
    pub(super) fn headers_with(&self, own: Headers) -> Headers {
        let names = self.headers.iter();
        let mut headers: Headers = names
            .map(|(name, value)| (name.to_ascii_lowercase(), value.clone()))
            .collect();
        headers.extend(own);
        headers
    }

    /// Returns the title of the tests: the route, and the media type if the body has one of several formats.
    pub(super) fn title(&self) -> String {
        match &self.choice {
            Some(choice) => format!("{} with {}", self.route, choice.r#type),
            None => self.route.clone(),
        }
    }

    /// Returns the valid value of a slot.
    pub(super) fn valid(&self, slot: Slot) -> Option<Value> {
        match given(self.request.get(&slot)?) {
            Given::Missing => None,
            Given::Value(value) => Some(value),
        }
    }

    /// Returns true if clients can ask for ranges of the response.
    pub(super) fn is_download(&self) -> bool {
        let mut contents = self.replies.iter().filter_map(|reply| reply.content.as_ref());
        contents.any(|content| content.kind == "download")
    }

    /// Returns true if a response may go on without an end.
    pub(super) fn is_endless(&self) -> bool {
        let contents = self.replies.iter().filter_map(|reply| reply.content.as_ref());
        contents
            .flat_map(|content| std::iter::once(content).chain(&content.choices))
            .any(|content| matches!(content.kind.as_str(), "events" | "lines"))
    }
}

/// Messages of a WebSocket.
#[derive(Debug, Deserialize)]
pub(super) struct SocketTable {
    /// Type of the JSON messages that the application sends. `None` if it sends no JSON.
    // Reason: only tests of WebSockets read the field.
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))]
    pub(super) out: Option<String>,
    /// Kinds of messages. Absent if all messages are JSON.
    kinds: Option<MessageKinds>,
    /// Subprotocols. Absent if the contract names none.
    pub(super) protocols: Option<Protocols>,
}

/// Kinds of messages (`json`, `text`, `bytes`) in each direction.
#[derive(Debug, Deserialize)]
struct MessageKinds {
    r#in: Vec<String>,
    // Reason: only tests of WebSockets read the field.
    #[cfg_attr(not(feature = "sockets"), allow(dead_code))]
    out: Vec<String>,
}

/// Subprotocols of a WebSocket.
#[derive(Debug, Deserialize)]
pub(super) struct Protocols {
    pub(super) names: Vec<String>,
    pub(super) optional: bool,
}

impl SocketTable {
    /// Returns true if clients may send messages of a kind.
    pub(super) fn takes(&self, kind: &str) -> bool {
        self.has(kind, |kinds| &kinds.r#in)
    }

    /// Returns true if the application may send messages of a kind.
    #[cfg(feature = "sockets")]
    pub(super) fn sends(&self, kind: &str) -> bool {
        self.has(kind, |kinds| &kinds.out)
    }

    fn has(&self, kind: &str, side: impl Fn(&MessageKinds) -> &Vec<String>) -> bool {
        match &self.kinds {
            None => kind == "json",
            Some(kinds) => side(kinds).iter().any(|other| other == kind),
        }
    }
}

/// Change of one value of a valid request: slot, path, description, value, and either the default of the value or `within`.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<Value>")]
pub(super) struct Row {
    pub(super) slot: Slot,
    pub(super) path: String,
    pub(super) what: String,
    pub(super) given: Value,
    /// True if the response to an invalid value may report failures below the path.
    pub(super) is_within: bool,
}

impl From<Vec<Value>> for Row {
    fn from(cells: Vec<Value>) -> Self {
        let text = |index: usize| {
            cells
                .get(index)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        Self {
            slot: Slot::named(&text(0)),
            path: text(1),
            what: text(2),
            given: cells.get(3).cloned().unwrap_or_default(),
            is_within: cells.get(4).is_some_and(|last| last == "within"),
        }
    }
}

/// One of several formats of a request body.
#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    /// First media type of the format.
    pub(super) r#type: String,
    /// Media types of all formats.
    pub(super) all: Vec<String>,
}

/// Response without an error that a contract declares.
#[derive(Debug, Deserialize)]
pub(super) struct DeclaredReply {
    pub(super) status: u16,
    /// Type of the JSON body.
    pub(super) body: Option<String>,
    /// Body that is not JSON.
    pub(super) content: Option<Content>,
    /// Type of the declared headers.
    pub(super) headers: Option<String>,
}

/// Body of a response that is not JSON, or that has one of several formats.
#[derive(Debug, Deserialize)]
pub(super) struct Content {
    pub(super) kind: String,
    /// Media type.
    pub(super) r#type: String,
    /// Type of the value, if the kind is `json`.
    pub(super) json: Option<String>,
    /// Type of a line, if the kind is `lines`.
    pub(super) line: Option<String>,
    /// Types of the data of events, by the names of the events.
    #[serde(default)]
    pub(super) events: BTreeMap<String, Option<String>>,
    /// Formats, if the body has one of several formats.
    #[serde(default)]
    pub(super) choices: Vec<Content>,
}

/// List that is read with cursors.
#[derive(Debug, Deserialize)]
pub(super) struct List {
    /// Smallest limit of a page.
    pub(super) limit: f64,
    /// Names of the optional properties of the query, without the cursor and the limit.
    pub(super) filters: Vec<String>,
}

/// Authentication that a route requires.
#[derive(Debug, Deserialize)]
pub(super) struct Auth {
    /// Place (`header`, `cookie` or `query`) and name of each credential.
    pub(super) credentials: Vec<(String, String)>,
    /// Codes of the errors with the status 401.
    pub(super) unauthorized: Option<Vec<String>>,
    /// Lists of scopes: the caller needs all scopes of at least one list.
    pub(super) scopes: Option<Vec<Vec<String>>>,
}

/// Method that a path does not accept, and the expected header `allow`.
#[derive(Debug, Deserialize)]
pub(super) struct WrongMethod {
    pub(super) method: String,
    pub(super) allow: String,
}

/// Format of a request body that is not JSON.
#[derive(Debug, Deserialize)]
pub(super) struct Format {
    /// `form`, `multipart`, `raw`, `text`, `bytes` or `lines`.
    pub(super) kind: String,
    /// Media types or ranges.
    pub(super) types: Vec<String>,
    /// Names of the parts of a multipart body that are JSON.
    #[serde(default)]
    pub(super) json: Vec<String>,
    /// Parts of a multipart body that are files.
    #[serde(default)]
    pub(super) files: Vec<FileRules>,
}

/// Rules of a part of a multipart body that is a file.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FileRules {
    pub(super) name: String,
    #[serde(default)]
    pub(super) optional: bool,
    #[serde(default)]
    pub(super) many: bool,
    /// True if the part comes after all others.
    #[serde(default)]
    pub(super) streamed: bool,
    #[serde(default)]
    pub(super) min_items: usize,
    pub(super) max_items: Option<usize>,
    pub(super) max_bytes: Option<usize>,
    /// Media types or ranges. Empty if the file may have any type.
    #[serde(default)]
    pub(super) types: Vec<String>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Table;
    use crate::testing::case::{Kind, cases_of};
    use crate::testing::fixture::Fixture;

    fn table(properties: &serde_json::Value) -> Table {
        let mut table = json!({ "place": "src/notes.routes.ts:1", "route": "GET /notes/:id" });
        if let (Some(table), Some(properties)) = (table.as_object_mut(), properties.as_object()) {
            table.extend(properties.clone());
        }
        serde_json::from_value(table).expect("a table")
    }

    #[test]
    fn a_request_has_the_headers_of_the_configuration_unless_a_fixture_replaces_them() {
        let table = table(&json!({ "headers": { "X-Tenant": "acme", "x-lang": "de", "Cookie": "a=1" } }));
        let fixture = Fixture::new().header("X-Lang", "en").cookie("b", "2");
        let headers = fixture.all_headers(&table);
        let pairs: Vec<_> = headers
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        assert_eq!(pairs, ["cookie: b=2", "x-lang: en", "x-tenant: acme"]);
    }

    #[test]
    fn a_route_that_the_configuration_leaves_out_has_one_test() {
        let table = table(&json!({ "skip": "it sends mail" }));
        assert_eq!(cases_of(&table), [(Kind::LeftOut, "is left out".to_owned())]);
    }
}
