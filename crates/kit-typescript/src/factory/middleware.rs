//! Middleware entries, and the chain that they form.

use oxc_ast::ast::Expression;

use super::calls::kit_call;
use super::expression::{Found, Member, elements, follow, number, properties, string};
use super::{About, Located, about, answers, computed};
use crate::eval::TyId;
use crate::lower::Lowering;
use crate::modules::Place;

/// A middleware as registered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) priority: f64,
    pub(crate) place: Place,
    /// What its doc comment says.
    pub(crate) about: About,
    /// `Added` of `defineMiddleware<Added>`, not evaluated yet; `None` without a type argument that can be read.
    pub(crate) added: Option<TyId>,
    /// Paths below `ctx` that it adds, of those that an `@owner` names.
    pub(crate) adds: Vec<String>,
}

impl Entry {
    /// An entry at priority 0.
    fn new(name: impl Into<String>, place: Place, about: About) -> Self {
        Self {
            name: name.into(),
            priority: 0.0,
            place,
            about,
            added: None,
            adds: Vec::new(),
        }
    }
}

/// Reads a `middleware` option; the flag says whether all entries were seen.
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
    let place = located.place();
    let about = about::read(lowering, located);
    answers::check(lowering, located);
    match follow(lowering, located) {
        Found::Function(_, function) => {
            let name = &function.id.as_ref()?.name;
            Some(Entry::new(name.as_str(), place, about))
        }
        Found::Expression(found, name) => match found.expression {
            Expression::ObjectExpression(_) => full_entry(lowering, found, place, about),
            _ => Some(bare(lowering, found, name, place, about)),
        },
        // Something imported from a package: its name is all that is known, and all that is needed.
        Found::Unknown(Some(name)) => Some(Entry::new(name, place, about)),
        Found::Unknown(None) => Some(unnamed(lowering, place, about)),
    }
}

/// `{ name, middleware, priority }`.
///
/// `own` is what the comment of a constant that holds the whole entry says; else the one of the middleware speaks.
fn full_entry<'a>(
    lowering: &mut Lowering<'a>,
    located: Located<'a>,
    place: Place,
    own: About,
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
                computed(lowering, value.place(), "this priority", "write the number");
                0.0
            }
        }
    };
    let about = match member("middleware") {
        Some(value) if own == About::default() => about::read(lowering, value),
        _ => own,
    };
    let name = match (member("name"), member("middleware")) {
        (Some(value), _) => {
            if let Some(name) = string(lowering, value) {
                name.into_owned()
            } else {
                computed(
                    lowering,
                    value.place(),
                    "the name of this middleware",
                    "write the name as a string",
                );
                return None;
            }
        }
        (None, Some(value)) => entry(lowering, value)?.name,
        (None, None) => return Some(unnamed(lowering, place, about)),
    };
    if let Some(value) = member("middleware") {
        answers::check(lowering, value);
    }
    let added = member("middleware").and_then(|value| added(lowering, value));
    Some(Entry {
        priority,
        added,
        ..Entry::new(name, place, about)
    })
}

/// The type argument of the `defineMiddleware` that an expression leads to. It stays unevaluated: it may lead into files and
/// packages that nothing else of the build needs.
fn added<'a>(lowering: &mut Lowering<'a>, located: Located<'a>) -> Option<TyId> {
    let Found::Expression(found, _) = follow(lowering, located) else {
        return None;
    };
    let call = kit_call(lowering, found, "defineMiddleware")?;
    let argument = call.type_arguments.as_ref()?.params.first()?;
    let scope = lowering.eval.module_scope(found.module);
    Some(lowering.eval.store.lazy(argument, scope))
}

/// A middleware without an entry around it: named after the constant or function.
fn bare<'a>(
    lowering: &mut Lowering<'a>,
    found: Located<'a>,
    name: Option<&'a str>,
    place: Place,
    about: About,
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
            ..Entry::new(name, place, about)
        },
        None => unnamed(lowering, place, about),
    }
}

fn unnamed(lowering: &mut Lowering<'_>, place: Place, about: About) -> Entry {
    computed(
        lowering,
        place,
        "the name of this middleware",
        "write `{ name: \"…\", middleware, priority: 0 }`",
    );
    // It runs all the same, so it has its place in the chain.
    Entry::new("anonymous", place, about)
}

/// Global and group middleware as one chain: ascending priority, at equal priority global first, then in order.
pub(crate) fn chain<'e>(global: &'e [Entry], group: &'e [Entry]) -> Vec<&'e Entry> {
    let mut chain: Vec<&Entry> = global.iter().chain(group).collect();
    chain.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    chain
}
