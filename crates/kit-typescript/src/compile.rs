//! Compilation of an application: runs the passes of the compiler in order.
//!
//! tidy: long because the passes share one state

use kit_diagnostics::{Diagnostic, Diagnostics, Severity, closest, codes};
use kit_ir::{
    Application, Cors, Entity, EntityIndex, Errors, IndexColumnOptions, LiteralOption, MiddlewareKind,
    MiddlewareSource, RouteLimits, SecurityHeaders,
};
use oxc_allocator::Allocator;
use rustc_hash::FxHashSet;

use crate::affected::Affected;
use crate::docs::index::{self, is_identifier};
use crate::docs::{Doc, Tag, TagName, entity_reference, invalid, is_property_name, table_name};
use crate::eval::{CheckedTypes, Evaluator, Ty, TyId};
use crate::factory::{self, Entry, Factory, Group};
use crate::lower::Lowering;
use crate::modules::{DeclId, Graph, Location, ModuleId, ParsedFiles};
use crate::owner;
use crate::routes::{self, Registration};
use crate::source::{SourceTexts, display_path};
use crate::unmatched_tables;
use crate::{Input, Output};

/// Compiles an application. Files whose syntax trees are in `parsed` are not parsed again. If `only` is given, compiles only
/// the entities, routes and exported types that an edit can affect, and what they need.
pub(crate) fn compile(input: &Input<'_>, parsed: &ParsedFiles, only: Option<&Affected>) -> Output {
    let allocator = Allocator::default();
    let mut graph = Graph::new(
        &allocator,
        parsed,
        input.root,
        std::sync::Arc::clone(&input.files),
    );
    graph.ambient();
    let type_modules: Vec<ModuleId> = input
        .type_files
        .iter()
        .filter_map(|path| graph.entry(path))
        .collect();
    let route_modules: Vec<ModuleId> = input
        .route_files
        .iter()
        .filter_map(|path| graph.entry(path))
        .collect();
    let mut modules = [type_modules.as_slice(), &route_modules].concat();
    let needles = ["@kit/core", "@kit/jobs", unmatched_tables::TAG, factory::TLS];
    modules.extend(
        input
            .entry_files
            .iter()
            .filter_map(|path| graph.entry_with(path, &needles)),
    );
    let mut seen = FxHashSet::default();
    modules.retain(|module| seen.insert(*module));

    let mut lowering = Lowering::new(Evaluator::new(graph, input.any));
    let mut factory = factory::read(&mut lowering, &modules);
    let owners = entities(&mut lowering, &type_modules, &route_modules, only);
    unmatched_tables::check(&mut lowering, input.root, &[&type_modules, &route_modules]);
    let of_groups = factory.groups.iter_mut().flat_map(Group::all_middleware_mut);
    routes::read_wrappers(&mut lowering, factory.middleware.iter_mut().chain(of_groups));
    routes(&mut lowering, &factory, &route_modules, only);
    let errors = factory.errors.take().map(|errors| errors.lower(&mut lowering));
    let environment = factory.environment.take();
    let environment = environment.map(|read| read.lower(&mut lowering));
    let jobs = factory.jobs.take().map(|read| read.lower(&mut lowering));
    lowering.drain();
    exported(&mut lowering, &type_modules, only);
    lowering.lower_remaining();
    routes::check(&mut lowering);
    if let Some(environment) = &environment {
        routes::check_environment(&mut lowering, environment);
    }
    if let Some(jobs) = &jobs {
        factory::check_jobs(&mut lowering, jobs);
    }
    owner::check(&mut lowering, &mut factory, owners);
    lowering.program.application = Application {
        environment,
        jobs,
        ..application(&lowering, &factory, errors)
    };

    let missing_handlers = std::mem::take(&mut lowering.missing_handlers);
    let (program, mut diagnostics, eval) = lowering.into_program();
    let mut all = eval.graph.diagnostics.clone();
    all.extend(std::mem::take(&mut diagnostics));
    eval.schema_warnings
        .iter()
        .cloned()
        .for_each(|warning| all.push(warning));
    tags_of_packages(&mut all);
    eval.soften_schema_rules(&mut all);
    all.sort();
    let mut sources = SourceTexts::default();
    let mut dependencies = Vec::new();
    for (id, module) in eval.graph.files() {
        sources.insert(module.display.clone(), module.text);
        if !eval.graph.is_declaration_of_source(id) {
            dependencies.push(module.path.clone());
        }
    }
    for (path, text) in eval.graph.configurations() {
        sources.add(display_path(input.root, &path), text);
        dependencies.push(path);
    }
    dependencies.sort();
    let mut inferred = eval.graph.inferred_files();
    inferred.sort();
    Output {
        uninferred: eval.files_without_types(&all),
        inferred,
        missing_handlers,
        program,
        diagnostics: all,
        sources,
        dependencies,
    }
}

/// Turns errors about tags in installed packages into warnings. Other tools have tags with the same names and other arguments, and
/// the project cannot change them. kit ignores such a tag.
fn tags_of_packages(diagnostics: &mut Diagnostics) {
    let of_tags = [
        codes::UNKNOWN_FORMAT,
        codes::INVALID_TAG_ARGUMENT,
        codes::TAG_DOES_NOT_FIT,
    ];
    for diagnostic in diagnostics {
        let label = diagnostic.primary().map(|label| label.path.as_str());
        if of_tags.contains(&diagnostic.code)
            && label.is_some_and(|path| path.split('/').any(|part| part == "node_modules"))
        {
            diagnostic.severity = Severity::Warning;
            diagnostic.help = None;
            diagnostic
                .notes
                .push("kit ignores this tag of an installed package".to_owned());
        }
    }
}

/// Adds each interface with `@table` as an entity. Returns the `@owner` tags that name a property; they are
/// checked when all types are lowered.
fn entities(
    lowering: &mut Lowering<'_>,
    type_modules: &[ModuleId],
    route_modules: &[ModuleId],
    only: Option<&Affected>,
) -> Vec<owner::OwnerTag> {
    let mut seen = FxHashSet::default();
    let modules = type_modules
        .iter()
        .chain(route_modules)
        .filter(|module| seen.insert(**module));
    let decls: Vec<DeclId> = modules
        .flat_map(|module| lowering.graph().declared_in(*module))
        .collect();
    // Adds all entities first, because tags may refer to entities that are declared later.
    for decl in &decls {
        // Most declarations have no table, and their comments need not be read.
        if !lowering.eval.doc_contains(*decl, unmatched_tables::TAG) {
            continue;
        }
        let doc = lowering.eval.declaration_doc(*decl);
        if doc.is_some_and(|doc| doc.has(TagName::Table)) {
            lowering.add_entity(*decl);
        }
    }
    let mut owners = Vec::new();
    for decl in decls {
        if only.is_some_and(|only| !only.all_entities && !only.contains(lowering.graph(), decl)) {
            continue;
        }
        let Some(doc) = lowering.eval.declaration_doc(decl) else {
            continue;
        };
        if doc.has(TagName::Table) {
            begin(lowering, decl);
            entity(lowering, decl, &doc, &mut owners);
        } else {
            let issues = owner::without_table(lowering.graph(), decl, &doc);
            lowering.report_all(issues);
        }
    }
    owners
}

fn entity(lowering: &mut Lowering<'_>, decl_id: DeclId, doc: &Doc, owners: &mut Vec<owner::OwnerTag>) {
    let decl = lowering.graph().decl(decl_id);
    let (name, location) = (
        decl.name,
        Location {
            module: decl.module,
            span: decl.span,
        },
    );
    let exported = lowering.graph().exported_name(decl_id).is_some();
    let ty = lowering.eval.declared(decl_id);
    let generic = lowering.eval.parameter_count(decl_id) > 0;
    let shape = if generic { ty } else { lowering.eval.shape(ty) };
    let mistake = if generic {
        Some(("is generic", "change it to an interface without type parameters"))
    } else if !exported {
        Some(("is not exported", "write `export` before it"))
    } else {
        match lowering.eval.store.get(shape) {
            Ty::Object(object) if !lowering.eval.store.object_at(*object).index.is_empty() => Some((
                "has an index signature",
                "declare each property by its name, since each property becomes a column",
            )),
            Ty::Object(object) if lowering.eval.store.object_at(*object).accepts_anything_but_null() => {
                Some((
                    "has no properties",
                    "declare each property by its name, since each property becomes a column",
                ))
            }
            Ty::Object(_) | Ty::Invalid(_) => None,
            _ => Some(("is not an object", "put `@table` on an interface with properties")),
        }
    };
    if let Some((what, help)) = mistake {
        let message = format!("`{name}` has `@table` and {what}");
        let diagnostic = lowering
            .eval
            .diagnostic(codes::ENTITY_NOT_AN_OBJECT, location, message)
            .help(help);
        lowering.report(diagnostic);
        return;
    }
    let Ty::Named(instance) = *lowering.eval.store.get(ty) else {
        return;
    };
    let declaration = lowering.declare(instance);
    let mut issues = Vec::new();
    let graph = lowering.graph();
    let table = doc
        .all(TagName::Table)
        .next()
        .filter(|tag| !tag.argument.is_empty());
    let table = table.and_then(|tag| table_name(graph, tag, "@table notes", &mut issues));
    let renamed_from = doc
        .all(TagName::RenamedFrom)
        .next()
        .and_then(|tag| table_name(graph, tag, "@renamedFrom old_notes", &mut issues));
    let mut indexes = composites(lowering, ty, doc, TagName::Index, name, &mut issues);
    let mut uniques = Vec::new();
    for unique in composites(lowering, ty, doc, TagName::Unique, name, &mut issues) {
        if unique.condition.is_some() {
            indexes.push(unique);
        } else {
            let properties = unique.columns.into_iter().map(|column| column.property);
            uniques.push((unique.name, properties.collect()));
        }
    }
    let mut checks = Vec::new();
    for tag in doc.all(TagName::Check) {
        let parts = tag.argument.split_once('(').and_then(|(name, rest)| {
            let condition = rest.trim_end().strip_suffix(')')?.trim();
            let valid = is_identifier(name.trim()) && !condition.is_empty();
            valid.then(|| (name.trim().to_owned(), condition.to_owned()))
        });
        match parts {
            Some(check) => checks.push(check),
            None => issues.push(invalid(
                lowering.graph(),
                tag,
                "@check ends_later (starts_at < ends_at)",
            )),
        }
    }
    let mut references = Vec::new();
    for tag in doc.all(TagName::References) {
        let reference = entity_reference(lowering.graph(), tag, &mut issues);
        let properties = reference
            .as_ref()
            .map_or_else(Vec::new, |reference| reference.properties.clone());
        issues.extend(unknown_property(lowering, ty, &properties, tag));
        references.extend(reference);
    }
    let tenant = doc.all(TagName::Tenant).next().and_then(|tag| {
        let property = tag.argument.clone();
        if !is_property_name(&property) {
            issues.push(invalid(lowering.graph(), tag, "@tenant tenantId"));
            return None;
        }
        let unknown = unknown_property(lowering, ty, std::slice::from_ref(&property), tag);
        let is_known = unknown.is_none();
        issues.extend(unknown);
        is_known.then_some(property)
    });
    let owner = owner::read(lowering.graph(), doc, &mut issues);
    lowering.report_all(issues);
    let entity = lowering.program.entities.push(Entity {
        declaration,
        table: table.unwrap_or_else(|| kit_analysis::plural_snake_case(name)),
        renamed_from,
        indexes,
        uniques,
        checks,
        references,
        tenant,
        owner: owner.as_ref().map(|(owner, _)| owner.clone()),
    });
    owners.extend(owner.map(|(owner, tag)| owner::OwnerTag {
        entity,
        ty,
        owner,
        tag,
    }));
}

/// Returns the indexes of the `@index name (a, b)` or the `@unique name (a, b)` tags of an interface.
fn composites(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    doc: &Doc,
    tag_name: TagName,
    entity: &str,
    issues: &mut Vec<Diagnostic>,
) -> Vec<EntityIndex> {
    let mut found = Vec::new();
    let is_unique = tag_name == TagName::Unique;
    for tag in doc.all(tag_name) {
        // A unique index without a condition is a constraint, whose columns have no options.
        let index = index::of_interface(&tag.argument, is_unique).filter(|index| {
            let is_plain = index.method.is_none()
                && index.include.is_empty()
                && index
                    .columns
                    .iter()
                    .all(|column| column.options == IndexColumnOptions::default());
            !is_unique || is_plain || index.condition.is_some()
        });
        match index {
            Some(index) => {
                let columns = index.columns.iter().map(|column| column.property.clone());
                let properties: Vec<String> = columns.chain(index.include.iter().cloned()).collect();
                issues.extend(unknown_property(lowering, ty, &properties, tag));
                found.push(index);
            }
            None => issues.push(
                lowering
                    .eval
                    .diagnostic(
                        codes::INVALID_TAG_ARGUMENT,
                        tag.location,
                        format!("`@{} {}` is not valid", tag_name.name(), tag.argument),
                    )
                    .help(format!(
                        "write `@{} {}_by_author (authorId, createdAt)`",
                        tag_name.name(),
                        kit_analysis::plural_snake_case(entity)
                    )),
            ),
        }
    }
    found
}

/// Returns the error for the first property in an index that the entity does not have.
fn unknown_property(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    properties: &[String],
    tag: &Tag,
) -> Option<Diagnostic> {
    let object = lowering.eval.as_object(ty)?;
    let unknown = properties
        .iter()
        .find(|property| object.property(property).is_none())?;
    let known = object.properties.iter().map(|property| &*property.name);
    let help = match closest(unknown, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => "name properties of the entity".to_owned(),
    };
    let message = format!(
        "`{}` has no property `{unknown}` for `@{}`",
        lowering.eval.text(ty),
        tag.name.name()
    );
    Some(
        lowering
            .eval
            .diagnostic(codes::INVALID_TAG_ARGUMENT, tag.location, message)
            .help(help),
    )
}

/// Returns true if two route groups have the same contracts and the same prefixes.
fn same_routes(a: &Group, b: &Group) -> bool {
    let prefixes = |group: &Group| -> Vec<String> {
        let texts = group.prefixes.iter();
        texts
            .map(|(text, _)| text.trim_end_matches('/').to_owned())
            .filter(|text| !text.is_empty())
            .collect()
    };
    a.contracts == b.contracts && prefixes(a) == prefixes(b)
}

/// Returns the error for a group that is registered twice. It replaces an error for each route of the group.
fn registered_twice(lowering: &Lowering<'_>, earlier: &Group, group: &Group, name: &str) -> Diagnostic {
    let mut first = lowering.graph().label(earlier.location).message("the first one");
    first.primary = false;
    let message = format!("the routes of `{name}` are registered twice");
    lowering
        .eval
        .diagnostic(codes::ROUTE_CONFLICT, group.location, message)
        .label(first)
        .help("remove one of the two route groups, or give one of the groups another prefix")
}

/// Adds the routes that `createApp` or `declareApi` registers. If no module calls them, adds the routes of all groups.
fn routes(
    lowering: &mut Lowering<'_>,
    factory: &Factory,
    route_modules: &[ModuleId],
    only: Option<&Affected>,
) {
    let mut registered: FxHashSet<Location> = FxHashSet::default();
    for (index, group) in factory.groups.iter().enumerate() {
        let name = lowering.eval.text(group.contracts);
        if let Some(earlier) = factory.groups[..index]
            .iter()
            .find(|earlier| same_routes(earlier, group))
        {
            let diagnostic = registered_twice(lowering, earlier, group, &name);
            lowering.report(diagnostic);
            continue;
        }
        let stripped = lowering.eval.without_laziness(group.contracts);
        if let (Some(only), Ty::Named(instance)) = (only, lowering.eval.store.get(stripped)) {
            let decl = lowering.eval.store.instances[instance.index()].decl;
            if !is_needed(lowering, only, decl) {
                continue;
            }
        }
        let contracts = routes::contracts(lowering, group.contracts);
        // If the contracts have an error, such as a syntax error in their module, each key would be a further error.
        if !matches!(lowering.eval.store.get(stripped), Ty::Invalid(_)) {
            if let Some(handlers) = &group.handlers {
                handlers.check(lowering, &contracts, &name);
            }
            group.check_options(lowering, &contracts, &name);
        }
        let declared = match *lowering.eval.store.get(stripped) {
            Ty::Named(instance) => Some(lowering.eval.store.instances[instance.index()].decl),
            _ => None,
        };
        routes::add_group(lowering, &name, declared);
        let life = routes::life_of_group(lowering, declared);
        for contract in &contracts {
            registered.insert(contract.location);
            let options = group.on.get(&contract.key);
            let own = options.map_or(&[][..], |options| options.middleware.as_slice());
            let chain = factory::chain([&factory.middleware, &group.middleware, own]);
            let registration = Registration {
                group: name.clone(),
                life: life.clone(),
                prefixes: group.prefixes.clone(),
                handler: group
                    .handlers
                    .as_ref()
                    .and_then(|handlers| handlers.source(lowering, &contract.key)),
                is_declared: group.handlers.is_none(),
                middleware: chain.into_iter().cloned().collect(),
                limits: options.map_or_else(RouteLimits::default, |options| options.limits),
                options: options.map(|options| options.location),
            };
            routes::add(lowering, contract, registration);
        }
    }
    let mut seen = FxHashSet::default();
    for module in route_modules.iter().filter(|module| seen.insert(**module)) {
        let mut decls = lowering.graph().declared_in(*module);
        decls.retain(|decl| only.is_none_or(|only| is_needed(lowering, only, *decl)));
        for decl in routes::groups(&mut lowering.eval, decls) {
            let ty = lowering.eval.declared(decl);
            let contracts = routes::contracts(lowering, ty);
            let new: Vec<_> = contracts
                .iter()
                .filter(|contract| registered.insert(contract.location))
                .collect();
            if new.is_empty() {
                continue;
            }
            let declared = lowering.graph().decl(decl);
            let (name, location) = (
                declared.name,
                Location {
                    module: declared.module,
                    span: declared.span,
                },
            );
            if factory.location.is_none() {
                routes::add_group(lowering, name, Some(decl));
                let life = routes::life_of_group(lowering, Some(decl));
                for contract in new {
                    let registration = Registration {
                        group: name.to_owned(),
                        life: life.clone(),
                        prefixes: Vec::new(),
                        handler: None,
                        is_declared: false,
                        middleware: Vec::new(),
                        limits: RouteLimits::default(),
                        options: None,
                    };
                    routes::add(lowering, contract, registration);
                }
            } else if factory.complete {
                let diagnostic = Diagnostic::warning(
                    codes::NO_ROUTES,
                    format!("no route group of `{}` registers `{name}`", factory.function()),
                )
                .label(lowering.graph().label(location))
                .note("kit leaves out the routes of this contract group")
                .help(if factory.is_declared {
                    format!("add `{{ prefix: \"/…\", contracts: declareContracts<{name}>() }}`")
                } else {
                    format!("add `{{ prefix: \"/…\", handlers }}` with handlers of `defineHandlers<{name}>`")
                });
                lowering.report(diagnostic);
            }
        }
    }
}

/// Returns true if the routes of a group must be compiled, because an edit can affect them.
fn is_needed(lowering: &Lowering<'_>, only: &Affected, group: DeclId) -> bool {
    only.all_routes || only.contains(lowering.graph(), group)
}

/// Starts to count evaluation steps for a declaration, which the limit on steps applies to.
fn begin(lowering: &mut Lowering<'_>, decl: DeclId) {
    let decl = lowering.graph().decl(decl);
    let (name, location) = (
        format!("`{}`", decl.name),
        Location {
            module: decl.module,
            span: decl.span,
        },
    );
    lowering.eval.start_subject(name, location);
    lowering.eval.set_location(location);
}

/// Adds the exported types of type files. A type that JSON cannot represent, such as the type of a helper
/// function, is an error only if a route or an entity uses it.
fn exported(lowering: &mut Lowering<'_>, type_modules: &[ModuleId], only: Option<&Affected>) {
    let mut checked = CheckedTypes::default();
    for module in type_modules {
        let decls: Vec<DeclId> = lowering.graph().declared_in(*module);
        for decl in decls {
            if only.is_some_and(|only| !only.contains(lowering.graph(), decl)) {
                continue;
            }
            let exported = lowering.graph().exported_name(decl).is_some();
            if !exported || lowering.eval.parameter_count(decl) > 0 {
                continue;
            }
            begin(lowering, decl);
            let ty = lowering.eval.declared(decl);
            if lowering.eval.is_wire_type(ty, &mut checked)
                && let Ty::Named(instance) = *lowering.eval.store.get(ty)
            {
                lowering.declare(instance);
            }
            lowering.refuse_exhausted();
        }
        lowering.drain();
    }
}

fn application(lowering: &Lowering<'_>, factory: &Factory, errors: Option<Errors>) -> Application {
    let mut middleware: Vec<MiddlewareSource> = Vec::new();
    let mut add = |entry: &Entry, kind: MiddlewareKind| {
        if let Some(known) = middleware
            .iter_mut()
            .find(|known| known.name == entry.name && known.kind == kind)
        {
            // Routes refer to middleware by name. So a name stands for only those values that every
            // middleware with the name adds.
            known
                .added_context
                .retain(|path| entry.added_context.contains(path));
        } else {
            let span = lowering.span(entry.location);
            middleware.push(MiddlewareSource {
                name: entry.name.clone(),
                priority: entry.priority,
                kind,
                security: entry.tags.security.clone(),
                added_context: entry.added_context.clone(),
                is_wrapper: entry.wrapper.is_some(),
                span,
            });
        }
    };
    factory
        .middleware
        .iter()
        .for_each(|entry| add(entry, MiddlewareKind::Global));
    for group in &factory.groups {
        group
            .all_middleware()
            .for_each(|entry| add(entry, MiddlewareKind::Route));
    }
    middleware.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    for defined in &factory.defined {
        if !middleware.iter().any(|known| known.name == defined.name) {
            let span = lowering.span(defined.location);
            middleware.push(MiddlewareSource {
                name: defined.name.clone(),
                priority: 0.0,
                kind: MiddlewareKind::Registered,
                security: Vec::new(),
                added_context: Vec::new(),
                is_wrapper: defined.is_wrapper,
                span,
            });
        }
    }
    let placed = |(location, value): &(Location, Option<serde_json::Value>)| LiteralOption {
        value: value.clone(),
        span: lowering.span(*location),
    };
    let literal = |option: &factory::LiteralOption| option.as_ref().map(placed);
    Application {
        compression: literal(&factory.compression),
        etag: literal(&factory.etag),
        static_files: literal(&factory.static_files),
        request_log: literal(&factory.request_log),
        csrf: literal(&factory.csrf),
        limits: literal(&factory.limits),
        tls: literal(&factory.tls),
        options: factory
            .options
            .iter()
            .map(|(name, option)| (name.clone(), placed(option)))
            .collect(),
        has_unread_options: factory.has_unread_options,
        span: factory.location.map(|location| lowering.span(location)),
        is_declared: factory.is_declared,
        middleware,
        cors: factory.cors.as_ref().map(|(location, rules)| Cors {
            rules: rules.clone(),
            span: lowering.span(*location),
        }),
        security_headers: factory
            .security_headers
            .as_ref()
            .map(|(location, values)| SecurityHeaders {
                values: values.clone(),
                span: lowering.span(*location),
            }),
        errors,
        environment: None,
        jobs: None,
    }
}
