//! Emits `routes/tree.js`: the radix tree that finds the route of a request. `routes/compiled-router.ts` exports the tree.

use kit_router::{CompiledMethod, CompiledRouteNode, RouteTree};

use super::FROM;
use crate::options::EmitOptions;
use crate::text::{Writer, header, literal, unchecked_header};

/// Emits `routes/compiled-router.ts`.
pub(crate) fn emit_router() -> String {
    format!(
        "{}\nexport {{ compiledRouter }} from \"./tree.js\";\n",
        header(FROM)
    )
}

/// Emits the declarations of `routes/tree.js`.
pub(crate) fn declarations() -> String {
    format!(
        "{}
import type {{ CompiledRouteTree }} from \"@kit/types\";

/** Radix tree of all routes. */
export declare const compiledRouter: CompiledRouteTree;
",
        header(FROM)
    )
}

/// Emits `routes/tree.js`.
pub(crate) fn emit(tree: &RouteTree, options: &EmitOptions) -> String {
    let tree = tree.to_compiled(&options.generated_at);
    let mut writer = Writer::default();
    writer.block("export const compiledRouter = {", "};", |writer| {
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
    });
    format!("{}\n{}", unchecked_header(FROM), writer.finish())
}

fn write_node(opening: &str, node: &CompiledRouteNode, writer: &mut Writer) {
    let mut fields = vec![("segment", literal::string(&node.segment))];
    if let Some(name) = &node.param_name {
        fields.push(("paramName", literal::string(name)));
    }
    if node.wildcard {
        fields.push(("wildcard", "true".to_owned()));
    }
    if let Some(methods) = &node.methods {
        let methods = methods.iter();
        let methods = methods.map(|(method, route)| (literal::key(method), method_literal(route)));
        fields.push(("methods", literal::object(methods)));
    }
    let fields = fields
        .into_iter()
        .map(|(name, value)| format!("{name}: {value}, "));
    let fields: String = fields.collect();
    if node.children.is_empty() {
        writer.line(format_args!("{opening} {fields}children: [] }},"));
        return;
    }
    writer.block(format_args!("{opening} {fields}children: ["), "] },", |writer| {
        for child in &node.children {
            write_node("{", child, writer);
        }
    });
}

fn method_literal(route: &CompiledMethod) -> String {
    literal::object([
        ("ref".to_owned(), literal::string(&route.reference)),
        ("validators".to_owned(), literal::strings(&route.validators)),
    ])
}
