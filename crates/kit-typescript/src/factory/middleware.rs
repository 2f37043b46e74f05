//! Reader of `middleware` options, and the order in which middleware runs.

use kit_ir::DeclaredReply;
use oxc_ast::ast::{CallExpression, Expression};

use super::calls::kit_call_of_any;
use super::declared_middleware::{self, DeclaredType};
use super::expression::{Member, Resolved, elements, follow, number, properties, string};
use super::{
    Located, MIDDLEWARE_MAKERS, MiddlewareTags, WRAPPER_MAKERS, middleware_responses, middleware_tags,
    warn_computed,
};
use crate::eval::{AUTH, TyId};
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
    /// Type argument `Added` of `defineMiddleware<Added>`, which is not evaluated yet. `None` if there is no
    /// such argument, or if kit cannot read it.
    pub(crate) added: Option<TyId>,
    /// True if the code of the middleware shows that it does not add `ctx.auth`. False if the middleware may add `ctx.auth`,
    /// or if kit cannot read its code.
    pub(crate) never_adds_auth: bool,
    /// Paths of the values that the middleware adds to `ctx`. Only paths that an `@owner` tag names are
    /// included.
    pub(crate) added_context: Vec<String>,
    /// Facts that only wrappers have. `None` for other middleware.
    pub(crate) wrapper: Option<DeclaredWrapper>,
}

/// Parts of a middleware that is created with `defineWrapper`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DeclaredWrapper {
    /// Location of the call of `defineWrapper`, or of the type `Wrapper<…>`.
    pub(crate) location: Location,
    /// Type argument there, which is not evaluated yet; `None` if there is none.
    pub(crate) argument: Option<TyId>,
    /// Replies that the wrapper declares. Empty until the type argument is evaluated.
    pub(crate) replies: Vec<DeclaredReply>,
}

impl DeclaredWrapper {
    fn new(location: Location, argument: Option<TyId>) -> Self {
        Self {
            location,
            argument,
            replies: Vec::new(),
        }
    }
}

impl Entry {
    /// Creates an entry for a middleware without a declared priority: its priority is 0.
    fn new(name: impl Into<String>, location: Location, tags: MiddlewareTags) -> Self {
        Self {
            name: name.into(),
            priority: 0.0,
            location,
            tags,
            added: None,
            never_adds_auth: false,
            added_context: Vec::new(),
            wrapper: None,
        }
    }

    /// Adds what the call of `defineMiddleware` or `defineWrapper` declares.
    fn with_declared(self, (added, wrapper): (Option<TyId>, Option<DeclaredWrapper>)) -> Self {
        Self {
            added,
            wrapper,
            ..self
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
    let never_adds_auth = middleware_responses::never_adds(lowering, located, AUTH);
    match follow(lowering, located) {
        Resolved::Function(_, function) => {
            let name = &function.id.as_ref()?.name;
            Some(Entry {
                never_adds_auth,
                ..Entry::new(name.as_str(), location, tags)
            })
        }
        Resolved::Expression(found, name) => match found.expression {
            Expression::ObjectExpression(_) => full_entry(lowering, found, location, tags),
            _ => Some(Entry {
                never_adds_auth,
                ..bare(lowering, located, found, name, tags)
            }),
        },
        Resolved::Unknown(Some(name)) => {
            Some(Entry::new(name, location, tags).with_declared(declared(lowering, located)))
        }
        Resolved::Unknown(None) => Some(unnamed(lowering, location, tags)),
    }
}

/// Reads an entry with the form `{ name, middleware, priority }`.
///
/// `own` has the doc tags of the constant that contains the entry. If the constant has no tags, the tags of
/// the middleware are used.
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
    let middleware = member("middleware");
    if let Some(value) = middleware {
        middleware_responses::check(lowering, value);
    }
    let never_adds_auth =
        middleware.is_some_and(|value| middleware_responses::never_adds(lowering, value, AUTH));
    let declared = middleware.map_or((None, None), |value| declared(lowering, value));
    let entry = Entry {
        priority,
        never_adds_auth,
        ..Entry::new(name, location, tags)
    };
    Some(entry.with_declared(declared))
}

/// Returns the type of the properties that a middleware adds, or the parts of a wrapper: from the call of
/// `defineMiddleware` or `defineWrapper` that creates it, else from its type. The type arguments are not evaluated,
/// because they may need files and packages that the build does not need otherwise.
fn declared<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
) -> (Option<TyId>, Option<DeclaredWrapper>) {
    let found = match follow(lowering, located) {
        Resolved::Expression(found, _) => found,
        Resolved::Function(..) => return (None, None),
        Resolved::Unknown(_) => return of_type(declared_middleware::read(lowering, located)),
    };
    if let Some(call) = kit_call_of_any(lowering, found, &MIDDLEWARE_MAKERS) {
        let added = type_argument(lowering, found, call);
        if added.is_some() {
            return (added, None);
        }
        let annotated = declared_middleware::annotated(lowering, located);
        return of_type(annotated.or_else(|| declared_middleware::inferred(lowering, located)));
    }
    if let Some((found, call)) = wrapper_call(lowering, found) {
        let location = Location {
            module: found.module,
            span: call.span,
        };
        let argument = type_argument(lowering, found, call);
        if argument.is_none()
            && let (_, Some(wrapper)) = of_type(declared_middleware::annotated(lowering, located))
        {
            return (None, Some(wrapper));
        }
        return (None, Some(DeclaredWrapper::new(location, argument)));
    }
    match found.expression {
        Expression::CallExpression(_) | Expression::StaticMemberExpression(_) => {
            of_type(declared_middleware::read(lowering, located))
        }
        _ => of_type(declared_middleware::annotated(lowering, located)),
    }
}

fn of_type(declared: Option<DeclaredType>) -> (Option<TyId>, Option<DeclaredWrapper>) {
    match declared {
        None => (None, None),
        Some(DeclaredType::Middleware(added)) => (added, None),
        Some(DeclaredType::Wrapper(location, argument)) => {
            (None, Some(DeclaredWrapper::new(location, argument)))
        }
    }
}

fn type_argument<'a>(
    lowering: &mut Lowering<'a>,
    found: Located<'a>,
    call: &'a CallExpression<'a>,
) -> Option<TyId> {
    let argument = call.type_arguments.as_ref()?.params.first()?;
    let scope = lowering.eval.module_scope(found.module);
    Some(lowering.eval.store.lazy(argument, scope))
}

/// Returns the call of `defineWrapper` that creates a wrapper: the expression itself, or the value that a
/// called function returns. For `limit(5)`, the function `limit` must return `defineWrapper<…>(…)` in all
/// cases.
fn wrapper_call<'a>(
    lowering: &mut Lowering<'a>,
    found: Located<'a>,
) -> Option<(Located<'a>, &'a CallExpression<'a>)> {
    if let Some(call) = kit_call_of_any(lowering, found, &WRAPPER_MAKERS) {
        return Some((found, call));
    }
    let Expression::CallExpression(call) = found.expression else {
        return None;
    };
    let (module, returned) = middleware_responses::returned_values(lowering, found.with(&call.callee))?;
    let [value] = returned.as_slice() else {
        return None;
    };
    let value = Located {
        module,
        expression: value.get_inner_expression(),
    };
    let call = kit_call_of_any(lowering, value, &WRAPPER_MAKERS)?;
    Some((value, call))
}

/// Returns an entry for a middleware that the list names directly: a function or a constant. Its name is the
/// name of the middleware.
fn bare<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    found: Located<'a>,
    name: Option<&'a str>,
    tags: MiddlewareTags,
) -> Entry {
    let location = located.location();
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
    let declared = declared(lowering, located);
    match own.or(name) {
        Some(name) => Entry::new(name, location, tags).with_declared(declared),
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
/// equal, the middleware of `createApp` comes first, then the middleware of groups, then the middleware of the
/// route. Each list keeps its order.
pub(crate) fn chain(lists: [&[Entry]; 3]) -> Vec<&Entry> {
    let mut chain: Vec<&Entry> = lists.into_iter().flatten().collect();
    chain.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    chain
}
