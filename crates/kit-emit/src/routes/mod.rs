//! `routes/`: the tree, the table, and the application that the runtime loads.

mod application;
mod table;
mod tree;

use kit_ir::{Route, Slot};
use kit_router::RouteTree;

use crate::coercer::parameter_order;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::Job;
use crate::{Context, EmitOptions};

/// What the headers of these files name as their source.
const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> [Job<'_>; 3] {
    let key = key(context);
    [
        compiled_router(context.tree, context.options),
        Job::whole("routes/route-table.ts", move || table::emit(context)).keyed(key),
        Job::whole("routes/index.ts", move || application::emit(context)).keyed(key),
    ]
}

/// What the table and the application are made of: the routes, and where their types are declared.
fn key(context: Context<'_>) -> Fingerprint {
    let program = context.program;
    let routes: Vec<_> = program.routes.iter().map(|of| route_key(context, of)).collect();
    let sensitive = application::sensitive_names(program);
    fingerprint((context.fingerprints.names, routes, sensitive))
}

/// All of a route but what only documents say.
pub(crate) fn route_key(context: Context<'_>, route: &Route) -> Fingerprint {
    let Route {
        method,
        path,
        key,
        group,
        parameters,
        slots,
        status,
        // Documents say these.
        summary: _,
        tags: _,
        throws: _,
        documentation: _,
        security: _,
        middleware,
        handler,
        tests,
        span,
    } = route;
    let program = context.program;
    let slots = Slot::ALL.map(|slot| {
        let id = slots.get(slot)?;
        let declaration = &program.declarations[id];
        let order = parameter_order(context, id);
        Some((&declaration.name, program.path(declaration.span), order))
    });
    let handler = handler.as_ref();
    let handler = handler.map(|handler| {
        let span = handler.span;
        (program.path(span), span.line, &handler.export)
    });
    let contract = (program.path(*span), span.line);
    let address = (method, path, key, group, parameters, status);
    fingerprint((address, slots, middleware, handler, tests, contract))
}

/// The tree, which says when it was made.
pub(crate) fn compiled_router<'a>(tree: &'a RouteTree, options: &'a EmitOptions) -> Job<'a> {
    Job::dated("routes/compiled-router.ts", move || tree::emit(tree, options))
}
