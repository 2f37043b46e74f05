//! The walk over a shape and a value that keeps what does not fit.

use serde_json::Value;

use super::Failure;
use super::closest::closest_member;
use super::matcher::{Matcher, Narrowed, narrow, other_entries};
use super::rules::{holds, keeps_item_rules};
use super::shown::{REDACTED, received, shown};
use super::suggest::{suggest, suggest_missing, suggest_one_of};
use crate::json::{Json, member_step};
use crate::shape::{Array, MAX_DEPTH, Object, Shape, Tuple, Union, alternatives, count, describe};

/// How many failures are told; of more, an additional entry says that there are more.
const LIMIT: usize = 100;

/// Everything that keeps a value from fitting a shape, in the order of the declared properties; one failure for each place, whose
/// `expected` names all rules of that place. Empty exactly where the value fits.
pub fn explain(shape: &'static Shape, value: &Json) -> Vec<Failure> {
    explain_with(shape, value, Explainer::default())
}

/// The same as far as clients are told in production: without suggestions, and with what was received of the first failure alone.
pub fn explain_briefly(shape: &'static Shape, value: &Json) -> Vec<Failure> {
    let is_brief = true;
    let explainer = Explainer {
        is_brief,
        ..Explainer::default()
    };
    explain_with(shape, value, explainer)
}

fn explain_with(shape: &'static Shape, value: &Json, mut explainer: Explainer) -> Vec<Failure> {
    explainer.visit(
        shape,
        value,
        At {
            path: &Path::Root,
            depth: 0,
            hidden: false,
        },
    );
    let mut failures = explainer.failures;
    if failures.len() > LIMIT {
        failures.truncate(LIMIT);
        failures.push(Failure {
            path: "$".to_owned(),
            expected: format!("no more than {}", count(LIMIT, "failure")),
            received: "more, which are not listed".to_owned(),
            value: None,
            suggestion: Some("repair those that are listed first".to_owned()),
        });
    }
    failures
}

/// A place in a value. It becomes a text only where something is wrong.
enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    fn text(&self) -> String {
        match self {
            Self::Root => "$".to_owned(),
            Self::Member(parent, key) => parent.text() + &member_step(key),
            Self::Item(parent, index) => format!("{}[{index}]", parent.text()),
        }
    }
}

/// Where the walk is.
#[derive(Clone, Copy)]
struct At<'a> {
    path: &'a Path<'a>,
    /// Recursive types that were entered on the way.
    depth: usize,
    /// Whether what is here may not be shown.
    hidden: bool,
}

#[derive(Default)]
struct Explainer {
    failures: Vec<Failure>,
    /// Whether suggestions are left out, and what was received after the first failure.
    is_brief: bool,
    /// Used where members of a union must be tried; every trial shares what the others found out.
    matcher: Matcher,
}

impl Explainer {
    fn visit(&mut self, shape: &'static Shape, value: &Json, at: At<'_>) {
        if self.is_full() {
            return;
        }
        match shape {
            Shape::Reference(to) => self.visit(to(), value, at),
            Shape::Recursive(_) if at.depth >= MAX_DEPTH => self.push(Failure {
                path: at.path.text(),
                expected: format!("at most {MAX_DEPTH} levels of nesting"),
                received: "a deeper level".to_owned(),
                value: None,
                suggestion: None,
            }),
            Shape::Recursive(to) => self.visit(
                to(),
                value,
                At {
                    depth: at.depth + 1,
                    ..at
                },
            ),
            Shape::Object(object) => self.object(shape, object, value, at),
            Shape::Array(array) => self.array(shape, array, value, at),
            Shape::Tuple(tuple) => self.tuple(shape, tuple, value, at),
            Shape::Union(union) => self.union(shape, union, value, at),
            _ => {
                if !holds(shape, value) {
                    self.refuse(shape, value, at);
                }
            }
        }
    }

    fn object(&mut self, shape: &'static Shape, object: &'static Object, value: &Json, at: At<'_>) {
        let Json::Object(members) = value else {
            self.refuse(shape, value, at);
            return;
        };
        for property in object.properties {
            let path = Path::Member(at.path, property.key);
            match members.get(property.key) {
                None if property.optional => {}
                None => {
                    let others = members.keys().take(100).map(String::as_str);
                    let others = others.filter(|key| object.properties.iter().all(|other| other.key != *key));
                    self.push(Failure {
                        path: path.text(),
                        expected: describe(&property.shape),
                        received: "nothing".to_owned(),
                        value: None,
                        suggestion: (!self.is_brief).then(|| suggest_missing(property.key, others)),
                    });
                }
                Some(item) => {
                    let hidden = at.hidden || property.sensitive;
                    let path = &path;
                    self.visit(&property.shape, item, At { path, hidden, ..at });
                }
            }
        }
        for (key, item) in other_entries(object, value) {
            let before = self.failures.len();
            let path = &Path::Member(at.path, key);
            // Every signature that takes the key must hold; one that does not is enough to say so.
            for index in object.index.iter().filter(|index| index.keys.take(key)) {
                if self.failures.len() == before {
                    self.visit(&index.shape, item, At { path, ..at });
                }
            }
        }
    }

    fn array(&mut self, shape: &'static Shape, array: &'static Array, value: &Json, at: At<'_>) {
        let Json::Array(items) = value else {
            self.refuse(shape, value, at);
            return;
        };
        if !keeps_item_rules(array, items) {
            self.refuse(shape, value, at);
        }
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let path = &Path::Item(at.path, index);
            self.visit(array.element, item, At { path, ..at });
        }
    }

    fn tuple(&mut self, shape: &'static Shape, tuple: &'static Tuple, value: &Json, at: At<'_>) {
        let items = match value {
            Json::Array(items) if tuple.takes(items.len()) => items,
            _ => {
                self.refuse(shape, value, at);
                return;
            }
        };
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let path = &Path::Item(at.path, index);
            self.visit(tuple.element(index, items.len()), item, At { path, ..at });
        }
    }

    /// What is wrong with the member that was meant. Where nobody can tell which one that is, the members are listed.
    fn union(&mut self, shape: &'static Shape, union: &'static Union, value: &Json, at: At<'_>) {
        if !value.is_container() && union.members.len() > 1 {
            if !fits_scalar(shape, value, at.depth) {
                self.refuse(shape, value, at);
            }
            return;
        }
        let Narrowed {
            members,
            possible,
            unknown,
        } = narrow(union, value);
        let candidates: Vec<&'static Shape> = members.iter().map(|member| &union.members[*member]).collect();
        // One that is left was meant, unless a discriminant holds what belongs to another.
        if let ([only], None) = (candidates.as_slice(), &unknown) {
            self.visit(only, value, at);
            return;
        }
        let matcher = &mut self.matcher;
        let mut fits = |shape, value: &Json| matcher.fit(shape, value, at.depth).is_some();
        if candidates.iter().any(|candidate| fits(candidate, value)) {
            return;
        }
        if let Some(meant) = closest_member(&candidates, value, &mut fits) {
            self.visit(meant, value, at);
            return;
        }
        if let Some((key, shapes)) = unknown {
            let tag = value.get(key);
            if tag.is_some() || candidates.is_empty() {
                let path = &Path::Member(at.path, key);
                self.refuse_all(&shapes, tag, At { path, ..at });
                return;
            }
        }
        let named: Vec<_> = possible.iter().map(|member| &union.members[*member]).collect();
        if named.is_empty() {
            self.refuse(shape, value, at);
        } else {
            self.refuse_all(&named, Some(value), at);
        }
    }

    /// Keeps that a value fits none of several shapes.
    fn refuse_all(&mut self, shapes: &[&'static Shape], value: Option<&Json>, at: At<'_>) {
        let expected = alternatives(shapes.iter().map(|shape| describe(shape)));
        let Some(value) = value else {
            self.push(Failure {
                path: at.path.text(),
                expected,
                received: "nothing".to_owned(),
                value: None,
                suggestion: None,
            });
            return;
        };
        let hides = value.is_container() && shapes.iter().any(|shape| shape.holds_sensitive());
        let advice = || suggest_one_of(shapes, value);
        self.fail(expected, advice, value, at, hides);
    }

    fn refuse(&mut self, shape: &'static Shape, value: &Json, at: At<'_>) {
        let hides = value.is_container() && shape.holds_sensitive();
        self.fail(describe(shape), || suggest(shape, value), value, at, hides);
    }

    /// Keeps that a value does not fit. Of a secret nothing is kept but its kind.
    fn fail(
        &mut self,
        expected: String,
        advice: impl FnOnce() -> Option<String>,
        value: &Json,
        at: At<'_>,
        hides: bool,
    ) {
        let hidden = at.hidden || hides;
        let is_told = !self.is_brief || self.failures.is_empty();
        self.push(Failure {
            path: at.path.text(),
            expected,
            received: if is_told {
                received(value, hidden)
            } else {
                String::new()
            },
            value: Some(if hidden {
                Value::from(REDACTED)
            } else {
                shown(value)
            }),
            suggestion: (!hidden && !self.is_brief).then(advice).flatten(),
        });
    }

    fn push(&mut self, failure: Failure) {
        if !self.is_full() {
            self.failures.push(failure);
        }
    }

    /// One more than is told shows that there are more.
    fn is_full(&self) -> bool {
        self.failures.len() > LIMIT
    }
}

/// Whether a value without parts fits.
pub(super) fn fits_scalar(shape: &'static Shape, value: &Json, depth: usize) -> bool {
    match shape {
        Shape::Reference(to) => fits_scalar(to(), value, depth),
        Shape::Recursive(to) => depth < MAX_DEPTH && fits_scalar(to(), value, depth + 1),
        Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_) => false,
        Shape::Union(union) => union
            .members
            .iter()
            .any(|member| fits_scalar(member, value, depth)),
        _ => holds(shape, value),
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::json::parse;
    use crate::shape::{Property, Shape};

    #[test]
    fn a_tag_that_nobody_has_is_told_which_one_is_near() {
        static FIGURE: Shape = Shape::union(&[
            Shape::object("Circle", &[Property::required("kind", Shape::literal("circle"))]),
            Shape::object("Square", &[Property::required("kind", Shape::literal("square"))]),
        ])
        .discriminants(&["kind"]);
        for (text, suggestion) in [
            (r#"{"kind":"Circl"}"#, Some(r#"did you mean "circle"?"#)),
            (r#"{"kind":"x"}"#, None),
        ] {
            let failures = explain(&FIGURE, &parse(text).unwrap());
            let found: Vec<_> = failures
                .iter()
                .map(|one| (one.path.as_str(), one.suggestion.as_deref()))
                .collect();
            assert_eq!(found, [("$.kind", suggestion)], "{text}");
        }
    }
}
