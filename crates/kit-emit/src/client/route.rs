//! Emits one route of `client/index.ts`.

use kit_ir::{DeclarationId, DeclaredError, Program, Property, Route, Slot};

use super::Inputs;
use super::body;
use super::codec::Codecs;
use crate::context::Context;
use crate::messages::message_type;
use crate::text::{Writer, literal};
use crate::types::InputNames;

/// Returns the comment of a route: summary and description, errors, and deprecation.
fn doc(route: &Route) -> String {
    let mut parts = Vec::new();
    parts.extend(route.summary.clone());
    parts.extend(route.documentation.description.clone());
    let throws: Vec<_> = route
        .throws
        .iter()
        .map(|error| {
            let description = error.description.as_deref().unwrap_or_default();
            format!("@throws {} {} {description}", error.code, error.status)
                .trim_end()
                .to_owned()
        })
        .collect();
    if !throws.is_empty() {
        parts.push(throws.join("\n"));
    }
    parts.extend(
        route
            .documentation
            .deprecated
            .as_ref()
            .map(|why| format!("@deprecated {why}")),
    );
    parts.join("\n\n")
}

/// Maximum length of a line. A longer entry has one type argument per line.
const LINE: usize = 110;

/// Writes the type of a route: `"GET /notes/:id": ApiRoute<{ params: …; query?: …; body: … }, Types.Note,
/// ApiFailure<"NOTE_NOT_FOUND", 404>>;`.
pub(super) fn write(
    context: Context<'_>,
    inputs: &Inputs<'_>,
    codecs: &Codecs<'_>,
    route: &Route,
    writer: &mut Writer,
) {
    writer.doc(&doc(route));
    let key = literal::string(&route.reference());
    let arguments = arguments(context, inputs, codecs, route);
    let kind = if route.is_socket() {
        "ApiSocketRoute"
    } else {
        "ApiRoute"
    };
    let line = format!("{key}: {kind}<{}>;", arguments.join(", "));
    if line.len() <= LINE {
        writer.line(line);
    } else {
        writer.block(format_args!("{key}: {kind}<"), ">;", |writer| {
            writer.line(arguments.join(",\n"));
        });
    }
}

fn arguments(context: Context<'_>, inputs: &Inputs<'_>, codecs: &Codecs<'_>, route: &Route) -> Vec<String> {
    let parts = Slot::INPUTS
        .into_iter()
        .flat_map(|slot| {
            if slot == Slot::Body && route.is_socket() {
                return Vec::new();
            }
            if slot == Slot::Body {
                return body::input(route, |id| inputs.name(id));
            }
            let Some(id) = route.slots.get(slot) else {
                return Vec::new();
            };
            let optional = match slot {
                Slot::Query => may_be_left_out(context, id, None),
                Slot::Headers => may_be_left_out(context, id, Some(IDEMPOTENCY_KEY)),
                // A browser sends its cookies by itself, and code in a page cannot send others.
                Slot::Cookies => true,
                Slot::Params | Slot::Body | Slot::Response => false,
            };
            let mark = if optional { "?" } else { "" };
            let own = idempotency_key(context.program, route).filter(|key| !key.optional);
            let name = match own.filter(|_| slot == Slot::Headers) {
                // The client sends the key by itself.
                Some(Property { name: key, .. }) => {
                    let (name, key) = (inputs.name(id), literal::string(key));
                    format!("Omit<{name}, {key}> & Partial<Pick<{name}, {key}>>")
                }
                None => inputs.name(id),
            };
            vec![format!("{}{mark}: {name}", slot.name())]
        })
        .chain(route.subprotocols.iter().map(|subprotocols| {
            let mark = if subprotocols.optional { "?" } else { "" };
            format!(
                "protocols{mark}: readonly ({})[]",
                literal::union(&subprotocols.names)
            )
        }))
        .collect::<Vec<_>>();
    let input = if parts.is_empty() {
        "{}".to_owned()
    } else {
        format!("{{ {} }}", parts.join("; "))
    };
    let name = |id: DeclarationId| format!("Types.{}", context.program.declarations[id].name);
    let received = |id: DeclarationId| {
        if codecs.is_ambiguous(id) {
            format!("Wire<{}>", name(id))
        } else {
            name(id)
        }
    };
    if route.is_socket() {
        let sent = route.slots.body.map(|id| inputs.name(id));
        let messages = [
            message_type(&route.body_format, sent),
            message_type(&route.response_format, route.slots.response.map(received)),
        ];
        let protocol = route.subprotocols.as_ref().map(|subprotocols| {
            let names = literal::union(&subprotocols.names);
            if subprotocols.optional {
                format!("{names} | undefined")
            } else {
                names
            }
        });
        return std::iter::once(input).chain(messages).chain(protocol).collect();
    }
    let output = if route.has_replies() {
        let replies = route.responses().into_iter().map(|reply| {
            let headers = reply.headers.map(|id| format!(", {}", name(id)));
            let (status, data) = (reply.status, body::output(&reply.format, reply.body, &received));
            format!("ApiReply<{status}, {data}{}>", headers.unwrap_or_default())
        });
        replies.collect::<Vec<_>>().join(" | ")
    } else {
        body::output(&route.response_format, route.slots.response, &received)
    };
    let declared = context.program.application.declared_format();
    let mut failures: Vec<String> = Vec::new();
    for error in &route.throws {
        let details = error.details.map(|id| format!(", {}", received(id)));
        let details = details.or_else(|| missing_scopes(context, route, error));
        // Without a place of the code in error bodies, a client cannot know it.
        let has_code = declared.is_none_or(|declared| !declared.paths.code.is_empty());
        let code = if has_code {
            literal::string(&error.code)
        } else {
            "string".to_owned()
        };
        let text = format!(
            "ApiFailure<{code}, {}{}>",
            error.status,
            details.unwrap_or_default()
        );
        if !failures.contains(&text) {
            failures.push(text);
        }
    }
    let mut arguments = vec![input, output];
    if !failures.is_empty() {
        arguments.push(failures.join(" | "));
    }
    arguments
}

/// Returns the type argument with the details of the error for callers without the scopes of the contract. Returns `None`
/// for other errors, and if error bodies of the application have no details.
fn missing_scopes(context: Context<'_>, route: &Route, error: &DeclaredError) -> Option<String> {
    let declared = context.program.application.declared_format();
    let has_details = declared.is_none_or(|declared| !declared.paths.details.is_empty());
    if error.code != DeclaredError::INSUFFICIENT_SCOPE || route.scopes.is_empty() || !has_details {
        return None;
    }
    let mut names: Vec<String> = route.scopes.iter().flatten().cloned().collect();
    names.sort();
    names.dedup();
    // The application itself can throw an error with this code and without details.
    Some(format!(", MissingScopes<{}> | undefined", literal::union(&names)))
}

/// Name of the header that the client sends by itself.
const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Returns the header `idempotency-key` of a contract, if the contract declares this header.
pub(super) fn idempotency_key<'p>(program: &'p Program, route: &Route) -> Option<&'p Property> {
    let headers = program.declarations[route.slots.headers?].r#type;
    let mut properties = program.properties(headers).iter();
    properties.find(|property| property.name == IDEMPOTENCY_KEY)
}

/// Returns true if a request may omit every property of the type, so that the whole object is optional. The client sends
/// the property `own` by itself.
fn may_be_left_out(context: Context<'_>, id: DeclarationId, own: Option<&str>) -> bool {
    let program = context.program;
    program
        .properties(program.declarations[id].r#type)
        .iter()
        .all(|property| {
            property.optional
                || property.tags.default.is_some()
                || property.tags.generated.is_some()
                || own == Some(property.name.as_str())
        })
}
