//! `schemas/openapi.json` and `schemas/<entity>.openapi.json`: OpenAPI 3.1.

mod document;
mod operation;

use heck::ToLowerCamelCase;
use indexmap::{IndexMap, IndexSet};
use kit_ir::{DeclarationId, Program, Route, Slot, SourceId};

use crate::analysis::collect_references;
use crate::json_schema::{Direction, Schemas, differs};
use crate::registry::json;
use crate::{Artifact, Context};

use document::{Components, Document, Info};
use operation::Operations;

pub(crate) fn emit(context: Context<'_>) -> Vec<Artifact> {
    let program = context.program;
    let options = context.options;
    let all: Vec<_> = program.routes.iter().collect();
    let mut artifacts = vec![Artifact::new(
        "schemas/openapi.json",
        json(&document(
            program,
            &options.title,
            &options.version,
            &all,
            &IndexSet::new(),
        )),
    )];
    for entity in &program.entities {
        let declaration = &program.declarations[entity.declaration];
        // Of the entity are the types of its file, and the routes that speak of one of them.
        let source = declaration.span.source;
        let routes: Vec<_> = all
            .iter()
            .copied()
            .filter(|route| speaks_of(program, route, source))
            .collect();
        let roots = IndexSet::from([(entity.declaration, Direction::Output)]);
        let title = format!("{}: {}", options.title, declaration.name);
        artifacts.push(Artifact::new(
            format!("schemas/{}.openapi.json", declaration.name.to_lower_camel_case()),
            json(&document(program, &title, &options.version, &routes, &roots)),
        ));
    }
    artifacts
}

/// Whether a body or response of the route is, or holds, a type of a file.
fn speaks_of(program: &Program, route: &Route, source: SourceId) -> bool {
    [Slot::Body, Slot::Response].into_iter().any(|slot| {
        let mut used = IndexSet::new();
        if let Some(id) = route.slots.get(slot) {
            reach(program, id, Direction::Output, &mut used);
        }
        used.iter().any(|(id, _)| {
            let declaration = &program.declarations[*id];
            declaration.span.source == source && declaration.origin != kit_ir::DeclarationOrigin::Slot
        })
    })
}

fn document(
    program: &Program,
    title: &str,
    version: &str,
    routes: &[&Route],
    roots: &IndexSet<(DeclarationId, Direction)>,
) -> Document {
    let operations = Operations::new(program);
    let mut paths = IndexMap::new();
    let mut used = IndexSet::new();
    for (id, direction) in roots {
        reach(program, *id, *direction, &mut used);
    }
    for route in routes {
        let path: &mut document::PathItem = paths.entry(operation::path_template(&route.path)).or_default();
        path.insert(route.method.name().to_lowercase(), operations.operation(route));
        if let Some(id) = route.slots.body {
            reach(program, id, Direction::Input, &mut used);
        }
        if let Some(id) = route.slots.response {
            reach(program, id, Direction::Output, &mut used);
        }
        // Parameters are written out where they are used, but types inside of them are components.
        for slot in [Slot::Params, Slot::Query] {
            if let Some(id) = route.slots.get(slot) {
                let mut found = Vec::new();
                collect_references(program, program.declarations[id].r#type, &mut found);
                for target in found {
                    reach(program, target, Direction::Input, &mut used);
                }
            }
        }
    }
    let mut schemas = IndexMap::new();
    for (id, _) in program.declarations.iter_ids() {
        for direction in [Direction::Output, Direction::Input] {
            if used.contains(&(id, direction)) {
                let schema = Schemas { program, direction };
                schemas
                    .entry(schema.component_name(id))
                    .or_insert_with(|| schema.declaration(id));
            }
        }
    }
    Document {
        openapi: "3.1.0",
        info: Info {
            title: title.to_owned(),
            version: version.to_owned(),
        },
        tags: operation::tags(routes),
        paths,
        components: Components::new(schemas, operations.error_name()),
    }
}

/// Adds a declaration and everything it refers to.
fn reach(
    program: &Program,
    id: DeclarationId,
    direction: Direction,
    used: &mut IndexSet<(DeclarationId, Direction)>,
) {
    let direction = if differs(program, id) {
        direction
    } else {
        Direction::Output
    };
    if !used.insert((id, direction)) {
        return;
    }
    let mut found = Vec::new();
    collect_references(program, program.declarations[id].r#type, &mut found);
    for target in found {
        reach(program, target, direction, used);
    }
}
