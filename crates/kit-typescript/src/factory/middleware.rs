//! Middleware entries, and the chain that they form.

use oxc_ast::ast::Expression;

use super::expression::{Found, Member, elements, follow, number, properties, string};
use super::{About, Located, about, computed};
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
    match follow(lowering, located) {
        Found::Function(function) => {
            let name = function
                .id
                .as_ref()
                .map(|identifier| identifier.name.to_string())?;
            Some(Entry {
                name,
                priority: 0.0,
                place,
                about,
            })
        }
        Found::Expression(found, name) => match found.expression {
            Expression::ObjectExpression(_) => full_entry(lowering, found, place, about),
            _ => Some(bare(lowering, found, name, place, about)),
        },
        // Something imported from a package: its name is all that is known, and all that is needed.
        Found::Unknown(Some(name)) => Some(Entry {
            name: name.to_owned(),
            priority: 0.0,
            place,
            about,
        }),
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
    Some(Entry {
        name,
        priority,
        place,
        about,
    })
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
    match own.or(name) {
        Some(name) => Entry {
            name: name.to_owned(),
            priority: 0.0,
            place,
            about,
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
    Entry {
        name: "anonymous".to_owned(),
        priority: 0.0,
        place,
        about,
    }
}

/// Global and group middleware as one chain: ascending priority, at equal priority global first, then in order.
pub(crate) fn chain<'e>(global: &'e [Entry], group: &'e [Entry]) -> Vec<&'e Entry> {
    let mut chain: Vec<&Entry> = global.iter().chain(group).collect();
    chain.sort_by(|a, b| a.priority.total_cmp(&b.priority));
    chain
}
