//! Emits the tables of all routes as one JSON document, for runners outside of JavaScript.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use kit_analysis::{Fit, fit};
use kit_ir::{DeclarationId, Program, Route};
use kit_router::{ParsedRoute, RouteTree};
use serde_json::{Map, Value, json};

use super::data::to_json;
use super::table::Tables;
use crate::{TestValues, error_format};

/// Tables of requests for all routes of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractDocument {
    /// JSON with the format of errors (`errors`), the headers of every request (`headers`), the options that only JavaScript can use
    /// (`unused`), and the tables (`routes`). The tables name types of responses and requests.
    pub json: String,
    /// Types of responses that the tables name.
    pub types: BTreeSet<DeclarationId>,
    /// Types of params, queries, headers, cookies and JSON bodies that the tables name (`shapes`).
    pub request_types: BTreeSet<DeclarationId>,
}

/// Returns the tables of requests that the contracts of a program accept, and of requests that they refuse. `values` are the values of
/// the configuration for the requests.
///
/// ```
/// let document = kit_emit::contract_document(&kit_ir::Program::default(), &kit_emit::TestValues::default());
/// assert_eq!(document.json, "{\"routes\":[\n]}\n");
/// ```
pub fn contract_document(program: &Program, values: &TestValues) -> ContractDocument {
    let routes = program.routes.iter().map(|route| ParsedRoute {
        method: route.method,
        path: route.path.clone(),
        reference: route.reference(),
        validators: Vec::new(),
    });
    // The build has reported conflicts between routes.
    let tree = RouteTree::compile_parsed(routes).ok();
    let mut tables = Tables::new(program, tree.as_ref());
    let (mut types, mut request_types) = (BTreeSet::new(), BTreeSet::new());
    let mut name_of = |id: DeclarationId| {
        types.insert(id);
        program.declarations[id].name.clone()
    };
    let mut lines = Vec::new();
    for route in &program.routes {
        let own = values.of(route);
        for table in tables.of(route, own) {
            let mut entry = about(program, route);
            let params = own.into_iter().flat_map(|own| own.params.keys());
            let params: Vec<_> = params.filter(|name| route.parameters.contains(name)).collect();
            if !params.is_empty() {
                entry.insert("keptParams".to_owned(), json!(params));
            }
            let shapes = slots_of(route).map(|(slot, id)| {
                request_types.insert(id);
                (
                    slot.to_owned(),
                    Value::from(program.declarations[id].name.as_str()),
                )
            });
            let shapes: Map<_, _> = shapes.collect();
            let is_sent = table.iter().any(|(name, _)| *name == "request");
            if is_sent && !shapes.is_empty() {
                entry.insert("shapes".to_owned(), Value::Object(shapes));
            }
            for (name, data) in table {
                entry.insert(name.to_owned(), to_json(&data, &mut name_of));
            }
            lines.push(Value::Object(entry).to_string());
        }
    }
    let mut start = String::new();
    let mut add = |name: &str, value: &Value| {
        let _ = write!(start, "\"{name}\":{value},");
    };
    if let Some(errors) = errors(program, &mut name_of) {
        add("errors", &errors);
    }
    if !values.headers.is_empty() {
        add("headers", &json!(values.headers));
    }
    let unused = [("app", &values.app), ("fixtures", &values.fixtures)];
    let unused: Vec<_> = unused
        .into_iter()
        .filter(|(_, module)| module.is_some())
        .map(|(name, _)| name)
        .collect();
    if !unused.is_empty() {
        add("unused", &json!(unused));
    }
    let json = format!("{{{start}\"routes\":[\n{}", lines.join(",\n"));
    let end = if lines.is_empty() { "" } else { "\n" };
    ContractDocument {
        json: format!("{json}{end}]}}\n"),
        types,
        request_types,
    }
}

/// Returns the types of the slots from which random requests can be made. Messages of WebSockets and bodies that are not JSON are not
/// among them.
fn slots_of(route: &Route) -> impl Iterator<Item = (&'static str, DeclarationId)> {
    let slots = &route.slots;
    let body = slots.body.filter(|_| route.body_format.is_json());
    let slots = [
        ("params", slots.params),
        ("query", slots.query),
        ("headers", slots.headers),
        ("cookies", slots.cookies),
        ("body", body),
    ];
    let is_request = !route.is_socket();
    slots
        .into_iter()
        .filter_map(move |(name, id)| Some((name, id.filter(|_| is_request)?)))
}

/// Returns the properties of an entry that the tables for JavaScript lack, because their runner reads them from the application.
fn about(program: &Program, route: &Route) -> Map<String, Value> {
    let mut entry = Map::new();
    let place = format!("{}:{}", program.path(route.span), route.span.line);
    entry.insert("place".to_owned(), place.into());
    if let Some(bytes) = route.limits.body_bytes {
        entry.insert("bodyBytes".to_owned(), bytes.into());
    }
    let lifecycle: Vec<_> = route
        .lifecycle
        .headers()
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    if !lifecycle.is_empty() {
        entry.insert("lifecycle".to_owned(), json!(lifecycle));
    }
    let accepts_lists =
        |id: DeclarationId| fit(program, program.declarations[id].r#type, &json!([[[[]]]])) == Fit::Yes;
    if route.slots.body.is_some_and(accepts_lists) {
        entry.insert("acceptsNestedLists".to_owned(), true.into());
    }
    entry
}

/// Returns the format of error bodies. Returns `None` for kit's envelope with the status 400.
fn errors(program: &Program, name_of: &mut impl FnMut(DeclarationId) -> String) -> Option<Value> {
    let rules = program.application.error_rules();
    let mut errors = Map::new();
    errors.insert("validationStatus".to_owned(), rules.validation_status.into());
    for (name, place) in error_format::places(rules)? {
        errors.insert(name.to_owned(), json!(place));
    }
    if let Some(declared) = program.application.declared_format() {
        errors.insert("body".to_owned(), name_of(declared.body).into());
    }
    Some(Value::Object(errors))
}
