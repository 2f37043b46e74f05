//! Emits the tables of all routes as one JSON document, for runners outside of JavaScript.

use std::collections::BTreeSet;

use kit_analysis::{Fit, fit};
use kit_ir::{DeclarationId, Program, Route};
use kit_router::{ParsedRoute, RouteTree};
use serde_json::{Map, Value, json};

use super::data::to_json;
use super::table::Tables;
use crate::error_format;

/// Tables of requests for all routes of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractDocument {
    /// JSON with the format of errors (`errors`) and the tables (`routes`). The tables name types of responses.
    pub json: String,
    /// Types that the tables name.
    pub types: BTreeSet<DeclarationId>,
}

/// Returns the tables of requests that the contracts of a program accept, and of requests that they refuse.
///
/// ```
/// let document = kit_emit::contract_document(&kit_ir::Program::default());
/// assert_eq!(document.json, "{\"routes\":[\n]}\n");
/// ```
pub fn contract_document(program: &Program) -> ContractDocument {
    let routes = program.routes.iter().map(|route| ParsedRoute {
        method: route.method,
        path: route.path.clone(),
        reference: route.reference(),
        validators: Vec::new(),
    });
    // The build has reported conflicts between routes.
    let tree = RouteTree::compile_parsed(routes).ok();
    let mut tables = Tables::new(program, tree.as_ref());
    let mut types = BTreeSet::new();
    let mut name_of = |id: DeclarationId| {
        types.insert(id);
        program.declarations[id].name.clone()
    };
    let mut lines = Vec::new();
    for route in &program.routes {
        for table in tables.of(route, None) {
            let mut entry = about(program, route);
            for (name, data) in table {
                entry.insert(name.to_owned(), to_json(&data, &mut name_of));
            }
            lines.push(Value::Object(entry).to_string());
        }
    }
    let errors = errors(program, &mut name_of);
    let errors = errors.map_or_else(String::new, |errors| format!("\"errors\":{errors},"));
    let json = format!("{{{errors}\"routes\":[\n{}", lines.join(",\n"));
    let end = if lines.is_empty() { "" } else { "\n" };
    ContractDocument {
        json: format!("{json}{end}]}}\n"),
        types,
    }
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
