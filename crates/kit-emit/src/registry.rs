//! Emits `routes.json`, `middleware.json`, `schemas.json` and `static-files.json`, which tools such as `kit inspect` read.

mod tags;

use std::sync::Arc;

use indexmap::IndexMap;
use kit_analysis::collect_references;
use kit_ir::{
    BodyFormat, DeclarationId, DeclarationOrigin, Lifecycle, LiteralOption, MiddlewareKind, Program,
    RouteLimits, SOCKET_METHOD, Slot, Subprotocols, TypeId,
};
use serde::Serialize;
use serde_json::{Number, Value};

pub use self::tags::written_tags;
use crate::context::Context;
use crate::direction::Direction;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::{Job, PartCache};
use crate::json_schema::{Schema, Schemas, default_value};
use crate::types::type_text;

pub(crate) fn emit<'a>(context: Context<'a>, entries: &'a [Arc<String>]) -> Vec<Job<'a>> {
    let mut jobs = vec![
        Job::whole("routes.json", move || routes(context)),
        Job::whole("middleware.json", move || middleware(context)),
        Job::whole("schemas.json", move || schemas(context, entries)),
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

/// Returns the entries of `schemas.json`, each on one line, in the order of the declarations. `parts` contains unchanged
/// entries of earlier builds.
pub(crate) fn entries(context: Context<'_>, parts: &mut PartCache) -> Vec<Arc<String>> {
    let names = context.analysis.components().fingerprint(context.program);
    let ids = context.program.declarations.iter_ids();
    let keyed: Vec<_> = ids.map(|(id, _)| (entry_key(context, names, id), id)).collect();
    parts.get_or_create(&keyed, |id| {
        serde_json::to_string(&schema_entry(context, *id))
            .expect("entries are structs and maps with text keys, which serialize without fail")
    })
}

/// Returns the fingerprint of all inputs of an entry. `names` is the fingerprint of all component names, because
/// schemas refer to components by name.
fn entry_key(context: Context<'_>, names: Fingerprint, id: DeclarationId) -> Fingerprint {
    let program = context.program;
    let entity = context
        .analysis
        .entity(id)
        .map(|entity| &program.entities[entity]);
    let table = entity.map(|entity| (&entity.table, &entity.owner));
    let uses: Vec<_> = usages(context, id).collect();
    let line = program.declarations[id].span.line;
    fingerprint((context.module_key(id), line, table, uses, names))
}

fn schemas(context: Context<'_>, entries: &[Arc<String>]) -> String {
    if entries.is_empty() {
        return "{}\n".to_owned();
    }
    let length: usize = entries.iter().map(|entry| entry.len() + 64).sum();
    let mut text = String::with_capacity(length);
    for (declaration, entry) in context.program.declarations.iter().zip(entries) {
        text.push_str(if text.is_empty() { "{\n" } else { ",\n" });
        text.push_str(&Value::from(declaration.name.as_str()).to_string());
        text.push_str(": ");
        text.push_str(entry);
    }
    text.push_str("\n}\n");
    text
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
        body_format: format_name(&route.body_format, type_name),
        response: name(Slot::Response),
        response_format: format_name(&route.response_format, type_name),
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

/// Type in `schemas.json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SchemaEntry<'a> {
    name: &'a str,
    /// Reason why the type has a name: `named` (an export), `instance` (of a generic type) or `slot` (of a
    /// contract).
    origin: &'static str,
    /// Name of the export in the source file, if it differs from the name of the type.
    #[serde(skip_serializing_if = "Option::is_none")]
    export: Option<&'a str>,
    /// Source text of an instance of a generic type, such as `Page<Note>`.
    #[serde(skip_serializing_if = "Option::is_none")]
    expression: Option<&'a str>,
    file: &'a str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<&'a str>,
    /// Argument of the `@owner` tag: `none` or `userId = ctx.userId`.
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<String>,
    /// JSON Schema of the type in a response.
    schema: Schema,
    /// JSON Schema of the type in a request, if it differs from `schema`.
    #[serde(skip_serializing_if = "Option::is_none")]
    input_schema: Option<Schema>,
    properties: Vec<PropertyEntry<'a>>,
    /// Routes that use the type directly, each with the slot that uses it.
    used_by: Vec<Usage>,
    /// Types that the type names in its properties. Tools follow them to find routes that use the type indirectly.
    refers_to: Vec<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PropertyEntry<'a> {
    name: &'a str,
    #[serde(rename = "type")]
    r#type: String,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<Value>,
    /// Doc tags as they are written in TypeScript: `@minLength 1`.
    tags: Vec<String>,
}

#[derive(Serialize, Hash)]
#[serde(rename_all = "camelCase")]
struct Usage {
    route: String,
    #[serde(rename = "as")]
    slot: &'static str,
}

fn schema_entry(context: Context<'_>, id: DeclarationId) -> SchemaEntry<'_> {
    let program = context.program;
    let declaration = &program.declarations[id];
    let (origin, export, expression) = match &declaration.origin {
        DeclarationOrigin::Named { export } => {
            let other = (*export != declaration.name).then_some(export.as_str());
            ("named", other, None)
        }
        DeclarationOrigin::Instance { expression } => ("instance", None, Some(expression.as_str())),
        DeclarationOrigin::Slot => ("slot", None, None),
    };
    let written = |direction| {
        let schemas = Schemas {
            implied: false,
            ..context.schemas(direction)
        };
        schemas.declaration(id)
    };
    let (schema, input) = (written(Direction::Output), written(Direction::Input));
    let entity = context
        .analysis
        .entity(id)
        .map(|entity| &program.entities[entity]);
    SchemaEntry {
        name: &declaration.name,
        origin,
        export,
        expression,
        file: program.path(declaration.span),
        line: declaration.span.line,
        table: entity.map(|entity| entity.table.as_str()),
        owner: entity
            .and_then(|entity| entity.owner.as_ref())
            .map(ToString::to_string),
        input_schema: (input != schema).then_some(input),
        schema,
        properties: program
            .properties(declaration.r#type)
            .iter()
            .map(|property| PropertyEntry {
                name: &property.name,
                r#type: type_text(context, property.r#type),
                required: !property.optional,
                default: property.tags.default.as_ref().and_then(default_value),
                tags: written_tags(program, property),
            })
            .collect(),
        used_by: usages(context, id).collect(),
        refers_to: references(program, declaration.r#type),
    }
}

/// Returns the names of the types to which a type refers directly.
fn references(program: &Program, id: TypeId) -> Vec<&str> {
    let mut found = Vec::new();
    collect_references(program, id, &mut found);
    found
        .into_iter()
        .map(|id| program.declarations[id].name.as_str())
        .collect()
}

fn usages(context: Context<'_>, id: DeclarationId) -> impl Iterator<Item = Usage> {
    let uses = context.analysis.uses(id).iter();
    let slots = uses.map(|(route, slot)| (route, slot.name()));
    let answers = context.analysis.uses_in_answers(id).iter();
    let uses = slots.chain(answers.map(|(route, part)| (route, *part)));
    uses.map(move |(route, slot)| Usage {
        route: context.program.routes[*route].reference(),
        slot,
    })
}
