//! Emits the table of routes: one row per route, with a key such as `GET /notes/:id`.

use kit_ir::{DeclarationId, Slot};

use super::FROM;
use crate::context::Context;
use crate::text::{Writer, header, literal};

/// Emits `routes/route-table.ts`, which exports only the table.
pub(crate) fn emit() -> String {
    format!(
        "{}\nexport {{ routeTable }} from \"./routes.js\";\n",
        header(FROM)
    )
}

/// Returns the constant with the table.
pub(crate) fn write(context: Context<'_>) -> Writer {
    let program = context.program;
    let mut writer = Writer::default();
    writer.block("export const routeTable = {", "};", |writer| {
        for route in &program.routes {
            let name = |id: DeclarationId| literal::string(&program.declarations[id].name);
            let schema = |slot| route.slots.get(slot).map(name);
            let null = || "null".to_owned();
            let mut fields = vec![
                ("method".to_owned(), format!("\"{}\"", route.method)),
                ("path".to_owned(), literal::string(route.path.as_str())),
                ("params".to_owned(), literal::strings(&route.parameters)),
                ("querySchema".to_owned(), schema(Slot::Query).unwrap_or_else(null)),
            ];
            for slot in [Slot::Headers, Slot::Cookies, Slot::Body] {
                fields.extend(schema(slot).map(|schema| (format!("{}Schema", slot.name()), schema)));
            }
            fields.push((
                "responseSchema".to_owned(),
                schema(Slot::Response).unwrap_or_else(null),
            ));
            for (name, format) in [("body", &route.body_format), ("response", &route.response_format)] {
                if !format.is_json() {
                    let format = literal::string(&format.name().to_lowercase());
                    fields.push((format!("{name}Format"), format));
                }
            }
            if route.has_replies() {
                let bodies = route.responses().into_iter().map(|reply| {
                    let body = reply.body.map(name);
                    (reply.status.to_string(), body.unwrap_or_else(null))
                });
                fields.push(("replySchemas".to_owned(), literal::object(bodies)));
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
                    fields.push(("replyFormats".to_owned(), literal::object(formats)));
                }
            }
            fields.push(("middleware".to_owned(), literal::strings(&route.middleware)));
            let reference = literal::string(&route.reference());
            writer.line(format_args!("{reference}: {},", literal::object(fields)));
        }
    });
    writer
}
