//! Emits `schemas/openapi.json` and `schemas/<entity>.openapi.json`. In a large program, the document of an entity refers to
//! `schemas/openapi.json`.

mod bodies;
mod document;
mod downloads;
mod error_body;
mod failures;
mod key;
mod operation;
mod paths;
mod preconditions;
mod security;
mod shared_responses;
mod status;
mod version;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use heck::ToLowerCamelCase;
use indexmap::{IndexMap, IndexSet};
use kit_ir::{DeclarationId, DeclarationOrigin, Route, RouteId, SourceId};

use crate::analysis::DocumentFacts;
use crate::component_names::{self, Use};
use crate::context::Context;
use crate::direction::Direction;
use crate::fingerprint::fingerprint;
use crate::job::{Job, PartCache};
use crate::options::EmitOptions;

use document::{Document, Head, Info, Layout, License, Server};
use operation::Operations;
use operation::operation_ids;
pub(crate) use paths::{ParameterNames, path_template};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use rustc_hash::{FxHashMap, FxHashSet};
use security::SecuritySchemes;
use serde_json::Value;

/// Printed operations and components from an earlier build.
#[derive(Debug, Default)]
pub(crate) struct DocumentCache {
    operations: PartCache,
    components: PartCache,
    /// Responses that are components, by name.
    responses: IndexMap<&'static str, String>,
    /// For each route, the names of its responses that are components.
    responses_of: Vec<Vec<&'static str>>,
}

/// Operations and components that were printed for the current build. Several documents contain them.
pub(crate) struct PrintedParts<'a> {
    context: Context<'a>,
    /// Operation of each route, by the index of the route in the program.
    operations: Vec<Arc<String>>,
    components: FxHashMap<Use, Arc<String>>,
    /// Responses that are components, by name.
    responses: &'a IndexMap<&'static str, String>,
    /// For each route, by its index in the program, the names of its responses that are components.
    responses_of: &'a [Vec<&'static str>],
    /// Name and text of the component for error bodies. `None` if the application declares the type of error
    /// bodies.
    error: Option<(String, String)>,
    schemes: SecuritySchemes<'a>,
    facts: &'a DocumentFacts,
}

impl<'a> PrintedParts<'a> {
    pub(crate) fn new(context: Context<'a>, kept: &'a mut DocumentCache) -> Self {
        let program = context.program;
        let version = context.options.openapi;
        let layout = if context.analysis.is_large() {
            Layout::OneLine
        } else {
            Layout::Lines
        };
        let operations = Operations::new(context);
        let names = context.analysis.components().fingerprint(program);
        let shared = key::shared(context, &operations, names);
        let routes: Vec<(RouteId, &Route)> = program.routes.iter_ids().collect();
        let facts = facts(context);
        let texts = kept.components.get_or_create(
            &facts.used,
            |(id, _)| context.is_unchanged(*id),
            |(id, direction)| fingerprint((context.fingerprints.of(*id), direction, names, version, layout)),
            |(id, direction)| version.print_schema(context.declared.get(*id, *direction), layout),
        );
        if !context.has_last_build() {
            let mut responses = IndexMap::new();
            kept.responses_of = routes
                .iter()
                .map(|(_, route)| operations.shared_responses(route, &mut responses))
                .collect();
            kept.responses = responses
                .into_iter()
                .map(|(name, response)| (name, document::part(&response, layout)))
                .collect();
        }
        let has_scopes = routes.iter().any(|(_, route)| !route.scopes.is_empty());
        Self {
            operations: kept.operations.get_or_create(
                &routes,
                |(id, _)| {
                    let types = &facts.types[usize::from(*id)];
                    context.has_last_build() && types.iter().all(|id| context.is_unchanged(*id))
                },
                |(_, route)| {
                    let key = key::operation(context, &operations, route);
                    fingerprint((key, shared, version, layout))
                },
                |(_, route)| version.print_operation(&operations.operation(route), layout),
            ),
            responses: &kept.responses,
            responses_of: &kept.responses_of,
            components: facts.used.iter().copied().zip(texts).collect(),
            error: error_body::component(program.application.error_rules(), has_scopes).map(|schema| {
                (
                    operations.error_name().to_owned(),
                    version.print_schema(&schema, layout),
                )
            }),
            facts,
            schemes: operations.into_schemes(),
            context,
        }
    }

    fn info<'s>(&'s self, title: &'s str) -> Info<'s> {
        let EmitOptions {
            version,
            about,
            openapi,
            ..
        } = self.context.options;
        Info {
            title,
            version,
            description: about.description.as_deref(),
            contact: about.contact.as_ref(),
            license: about.license.as_deref().map(|name| License {
                name,
                identifier: (openapi.has_json_schema() && is_spdx(name)).then_some(name),
            }),
        }
    }

    /// Returns the document for these routes. The document also contains the types in `roots` as responses.
    fn document(&self, title: &str, routes: &[RouteId], roots: &[DeclarationId]) -> String {
        let program = self.context.program;
        let contracts: Vec<&Route> = routes.iter().map(|route| &program.routes[*route]).collect();
        // The messages of WebSockets are in the AsyncAPI document.
        let handshakes: Vec<Cow<'_, Route>> = contracts.iter().map(|route| handshake(route)).collect();
        let described: Vec<&Route> = handshakes.iter().map(AsRef::as_ref).collect();
        let mut paths: IndexMap<String, IndexMap<String, &str>> = IndexMap::new();
        for (id, route) in routes.iter().zip(&contracts) {
            let path = paths
                .entry(self.facts.parameter_names.template(route))
                .or_default();
            let text = self.operations[usize::from(*id)].as_str();
            path.insert(route.method.name().to_lowercase(), text);
        }
        let analysis = self.context.analysis;
        let mut found: IndexMap<&str, &str> = IndexMap::new();
        let error = program
            .application
            .declared_format()
            .map(|declared| declared.body);
        let roots: Vec<_> = roots.iter().copied().chain(error).collect();
        for used in component_names::used(analysis.references(), &described, &roots) {
            let name = analysis.components().name(program, used);
            found.entry(name).or_insert_with(|| &self.components[&used]);
        }
        // The component of error responses comes last.
        if let Some((name, text)) = &self.error {
            found.insert(name, text);
        }
        Document {
            head: Head {
                openapi: self.context.options.openapi.number(),
                info: self.info(title),
                servers: [Server { url: "/" }],
                tags: operation::tags(program, &contracts),
            },
            paths,
            components: found,
            responses: self.shared_responses(routes),
            schemes: self.schemes_of(&contracts),
        }
        .print()
    }

    /// Returns the responses of routes that are components, by name.
    fn shared_responses(&self, routes: &[RouteId]) -> IndexMap<&str, &str> {
        let of = |name: &&str| {
            routes
                .iter()
                .any(|route| self.responses_of[usize::from(*route)].contains(name))
        };
        let used = self.responses.iter().filter(|(name, _)| of(name));
        used.map(|(name, text)| (*name, text.as_str())).collect()
    }

    /// Returns the security schemes that the routes require. Names of schemes in operations refer to the document that
    /// a reader opens, even if the operations are in another document.
    fn schemes_of(&self, contracts: &[&Route]) -> IndexMap<&str, String> {
        self.schemes.objects(|scheme| {
            let mut asked = contracts.iter().flat_map(|route| route.security.iter().flatten());
            asked.any(|asked| asked.scheme == *scheme)
        })
    }
}

impl PrintedParts<'_> {
    /// Returns the document of an entity in a large program. The document refers to paths and components of
    /// `schemas/openapi.json`, because the documents of many entities would repeat most of these. Returns `None` if the
    /// program is not large, or if no response contains the entity.
    fn referring_document(&self, title: &str, routes: &[RouteId], entity: DeclarationId) -> Option<String> {
        let program = self.context.program;
        let used = (entity, Direction::Output);
        if !self.facts.described.contains(&used) {
            return None;
        }
        let contracts: Vec<&Route> = routes.iter().map(|route| &program.routes[*route]).collect();
        let templates: IndexSet<String> = contracts
            .iter()
            .map(|route| self.facts.parameter_names.template(route))
            .collect();
        let name = self.context.analysis.components().name(program, used);
        let paths: Vec<String> = templates.iter().map(|path| reference_to("paths", path)).collect();
        let component = format!("{{ \"$ref\": {} }}", reference_to("components/schemas", name));
        let items = paths.iter().map(String::as_str);
        let items = items.map(|path| IndexMap::from([("$ref".to_owned(), path)]));
        let document = Document {
            head: Head {
                openapi: self.context.options.openapi.number(),
                info: self.info(title),
                servers: [Server { url: "/" }],
                tags: operation::tags(program, &contracts),
            },
            paths: templates.iter().cloned().zip(items).collect(),
            components: IndexMap::from([(name, component.as_str())]),
            responses: IndexMap::new(),
            schemes: self.schemes_of(&contracts),
        };
        Some(document.print())
    }
}

/// Returns a reference to a part of `openapi.json` as JSON. The fragment is a JSON pointer (RFC 6901, section 6).
fn reference_to(part: &str, name: &str) -> String {
    const RESERVED: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    let name = name.replace('~', "~0").replace('/', "~1");
    Value::from(format!(
        "openapi.json#/{part}/{}",
        utf8_percent_encode(&name, RESERVED)
    ))
    .to_string()
}

/// Returns the facts for documents.
pub(crate) fn facts(context: Context<'_>) -> &DocumentFacts {
    context.analysis.documents(|| DocumentFacts {
        ids: operation_ids(context.program),
        parameter_names: ParameterNames::new(context.program),
        described: described(context),
        used: used(context),
        by_file: routes_by_file(context),
        types: context.program.routes.iter().map(key::types).collect(),
    })
}

/// Returns the declarations that are components of a document: those of the routes, of entities, and of errors.
fn used(context: Context<'_>) -> Vec<Use> {
    let program = context.program;
    let routes: Vec<&Route> = program.routes.iter().collect();
    let entities = program.entities.iter().map(|entity| entity.declaration);
    let error = program.application.declared_format();
    let roots: Vec<_> = entities.chain(error.map(|declared| declared.body)).collect();
    let used = component_names::used(context.analysis.references(), &routes, &roots);
    used.into_iter().collect()
}

/// Returns the declarations that `schemas/openapi.json` contains as components, if the program is large.
fn described(context: Context<'_>) -> BTreeSet<Use> {
    if !context.analysis.is_large() {
        return BTreeSet::new();
    }
    let program = context.program;
    let handshakes: Vec<Cow<'_, Route>> = program.routes.iter().map(handshake).collect();
    let routes: Vec<&Route> = handshakes.iter().map(AsRef::as_ref).collect();
    let error = program.application.declared_format();
    let roots: Vec<_> = error.map(|declared| declared.body).into_iter().collect();
    component_names::used(context.analysis.references(), &routes, &roots)
}

/// Returns a route without the messages of its WebSocket. Returns any other route unchanged.
fn handshake(route: &Route) -> Cow<'_, Route> {
    if !route.is_socket() {
        return Cow::Borrowed(route);
    }
    let mut handshake = route.clone();
    (handshake.slots.body, handshake.slots.response) = (None, None);
    Cow::Owned(handshake)
}

pub(crate) fn emit<'a>(context: Context<'a>, parts: &'a PrintedParts<'a>) -> Vec<Job<'a>> {
    let program = context.program;
    let title = &context.options.title;
    let mut jobs = vec![Job::whole("schemas/openapi.json", move || {
        let all: Vec<RouteId> = program.routes.iter_ids().map(|(id, _)| id).collect();
        parts.document(title, &all, &[])
    })];
    for entity in &program.entities {
        let declaration = &program.declarations[entity.declaration];
        let path = format!("schemas/{}.openapi.json", declaration.name.to_lower_camel_case());
        // The document of an entity contains the routes whose body or response has a type from the entity's
        // file.
        let routes = parts.facts.by_file.get(&declaration.span.source);
        let routes = routes.map_or(&[][..], Vec::as_slice);
        let title = format!("{title}: {}", declaration.name);
        let root = entity.declaration;
        jobs.push(Job::new(path, move || {
            let referring = parts.referring_document(&title, routes, root);
            referring.unwrap_or_else(|| parts.document(&title, routes, &[root]))
        }));
    }
    jobs
}

/// Returns the routes of each file: the routes whose body or response contains a type that the file declares.
fn routes_by_file(context: Context<'_>) -> FxHashMap<SourceId, Vec<RouteId>> {
    let program = context.program;
    let mut found: FxHashMap<SourceId, Vec<RouteId>> = FxHashMap::default();
    for (id, route) in program.routes.iter_ids() {
        let mut seen = FxHashSet::default();
        let mut files = FxHashSet::default();
        let mut pending: Vec<_> = route.body_types().into_iter().chain(route.written()).collect();
        while let Some(declared) = pending.pop() {
            if !seen.insert(declared) {
                continue;
            }
            pending.extend(context.analysis.references().of(declared));
            let declaration = &program.declarations[declared];
            if declaration.origin != DeclarationOrigin::Slot && files.insert(declaration.span.source) {
                found.entry(declaration.span.source).or_default().push(id);
            }
        }
    }
    found
}

/// Returns true if the license is an SPDX expression. npm also allows `UNLICENSED` and `SEE LICENSE IN …`,
/// which are not SPDX expressions.
fn is_spdx(license: &str) -> bool {
    license != "UNLICENSED" && !license.starts_with("SEE LICENSE")
}
