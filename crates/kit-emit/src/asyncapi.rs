//! Emits `schemas/asyncapi.json`: an AsyncAPI 3 document of the routes with WebSockets and events, which OpenAPI cannot describe
//! completely. A project without such routes has no such document.

use kit_ir::{BodyFormat, DeclarationId, Route, RouteSlots, Slot};
use serde_json::{Map, Value, json};

use crate::component_names::used;
use crate::context::Context;
use crate::direction::Direction;
use crate::job::Job;
use crate::openapi::{self, path_template};
use crate::subprotocols::offered_protocols;

pub(crate) fn emit(context: Context<'_>) -> Option<Job<'_>> {
    let has_channels = context.program.routes.iter().any(Route::has_messages);
    has_channels.then(|| Job::whole("schemas/asyncapi.json", move || document(context)))
}

fn document(context: Context<'_>) -> String {
    let program = context.program;
    let ids = &openapi::facts(context).ids;
    let routes: Vec<&Route> = program
        .routes
        .iter()
        .filter(|route| route.has_messages())
        .collect();
    let (mut channels, mut operations) = (Map::new(), Map::new());
    for route in &routes {
        let id = ids.get(&route.reference()).map_or("", String::as_str);
        let (channel, route_operations) = channel(context, route, id);
        channels.insert(id.to_owned(), channel);
        operations.extend(route_operations);
    }
    let mut info = json!({ "title": context.options.title, "version": context.options.version });
    if let Some(description) = &context.options.about.description {
        info["description"] = description.as_str().into();
    }
    let mut document = json!({
        "asyncapi": "3.0.0",
        "info": info,
        "defaultContentType": "application/json",
        "channels": channels,
        "operations": operations,
        "components": { "schemas": components(context, &routes) },
    });
    to_draft_07(&mut document);
    let mut text = serde_json::to_string_pretty(&document)
        .expect("documents are maps with text keys, which serialize without fail");
    text.push('\n');
    text
}

/// Returns the channel of a route and its operations. `receive` means that the application receives a message.
fn channel(context: Context<'_>, route: &Route, id: &str) -> (Value, Map<String, Value>) {
    let mut messages = Map::new();
    let mut operations = Map::new();
    let mut operation = |action: &str, names: Vec<String>| {
        let references: Vec<Value> = names
            .iter()
            .map(|name| json!({ "$ref": format!("#/channels/{id}/messages/{name}") }))
            .collect();
        let mut operation = json!({
            "action": action,
            "channel": { "$ref": format!("#/channels/{id}") },
            "messages": references,
        });
        if let Some(summary) = &route.summary {
            operation["summary"] = summary.as_str().into();
        }
        let suffix = if action == "receive" { "Receive" } else { "Send" };
        operations.insert(format!("{id}{suffix}"), operation);
    };
    if let Some(events) = route.events() {
        let mut names = Vec::new();
        for (index, event) in events.iter().enumerate() {
            let key = message_key(&event.name, index);
            let payload = match event.data {
                Some(data) => reference(context, data, Direction::Output),
                None => json!({ "type": "null" }),
            };
            messages.insert(key.clone(), json!({ "name": event.name, "payload": payload }));
            names.push(key);
        }
        operation("send", names);
    } else {
        let (received, sent) = (&route.body_format, &route.response_format);
        let sides = [
            ("in", received, route.slots.body, Direction::Input, "receive"),
            ("out", sent, route.slots.response, Direction::Output, "send"),
        ];
        for (side, format, declared, direction, action) in sides {
            let mut names = Vec::new();
            if let Some(declared) = declared {
                let name = &context.program.declarations[declared].name;
                let payload = reference(context, declared, direction);
                messages.insert(side.to_owned(), json!({ "name": name, "payload": payload }));
                names.push(side.to_owned());
            }
            for kind in format.message_kinds(declared).unwrap_or_default() {
                let (name, media_type, payload, title) = match kind {
                    "text" => ("Text", "text/plain", json!({ "type": "string" }), "Text message"),
                    "bytes" => ("Bytes", "application/octet-stream", binary(), "Binary message"),
                    _ => continue,
                };
                let key = format!("{side}{name}");
                let message =
                    json!({ "name": key, "title": title, "contentType": media_type, "payload": payload });
                messages.insert(key.clone(), message);
                names.push(key);
            }
            operation(action, names);
        }
    }
    let mut channel = json!({ "address": path_template(&route.path), "messages": messages });
    if let Some(description) = &route.documentation.description {
        channel["description"] = description.as_str().into();
    }
    let parameters: Map<String, Value> = route
        .parameters
        .iter()
        .map(|name| (name.clone(), json!({})))
        .collect();
    if !parameters.is_empty() {
        channel["parameters"] = parameters.into();
    }
    if route.is_socket() {
        let mut binding = json!({ "method": "GET" });
        for (slot, property) in [(Slot::Query, "query"), (Slot::Headers, "headers")] {
            if let Some(id) = route.slots.get(slot) {
                binding[property] = schema(context, id, Direction::Input);
            }
        }
        if let Some(subprotocols) = &route.subprotocols {
            let offered = json!({
                "type": "string",
                "description": offered_protocols(subprotocols),
                "examples": subprotocols.names,
            });
            let headers = &mut binding["headers"];
            if headers.is_null() {
                *headers = json!({ "type": "object" });
            }
            headers["properties"]["sec-websocket-protocol"] = offered;
            if !subprotocols.optional {
                let mut required = headers["required"].as_array().cloned().unwrap_or_default();
                required.push("sec-websocket-protocol".into());
                headers["required"] = required.into();
            }
        }
        binding["bindingVersion"] = "0.1.0".into();
        channel["bindings"] = json!({ "ws": binding });
    }
    (channel, operations)
}

/// Returns the schema of a binary message. Only binary messages have this schema: bytes in JSON are base64.
fn binary() -> Value {
    json!({ "type": "string", "format": "binary" })
}

/// Returns the key of an event's message. A name that a reference could not contain unescaped is replaced.
fn message_key(name: &str, index: usize) -> String {
    let is_plain = name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_plain {
        name.to_owned()
    } else {
        format!("event{}", index + 1)
    }
}

fn reference(context: Context<'_>, id: DeclarationId, direction: Direction) -> Value {
    let name = context
        .analysis
        .components()
        .name(context.program, (id, direction));
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

fn schema(context: Context<'_>, id: DeclarationId, direction: Direction) -> Value {
    serde_json::to_value(context.declared.get(id, direction))
        .expect("schemas are structs and maps with text keys, which serialize without fail")
}

/// Returns the schemas of the messages, and of all types to which they refer.
fn components(context: Context<'_>, routes: &[&Route]) -> Map<String, Value> {
    // Errors and other replies of these routes are in the OpenAPI document.
    let channels: Vec<Route> = routes
        .iter()
        .map(|route| {
            let (body, response) = if route.is_socket() {
                (route.slots.body, route.slots.response)
            } else {
                (None, None)
            };
            Route {
                slots: RouteSlots {
                    params: None,
                    cookies: None,
                    body,
                    response,
                    ..route.slots.clone()
                },
                response_format: match route.events() {
                    Some(events) => BodyFormat::Events {
                        events: events.to_vec(),
                    },
                    None => BodyFormat::JSON_SOCKET,
                },
                replies: Vec::new(),
                wrappers: Vec::new(),
                throws: Vec::new(),
                ..(*route).clone()
            }
        })
        .collect();
    let channels: Vec<&Route> = channels.iter().collect();
    let analysis = context.analysis;
    used(analysis.references(), &channels, &[])
        .into_iter()
        .map(|(id, direction)| {
            let name = analysis.components().name(context.program, (id, direction));
            (name.to_owned(), schema(context, id, direction))
        })
        .collect()
}

/// Converts schemas of JSON Schema 2020-12 to draft 07, the dialect of AsyncAPI: tuples have other keywords there.
fn to_draft_07(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(to_draft_07),
        Value::Object(members) => {
            if members.get("prefixItems").is_some_and(Value::is_array)
                && let Some(fixed) = members.shift_remove("prefixItems")
            {
                if let Some(rest) = members.shift_remove("items") {
                    members.insert("additionalItems".to_owned(), rest);
                }
                members.insert("items".to_owned(), fixed);
            }
            members.values_mut().for_each(to_draft_07);
        }
        _ => {}
    }
}
