//! Emits `routes/route-table.ts`: one row per route, with a key such as `GET /notes/:id`.

use kit_ir::{DeclarationId, Slot};

use super::FROM;
use crate::context::Context;
use crate::text::{Writer, literal, unchecked_header};

pub(crate) fn emit(context: Context<'_>) -> String {
    let program = context.program;
    let mut writer = Writer::default();
    writer.line("import type { RouteTableEntry } from \"@kit/types\";");
    writer.blank();
    writer.doc("All routes by method and path.");
    let opening = "export const routeTable: Readonly<Record<string, RouteTableEntry>> = {";
    writer.block(opening, "};", |writer| {
        for route in &program.routes {
            let name = |id: DeclarationId| literal::string(&program.declarations[id].name);
            let schema = |slot| route.slots.get(slot).map(name);
            writer.block(
                format_args!("{}: {{", literal::string(&route.reference())),
                "},",
                |writer| {
                    writer.line(format_args!("method: \"{}\",", route.method));
                    writer.line(format_args!("path: {},", literal::string(route.path.as_str())));
                    writer.line(format_args!("params: {},", literal::strings(&route.parameters)));
                    let null = || "null".to_owned();
                    writer.line(format_args!(
                        "querySchema: {},",
                        schema(Slot::Query).unwrap_or_else(null)
                    ));
                    for slot in [Slot::Headers, Slot::Cookies, Slot::Body] {
                        if let Some(schema) = schema(slot) {
                            writer.line(format_args!("{}Schema: {schema},", slot.name()));
                        }
                    }
                    writer.line(format_args!(
                        "responseSchema: {},",
                        schema(Slot::Response).unwrap_or_else(null)
                    ));
                    for (name, format) in [("body", &route.body_format), ("response", &route.response_format)]
                    {
                        if !format.is_json() {
                            let format = literal::string(&format.name().to_lowercase());
                            writer.line(format_args!("{name}Format: {format},"));
                        }
                    }
                    if route.has_replies() {
                        let bodies = route.responses().into_iter().map(|reply| {
                            let body = reply.body.map(name);
                            (reply.status.to_string(), body.unwrap_or_else(null))
                        });
                        writer.line(format_args!("replySchemas: {},", literal::object(bodies)));
                        let formats: Vec<_> = route
                            .responses()
                            .into_iter()
                            .filter(|reply| !reply.format.is_json())
                            .map(|reply| {
                                let format = literal::string(&reply.format.name().to_lowercase());
                                (reply.status.to_string(), format)
                            })
                            .collect();
                        if !formats.is_empty() {
                            writer.line(format_args!("replyFormats: {},", literal::object(formats)));
                        }
                    }
                    writer.line(format_args!(
                        "middleware: {},",
                        literal::strings(&route.middleware)
                    ));
                },
            );
        }
    });
    format!("{}\n{}", unchecked_header(FROM), writer.finish())
}
