//! `schemas/openapi.json` and `schemas/<entity>.openapi.json`: OpenAPI 3.1.

mod components;
mod document;
mod operation;

use heck::ToLowerCamelCase;
use indexmap::{IndexMap, IndexSet};
use kit_ir::{DeclarationId, Program, Route, Slot, SourceId};

use crate::json_schema::Direction;
use crate::registry::json;
use crate::{Artifact, Context};

pub(crate) use components::split;
use document::{Components, Document, Info};
use operation::Operations;

pub(crate) fn emit(context: Context<'_>) -> Vec<Artifact> {
    let program = context.program;
    let options = context.options;
    let all: Vec<_> = program.routes.iter().collect();
    let mut artifacts = vec![Artifact::new(
        "schemas/openapi.json",
        json(&document(context, &options.title, &all, &IndexSet::new())),
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
            json(&document(context, &title, &routes, &roots)),
        ));
    }
    artifacts
}

/// Whether a body or response of the route is, or holds, a type of a file.
fn speaks_of(program: &Program, route: &Route, source: SourceId) -> bool {
    [Slot::Body, Slot::Response].into_iter().any(|slot| {
        let mut used = IndexSet::new();
        if let Some(id) = route.slots.get(slot) {
            components::reach(program, id, Direction::Output, &mut used);
        }
        used.iter().any(|(id, _)| {
            let declaration = &program.declarations[*id];
            declaration.span.source == source && declaration.origin != kit_ir::DeclarationOrigin::Slot
        })
    })
}

fn document(
    context: Context<'_>,
    title: &str,
    routes: &[&Route],
    roots: &IndexSet<(DeclarationId, Direction)>,
) -> Document {
    let program = context.program;
    let schemas = |direction| context.schemas(direction);
    let operations = Operations::new(context);
    let mut paths = IndexMap::new();
    for route in routes {
        let path: &mut document::PathItem = paths.entry(operation::path_template(&route.path)).or_default();
        path.insert(route.method.name().to_lowercase(), operations.operation(route));
    }
    let used = components::used(program, routes, roots);
    let mut found = IndexMap::new();
    for (id, _) in program.declarations.iter_ids() {
        for direction in [Direction::Output, Direction::Input] {
            if used.contains(&(id, direction)) {
                let schemas = schemas(direction);
                found
                    .entry(schemas.component_name(id))
                    .or_insert_with(|| schemas.declaration(id));
            }
        }
    }
    Document {
        openapi: "3.1.0",
        info: Info {
            title: title.to_owned(),
            version: context.options.version.clone(),
        },
        tags: operation::tags(routes),
        paths,
        components: Components::new(found, operations.error_name()),
    }
}
