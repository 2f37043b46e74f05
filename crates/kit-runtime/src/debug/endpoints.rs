//! Endpoints of the sidecar. The paths and their queries are those of `packages/plugin-debug/src/responses/endpoints.ts`.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::answer::{Refusal, truncate};
use super::nearest::nearest;
use super::query::Query;
use super::state::State;
use super::{health, performance, project, requests, routes, schema, streams};
use crate::coerce::decode_percent;

type Respond = fn(&State, &Query, &[String]) -> Result<Value, Refusal>;

struct Endpoint {
    /// Path, which may end with parameters: `/_debug/routes/:method/:path`.
    path: &'static str,
    /// Names of the query parameters that the endpoint accepts.
    query: &'static [&'static str],
    about: &'static str,
    respond: Respond,
}

const fn endpoint(
    path: &'static str,
    query: &'static [&'static str],
    about: &'static str,
    respond: Respond,
) -> Endpoint {
    Endpoint {
        path,
        query,
        about,
        respond,
    }
}

/// Returns a segment of the path that a parameter of the endpoint matches.
fn part(rest: &[String], index: usize) -> &str {
    rest.get(index).map_or("", String::as_str)
}

const ENDPOINTS: [Endpoint; 22] = [
    endpoint(
        "/_debug/requests",
        &["since", "limit", "route", "status"],
        "requests in progress and the last completed requests, with their phases and spans",
        |state, query, _| requests::requests(state, query),
    ),
    endpoint(
        "/_debug/requests/:requestId",
        &[],
        "a request with its log entries and its error",
        |state, _, rest| requests::request(state, part(rest, 0)),
    ),
    endpoint(
        "/_debug/streams",
        &["limit", "route"],
        "open WebSockets, open streams of events and lines, and the last ones that ended",
        |state, query, _| streams::streams(state, query),
    ),
    endpoint(
        "/_debug/streams/:requestId",
        &[],
        "a WebSocket or stream with its latest messages",
        |state, _, rest| streams::stream(state, part(rest, 0)),
    ),
    endpoint(
        "/_debug/errors",
        &["since", "limit", "last"],
        "the last errors, each with its request",
        |state, query, _| requests::errors(state, query),
    ),
    endpoint(
        "/_debug/logs",
        &["since", "level", "limit", "requestId"],
        "the last log entries",
        |state, query, _| requests::logs(state, query),
    ),
    endpoint(
        "/_debug/spans",
        &["since", "limit"],
        "the last spans",
        |state, query, _| requests::spans(state, query),
    ),
    endpoint(
        "/_debug/traces",
        &[],
        "the spans of the last 100 requests as trees",
        |state, _, _| Ok(requests::traces(state)),
    ),
    endpoint(
        "/_debug/performance",
        &["route", "window"],
        "percentiles of latency, and throughput",
        |state, query, _| performance::performance(state, query),
    ),
    endpoint(
        "/_debug/performance/series",
        &["route", "window"],
        "the same over time, slice by slice",
        |state, query, _| performance::series(state, query),
    ),
    endpoint(
        "/_debug/health",
        &[],
        "memory, connections, and the pool of connections to the database",
        |state, _, _| Ok(health::health(state)),
    ),
    endpoint("/_debug/server", &[], "the server beneath", |state, _, _| {
        Ok(health::server(state))
    }),
    endpoint(
        "/_debug/routes",
        &[],
        "routes with their middleware, validators and serializer",
        |state, _, _| Ok(routes::all_routes(state)),
    ),
    endpoint(
        "/_debug/routes/:method/:path",
        &[],
        "one route",
        |state, _, rest| {
            let path = rest.get(1..).unwrap_or_default().join("/");
            let path = if path.starts_with('/') {
                path
            } else {
                format!("/{path}")
            };
            routes::one_route(state, part(rest, 0), &path)
        },
    ),
    endpoint(
        "/_debug/middleware",
        &[],
        "middleware with its priorities",
        |state, _, _| Ok(project::middleware(state)),
    ),
    endpoint("/_debug/schema", &[], "the names of all types", |state, _, _| {
        Ok(schema::all_schemas(state))
    }),
    endpoint(
        "/_debug/schema/:name",
        &[],
        "a type, and the routes and types that use it",
        |state, _, rest| schema::schema(state, part(rest, 0)),
    ),
    endpoint(
        "/_debug/migrations",
        &[],
        "changes of the types that no migration contains",
        |state, _, _| project::migrations(state),
    ),
    endpoint("/_debug/jobs", &[], "a Rust server has no jobs", |_, _, _| {
        Ok(json!({ "hasJobs": false }))
    }),
    endpoint(
        "/_debug/source",
        &["file", "line", "around"],
        "lines of a source file, in development",
        |state, query, _| project::source(state, query),
    ),
    endpoint(
        "/_debug/feed",
        &["after", "limit"],
        "short descriptions of the requests that ended after `after` and of those in progress; the next request takes `next` as `after`",
        |state, query, _| requests::feed(state, query),
    ),
    endpoint(
        "/_debug/dashboard",
        &[],
        "the data with which the dashboard at `/` starts",
        |state, _, _| Ok(state.dashboard()),
    ),
];

/// Endpoints that only the sidecar of an application for Node has, with the reason.
const ONLY_ON_NODE: [(&str, &str); 3] = [
    (
        "/_debug/deps",
        "the packages of kit are not part of a Rust server; run `kit inspect dependencies`",
    ),
    (
        "/_debug/dependencies",
        "the packages of kit are not part of a Rust server; run `kit inspect dependencies`",
    ),
    (
        "/_debug/build-pipeline",
        "the hooks of a build are not part of a Rust server; run `kit inspect build-pipeline`",
    ),
];

/// Returns the response to a request target, which is a path with a query.
pub(super) fn respond(state: &State, path: &str, query: &str) -> Result<Value, Refusal> {
    if matches!(path, "/" | "/_debug" | "/_debug/") {
        Query::parse(query, &["format"])?.one_of("format", &["json"])?;
        return Ok(index());
    }
    let (endpoint, rest) = find(path)?;
    (endpoint.respond)(state, &Query::parse(query, endpoint.query)?, &rest)
}

fn find(path: &str) -> Result<(&'static Endpoint, Vec<String>), Refusal> {
    if let Some(endpoint) = ENDPOINTS.iter().find(|endpoint| endpoint.path == path) {
        return Ok((endpoint, Vec::new()));
    }
    let segments: Vec<_> = path.split('/').collect();
    let (base, rest) = segments.split_at(segments.len().min(3));
    let base = base.join("/");
    let rest = rest
        .iter()
        .map(|segment| decode(segment))
        .collect::<Result<Vec<_>, _>>()?;
    // An empty path parameter is allowed at the end: `/_debug/routes/GET/` asks for the route `GET /`.
    let found = ENDPOINTS.iter().find(|endpoint| {
        let mut parts = endpoint.path.split("/:");
        let is_base = parts.next() == Some(base.as_str());
        let is_open = match parts.count() {
            0 => false,
            1 => rest.len() == 1,
            _ => rest.len() >= 2,
        };
        is_base && is_open && !part(&rest, 0).is_empty()
    });
    found
        .map(|endpoint| (endpoint, rest))
        .ok_or_else(|| nothing_at(path, &base))
}

fn nothing_at(path: &str, base: &str) -> Refusal {
    let only_on_node = ONLY_ON_NODE.iter().find(|(known, _)| *known == path);
    let view = base.strip_prefix("/_debug/").and_then(State::absent);
    if let Some(reason) = only_on_node.map(|(_, reason)| *reason).or(view) {
        return Refusal::new(StatusCode::NOT_FOUND, "NOT_AVAILABLE", reason);
    }
    let help = match nearest(path, ENDPOINTS.iter().map(|endpoint| endpoint.path)) {
        Some(near) => format!("did you mean {near}?"),
        None => "`/` lists what there is".to_owned(),
    };
    let path = truncate(path);
    Refusal::not_found(format!("the debug sidecar has nothing at {path}; {help}"))
}

fn decode(segment: &str) -> Result<String, Refusal> {
    match decode_percent(segment) {
        Some(decoded) => Ok(decoded.into_owned()),
        None => Err(Refusal::new(
            StatusCode::BAD_REQUEST,
            "BAD_REQUEST",
            format!("{} has an invalid percent-escape", truncate(segment)),
        )),
    }
}

/// Returns the list of endpoints, which is the response at `/`.
fn index() -> Value {
    let endpoints = ENDPOINTS.iter().map(|endpoint| {
        let mut shown = Map::new();
        shown.insert("path".to_owned(), endpoint.path.into());
        shown.insert("query".to_owned(), json!(endpoint.query));
        shown.insert("about".to_owned(), endpoint.about.into());
        Value::Object(shown)
    });
    json!({ "endpoints": endpoints.collect::<Vec<_>>() })
}
