//! Emits `routes/`: the radix tree, the route table, and the application that the runtime loads.

mod application;
mod bodies;
mod functions;
mod table;
mod tree;

use kit_ir::{BodyFormat, DeclarationId, DeclaredReply, Route, Security, Slot};
use kit_router::RouteTree;

use crate::coercer::parameter_order;
use crate::context::Context;
use crate::fingerprint::{Fingerprint, fingerprint};
use crate::job::Job;
use crate::options::EmitOptions;

/// Source that the first line of the generated files in `routes/` names.
const FROM: &str = "the contracts of the project";

pub(crate) fn emit(context: Context<'_>) -> [Job<'_>; 7] {
    let key = key(context);
    [
        compiled_tree(context.tree, context.options),
        Job::new("routes/tree.d.ts", tree::declarations),
        Job::new("routes/compiled-router.ts", tree::emit_router),
        Job::whole("routes/routes.js", move || application::emit_routes(context)).keyed(key),
        Job::new("routes/routes.d.ts", application::declarations),
        Job::new("routes/route-table.ts", table::emit),
        Job::whole("routes/index.ts", move || application::emit(context)).keyed(key),
    ]
}

/// Returns the fingerprint of the inputs of `routes/routes.js` and of `routes/index.ts`: the routes,
/// and the names of their types.
fn key(context: Context<'_>) -> Fingerprint {
    let program = context.program;
    let routes = context.analysis.routes_key(|| {
        let routes = program.routes.iter().map(|of| route_key(context, of));
        fingerprint(routes.collect::<Vec<_>>())
    });
    let sensitive = context.analysis.sensitive_names();
    fingerprint((
        context.fingerprints.names,
        routes,
        sensitive,
        &context.options.replaced,
    ))
}

/// Returns the fingerprint of a route, without the properties that only OpenAPI documents contain.
pub(crate) fn route_key(context: Context<'_>, route: &Route) -> Fingerprint {
    let Route {
        method,
        path,
        key,
        group,
        parameters,
        slots,
        body_format,
        response_format,
        status,
        replies,
        wrappers,
        throws,
        // The application passes the limits of a route to the runtime itself.
        limits: _,
        // Other artifacts contain these properties.
        is_list: _,
        operation: _,
        summary: _,
        tags: _,
        subprotocols,
        documentation: _,
        security: _,
        lifecycle,
        scopes,
        authenticator: _,
        scopes_before,
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
    let address = (method, path, key, group, parameters, status, lifecycle);
    let name = |id: DeclarationId| &program.declarations[id].name;
    let named = |replies: &[DeclaredReply]| -> Vec<_> {
        let replies = replies.iter();
        replies
            .map(|reply| {
                let types = (reply.body.map(name), reply.headers.map(name));
                (reply.status, types, format_key(context, &reply.format))
            })
            .collect()
    };
    let formats = (
        format_key(context, body_format),
        format_key(context, response_format),
    );
    let wrappers: Vec<_> = wrappers
        .iter()
        .map(|wrapper| (&wrapper.name, named(&wrapper.replies)))
        .collect();
    let replies = (named(replies), wrappers, subprotocols);
    let details: Vec<_> = throws
        .iter()
        .filter_map(|error| Some((&error.code, name(error.details?))))
        .collect();
    fingerprint((
        address,
        slots,
        formats,
        replies,
        details,
        (scopes, scopes_before, Security::asks_bearer(&route.security)),
        middleware,
        handler,
        tests,
        contract,
    ))
}

/// Returns the fingerprint of a format, with the names of the types that the format contains.
fn format_key(context: Context<'_>, format: &BodyFormat) -> Fingerprint {
    let declarations = &context.program.declarations;
    let inner = format.inner_types().into_iter();
    let names: Vec<_> = inner.map(|id| &declarations[id].name).collect();
    fingerprint((format, names))
}

/// Emits the radix tree. The file contains the time of the build.
pub(crate) fn compiled_tree<'a>(tree: &'a RouteTree, options: &'a EmitOptions) -> Job<'a> {
    Job::dated("routes/tree.js", move || tree::emit(tree, options))
}
