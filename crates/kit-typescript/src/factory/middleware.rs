//! Reader of `middleware` options, and the order in which middleware runs.

use oxc_ast::ast::Expression;

use super::calls::kit_call;
use super::expression::{Member, Resolved, elements, follow, number, properties, string};
use super::{Located, MiddlewareTags, middleware_responses, middleware_tags, warn_computed};
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::Location;

/// A middleware in a `middleware` option.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) priority: f64,
    pub(crate) location: Location,
    /// Doc tags of the middleware.
    pub(crate) tags: MiddlewareTags,
    /// Type argument `Added` of `defineMiddleware<Added>`, which is not evaluated yet. `None` if kit cannot
    /// read such an argument.
    pub(crate) added: Option<TyId>,
    /// Paths of the values that the middleware adds to `ctx`. Only paths that an `@owner` tag names are
    /// included.
    pub(crate) added_context: Vec<String>,
}

impl Entry {
    /// Creates an entry with priority 0.
    fn new(name: impl Into<String>, location: Location, tags: MiddlewareTags) -> Self {
        Self {
            name: name.into(),
            priority: 0.0,
            location,
            tags,
            added: None,
            added_context: Vec::new(),
        }
    }
}

/// Reads a `middleware` option. The flag is true if all its entries could be read.
pub(super) fn read<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> (Vec<Entry>, bool) {
    let (elements, mut complete) = elements(lowering, located, "this list of middleware");
    let mut entries = Vec::with_capacity(elements.len());
    for element in elements {
        match entry(lowering, element) {
            Some(entry) => entries.push(entry),
            None => complete = false,
        }
    }
    (entries, complete)
}

fn entry<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<Entry> {
    let location = located.location();
    let tags = middleware_tags::read(lowering, located);
    middleware_responses::check(lowering, located);
    match follow(lowering, located) {
        Resolved::Function(_, function) => {
            let name = &function.id.as_ref()?.name;
            Some(Entry::new(name.as_str(), location, tags))
        }
        Resolved::Expression(found, name) => match found.expression {
            Expression::ObjectExpression(_) => full_entry(lowering, found, location, tags),
            _ => Some(bare(lowering, found, name, location, tags)),
        },
        // The middleware comes from a package. Its name is known, and nothing else is needed.
        Resolved::Unknown(Some(name)) => Some(Entry::new(name, location, tags)),
        Resolved::Unknown(None) => Some(unnamed(lowering, location, tags)),
    }
}

/// Reads an entry with the form `{ name, middleware, priority }`.
///
/// `own` has the doc tags of the constant that contains the entry. Without such tags, those of the middleware
/// are used.
fn full_entry<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    location: Location,
    own: MiddlewareTags,
) -> Option<Entry> {
    let (members, _) = properties(lowering, located, "this middleware entry")?;
    let member = |name: &str| {
        members
            .iter()
            .find(|member: &&Member<'a>| member.name == name)
            .map(|member| member.value)
    };
    let priority = match member("priority") {
        None => 0.0,
        Some(value) => {
            if let Some(priority) = number(lowering, value) {
                priority
            } else {
                warn_computed(lowering, value.location(), "this priority", "write the number");
                0.0
            }
        }
    };
    let tags = match member("middleware") {
        Some(value) if own == MiddlewareTags::default() => middleware_tags::read(lowering, value),
        _ => own,
    };
    let name = match (member("name"), member("middleware")) {
        (Some(value), _) => {
            if let Some(name) = string(lowering, value) {
                name.into_owned()
            } else {
                warn_computed(
                    lowering,
                    value.location(),
                    "the name of this middleware",
                    "write the name as a string",
                );
                return None;
            }
        }
        (None, Some(value)) => entry(lowering, value)?.name,
        (None, None) => return Some(unnamed(lowering, location, tags)),
    };
    if let Some(value) = member("middleware") {
        middleware_responses::check(lowering, value);
    }
    let added = member("middleware").and_then(|value| added(lowering, value));
    Some(Entry {
        priority,
        added,
        ..Entry::new(name, location, tags)
    })
}

/// Returns the type argument of the `defineMiddleware` call that creates a middleware. It is not evaluated,
/// because it may need files and packages that the build does not need otherwise.
fn added<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<TyId> {
    let Resolved::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    let call = kit_call(lowering, found, "defineMiddleware")?;
    let argument = call.type_arguments.as_ref()?.params.first()?;
    let scope = lowering.eval.module_scope(found.module);
    Some(lowering.eval.store.lazy(argument, scope))
}

/// Returns an entry for a middleware that is just a function or a constant, which gives the entry its name.
fn bare<'a>(
    lowering: &mut Lowering<'a>,
    found: Located<'a>,
    name: Option<&'a str>,
    location: Location,
    tags: MiddlewareTags,
) -> Entry {
    let own = match found.expression {
        Expression::FunctionExpression(function) => {
            function.id.as_ref().map(|identifier| identifier.name.as_str())
        }
        Expression::CallExpression(call) => {
            call.arguments
                .first()
                .and_then(|argument| match argument.as_expression() {
                    Some(Expression::FunctionExpression(function)) => {
                        function.id.as_ref().map(|identifier| identifier.name.as_str())
                    }
                    _ => None,
                })
        }
        _ => None,
    };
    let added = added(lowering, found);
    match own.or(name) {
        Some(name) => Entry {
            added,
            ..Entry::new(name, location, tags)
        },
        None => unnamed(lowering, location, tags),
    }
}

fn unnamed(lowering: &mut Lowering<'_>, location: Location, tags: MiddlewareTags) -> Entry {
    warn_computed(
        lowering,
        location,
        "the name of this middleware",
        "write `{ name: \"…\", middleware, priority: 0 }`",
    );
    // The middleware runs although it has no name, so it has a position in the order.
    Entry::new("anonymous", location, tags)
}

/// Returns the middleware of a route in the order of execution: by ascending priority. If priorities are
/// equal, the middleware of `createApp` is before that of groups, that of groups before that of the route, and
/// each list keeps its order.
pub(crate) fn chain(lists: [&[Entry]; 3]) -> Vec<&Entry> {
    let mut chain: Vec<&Entry> = lists.into_iter().flatten().collect();
    chain.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    chain
}
