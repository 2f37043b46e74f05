//! What a document depends on, so that one whose types and routes are as before is not made again.

use kit_ir::{DeclarationId, Route, Slot};

use super::components;
use super::operation::Operations;
use crate::Context;
use crate::fingerprint::{Fingerprint, fingerprint};

/// Of a document on these routes, with these types and all that they reach.
pub(crate) fn document(
    context: Context<'_>,
    operations: &Operations<'_>,
    title: &str,
    routes: &[&Route],
    roots: &[DeclarationId],
) -> Fingerprint {
    let components: Vec<_> = components::used(context.analysis.references(), routes, roots)
        .into_iter()
        .map(|used| {
            let name = context.analysis.components().name(context.program, used);
            (name, used.1, context.fingerprints.of(used.0))
        })
        .collect();
    let routes: Vec<_> = routes.iter().map(|of| route(context, operations, of)).collect();
    let version = &context.options.version;
    fingerprint((title, version, operations.error_name(), components, routes))
}

fn route(context: Context<'_>, operations: &Operations<'_>, route: &Route) -> Fingerprint {
    let Route {
        method,
        path,
        // Documents name neither the group nor what runs.
        key: _,
        group: _,
        parameters,
        slots,
        status,
        summary,
        tags,
        throws,
        documentation,
        middleware: _,
        handler: _,
        span: _,
    } = route;
    let slots = Slot::ALL.map(|slot| slots.get(slot).map(|id| context.fingerprints.of(id)));
    let texts = (summary, tags, throws, documentation);
    let id = operations.id(route);
    fingerprint((method, path, id, parameters, slots, status, texts))
}
