//! Emits `testing/index.ts`, which tells TypeScript the types of the project for `@kit/testing`. Editors then complete type
//! names, and a checked value gets its type. At run time, `@kit/testing` reads `schemas.json` and the validators instead.

use kit_ir::{BodyFormat, DeclarationId, Route, Slot, TypeKind};

use crate::context::Context;
use crate::job::Job;
use crate::messages::message_type;
use crate::options::TestRunner;
use crate::text::{Writer, literal, unchecked_header};

pub(crate) fn emit(context: Context<'_>) -> Option<Job<'_>> {
    let tests = context.options.tests.as_ref()?;
    Some(Job::whole("testing/index.ts", move || {
        write(context, tests.runner)
    }))
}

fn write(context: Context<'_>, runner: TestRunner) -> String {
    let mut text = unchecked_header("the types and contracts of the project");
    text.push_str("\nimport type { TypeName, TypeNamed } from \"@kit/testing\";\n");
    text.push_str("import type * as Types from \"../types.ts\";\n\n");
    let mut writer = Writer::default();
    writer.block("declare module \"@kit/testing\" {", "}", |writer| {
        writer.block("interface ProjectTypeMap {", "}", |writer| {
            for declaration in &context.program.declarations {
                let name = &declaration.name;
                writer.line(format_args!("{name}: Types.{name};"));
            }
        });
        write_routes(context, writer);
    });
    if let TestRunner::Vitest { major } = runner {
        // TypeScript merges interfaces only if their type parameters are equal, and vitest 5 changed those of `Matchers`.
        let (parameters, answer) = match major {
            Some(..5) => ("T = any", "T"),
            _ => (
                "R extends void | Promise<void> = void | Promise<void>, T = unknown",
                "R",
            ),
        };
        writer.blank();
        writer.block("declare module \"vitest\" {", "}", |writer| {
            writer.block(format!("interface Matchers<{parameters}> {{"), "}", |writer| {
                writer.doc(
                    "Holds a value against a type of the project. `expect.extend(schemaMatchers)` adds it.",
                );
                writer.line(format_args!("toMatchSchema(type: TypeName): {answer};"));
            });
        });
    }
    text.push_str(&writer.finish());
    text.push_str(
        "\n/** Type with this name. */\nexport type Known<Name extends TypeName> = TypeNamed<Name>;\n",
    );
    text
}

/// Writes, for each route, the types of its declared headers and cookies and of its WebSocket messages. A test of the
/// project that calls `request("GET /notes")` or `socket("WS /rooms/:id")` gets its types from this list.
fn write_routes(context: Context<'_>, writer: &mut Writer) {
    let slots = |route: &Route| {
        let slots = [Slot::Headers, Slot::Cookies].into_iter();
        let types = slots.filter_map(|slot| {
            let sent = sent(context, route.slots.get(slot)?);
            Some(format!("{}: {sent}", slot.name()))
        });
        let mut types: Vec<_> = types.collect();
        if route.is_socket() {
            // A test sends text and bytes with functions of their own.
            let received = route.slots.body.map(|id| sent(context, id));
            let received = received.unwrap_or_else(|| "never".to_owned());
            let name = |id| format!("Types.{}", context.program.declarations[id].name);
            let sent_by_server = route.slots.response.map(name);
            // `Wire` of @kit/testing makes `string` of `Uint8Array`, which is right for bytes in JSON. So the type of binary messages
            // is a property of its own.
            let (text, bytes) = match route.response_format {
                BodyFormat::Socket { text, bytes } => (text, bytes),
                _ => (false, false),
            };
            let sent_by_server = message_type(&BodyFormat::Socket { text, bytes: false }, sent_by_server);
            let bytes = if bytes { "; bytes: Uint8Array" } else { "" };
            let protocols = route.subprotocols.as_ref().map(|subprotocols| {
                let mark = if subprotocols.optional { "?" } else { "" };
                format!("; protocols{mark}: {}", literal::union(&subprotocols.names))
            });
            let protocols = protocols.unwrap_or_default();
            types.push(format!(
                "socket: {{ in: {received}; out: {sent_by_server}{bytes}{protocols} }}"
            ));
        }
        types.join("; ")
    };
    let routes = context.program.routes.iter();
    let routes: Vec<_> = routes
        .map(|route| (route.reference(), slots(route)))
        .filter(|(_, slots)| !slots.is_empty())
        .collect();
    if routes.is_empty() {
        return;
    }
    writer.blank();
    writer.block("interface ProjectRouteMap {", "}", |writer| {
        for (reference, slots) in routes {
            writer.line(format_args!("{}: {{ {slots} }};", literal::string(&reference)));
        }
    });
}

/// Returns the type of the values that a request sends: values with a default may be left out.
fn sent(context: Context<'_>, id: DeclarationId) -> String {
    let declaration = &context.program.declarations[id];
    let name = format!("Types.{}", declaration.name);
    let TypeKind::Object(object) = &context.program.types[declaration.r#type].kind else {
        return name;
    };
    let defaults: Vec<String> = object
        .properties
        .iter()
        .filter(|property| property.tags.default.is_some() && !property.optional)
        .map(|property| literal::string(&property.name))
        .collect();
    if defaults.is_empty() {
        return name;
    }
    let names = defaults.join(" | ");
    format!("Omit<{name}, {names}> & Partial<Pick<{name}, {names}>>")
}

#[cfg(test)]
mod tests {
    use kit_ir::Program;
    use kit_router::RouteTree;

    use crate::{ApiInfo, ContractTests, EmitOptions, TestRunner, emit};

    fn text(runner: TestRunner) -> String {
        let options = EmitOptions {
            generated_at: "2026-01-01T00:00:00.000Z".to_owned(),
            output_dir_to_root: "..".to_owned(),
            title: "notes".to_owned(),
            version: "1.0.0".to_owned(),
            about: ApiInfo::default(),
            openapi: crate::OpenApiVersion::default(),
            client: false,
            replaced: std::collections::BTreeSet::default(),
            tests: Some(ContractTests {
                runner,
                app: "src/app.ts".to_owned(),
                database: false,
                fixtures: None,
                headers: std::collections::BTreeMap::default(),
                routes: std::collections::BTreeMap::default(),
            }),
        };
        let artifacts = emit(&Program::default(), &RouteTree::compile([]).unwrap(), &options);
        let module = artifacts.into_iter().find(|made| made.path == "testing/index.ts");
        module.unwrap().text.to_string()
    }

    #[test]
    fn declares_the_matcher_with_the_type_parameters_of_the_installed_vitest() {
        assert!(!text(TestRunner::Node).contains("vitest"));
        let newest =
            "interface Matchers<R extends void | Promise<void> = void | Promise<void>, T = unknown> {";
        assert!(text(TestRunner::Vitest { major: None }).contains(newest));
        assert!(text(TestRunner::Vitest { major: Some(5) }).contains(newest));
        assert!(text(TestRunner::Vitest { major: Some(4) }).contains("interface Matchers<T = any> {"));
    }
}
