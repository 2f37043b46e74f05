//! Emits `routes/compiled-router.ts`: the radix tree that finds the route of a request.

use kit_router::{CompiledMethod, CompiledRouteNode, RouteTree};

use super::FROM;
use crate::options::EmitOptions;
use crate::text::{Writer, literal, unchecked_header};

pub(crate) fn emit(tree: &RouteTree, options: &EmitOptions) -> String {
    let tree = tree.to_compiled(&options.generated_at);
    let mut writer = Writer::default();
    writer.line("import type { CompiledRouteTree } from \"@kit/types\";");
    writer.blank();
    writer.doc("Radix tree of all routes.");
    writer.block(
        "export const compiledRouter: CompiledRouteTree = {",
        "};",
        |writer| {
            write_node("root: {", &tree.root, writer);
            let metadata = &tree.metadata;
            writer.block("metadata: {", "},", |writer| {
                writer.line(format_args!("totalRoutes: {},", metadata.total_routes));
                writer.line(format_args!("maxDepth: {},", metadata.max_depth));
                writer.line(format_args!("staticRoutes: {},", metadata.static_routes));
                writer.line(format_args!(
                    "parameterizedRoutes: {},",
                    metadata.parameterized_routes
                ));
                writer.line(format_args!(
                    "generatedAt: {},",
                    literal::string(&metadata.generated_at)
                ));
            });
        },
    );
    format!("{}\n{}", unchecked_header(FROM), writer.finish())
}

fn write_node(opening: &str, node: &CompiledRouteNode, writer: &mut Writer) {
    writer.block(opening, "},", |writer| {
        writer.line(format_args!("segment: {},", literal::string(&node.segment)));
        if let Some(name) = &node.param_name {
            writer.line(format_args!("paramName: {},", literal::string(name)));
        }
        if node.wildcard {
            writer.line("wildcard: true,");
        }
        if let Some(methods) = &node.methods {
            writer.block("methods: {", "},", |writer| {
                for (method, route) in methods {
                    writer.line(format_args!(
                        "{}: {},",
                        literal::key(method),
                        method_literal(route)
                    ));
                }
            });
        }
        if node.children.is_empty() {
            writer.line("children: [],");
        } else {
            writer.block("children: [", "],", |writer| {
                for child in &node.children {
                    write_node("{", child, writer);
                }
            });
        }
    });
}

fn method_literal(route: &CompiledMethod) -> String {
    literal::object([
        ("ref".to_owned(), literal::string(&route.reference)),
        ("validators".to_owned(), literal::strings(&route.validators)),
    ])
}
