//! Fingerprints of operations, so that an operation with unchanged types is not generated again.

use kit_ir::{Route, Slot};

use super::operation::Operations;
use crate::context::Context;
use crate::fingerprint::{Fingerprint, fingerprint};

/// Returns the fingerprint of a route's operation. `names` is the fingerprint of all component names, which operations
/// refer to.
pub(super) fn operation(
    context: Context<'_>,
    operations: &Operations<'_>,
    names: Fingerprint,
    route: &Route,
) -> Fingerprint {
    let Route {
        method,
        path,
        // An operation contains neither the group, except in its tag, nor the middleware and the handler.
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
