//! Reader of route groups: entries of the option `routes` of `createApp` or `declareApi`, and the groups in them.

use indexmap::IndexMap;
use kit_diagnostics::{closest, codes};
use kit_ir::RouteLimits;

use super::expression::{MAX_CHAIN, Member, boolean, elements, number, properties, string};
use super::middleware::Entry;
use super::{HandlerMap, Located, handlers, middleware, warn_computed};
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::Location;
use crate::routes::Contract;

/// A route group with handlers or declared contracts. A group inside of another group is a separate `Group` with the prefix and the
/// middleware of the other group.
pub(crate) struct Group {
    /// Location of the group in its list.
    pub(crate) location: Location,
    /// Prefixes of the paths: the prefix of the group, then the prefixes of the groups around it.
    pub(crate) prefixes: Vec<(String, Location)>,
    /// Type of the group: the type argument of `defineHandlers` or `declareContracts`.
    pub(crate) contracts: TyId,
    /// Handlers in TypeScript; `None` if another server has the handlers.
    pub(crate) handlers: Option<HandlerMap>,
    /// Middleware of the enclosing groups, then the middleware of the group itself.
    pub(crate) middleware: Vec<Entry>,
    /// Options of single routes, by route key.
    pub(crate) on: IndexMap<String, RouteOptions>,
}

/// Options of one route.
pub(crate) struct RouteOptions {
    /// Location of the route key.
    pub(crate) location: Location,
    pub(crate) middleware: Vec<Entry>,
    pub(crate) limits: RouteLimits,
}

impl Group {
    /// Returns all middleware of the group and of its routes.
    pub(crate) fn all_middleware(&self) -> impl Iterator<Item = &Entry> {
        let of_routes = self.on.values().flat_map(|options| &options.middleware);
        self.middleware.iter().chain(of_routes)
    }

    /// Returns all middleware of the group and of its routes, to change it.
    pub(crate) fn all_middleware_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        let of_routes = self.on.values_mut().flat_map(|options| &mut options.middleware);
        self.middleware.iter_mut().chain(of_routes)
    }

    /// Reports keys of `on` for which the group has no contract.
    pub(crate) fn check_options(&self, lowering: &mut Lowering<'_>, contracts: &[Contract], name: &str) {
        let known = || contracts.iter().map(|contract| contract.key.as_str());
        for (key, options) in &self.on {
            if known().any(|contract| contract == key) {
                continue;
            }
            let near = closest(key, known());
            let help = match near {
                Some(near) => format!("did you mean `\"{near}\"`?"),
                None => "write the key of a route of this group, or remove the options".to_owned(),
            };
            let message = format!("`on` has options for `{key}`, but `{name}` has no such contract");
            let diagnostic = lowering
                .eval
                .diagnostic(codes::UNKNOWN_HANDLER_KEY, options.location, message)
                .help(help)
                .replacement(near.and_then(|near| lowering.graph().correction(options.location, key, near)));
            lowering.report(diagnostic);
        }
    }
}

/// Property of a route group that has its contracts.
#[derive(Clone, Copy)]
enum Part {
    /// Handlers, whose type names the contracts: groups of `createApp`.
    Handlers,
    /// Contracts alone: groups of `declareApi`.
    Contracts,
}

impl Part {
    /// Returns the name of the property.
    fn name(self) -> &'static str {
        match self {
            Self::Handlers => "handlers",
            Self::Contracts => "contracts",
        }
    }

    /// Returns advice with an example of a route group.
    fn example(self) -> &'static str {
        match self {
            Self::Handlers => "write `{ prefix: \"/notes\", handlers: noteHandlers }`",
            Self::Contracts => "write `{ prefix: \"/notes\", contracts: declareContracts<NoteRoutes>() }`",
        }
    }

    /// Reads the property.
    fn read<'a>(
        self,
        lowering: &mut Lowering<'a>,
        located: Located<'a>,
    ) -> Option<(TyId, Option<HandlerMap>)> {
        match self {
            Self::Handlers => {
                let (contracts, handlers) = handlers::read(lowering, located)?;
                Some((contracts, Some(handlers)))
            }
            Self::Contracts => Some((handlers::declared(lowering, located)?, None)),
        }
    }

    /// Warns that a route group has neither the property nor groups in it.
    fn warn_missing(self, lowering: &mut Lowering<'_>, group: Location) {
        let (what, help) = match self {
            Self::Handlers => (
                "the handlers of this route group",
                "add `handlers: noteHandlers`, or `routes` with the groups in this group",
            ),
            Self::Contracts => (
                "the contracts of this route group",
                "add `contracts: declareContracts<NoteRoutes>()`, or `routes` with the groups in this group",
            ),
        };
        warn_computed(lowering, group, what, help);
    }
}

/// Prefixes and middleware of the groups that enclose a group.
#[derive(Clone)]
struct Around {
    prefixes: Vec<(String, Location)>,
    middleware: Vec<Entry>,
    depth: usize,
    part: Part,
}

/// Reads the option `routes`. The flag is true if all groups could be read.
pub(super) fn read<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    is_declared: bool,
) -> (Vec<Group>, bool) {
    let mut groups = Vec::new();
    let around = Around {
        prefixes: Vec::new(),
        middleware: Vec::new(),
        depth: 0,
        part: if is_declared {
            Part::Contracts
        } else {
            Part::Handlers
        },
    };
    let complete = read_list(lowering, located, &around, &mut groups);
    (groups, complete)
}

fn read_list<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    around: &Around,
    groups: &mut Vec<Group>,
) -> bool {
    if around.depth > MAX_CHAIN {
        let help = "nest the route groups less deeply";
        warn_computed(lowering, located.location(), "these route groups", help);
        return false;
    }
    let (entries, mut complete) = elements(lowering, located, "this list of route groups");
    for entry in entries {
        complete &= read_group(lowering, entry, around, groups).unwrap_or(false);
    }
    complete
}

/// Reads a group and the groups inside of it. Returns `false` or `None` if a part could not be read.
fn read_group<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    around: &Around,
    groups: &mut Vec<Group>,
) -> Option<bool> {
    let location = located.location();
    let Some((members, _)) = properties(lowering, located, "this route group") else {
        let help = around.part.example();
        warn_computed(lowering, location, "this route group", help);
        return None;
    };
    let member = |name: &str| {
        members
            .iter()
            .find(|member: &&Member<'a>| member.name == name)
            .map(|member| member.value)
    };
    let mut inside = around.clone();
    inside.depth += 1;
    if let Some(value) = member("prefix") {
        let Some(text) = string(lowering, value) else {
            warn_computed(
                lowering,
                value.location(),
                "this prefix",
                "write the prefix as a string",
            );
            return None;
        };
        if !text.is_empty() {
            inside.prefixes.insert(0, (text.into_owned(), value.location()));
        }
    }
    if let Some(value) = member("middleware") {
        inside.middleware.extend(middleware::read(lowering, value).0);
    }
    let on = match member("on") {
        Some(value) => read_options(lowering, value),
        None => IndexMap::new(),
    };
    let nested = member("routes");
    let mut complete = true;
    let part = around.part.name();
    if let Some(value) = member(part) {
        match around.part.read(lowering, value) {
            Some((contracts, handlers)) => groups.push(Group {
                location,
                prefixes: inside.prefixes.clone(),
                contracts,
                handlers,
                middleware: inside.middleware.clone(),
                on,
            }),
            None => complete = false,
        }
    } else {
        for (key, options) in &on {
            let message = format!("`on` has options for `{key}`, but this route group has no {part}");
            let diagnostic = lowering
                .eval
                .diagnostic(codes::UNKNOWN_HANDLER_KEY, options.location, message)
                .help(format!(
                    "move `on` to the route group with the {part} of this route"
                ));
            lowering.report(diagnostic);
        }
        if nested.is_none() {
            around.part.warn_missing(lowering, location);
            return None;
        }
    }
    if let Some(value) = nested {
        complete &= read_list(lowering, value, &inside, groups);
    }
    Some(complete)
}

/// Reads the option `on`: options of single routes, by route key.
fn read_options<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> IndexMap<String, RouteOptions> {
    let mut read = IndexMap::new();
    let help = "write an object literal: `{ \"POST /notes\": { limits: { bodyBytes: 65_536 } } }`";
    let Some((members, _)) = properties(lowering, located, "these options of routes") else {
        warn_computed(lowering, located.location(), "these options of routes", help);
        return read;
    };
    for member in members {
        let location = member.location();
        let mut options = RouteOptions {
            location,
            middleware: Vec::new(),
            limits: RouteLimits::default(),
        };
        match properties(lowering, member.value, "the options of this route") {
            Some((members, _)) => {
                for option in members {
                    read_option(lowering, &option, &mut options);
                }
            }
            None => warn_computed(
                lowering,
                member.value.location(),
                "the options of this route",
                help,
            ),
        }
        read.insert(member.name, options);
    }
    read
}

fn read_option<'a>(lowering: &mut Lowering<'a>, option: &Member<'a>, options: &mut RouteOptions) {
    match option.name.as_str() {
        "middleware" => options.middleware = middleware::read(lowering, option.value).0,
        "requestTimeoutMs" => options.limits.timeout_ms = limit(lowering, option.value),
        "bodyMinBytesPerSecond" => {
            options.limits.body_min_bytes_per_second = limit(lowering, option.value);
        }
        "sockets" => {
            let Some((members, _)) =
                properties(lowering, option.value, "the WebSocket options of this route")
            else {
                let help = "write an object literal: `{ pingMs: 20_000 }`";
                let location = option.value.location();
                not_known(lowering, location, "the WebSocket options of this route", help);
                return;
            };
            for member in members {
                match member.name.as_str() {
                    "pingMs" => options.limits.socket_ping_ms = limit(lowering, member.value),
                    "compression" => {
                        options.limits.socket_compression = boolean(lowering, member.value);
                        if options.limits.socket_compression.is_none() {
                            let location = member.value.location();
                            not_known(lowering, location, "this option", "write `true` or `false`");
                        }
                    }
                    _ => {}
                }
            }
        }
        "limits" => {
            let Some((limits, _)) = properties(lowering, option.value, "the limits of this route") else {
                let help = "write an object literal: `{ bodyBytes: 65_536 }`";
                not_known(
                    lowering,
                    option.value.location(),
                    "the limits of this route",
                    help,
                );
                return;
            };
            for member in limits.iter().filter(|member| member.name == "bodyBytes") {
                options.limits.body_bytes = limit(lowering, member.value);
            }
        }
        _ => {}
    }
}

/// Reads a limit, which must be a whole number. Reports any other value, because artifacts such as a Rust
/// server need the number.
fn limit<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<u64> {
    let value = number(lowering, located);
    // Whole numbers up to 2^53 are exact.
    let whole = value.filter(|value| value.fract() == 0.0 && (0.0..=9_007_199_254_740_992.0).contains(value));
    if whole.is_none() {
        let help = "write a whole number, such as `65_536`, or a constant with such a number";
        not_known(lowering, located.location(), "this limit", help);
    }
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Reason: checked above.
    whole.map(|value| value as u64)
}

fn not_known(lowering: &mut Lowering<'_>, location: Location, what: &str, help: &str) {
    let message = format!("{what} cannot be read without running the application");
    let diagnostic = lowering
        .eval
        .diagnostic(codes::NOT_STATICALLY_KNOWN, location, message)
        .help(help);
    lowering.report(diagnostic);
}
