//! Fingerprints of operations. An operation with an equal fingerprint is not generated again.

use kit_ir::{DeclarationId, Route, Slot};

use super::operation::Operations;
use crate::context::Context;
use crate::fingerprint::{Fingerprint, fingerprint};

/// Returns the fingerprint of the inputs that all operations share: the names of all components, because operations refer to
/// components by name, the format of errors, and the option `etag`.
pub(super) fn shared(context: Context<'_>, operations: &Operations<'_>, names: Fingerprint) -> Fingerprint {
    let application = &context.program.application;
    let tags = application.etag.as_ref().map(|option| &option.value);
    let options = serde_json::to_string(&(application.error_rules(), tags)).unwrap_or_default();
    fingerprint((names, operations.error_name(), options))
}

/// Returns the declarations that the operation of a route names.
pub(super) fn types(route: &Route) -> Vec<DeclarationId> {
    let responses = route.responses();
    let slots = Slot::ALL.into_iter().filter_map(|slot| route.slots.get(slot));
    let of_responses = responses.iter().flat_map(|reply| {
        let inner = reply.format.inner_types().into_iter();
        reply.body.into_iter().chain(reply.headers).chain(inner)
    });
    let details = route.throws.iter().filter_map(|error| error.details);
    let inner = route.body_format.inner_types();
    slots.chain(of_responses).chain(details).chain(inner).collect()
}

/// Returns the fingerprint of all inputs of a route's operation, apart from those of [`shared`].
pub(super) fn operation(context: Context<'_>, operations: &Operations<'_>, route: &Route) -> Fingerprint {
    let Route {
        method,
        path,
        // An operation does not depend on the middleware and the handler, and on the group only through its tag.
        key: _,
        group: _,
        parameters,
        slots,
        body_format,
        response_format: _,
        status,
        replies: _,
        // The response and the errors have all that a document says about a list.
        is_list: _,
        wrappers: _,
        // The operation's id contains the name.
        operation: _,
        limits: _,
        summary,
        tags,
        subprotocols,
        throws,
        documentation,
        lifecycle,
        middleware: _,
        security,
        scopes,
        authenticator: _,
        scopes_before: _,
        handler: _,
        tests: _,
        span: _,
    } = route;
    let slots = Slot::ALL.map(|slot| slots.get(slot).map(|id| context.fingerprints.of(id)));
    let responses = route.responses();
    let types = slots.into_iter().chain(
        responses
            .iter()
            .flat_map(|reply| [reply.body, reply.headers])
            .chain(throws.iter().map(|error| error.details))
            .map(|id| id.map(|id| context.fingerprints.of(id))),
    );
    let types: Vec<_> = types.collect();
    let inner_types = responses.iter().flat_map(|reply| reply.format.inner_types());
    let inner_types = inner_types.chain(body_format.inner_types());
    let inner_types: Vec<_> = inner_types.map(|id| context.fingerprints.of(id)).collect();
    let replies: Vec<_> = responses
        .iter()
        .map(|reply| (reply.status, &reply.format))
        .collect();
    let formats = (body_format, inner_types);
    let texts = (summary, tags, subprotocols, throws, documentation, lifecycle);
    let asked = (
        security,
        scopes,
        operations.names_of(security),
        operations.is_open(route),
    );
    let id = operations.id(route);
    let names = (parameters, operations.parameter_names(route));
    fingerprint((
        method, path, id, names, types, formats, status, replies, texts, asked,
    ))
}
