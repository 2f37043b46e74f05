//! Emits what clients must know about contracts with declared replies, details of errors, and names of operations.

use kit_analysis::resolve;
use kit_ir::{DeclarationId, LiteralValue, Program, Route, TypeId, TypeKind};

use super::body;
use super::codec::Codecs;
use crate::text::{Writer, literal};

/// Returns the entries of the client's `replies`: for each route, the codecs of its replies by status.
pub(super) fn codecs(program: &Program, codecs: &Codecs<'_>) -> Vec<String> {
    let routes = program.routes.iter().filter(|route| route.has_replies());
    routes
        .map(|route| {
            let replies = route.responses().into_iter().map(|reply| {
                let format = body::response(&reply.format, reply.body, codecs);
                let body = match reply.body {
                    _ if format.is_some() => None,
                    None => Some("null".to_owned()),
                    Some(id) => codecs.of(id),
                };
                let headers = reply.headers.map(|id| headers(program, id));
                let parts = [("body", body), ("format", format), ("headers", headers)];
                let parts = parts
                    .into_iter()
                    .filter_map(|(name, part)| Some((name.to_owned(), part?)));
                (reply.status.to_string(), literal::object(parts))
            });
            entry(route, &literal::object(replies))
        })
        .collect()
}

/// Returns the entries of the client's `details`: for each route, the codecs of the details of its errors by
/// code.
pub(super) fn details(program: &Program, codecs: &Codecs<'_>) -> Vec<String> {
    let entries = program.routes.iter().filter_map(|route| {
        let mut found: Vec<(String, String)> = Vec::new();
        for error in &route.throws {
            let code = literal::key(&error.code);
            if let Some(codec) = error.details.and_then(|id| codecs.of(id))
                && !found.iter().any(|(known, _)| *known == code)
            {
                found.push((code, codec));
            }
        }
        (!found.is_empty()).then(|| entry(route, &literal::object(found)))
    });
    entries.collect()
}

/// Returns the entries of the client's `operations`: for each name in `@operation`, its route.
pub(super) fn operations(program: &Program) -> Vec<String> {
    let named = program
        .routes
        .iter()
        .filter_map(|route| Some((route.operation.as_ref()?, route)));
    named
        .map(|(name, route)| {
            let route = literal::string(&route.reference());
            format!("{}: {route},", literal::key(name))
        })
        .collect()
}

/// Returns the TypeScript type of the client's `operations`.
pub(super) fn operations_type(entries: &[String]) -> String {
    let mut writer = Writer::default();
    writer.doc("Methods of the client that `@operation` names, with their routes.");
    writer.block("export interface Operations {", "}", |writer| {
        for entry in entries {
            writer.line(format_args!("{};", entry.trim_end_matches(',')));
        }
    });
    writer.finish()
}

fn entry(route: &Route, value: &str) -> String {
    format!("{}: {value},", literal::string(&route.reference()))
}

/// Returns an object with the codec of each header.
fn headers(program: &Program, id: DeclarationId) -> String {
    let properties = program.properties(program.declarations[id].r#type);
    literal::object(properties.iter().map(|property| {
        let mut codec = HeaderCodec::default();
        codec.collect(program, property.r#type);
        (literal::key(&property.name), literal::string(&codec.text()))
    }))
}

/// Types to which the client converts the text of a header. The client uses the first type that fits the text.
#[derive(Default)]
struct HeaderCodec {
    list: bool,
    /// True if the type accepts every string. The client then converts no string.
    any_text: bool,
    kinds: Vec<&'static str>,
}

impl HeaderCodec {
    fn collect(&mut self, program: &Program, id: TypeId) {
        let kind = match &program.types[resolve(program, id)].kind {
            TypeKind::Array { element } => {
                self.list = true;
                return self.collect(program, *element);
            }
            TypeKind::Tuple { elements } => {
                self.list = true;
                for element in elements {
                    self.collect(program, element.r#type);
                }
                return;
            }
            TypeKind::Union { members } => {
                for member in members {
                    self.collect(program, *member);
                }
                return;
            }
            TypeKind::String => {
                self.any_text = true;
                return;
            }
            TypeKind::Number => "number",
            TypeKind::Boolean => "boolean",
            TypeKind::BigInt => "bigint",
            TypeKind::Date => "date",
            TypeKind::Bytes => "bytes",
            TypeKind::Literal { value } => match value {
                LiteralValue::String(_) => return,
                LiteralValue::Number(_) => "number",
                LiteralValue::Boolean(_) => "boolean",
                LiteralValue::BigInt(_) => "bigint",
            },
            TypeKind::Template { .. }
            | TypeKind::Unknown
            | TypeKind::Never
            | TypeKind::Null
            | TypeKind::Object(_)
            | TypeKind::Reference { .. } => return,
        };
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }

    fn text(&self) -> String {
        let kinds = if self.any_text || self.kinds.is_empty() {
            "string".to_owned()
        } else {
            self.kinds.join("|")
        };
        if self.list { format!("{kinds}[]") } else { kinds }
    }
}
