//! Emits `routes.json`, `middleware.json`, `schemas.json` and `static-files.json`, which tools such as `kit inspect` read.

mod tags;
mod types;

use std::sync::Arc;

use indexmap::IndexMap;
use kit_ir::{
    BodyFormat, DeclarationId, Lifecycle, LiteralOption, MiddlewareKind, RouteLimits, SOCKET_METHOD, Slot,
    Subprotocols,
};
use serde::Serialize;
use serde_json::{Number, Value};

pub use self::tags::written_tags;
pub(crate) use self::types::entries;
use crate::context::Context;
use crate::job::Job;
use crate::types::type_text;

pub(crate) fn emit<'a>(context: Context<'a>, entries: &'a [Arc<String>]) -> Vec<Job<'a>> {
    let mut jobs = vec![
        Job::whole("routes.json", move || routes(context)),
        Job::whole("middleware.json", move || middleware(context)),
        Job::whole("schemas.json", move || types::schemas(context, entries)),
    ];
    if let Some(files) = &context.program.application.static_files {
        jobs.push(Job::whole("static-files.json", move || {
            json(&served_files(files))
        }));
    }
    jobs
}

/// Returns the entries of `static-files.json`. Returns `None` if a part of the option is known only when the application
/// runs.
fn served_files(option: &LiteralOption) -> Option<Vec<FilesEntry<'_>>> {
    let sites = match option.value.as_ref()? {
        Value::Array(sites) => sites.iter().collect(),
        site => vec![site],
    };
    sites.into_iter().map(FilesEntry::of).collect()
}

/// Directory in `static-files.json`.
#[derive(Serialize)]
struct FilesEntry<'a> {
    /// Path before the paths of the files.
    prefix: &'a str,
    /// Directory of the files, as the option names it.
    dir: &'a str,
}

impl<'a> FilesEntry<'a> {
    fn of(site: &'a Value) -> Option<Self> {
        Some(Self {
            prefix: site.get("prefix").map_or(Some("/"), Value::as_str)?,
            dir: site.get("dir")?.as_str()?,
        })
    }
}

fn routes(context: Context<'_>) -> String {
    let routes = context.program.routes.iter();
    json(
        &routes
            .map(|route| route_entry(context, route))
            .collect::<Vec<_>>(),
    )
}

/// Emits the middleware by ascending priority, with kit's own middleware at the end.
fn middleware(context: Context<'_>) -> String {
    let program = context.program;
    let mut entries: Vec<_> = program
        .application
        .middleware
        .iter()
        .map(|source| MiddlewareEntry {
            name: &source.name,
            priority: number(source.priority),
            r#type: kind_name(source.kind),
            adds: &source.added_context,
            is_wrapper: source.is_wrapper,
            file: Some(program.path(source.span)),
            line: Some(source.span.line),
        })
        .collect();
    entries.push(MiddlewareEntry {
        name: "errorMiddleware",
        priority: None,
        r#type: kind_name(MiddlewareKind::BuiltIn),
        adds: &[],
        is_wrapper: false,
        file: None,
        line: None,
    });
    json(&entries)
}

fn kind_name(kind: MiddlewareKind) -> &'static str {
    match kind {
        MiddlewareKind::Global => "global",
        MiddlewareKind::Route => "route",
        MiddlewareKind::Registered => "registered",
        MiddlewareKind::BuiltIn => "built-in",
    }
}

/// Prints a document as JSON.
pub(crate) fn json(document: &impl Serialize) -> String {
    let mut text = serde_json::to_string_pretty(document)
        .expect("documents are structs and maps with text keys, which serialize without fail");
    text.push('\n');
    text
}

/// Route in `routes.json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RouteEntry<'a> {
    method: &'static str,
    path: &'a str,
    /// Types of the path parameters, by name.
    params: IndexMap<&'a str, String>,
    query: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    headers: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cookies: Option<&'a str>,
    body: Option<&'a str>,
    /// Format of a body that is not JSON, such as `Multipart`.
    #[serde(skip_serializing_if = "Option::is_none")]
    body_format: Option<String>,
    response: Option<&'a str>,
    /// Format of a response that is not JSON, such as `Events`.
    #[serde(skip_serializing_if = "Option::is_none")]
    response_format: Option<String>,
    /// Types of the data of the events, by name; `None` for events without data. Absent if the route sends no events.
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<IndexMap<&'a str, Option<&'a str>>>,
    /// Subprotocols of a WebSocket. Absent if the contract names none.
    #[serde(skip_serializing_if = "Option::is_none")]
    subprotocols: Option<&'a Subprotocols>,
    /// Replies that the contract declares. Empty if the response is a plain type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    replies: Vec<ReplyEntry<'a>>,
    /// Errors with declared details.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailureEntry<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    operation: Option<&'a str>,
    #[serde(skip_serializing_if = "RouteLimits::is_empty")]
    limits: RouteLimits,
    /// Scopes that the caller must have: all scopes of at least one inner list.
    #[serde(skip_serializing_if = "<[Vec<String>]>::is_empty")]
    scopes: &'a [Vec<String>],
    /// Dates of the route and its successor. Absent if the route has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle: Option<&'a Lifecycle>,
    middleware: &'a [String],
    handler: Option<HandlerEntry<'a>>,
    status: u16,
    group: &'a str,
}

/// Reply of a route in `routes.json`.
#[derive(Serialize)]
struct ReplyEntry<'a> {
    status: u16,
    body: Option<&'a str>,
    /// Format of a body that is not JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<String>,
    headers: Option<&'a str>,
}

/// Error of a route in `routes.json`.
#[derive(Serialize)]
struct FailureEntry<'a> {
    status: u16,
    code: &'a str,
    details: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HandlerEntry<'a> {
    file: &'a str,
    export: &'a str,
    line: u32,
}

/// Middleware in `middleware.json`.
#[derive(Serialize)]
struct MiddlewareEntry<'a> {
    name: &'a str,
    /// Priority: middleware with a lower priority runs first. `None` for kit's own middleware, which runs
    /// around all other middleware.
    priority: Option<Number>,
    r#type: &'static str,
    /// Properties of `ctx` that the middleware sets, such as `userId`. Lists only the properties that an
    /// `@owner` names.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    adds: &'a [String],
    /// True if the middleware is created with `defineWrapper`.
    #[serde(rename = "wrapper", skip_serializing_if = "std::ops::Not::not")]
    is_wrapper: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

/// Converts a number for JSON in the form in which JavaScript prints it: `10`, not `10.0`.
fn number(value: f64) -> Option<Number> {
    #[allow(clippy::cast_possible_truncation)] // Reason: the condition excludes truncation.
    if value.fract() == 0.0 && value.abs() < 9e15 {
        Some(Number::from(value as i64))
    } else {
        Number::from_f64(value)
    }
}

/// Returns the name of a format; `None` for JSON. The names in a union have their types: `Json<Order> | Text`.
fn format_name<'a>(format: &BodyFormat, type_name: impl Fn(DeclarationId) -> &'a str) -> Option<String> {
    if format.is_json() {
        return None;
    }
    let choices = format.choices(None).into_iter();
    let names = choices.map(|choice| match choice.body {
        Some(body) => format!("{}<{}>", choice.format.name(), type_name(body)),
        None => choice.format.name().to_owned(),
    });
    Some(names.collect::<Vec<_>>().join(" | "))
}

/// Returns the kinds of messages of a WebSocket: `Json | Bytes`. Returns `None` if all messages are JSON, and for bodies.
fn message_names(format: &BodyFormat, body: Option<DeclarationId>) -> Option<String> {
    let kinds = format.message_kinds(body)?.into_iter().map(|kind| match kind {
        "text" => "Text",
        "bytes" => "Bytes",
        _ => "Json",
    });
    Some(kinds.collect::<Vec<_>>().join(" | "))
}

fn route_entry<'a>(context: Context<'a>, route: &'a kit_ir::Route) -> RouteEntry<'a> {
    let program = context.program;
    let type_name = |id: DeclarationId| program.declarations[id].name.as_str();
    let name = |slot| route.slots.get(slot).map(type_name);
    let types = route
        .slots
        .params
        .map_or(&[][..], |id| program.properties(program.declarations[id].r#type));
    let params = route
        .parameters
        .iter()
        .map(|parameter| {
            let property = types.iter().find(|property| property.name == *parameter);
            let text = property.map_or("string".to_owned(), |property| {
                type_text(context, property.r#type)
            });
            (parameter.as_str(), text)
        })
        .collect();
    RouteEntry {
        method: if route.is_socket() {
            SOCKET_METHOD
        } else {
            route.method.name()
        },
        path: route.path.as_str(),
        params,
        query: name(Slot::Query),
        headers: name(Slot::Headers),
        cookies: name(Slot::Cookies),
        body: name(Slot::Body),
        body_format: message_names(&route.body_format, route.slots.body)
            .or_else(|| format_name(&route.body_format, type_name)),
        response: name(Slot::Response),
        response_format: message_names(&route.response_format, route.slots.response)
            .or_else(|| format_name(&route.response_format, type_name)),
        events: route.events().map(|events| {
            let types = events
                .iter()
                .map(|event| (event.name.as_str(), event.data.map(type_name)));
            types.collect()
        }),
        subprotocols: route.subprotocols.as_ref(),
        replies: if route.has_replies() {
            let replies = route.responses().into_iter().map(|reply| ReplyEntry {
                status: reply.status,
                body: reply.body.map(type_name),
                format: format_name(&reply.format, type_name),
                headers: reply.headers.map(type_name),
            });
            replies.collect()
        } else {
            Vec::new()
        },
        failures: route
            .throws
            .iter()
            .filter_map(|error| {
                Some(FailureEntry {
                    status: error.status,
                    code: &error.code,
                    details: type_name(error.details?),
                })
            })
            .collect(),
        operation: route.operation.as_deref(),
        limits: route.limits,
        scopes: &route.scopes,
        lifecycle: Some(&route.lifecycle).filter(|lifecycle| !lifecycle.is_empty()),
        middleware: &route.middleware,
        handler: route.handler.as_ref().map(|handler| HandlerEntry {
            file: program.path(handler.span),
            export: &handler.export,
            line: handler.span.line,
        }),
        status: route.status,
        group: &route.group,
    }
}
