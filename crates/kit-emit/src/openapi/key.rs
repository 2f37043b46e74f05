//! What an operation depends on, so that one whose types are as before is not made again.

use kit_ir::{Route, Slot};

use super::operation::Operations;
use crate::Context;
use crate::fingerprint::{Fingerprint, fingerprint};

/// Of a route's operation; `names` are those of all components, by which it refers to them.
pub(super) fn operation(
    context: Context<'_>,
    operations: &Operations<'_>,
    names: Fingerprint,
    route: &Route,
) -> Fingerprint {
    let Route {
        method,
        path,
        // Operations name neither the group nor what runs, but by the group's tag.
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
        security,
        handler: _,
        tests: _,
        span: _,
    } = route;
    let slots = Slot::ALL.map(|slot| slots.get(slot).map(|id| context.fingerprints.of(id)));
    let texts = (summary, tags, throws, documentation);
    let asked = (security, operations.names_of(security), operations.is_open(route));
    let refers = (names, operations.error_name());
    let id = operations.id(route);
    fingerprint((method, path, id, parameters, slots, status, texts, asked, refers))
}
