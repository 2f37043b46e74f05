//! Emits `client/`, the routes for clients of the API. `index.ts` connects `@kit/client` with the contracts. `inputs.ts`
//! contains the types that differ between requests and responses.

mod body;
mod codec;
mod reply;
mod route;

use kit_ir::{DeclarationId, Program, Route, TypeKind};
use rustc_hash::FxHashSet;

use self::codec::Codecs;
use crate::component_names::{used, with_input_form};
use crate::context::Context;
use crate::direction::Direction;
use crate::error_format;
use crate::job::Job;
use crate::text::{Writer, literal, unchecked_header};
use crate::types::{InputNames, write_input};

const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> Vec<Job<'_>> {
    if !context.options.client {
        return Vec::new();
    }
    vec![
        Job::whole("client/index.ts", move || index(context)),
        Job::whole("client/inputs.ts", move || inputs(context)),
    ]
}

/// Names of the types of request bodies in the generated client.
pub(crate) struct Inputs<'a> {
    context: Context<'a>,
    /// Declarations whose type in requests differs from their type in responses.
    differing: FxHashSet<DeclarationId>,
    /// Prefixes of type names in the client: the first for the declarations in `differing`, the second for
    /// all other declarations.
    prefixes: [&'static str; 2],
}

impl<'a> Inputs<'a> {
    fn new(context: Context<'a>, prefixes: [&'static str; 2]) -> Self {
        let differing = with_input_form(context.program, context.analysis.references());
        Self {
            context,
            differing,
            prefixes,
        }
    }

    /// Returns the name of a declaration in `inputs.ts`, which is the name of its request component in the OpenAPI
    /// document.
    fn own_name(&self, declaration: DeclarationId) -> &'a str {
        let names = self.context.analysis.components();
        names.name(self.context.program, (declaration, Direction::Input))
    }
}

impl InputNames for Inputs<'_> {
    fn name(&self, declaration: DeclarationId) -> String {
        if self.differing.contains(&declaration) {
            format!("{}{}", self.prefixes[0], self.own_name(declaration))
        } else {
            let name = &self.context.program.declarations[declaration].name;
            format!("{}{name}", self.prefixes[1])
        }
    }
}

fn inputs(context: Context<'_>) -> String {
    // If the project declares a type `Types`, `inputs.ts` may contain it, so the import gets another name.
    let types = if context.analysis.declares("Types") {
        ["$Types", "$Types."]
    } else {
        ["Types", "Types."]
    };
    let inputs = Inputs::new(context, ["", types[1]]);
    let program = context.program;
    let routes: Vec<_> = program.routes.iter().collect();
    let mut sent: FxHashSet<_> = used(context.analysis.references(), &routes, &[])
        .into_iter()
        .filter(|(_, direction)| *direction == Direction::Input)
        .map(|(id, _)| id)
        .collect();
    sent.extend(routes.iter().flat_map(|route| route.read()));
    let mut text = unchecked_header("the types that clients of the project send");
    text.extend(["\nimport type * as ", types[0], " from \"../types.ts\";\n"]);
    let declarations = program.declarations.iter_ids();
    for (id, declaration) in declarations.filter(|(id, _)| sent.contains(id) && inputs.differing.contains(id))
    {
        let mut writer = Writer::default();
        write_input(context, declaration, inputs.own_name(id), &inputs, &mut writer);
        text.push('\n');
        text.push_str(&writer.finish());
    }
    // The export makes the file a module, even if no type in it uses the import.
    text.extend(["\nexport type { ", types[0], " };\n"]);
    text
}

fn index(context: Context<'_>) -> String {
    let inputs = Inputs::new(context, ["Inputs.", "Types."]);
    let codecs = Codecs::new(context.program, context.analysis.references());
    let mut routes = Writer::default();
    let mut imported = vec!["Client", "ClientOptions", "Codecs", "Generated"];
    let declared = context.program.application.declared_format();
    let body = declared.map(|declared| {
        let name = format!("Types.{}", context.program.declarations[declared.body].name);
        // Error bodies have no codec, so the client gets their JSON.
        match codecs.of(declared.body) {
            Some(_) => format!("Wire<{name}>"),
            None => name,
        }
    });
    let status = context.program.application.error_rules().validation_status;
    let mut mark = String::new();
    if body.is_some() || status != 400 {
        imported.push("ApiErrors");
        mark = format!(", ApiErrors<{}, {status}>", body.as_deref().unwrap_or("unknown"));
    }
    routes.doc("Every route with its request, its response, and the errors that it declares.");
    routes.block(
        format_args!("export interface Routes extends Generated{mark} {{"),
        "}",
        |writer| {
            for route in &context.program.routes {
                route::write(context, &inputs, &codecs, route, writer);
            }
        },
    );
    let routes = routes.finish();
    let used = [
        "ApiEvents",
        "ApiFailure",
        "ApiReply",
        "ApiRoute",
        "ApiSocketRoute",
        "LinesBody",
        "MissingScopes",
        "Wire",
    ];
    imported.extend(used.iter().filter(|name| routes.contains(&format!("{name}<"))));
    for name in ["ByteRange", "BytesBody"] {
        if routes.contains(&format!(": {name}")) {
            imported.push(name);
        }
    }
    let has_formats = program_has_formats(context.program);
    let has_sockets = context.program.routes.iter().any(Route::is_socket);
    let operations = reply::operations(context.program);
    if !operations.is_empty() {
        imported.push("OperationMethods");
    }
    imported.sort_unstable();
    let imported = imported.join(", ");
    let mut imports = Writer::default();
    imports.line("import { createClient as create } from \"@kit/client\";");
    if has_formats {
        imports.line("import { bodyFormats } from \"@kit/client/bodies\";");
    }
    if has_sockets {
        imports.line("import { openSocket } from \"@kit/client/sockets\";");
    }
    imports.line(format_args!("import type {{ {imported} }} from \"@kit/client\";"));
    imports.line("import type * as Inputs from \"./inputs.ts\";");
    imports.line("import type * as Types from \"../types.ts\";");
    let mut factory = Writer::default();
    factory.doc(
        "Creates a client of this API: `createClient<Routes>({ baseUrl: \"http://localhost:3000\" })`. The types of the routes are in \
         `inputs.ts` and `../types.ts`.",
    );
    let client = if operations.is_empty() {
        "Client<Known>"
    } else {
        "Client<Known> & OperationMethods<Known, Operations>"
    };
    factory.block(
        format_args!(
            "export function createClient<Known extends Routes = Routes>(options: ClientOptions): {client} {{"
        ),
        "}",
        |writer| {
            writer.line(format_args!(
                "return create<Routes>({{ ...options, codecs }}) as unknown as {client};"
            ));
        },
    );
    factory.blank();
    factory.line("export type { Inputs, Types };");
    let mut parts = vec![imports.finish(), routes];
    if !operations.is_empty() {
        parts.push(reply::operations_type(&operations));
    }
    parts.extend([constant(context, &codecs), factory.finish()]);
    unchecked_header(FROM) + "\n" + &parts.join("\n")
}

/// Emits `const codecs`.
fn constant(context: Context<'_>, codecs: &Codecs<'_>) -> String {
    let program = context.program;
    let mut writer = Writer::default();
    writer.block("const codecs: Codecs = {", "};", |writer| {
        let types: Vec<_> = codecs
            .types()
            .into_iter()
            .map(|(name, codec)| format!("{}: {codec},", literal::key(&name)))
            .collect();
        field(writer, "types", &types);
        let responses: Vec<_> = program
            .routes
            .iter()
            .filter(|route| !route.has_replies() && route.response_format.is_json())
            .filter_map(|route| {
                let codec = codecs.of(route.slots.response?)?;
                Some(format!("{}: {codec},", literal::string(&route.reference())))
            })
            .collect();
        field(writer, "responses", &responses);
        let raw = program.routes.iter().filter(|route| {
            route.responses().iter().any(|reply| {
                let json = reply.body.filter(|_| reply.format.is_json());
                json.is_some_and(|id| {
                    matches!(
                        program.resolve(program.declarations[id].r#type).kind,
                        TypeKind::Unknown
                    )
                })
            })
        });
        let raw: Vec<_> = raw.map(Route::reference).collect();
        writer.line(format_args!("raw: {},", literal::strings(&raw)));
        let keyed = program
            .routes
            .iter()
            .filter(|route| route::idempotency_key(program, route).is_some());
        let keyed: Vec<_> = keyed.map(Route::reference).collect();
        if !keyed.is_empty() {
            writer.line(format_args!("idempotencyKeys: {},", literal::strings(&keyed)));
        }
        if program_has_formats(program) {
            writer.line("bodyFormats,");
        }
        if program.routes.iter().any(Route::is_socket) {
            let messages = body::socket_codecs(program, codecs);
            writer.block("sockets: {", "},", |writer| {
                writer.line("open: openSocket,");
                field(writer, "messages", &messages);
                let kinds = body::socket_kinds(program);
                if !kinds.is_empty() {
                    field(writer, "kinds", &kinds);
                }
            });
        }
        if let Some(errors) = error_format::properties(program.application.error_rules()) {
            writer.line(format_args!("errors: {},", literal::object(errors)));
        }
        for (name, lines) in [
            ("requestFormats", body::request_formats(program)),
            ("responseFormats", body::response_formats(program, codecs)),
            ("replies", reply::codecs(program, codecs)),
            ("details", reply::details(program, codecs)),
            ("operations", reply::operations(program)),
        ] {
            if !lines.is_empty() {
                field(writer, name, &lines);
            }
        }
    });
    writer.finish()
}

/// Returns true if a route has a body that is not JSON.
fn program_has_formats(program: &Program) -> bool {
    program.routes.iter().any(|route| {
        (!route.body_format.is_json() && !route.is_socket())
            || route.responses().iter().any(|reply| !reply.format.is_json())
    })
}

fn field(writer: &mut Writer, name: &str, lines: &[String]) {
    if lines.is_empty() {
        writer.line(format_args!("{name}: {{}},"));
        return;
    }
    writer.block(format_args!("{name}: {{"), "},", |writer| {
        for line in lines {
            writer.line(line);
        }
    });
}
