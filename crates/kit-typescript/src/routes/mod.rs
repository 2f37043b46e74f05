//! Conversion of groups and their contracts to routes.

mod bodies;
mod check;
mod contract;
mod cursors;
mod data_only;
mod declared;
mod downloads;
mod failures;
mod fields;
mod files;
mod key;
mod lifecycle;
mod replies;
mod scopes;
mod sockets;
mod tags;
mod wrappers;

pub(crate) use check::{check, check_environment, environment_mistake};
use contract::Part;
pub(crate) use contract::{Contract, contracts, groups};
pub(crate) use data_only::check_read;
pub(crate) use declared::location as location_of;
pub(crate) use key::{mistake, parse_key, parse_path};
pub(crate) use lifecycle::{Life, of_group as life_of_group};
pub(crate) use tags::{invalid, invalid_throws, is_error_code, throws};
pub(crate) use wrappers::read as read_wrappers;

use kit_diagnostics::codes;
use kit_ir::{
    BodyFormat, ContractGroup, DeclaredError, DeclaredReply, HandlerSource, Route, RouteId, RouteLimits,
    RoutePath, RouteSlots, SOCKET_METHOD, Slot,
};

use crate::docs::documentation;
use crate::eval::{Ty, TyId, pascal};
use crate::factory::Entry;
use crate::lower::Lowering;
use crate::modules::{DeclId, Location};

/// Entry of `createApp` or `declareApi` that registers a route: its prefix, handler and middleware.
pub(crate) struct Registration {
    /// Name of the group that declares the route.
    pub(crate) group: String,
    /// Tags of the group about the life of its routes.
    pub(crate) life: Life,
    /// Prefixes of the path, the innermost first, with their locations.
    pub(crate) prefixes: Vec<(String, Location)>,
    pub(crate) handler: Option<HandlerSource>,
    /// True if `declareApi` declares the route, so that another server has the handler.
    pub(crate) is_declared: bool,
    /// Middleware that runs before the handler, in the order of execution.
    pub(crate) middleware: Vec<Entry>,
    pub(crate) limits: RouteLimits,
    /// Location of the options of this route. `None` if there are no options.
    pub(crate) options: Option<Location>,
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
    let path = below(lowering, contract, key.path, &registration.prefixes)?;
    lowering
        .eval
        .start_subject(format!("`{}`", contract.key), contract.location);
    let tags = tags::read(lowering, contract);
    // The name of the route, such as `PutNotesById`. It is followed by the name of a slot, such as `Params`, by
    // `Reply201` or by the code of a failure.
    let method = if key.is_socket {
        SOCKET_METHOD
    } else {
        key.method.name()
    };
    let base = format!("{}{}", pascal(&method.to_lowercase()), path.name(pascal));
    let replies = replies::read(lowering, contract, &base);
    let mut slots = RouteSlots::default();
    let (mut body_format, mut response_format) = (BodyFormat::Json, BodyFormat::Json);
    let socket = sockets::read(lowering, contract, key.is_socket, &tags, &base);
    for (slot, part) in &contract.slots {
        if key.is_socket && matches!(slot, Slot::Body | Slot::Response) {
            // `sockets::read` has reported it.
            continue;
        }
        let name = format!("{base}{}", pascal(slot.name()));
        let owner = format!("the {} of `{}`", slot.name(), contract.key);
        match slot {
            Slot::Response if replies.is_some() => {}
            Slot::Body => {
                (body_format, slots.body) =
                    bodies::read(lowering, &owner, bodies::Direction::Request, *part, &name);
            }
            Slot::Response => {
                (response_format, slots.response) =
                    bodies::read(lowering, &owner, bodies::Direction::Response, *part, &name);
            }
            Slot::Params | Slot::Query | Slot::Headers | Slot::Cookies => {
                *slots.get_mut(*slot) = slot_declaration(lowering, *part, &name, true);
            }
        }
    }
    let mut replies = replies.unwrap_or_default();
    if key.is_socket {
        replies.clear();
        (body_format, response_format) = (BodyFormat::JSON_SOCKET, BodyFormat::JSON_SOCKET);
        if let Some(socket) = &socket {
            (body_format, slots.body) = socket.received.clone();
            (response_format, slots.response) = socket.sent.clone();
        }
    }
    check_options(lowering, contract, &registration, &body_format);
    response_format = downloads::check(lowering, contract, key.method, response_format);
    let subprotocols = socket.and_then(|socket| socket.subprotocols);
    let status = match (replies.first(), tags.status) {
        (Some(first), _) => first.status,
        (None, _) if key.is_socket => 101,
        (None, Some(status)) => status,
        (None, None) => match (slots.response, key.method) {
            (None, _) if response_format.is_json() => 204,
            (Some(_), kit_ir::Method::Post) if response_format.is_json() => 201,
            _ => 200,
        },
    };
    let throws = failures::read(lowering, contract, &base, tags.throws);
    let wrappers = wrappers::of_route(&registration.middleware, &throws);
    let mut throws = with_middleware(lowering, contract, throws, &registration.middleware);
    let scopes = scopes::read(lowering, contract);
    let (mut authenticator, mut scopes_before) = (None, None);
    if !scopes.is_empty() {
        scopes::add_errors(lowering, contract, &mut throws);
        if registration.handler.is_some() || registration.is_declared {
            (authenticator, scopes_before) = scopes::place(lowering, contract, &registration.middleware);
        }
    }
    let is_list = cursors::is_list(lowering, contract);
    if is_list {
        cursors::add_error(lowering, contract, &mut throws);
    }
    if response_format.is_download() {
        downloads::add_error(lowering, contract, &mut throws);
    }
    let plain = DeclaredReply {
        status,
        body: slots.response,
        format: response_format.clone(),
        headers: None,
    };
    wrappers::check(lowering, contract, &replies, plain, &registration.middleware);
    let life = lifecycle::of_route(lowering, contract, &registration.life);
    let mut documentation = contract.doc.as_deref().map(documentation).unwrap_or_default();
    documentation.deprecated = life.deprecated;
    let span = lowering.span(contract.location);
    Some(
        lowering.program.routes.push(Route {
            method: key.method,
            parameters: path.parameters().map(str::to_owned).collect(),
            path,
            key: contract.key.clone(),
            group: registration.group,
            slots,
            body_format,
            response_format,
            status,
            replies,
            is_list,
            wrappers,
            operation: tags.operation,
            limits: registration.limits,
            summary: tags.summary,
            tags: tags.tags,
            subprotocols,
            throws,
            documentation,
            lifecycle: life.lifecycle,
            scopes,
            authenticator,
            scopes_before,
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

/// Maximum value of `bodyMinBytesPerSecond`. `createApp` has the same limit.
const MAX_BODY_RATE: u64 = (1 << 31) - 1;

/// Reports options that have no effect on the route, and a minimum rate that no server accepts. `createApp` has the same rules,
/// but a Rust server is generated without running `createApp`.
fn check_options(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    registration: &Registration,
    body_format: &BodyFormat,
) {
    let (limits, Some(location)) = (&registration.limits, registration.options) else {
        return;
    };
    let key = &contract.key;
    let mut report = |message: String, help: &str| {
        let diagnostic = lowering
            .eval
            .diagnostic(codes::INVALID_ROUTE_OPTION, location, message)
            .help(help);
        lowering.report(diagnostic);
    };
    if let Some(rate) = limits.body_min_bytes_per_second {
        if !body_format.is_streamed() {
            report(
                format!(
                    "`bodyMinBytesPerSecond` has no effect on `{key}`, whose handler receives the whole body"
                ),
                "remove the option, or read the body while it arrives: `Chunks`, `Upload`, `Uploads` or `Lines`. For other bodies, the server has the limit `bodyTimeoutMs`",
            );
        } else if rate > MAX_BODY_RATE {
            report(
                format!("`bodyMinBytesPerSecond` of `{key}` is {rate}"),
                "write a number of bytes from 0 to 2147483647",
            );
        }
    }
    if !body_format.is_socket() && (limits.socket_ping_ms.is_some() || limits.socket_compression.is_some()) {
        report(
            format!("`sockets` has no effect on `{key}`, which accepts no WebSockets"),
            "remove the option, or use it for a route with a key such as `WS /rooms`",
        );
    }
}

/// Returns the path of a contract, preceded by the prefixes of its groups. Reports an invalid path.
fn below(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    mut path: RoutePath,
    prefixes: &[(String, Location)],
) -> Option<RoutePath> {
    for (text, location) in prefixes {
        let prefix = match parse_path(text) {
            Ok(prefix) => prefix,
            Err((message, help)) => {
                let diagnostic = lowering
                    .eval
                    .diagnostic(codes::INVALID_ROUTE_KEY, *location, message)
                    .help(help);
                lowering.report(diagnostic);
                return None;
            }
        };
        // A prefix and a path that are valid alone can give an invalid path, for example if both have the same
        // parameter.
        match path.below(&prefix) {
            Ok(whole) => path = whole,
            Err(reason) => {
                let path = format!("{prefix}{path}");
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
        }
    }
    Some(path)
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

/// Returns the errors that a route declares, then the errors of its middleware that have other codes. Reports a code
/// that the route or other middleware declares with another status, because clients know an error by its code.
fn with_middleware(
    lowering: &mut Lowering<'_>,
    contract: &Contract,
    mut throws: Vec<DeclaredError>,
    middleware: &[Entry],
) -> Vec<DeclaredError> {
    for entry in middleware {
        for error in &entry.tags.throws {
            match throws.iter().find(|known| known.code == error.code) {
                None => throws.push(error.clone()),
                Some(known) if known.status == error.status => {}
                Some(known) => {
                    let message = format!(
                        "the middleware `{}` declares `{}` with the status {}, but `{}` has this error with the status {}",
                        entry.name, error.code, error.status, contract.key, known.status
                    );
                    let help =
                        "declare the same status in both places, or give one of the two errors another code";
                    failures::invalid(lowering, contract.location, message, help);
                }
            }
        }
    }
    throws
}

/// Returns the declaration of a slot's type. Returns `None` for `void`. A type without a name gets `name`.
/// `object` is true if the type of the slot must be an object, so that `{}` means the same as `void`: no
/// properties.
fn slot_declaration(
    lowering: &mut Lowering<'_>,
    part: Part,
    name: &str,
    object: bool,
) -> Option<kit_ir::DeclarationId> {
    let shape = lowering.eval.shape(part.ty);
    let location = lowering.eval.written_at(part.ty).unwrap_or(part.location);
    lowering.eval.set_location(location);
    match *lowering.eval.store.get(shape) {
        Ty::Undefined => return None,
        Ty::Object(id) if object && lowering.eval.store.object_at(id).accepts_anything_but_null() => {
            return None;
        }
        _ => {}
    }
    Some(declaration(lowering, part.ty, name, part.location))
}

/// Returns the declaration of a type. An anonymous type gets a declaration with the given name.
pub(crate) fn declaration(
    lowering: &mut Lowering<'_>,
    ty: TyId,
    name: &str,
    location: Location,
) -> kit_ir::DeclarationId {
    let stripped = lowering.eval.without_laziness(ty);
    if let Ty::Named(instance) = *lowering.eval.store.get(stripped)
        && lowering.is_declared(instance)
    {
        return lowering.declare(instance);
    }
    lowering.declare_slot(name.to_owned(), stripped, location)
}
