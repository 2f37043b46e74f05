//! Conversion of groups and their contracts to routes.

mod check;
mod contract;
mod key;
mod tags;

pub(crate) use check::check;
pub(crate) use contract::{Contract, contracts, groups};
pub(crate) use key::{mistake, parse_key, parse_path};
pub(crate) use tags::{invalid, throws};

use kit_diagnostics::codes;
use kit_ir::{ContractGroup, DeclaredError, HandlerSource, Route, RouteId, RouteSlots, Slot};

use crate::docs::documentation;
use crate::eval::{Ty, TyId, pascal};
use crate::factory::Entry;
use crate::lower::Lowering;
use crate::modules::{DeclId, Location};

/// Entry of `createApp` that registers a route: its prefix, handler and middleware.
pub(crate) struct Registration {
    /// Name of the group that declares the route.
    pub(crate) group: String,
    /// Prefix of the path, with its location; `None` if there is no prefix.
    pub(crate) prefix: Option<(String, Location)>,
    pub(crate) handler: Option<HandlerSource>,
    /// Middleware that runs before the handler, in the order of execution.
    pub(crate) middleware: Vec<Entry>,
}

/// Adds a route to the program and returns its id. Adds nothing and returns `None` if its key or its path is
/// invalid.
pub(crate) fn add(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    registration: Registration,
) -> Option<RouteId> {
    let key = match parse_key(&contract.key) {
        Ok(key) => key,
        Err((message, help)) => {
            let diagnostic = lowering
                .eval
                .diagnostic(codes::INVALID_ROUTE_KEY, contract.location, message)
                .help(help);
            lowering.report(diagnostic);
            return None;
        }
    };
    let path = match &registration.prefix {
        None => key.path,
        Some((prefix, location)) => match parse_path(prefix) {
            // A prefix and a path that are valid alone can give an invalid path, for example if both have the
            // same parameter.
            Ok(prefix) => match key.path.below(&prefix) {
                Ok(path) => path,
                Err(reason) => {
                    let path = format!("{prefix}{}", key.path);
                    let (message, help) = mistake(&path, &reason);
                    let diagnostic = lowering
                        .eval
                        .diagnostic(
                            codes::INVALID_ROUTE_KEY,
                            contract.location,
                            format!("{message} (in {path})"),
                        )
                        .label(lowering.graph().label(*location).message("with this prefix"))
                        .help(help);
                    lowering.report(diagnostic);
                    return None;
                }
            },
            Err((message, help)) => {
                let diagnostic = lowering
                    .eval
                    .diagnostic(codes::INVALID_ROUTE_KEY, *location, message)
                    .help(help);
                lowering.report(diagnostic);
                return None;
            }
        },
    };
    lowering
        .eval
        .start_subject(format!("`{}`", contract.key), contract.location);
    let tags = tags::read(lowering, contract);
    // The name of the route, such as `PutNotesById`. It is followed by `Params`, `Query`, `Body` or
    // `Response`.
    let base = format!(
        "{}{}",
        pascal(&key.method.name().to_lowercase()),
        path.name(pascal)
    );
    let mut slots = RouteSlots::default();
    for (slot, ty) in Slot::POSITIONAL.into_iter().zip(contract.slots) {
        *slots.get_mut(slot) = slot_declaration(lowering, ty, &base, slot, contract.location);
    }
    let status = tags.status.unwrap_or(match (slots.response, key.method) {
        (None, _) => 204,
        (Some(_), kit_ir::Method::Post) => 201,
        (Some(_), _) => 200,
    });
    let span = lowering.span(contract.location);
    Some(
        lowering.program.routes.push(Route {
            method: key.method,
            parameters: path.parameters().map(str::to_owned).collect(),
            path,
            key: contract.key.clone(),
            group: registration.group,
            slots,
            status,
            replies: Vec::new(),
            operation: None,
            limits: kit_ir::RouteLimits::default(),
            summary: tags.summary,
            tags: tags.tags,
            throws: with_middleware(tags.throws, &registration.middleware),
            documentation: contract.doc.as_deref().map(documentation).unwrap_or_default(),
            security: registration
                .middleware
                .iter()
                .map(|entry| entry.tags.security.clone())
                .filter(|asked| !asked.is_empty())
                .collect(),
            middleware: registration
                .middleware
                .into_iter()
                .map(|entry| entry.name)
                .collect(),
            handler: registration.handler,
            tests: Vec::new(),
            span,
        }),
    )
}

/// Adds a group to the program. A group with the same name is not added again.
pub(crate) fn add_group(lowering: &mut Lowering<'_>, name: &str, declared: Option<DeclId>) {
    if lowering.program.groups.iter().any(|known| known.name == name) {
        return;
    }
    let doc = declared.and_then(|decl| lowering.eval.declaration_doc(decl));
    lowering.program.groups.push(ContractGroup {
        name: name.to_owned(),
        documentation: doc.as_deref().map(documentation).unwrap_or_default(),
    });
}

/// Returns the errors that a route declares, then those of its middleware that have other codes.
fn with_middleware(mut throws: Vec<DeclaredError>, middleware: &[Entry]) -> Vec<DeclaredError> {
    for error in middleware.iter().flat_map(|entry| &entry.tags.throws) {
        if !throws.iter().any(|own| own.code == error.code) {
            throws.push(error.clone());
        }
    }
    throws
}

fn slot_declaration(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    base: &str,
    slot: Slot,
    location: Location,
) -> Option<kit_ir::DeclarationId> {
    lowering.eval.set_location(location);
    let shape = lowering.eval.shape(ty);
    match *lowering.eval.store.get(shape) {
        Ty::Undefined => return None,
        // Params, query, headers and cookies are always objects, so `{}` means the same as `void`: no properties.
        Ty::Object(object)
            if slot.is_text() && lowering.eval.store.object_at(object).accepts_anything_but_null() =>
        {
            return None;
        }
        _ => {}
    }
    let stripped = lowering.eval.without_laziness(ty);
    if let Ty::Named(instance) = *lowering.eval.store.get(stripped)
        && lowering.is_declared(instance)
    {
        return Some(lowering.declare(instance));
    }
    Some(lowering.declare_slot(format!("{base}{}", pascal(slot.name())), stripped, location))
}
