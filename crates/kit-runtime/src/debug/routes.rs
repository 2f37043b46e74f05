//! Responses about the routes of the application.

use axum::http::StatusCode;
use serde_json::{Value, json};

use super::answer::{Refusal, truncate};
use super::nearest::suggestion;
use super::project::SourceFiles;
use super::state::State;

/// Returns all routes with their middleware, the types of their slots, and their locations.
pub(super) fn all_routes(state: &State) -> Value {
    let mut files = SourceFiles::new(state);
    let routes = state.routes.iter().map(|route| with_line(route, &mut files));
    json!({ "routes": routes.collect::<Vec<_>>() })
}

/// Returns the route that `/_debug/routes/GET/notes/:id` asks for.
pub(super) fn one_route(state: &State, method: &str, path: &str) -> Result<Value, Refusal> {
    let reference = format!("{} {path}", method.to_uppercase());
    let found = state
        .routes
        .iter()
        .find(|route| route["ref"] == reference.as_str());
    match found {
        Some(route) => Ok(with_line(route, &mut SourceFiles::new(state))),
        None => Err(no_route(&reference, &names(state, "ref"))),
    }
}

/// Returns a route whose handler has the line of its function, if the source code can be read.
fn with_line(route: &Value, files: &mut SourceFiles<'_>) -> Value {
    let mut route = route.clone();
    let handler = &route["handler"];
    let names = handler["file"].as_str().zip(handler["export"].as_str());
    if let Some(line) = names.and_then(|(file, function)| files.line_of_function(file, function)) {
        route["handler"]["line"] = line.into();
    }
    route
}

fn names<'s>(state: &'s State, name: &str) -> Vec<&'s str> {
    let values = state.routes.iter().map(|route| &route[name]);
    values.filter_map(Value::as_str).collect()
}

fn no_route(name: &str, names: &[&str]) -> Refusal {
    let message = format!(
        "there is no route `{}`; {}",
        truncate(name),
        suggestion(name, names)
    );
    Refusal::new(StatusCode::NOT_FOUND, "ROUTE_NOT_FOUND", message)
}

/// Returns the names of the routes that a name stands for. `GET /notes/:id` is one route. `/notes/:id` is every method of that
/// path. `/` is all routes if no route has that path, because `kit inspect performance` sends it by default.
pub(super) fn routes_named<'s>(state: &'s State, name: &str) -> Result<Vec<&'s str>, Refusal> {
    let is_named = |route: &&Value| route["ref"] == name || route["path"] == name;
    let found = state.routes.iter().filter(is_named);
    let found: Vec<_> = found.filter_map(|route| route["ref"].as_str()).collect();
    if !found.is_empty() {
        return Ok(found);
    }
    let references = names(state, "ref");
    if name == "/" {
        return Ok(references);
    }
    let mut all = names(state, "path");
    all.extend(references);
    Err(no_route(name, &all))
}
