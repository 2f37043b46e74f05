//! `schemas/openapi.json` and `schemas/<entity>.openapi.json`: OpenAPI 3.1.

mod components;
mod document;
mod key;
mod operation;

use std::collections::{HashMap, HashSet};

use heck::ToLowerCamelCase;
use indexmap::IndexMap;
use kit_ir::{DeclarationId, DeclarationOrigin, Route, SourceId};

use crate::Context;
use crate::job::Job;
use crate::registry::json;

pub(crate) use components::ComponentNames;
use document::{Components, Document, Info};
use operation::Operations;

/// What the documents share.
pub(crate) struct Shared<'a> {
    operations: Operations<'a>,
    all: Vec<&'a Route>,
    by_file: HashMap<SourceId, Vec<&'a Route>>,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(context: Context<'a>) -> Self {
        Self {
            operations: Operations::new(context),
            all: context.program.routes.iter().collect(),
            by_file: routes_by_file(context),
        }
    }
}

pub(crate) fn emit<'a>(context: Context<'a>, shared: &'a Shared<'a>) -> Vec<Job<'a>> {
    let program = context.program;
    let title = &context.options.title;
    let mut jobs = vec![Job::whole("schemas/openapi.json", move || {
        json(&document(context, &shared.operations, title, &shared.all, &[]))
    })];
    for entity in &program.entities {
        let declaration = &program.declarations[entity.declaration];
        let path = format!("schemas/{}.openapi.json", declaration.name.to_lower_camel_case());
        // Of the entity are the types of its file, and the routes that speak of one of them.
        let routes = shared.by_file.get(&declaration.span.source);
        let routes = routes.map_or(&[][..], Vec::as_slice);
        let title = format!("{title}: {}", declaration.name);
        let roots = [entity.declaration];
        let key = key::document(context, &shared.operations, &title, routes, &roots);
        let make = move || json(&document(context, &shared.operations, &title, routes, &roots));
        jobs.push(Job::new(path, make).keyed(key));
    }
    jobs
}

/// For each file the routes whose body or response is, or holds, one of its types.
fn routes_by_file(context: Context<'_>) -> HashMap<SourceId, Vec<&Route>> {
    let program = context.program;
    let mut found: HashMap<SourceId, Vec<&Route>> = HashMap::new();
    for route in &program.routes {
        let mut seen = HashSet::new();
        let mut files = HashSet::new();
        let mut pending: Vec<_> = [route.slots.body, route.slots.response]
            .into_iter()
            .flatten()
            .collect();
        while let Some(id) = pending.pop() {
            if !seen.insert(id) {
                continue;
            }
            pending.extend(context.analysis.references().of(id));
            let declaration = &program.declarations[id];
            if declaration.origin != DeclarationOrigin::Slot && files.insert(declaration.span.source) {
                found.entry(declaration.span.source).or_default().push(route);
            }
        }
    }
    found
}

fn document<'a>(
    context: Context<'a>,
    operations: &Operations<'a>,
    title: &str,
    routes: &[&'a Route],
    roots: &[DeclarationId],
) -> Document<'a> {
    let program = context.program;
    let mut paths = IndexMap::new();
    for route in routes {
        let path: &mut document::PathItem = paths.entry(operation::path_template(&route.path)).or_default();
        path.insert(route.method.name().to_lowercase(), operations.operation(route));
    }
    let mut found = IndexMap::new();
    for (id, direction) in components::used(context.analysis.references(), routes, roots) {
        let name = context.analysis.components().name(program, (id, direction));
        found
            .entry(name)
            .or_insert_with(|| context.declared.get(id, direction));
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
