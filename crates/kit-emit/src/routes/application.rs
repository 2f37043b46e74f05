//! Emits `routes/index.ts`, from which `@kit/core` loads the application, and `routes/routes.js` with the routes. The routes
//! are JavaScript, because TypeScript would need time and memory for each of them.

use kit_ir::{DeclaredReply, Route, Security, Slot};

use super::functions::{coercer_of, value};
use super::{FROM, bodies, table};
use crate::coercer::parameter_order;
use crate::context::Context;
use crate::text::{Module, Writer, header, literal};

/// Emits the declarations of `routes/routes.js`.
pub(crate) fn declarations() -> String {
    format!(
        "{}
import type {{ CompiledRoute, RouteTableEntry }} from \"@kit/types\";

/** All routes with their validators and serializers. */
export declare const routes: readonly CompiledRoute[];

/** All routes by method and path. */
export declare const routeTable: Readonly<Record<string, RouteTableEntry>>;
",
        header(FROM)
    )
}

/// Emits `routes/routes.js`.
pub(crate) fn emit_routes(context: Context<'_>) -> String {
    let mut module = Module::new(FROM, context.analysis.declared_names()).unchecked();
    let mut routes = Writer::default();
    for route in &context.program.routes {
        write_route(context, route, &mut routes, &mut module);
    }
    let routes = routes.finish();
    let mut writer = Writer::default();
    if routes.is_empty() {
        writer.line("export const routes = [];");
    } else {
        writer.block("export const routes = [", "];", |writer| {
            writer.line(routes.trim_end());
        });
    }
    module.push(writer);
    module.push(table::write(context));
    module.finish().text
}

/// Emits `routes/index.ts`.
pub(crate) fn emit(context: Context<'_>) -> String {
    let mut module = Module::new(FROM, context.analysis.declared_names()).unchecked();
    let compiled = module.r#type("@kit/types", "CompiledApplication");
    let tree = module.value("./tree.js", "compiledRouter");
    let routes = module.value("./routes.js", "routes");
    let table = module.value("./routes.js", "routeTable");
    let read = module.value("node:fs/promises", "readFile");
    let declared = context.program.application.declared_format();
    let error_body = declared.map(|declared| value(context, Some(declared.body), "Serializer", &mut module));
    let mut writer = Writer::default();
    writer.doc("The built application.");
    writer.block(
        format_args!("const application: {compiled} = {{"),
        "};",
        |writer| {
            writer.line("version: 1,");
            writer.line(format_args!("tree: {tree},"));
            writer.line(format_args!("table: {table},"));
            writer.line(format_args!("{routes},"));
            let sensitive = context.analysis.sensitive_names();
            if !sensitive.is_empty() {
                writer.line(format_args!("sensitive: {},", literal::strings(sensitive)));
            }
            if let Some(error_body) = error_body {
                writer.line(format_args!("errorBody: {error_body},"));
            }
            let has_messages = context.program.routes.iter().any(Route::has_messages);
            for name in ["openapi"].into_iter().chain(has_messages.then_some("asyncapi")) {
                writer.line(format_args!(
                    "{name}: () => {read}(new URL(\"../schemas/{name}.json\", import.meta.url), \"utf8\"),"
                ));
            }
        },
    );
    module.push(writer);
    let mut exports = Writer::default();
    exports.line(format_args!("export {{ {tree}, {table} }};"));
    exports.line("export default application;");
    module.push(exports);
    module.finish().text
}

fn write_route(context: Context<'_>, route: &Route, writer: &mut Writer, module: &mut Module) {
    let program = context.program;
    let contract = literal::object([
        ("file".to_owned(), literal::string(program.path(route.span))),
        ("line".to_owned(), route.span.line.to_string()),
    ]);
    let handler = route.handler.as_ref().map_or("null".to_owned(), |handler| {
        literal::object([
            ("file".to_owned(), literal::string(program.path(handler.span))),
            ("export".to_owned(), literal::string(&handler.export)),
            ("line".to_owned(), handler.span.line.to_string()),
        ])
    });
    let schemas = literal::object(Slot::ALL.into_iter().filter_map(|slot| {
        let declaration = &program.declarations[route.slots.get(slot)?];
        Some((
            slot.name().to_owned(),
            literal::string(program.path(declaration.span)),
        ))
    }));
    let mut fields = vec![
        ("ref", literal::string(&route.reference())),
        ("method", literal::string(route.method.name())),
        ("path", literal::string(route.path.as_str())),
        ("key", literal::string(&route.key)),
        ("group", literal::string(&route.group)),
        ("status", route.status.to_string()),
        ("params", params(context, route, module)),
        ("query", query(context, route, module)),
        (
            "body",
            value(
                context,
                route.slots.body.filter(|_| route.body_format.is_json()),
                "Validator",
                module,
            ),
        ),
        (
            "response",
            value(
                context,
                route.slots.response.filter(|_| route.response_format.is_json()),
                "Serializer",
                module,
            ),
        ),
    ];
    // A route without these slots has no such fields, so that the runtime need not check them.
    for slot in [Slot::Headers, Slot::Cookies] {
        fields.extend(route.slots.get(slot).map(|id| {
            let validator = value(context, Some(id), "Validator", module);
            let coercer = coercer_of(context, id, module);
            let name = slot.name();
            (name, format!("{{ ...{validator}, {name}: {coercer}.{name} }}"))
        }));
    }
    // A route whose bodies are JSON has no such fields.
    if route.is_socket() {
        fields.push(("socket", bodies::socket(context, route, module)));
    } else {
        fields.extend(bodies::request(context, route, module).map(|body| ("bodyFormat", body)));
        let content = bodies::response(context, &route.response_format, route.slots.response, module);
        fields.extend(content.map(|content| ("responseFormat", content)));
    }
    if !route.replies.is_empty() {
        fields.push(("replies", replies(context, &route.replies, module)));
    }
    if !route.wrappers.is_empty() {
        let wrappers = route.wrappers.iter().map(|wrapper| {
            let replies = replies(context, &wrapper.replies, module);
            (literal::key(&wrapper.name), replies)
        });
        fields.push(("wrappers", literal::object(wrappers)));
    }
    if route.throws.iter().any(|error| error.details.is_some()) {
        fields.push(("details", details(context, route, module)));
    }
    let announced = route.lifecycle.headers();
    if !announced.is_empty() {
        let headers = announced.into_iter();
        let headers = headers.map(|(name, value)| (literal::key(name), literal::string(&value)));
        fields.push(("lifecycle", literal::object(headers)));
    }
    if !route.scopes.is_empty() {
        let any_of = route.scopes.iter().map(literal::strings);
        let is_bearer = Security::asks_bearer(&route.security).to_string();
        let before = route.scopes_before.as_deref().map(literal::string);
        let scopes = [
            ("anyOf", Some(literal::list("[", any_of, "]"))),
            ("isBearer", Some(is_bearer)),
            ("before", before),
        ];
        let present = scopes
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_owned(), value?)));
        fields.push(("scopes", literal::object(present)));
    }
    fields.push(("middleware", literal::strings(&route.middleware)));
    writer.block("{", "},", |writer| {
        for (key, value) in fields {
            writer.line(format_args!("{key}: {value},"));
        }
        writer.block("source: {", "},", |writer| {
            writer.line(format_args!("contract: {contract},"));
            writer.line(format_args!("schemas: {schemas},"));
            writer.line(format_args!("handler: {handler},"));
            writer.line(format_args!("tests: {},", literal::strings(&route.tests)));
        });
    });
}

/// Returns an expression with the validator and the coercer of the params. If the path of the route has its
/// parameters in another order than the coercer expects, the expression reorders the values.
fn params(context: Context<'_>, route: &Route, module: &mut Module) -> String {
    let Some(id) = route.slots.params else {
        return "null".to_owned();
    };
    let validator = value(context, Some(id), "Validator", module);
    let coercer = coercer_of(context, id, module);
    let order = parameter_order(context, id);
    if order == route.parameters {
        return format!("{{ ...{validator}, params: {coercer}.params }}");
    }
    let values = order.iter().map(|name| {
        let position = route.parameters.iter().position(|own| own == name);
        position.map_or("\"\"".to_owned(), |position| {
            format!("values[{position}] ?? \"\"")
        })
    });
    let values = literal::list("[", values, "]");
    format!("{{ ...{validator}, params: (values) => {coercer}.params({values}) }}")
}

fn query(context: Context<'_>, route: &Route, module: &mut Module) -> String {
    let Some(id) = route.slots.query else {
        return "null".to_owned();
    };
    let validator = value(context, Some(id), "Validator", module);
    let coercer = coercer_of(context, id, module);
    format!("{{ ...{validator}, query: {coercer}.query, keys: {coercer}.keys }}")
}

/// Returns an object with the serializer and the header writer of each reply, by status.
fn replies(context: Context<'_>, replies: &[DeclaredReply], module: &mut Module) -> String {
    let replies = replies.iter().map(|reply| {
        let json = reply.body.filter(|_| reply.format.is_json());
        let mut functions = vec![
            ("body".to_owned(), value(context, json, "Serializer", module)),
            (
                "headers".to_owned(),
                value(context, reply.headers, "HeaderWriter", module),
            ),
        ];
        let content = bodies::response(context, &reply.format, reply.body, module);
        functions.extend(content.map(|content| ("content".to_owned(), content)));
        (reply.status.to_string(), literal::object(functions))
    });
    literal::object(replies)
}

/// Returns an object with the serializer of the details of each error that has declared details, by code.
fn details(context: Context<'_>, route: &Route, module: &mut Module) -> String {
    let mut serializers: Vec<(String, String)> = Vec::new();
    for error in &route.throws {
        let code = literal::key(&error.code);
        // The errors of the route come before those of its middleware, so the first one counts.
        if error.details.is_some() && !serializers.iter().any(|(known, _)| *known == code) {
            serializers.push((code, value(context, error.details, "Serializer", module)));
        }
    }
    literal::object(serializers)
}
