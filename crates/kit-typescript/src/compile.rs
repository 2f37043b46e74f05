//! Compilation of an application: runs the passes of the compiler in order.

mod application;
mod entities;

use kit_diagnostics::{Diagnostic, Diagnostics, Severity, codes};
use kit_ir::{Application, RouteLimits};
use oxc_allocator::Allocator;
use rustc_hash::FxHashSet;

use self::application::application;
use self::entities::entities;
use crate::affected::Affected;
use crate::eval::{CheckedTypes, Evaluator, Ty};
use crate::factory::{self, Factory, Group};
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
    eval.warnings
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
