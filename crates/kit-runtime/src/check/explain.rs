//! Walks over a shape and a value and collects the failures.

use std::borrow::Cow;

use serde_json::Value;

use super::Failure;
use super::broken_rule::{BrokenRule, broken_rule, broken_rule_of_union};
use super::closest::closest_member;
use super::matcher::{Candidates, Matcher, narrow, other_entries};
use super::path::{PathText, utf16_length};
use super::rule::Rule;
use super::rules::{fits_scalar_shape, fits_text_shape, satisfies_item_rules};
use super::suggest::{suggest, suggest_missing, suggest_one_of};
use super::value_text::{REDACTED, received, shortened_value};
use crate::json::Json;
use crate::shape::{Array, MAX_DEPTH, Object, Shape, Tuple, Union, alternatives, count, describe};

/// Maximum number of failures in a list. If there are more, one last entry says that the list is incomplete.
const LIMIT: usize = 100;
/// Maximum length of the paths of all failures together, in UTF-16 code units. Without this limit, a client that
/// nests long keys would receive a response a hundred times as large as its request.
const MAX_PATHS: usize = 16_384;

/// Finds all failures of a value against a shape, in the order of the declared properties. Reports one failure for each
/// location; its `expected` names all rules of that location. The result is empty if and only if the value fits.
pub fn explain(shape: &'static Shape, value: &Json) -> Vec<Failure> {
    explain_with(shape, value, Explainer::default())
}

/// Finds the failures of a value like [`explain`], or like [`explain_briefly`] if `is_brief` is true, and
/// hides `secrets` in them.
pub(crate) fn explain_without(
    secrets: Secrets,
    shape: &'static Shape,
    value: &Json,
    is_brief: bool,
) -> Vec<Failure> {
    let explainer = Explainer {
        is_brief,
        secrets,
        ..Explainer::default()
    };
    explain_with(shape, value, explainer)
}

/// Values that failures must not show, in addition to values that the contract marks with `@sensitive`.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Secrets {
    /// Only values that the contract marks with `@sensitive`.
    #[default]
    None,
    /// Every value.
    All,
    /// The property with this name of the checked object.
    Property(&'static str),
}

/// Like [`explain`], but with less detail, for responses in production: it gives no suggestions, and describes the
/// received value (`received`) only in the first failure.
pub fn explain_briefly(shape: &'static Shape, value: &Json) -> Vec<Failure> {
    explain_with(shape, value, Explainer::brief(Secrets::None))
}

fn explain_with(shape: &'static Shape, value: &Json, mut explainer: Explainer) -> Vec<Failure> {
    let root = Location::root(&Path::Root, explainer.hides_all());
    explainer.visit(shape, value, root);
    let is_full = explainer.is_full();
    let mut failures = explainer.failures;
    if is_full {
        let listed = failures.len() - 1;
        list_first(&mut failures, listed);
    }
    failures
}

/// Limits the failures that several parts of a body have together, as [`explain`] limits the failures of one value.
pub(crate) fn limit_failures(mut failures: Vec<Failure>) -> Vec<Failure> {
    // The last entry of a value's failures may say that there are more.
    if failures.len() > LIMIT + 1 {
        list_first(&mut failures, LIMIT);
    }
    failures
}

/// Keeps the first failures of a list, and adds an entry that says that there are more.
fn list_first(failures: &mut Vec<Failure>, listed: usize) {
    failures.truncate(listed);
    failures.push(Failure {
        path: "$".to_owned(),
        expected: format!("no more than {}", count(listed, "failure")).into(),
        received: "more than are listed".to_owned(),
        value: None,
        rule: Rule::MaxFailures,
        limit: Some(listed.into()),
        suggestion: Some("fix the listed failures first".to_owned()),
    });
}

/// Path to a value inside of the checked value, as a chain of steps. It becomes a string only in a failure.
pub(super) enum Path<'a> {
    Root,
    Member(&'a Path<'a>, &'a str),
    Item(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(super) fn text(&self) -> String {
        self.build().into_text()
    }

    fn build(&self) -> PathText {
        match self {
            Self::Root => PathText::root(),
            Self::Member(parent, key) => {
                let mut text = parent.build();
                text.member(key);
                text
            }
            Self::Item(parent, index) => {
                let mut text = parent.build();
                text.item(*index);
                text
            }
        }
    }
}

/// A value inside of the checked value that is currently compared with its shape.
#[derive(Clone, Copy)]
pub(super) struct Location<'a> {
    pub(super) path: &'a Path<'a>,
    /// Number of recursive types on the path to this value.
    pub(super) depth: usize,
    /// True if the value at this location must not be shown.
    pub(super) hidden: bool,
}

impl<'a> Location<'a> {
    /// Returns the location of the checked value itself.
    pub(super) fn root(path: &'a Path<'a>, hidden: bool) -> Self {
        Self {
            path,
            depth: 0,
            hidden,
        }
    }
}

#[derive(Default)]
pub(super) struct Explainer {
    pub(super) failures: Vec<Failure>,
    /// Length of the paths of all failures together, in UTF-16 code units.
    path_units: usize,
    /// True for [`explain_briefly`]: no suggestions, and `received` in the first failure only.
    is_brief: bool,
    secrets: Secrets,
    /// Compares values with union members. Its cache serves the whole check.
    matcher: Matcher,
}

impl Explainer {
    /// Creates an explainer like that of [`explain_briefly`], which hides `secrets` too.
    pub(super) fn brief(secrets: Secrets) -> Self {
        Self {
            is_brief: true,
            secrets,
            ..Self::default()
        }
    }

    /// Returns true if no value may be shown.
    pub(super) fn hides_all(&self) -> bool {
        matches!(self.secrets, Secrets::All)
    }

    pub(super) fn visit(&mut self, shape: &'static Shape, value: &Json, at: Location<'_>) {
        if self.is_full() {
            return;
        }
        match shape {
            Shape::Reference(to) => self.visit(to(), value, at),
            Shape::Recursive(_) if at.depth >= MAX_DEPTH => self.refuse_depth(at),
            Shape::Recursive(to) => self.visit(
                to(),
                value,
                Location {
                    depth: at.depth + 1,
                    ..at
                },
            ),
            Shape::Object(object) => self.object(shape, object, value, at),
            Shape::Array(array) => self.array(shape, array, value, at),
            Shape::Tuple(tuple) => self.tuple(shape, tuple, value, at),
            Shape::Union(union) => self.union(shape, union, value, at),
            Shape::Unknown => {
                if !fits_scalar_shape(shape, value) {
                    self.refuse_depth(at);
                }
            }
            _ => {
                if !fits_scalar_shape(shape, value) {
                    self.add_failure_of(shape, value, at);
                }
            }
        }
    }

    /// Returns true if [`Secrets::Property`] names this property of the object at a location.
    pub(super) fn is_secret(&self, key: &str, object: Location<'_>) -> bool {
        matches!(self.secrets, Secrets::Property(name) if name == key && matches!(object.path, Path::Root))
    }

    fn refuse_depth(&mut self, at: Location<'_>) {
        self.push(Failure {
            path: at.path.text(),
            expected: format!("at most {MAX_DEPTH} levels of nesting").into(),
            received: "a deeper level".to_owned(),
            value: None,
            rule: Rule::MaxDepth,
            limit: Some(MAX_DEPTH.into()),
            suggestion: None,
        });
    }

    fn object(&mut self, shape: &'static Shape, object: &'static Object, value: &Json, at: Location<'_>) {
        let Json::Object(members) = value else {
            self.add_failure_of(shape, value, at);
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
                        value: Some(Value::Null),
                        rule: Rule::Required,
                        limit: None,
                        suggestion: (!self.is_brief).then(|| suggest_missing(property.key, others)),
                    });
                }
                Some(item) => {
                    let hidden = at.hidden || property.sensitive || self.is_secret(property.key, at);
                    let path = &path;
                    self.visit(&property.shape, item, Location { path, hidden, ..at });
                }
            }
        }
        for (key, item) in other_entries(object, value) {
            let before = self.failures.len();
            let path = &Path::Member(at.path, key);
            // A key must fit every index signature that matches it. The first signature that it does not fit is
            // reported.
            for index in object.index.iter().filter(|index| index.keys.matches(key)) {
                if self.failures.len() > before {
                    break;
                }
                match &index.key {
                    Some(rules) if !fits_text_shape(rules, key) => {
                        self.add_failure_of(rules, &Json::String(key.to_owned()), Location { path, ..at });
                    }
                    _ => self.visit(&index.shape, item, Location { path, ..at }),
                }
            }
        }
    }

    fn array(&mut self, shape: &'static Shape, array: &'static Array, value: &Json, at: Location<'_>) {
        let Json::Array(items) = value else {
            self.add_failure_of(shape, value, at);
            return;
        };
        if !satisfies_item_rules(array, items) {
            self.add_failure_of(shape, value, at);
        }
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let path = &Path::Item(at.path, index);
            self.visit(array.element, item, Location { path, ..at });
        }
    }

    fn tuple(&mut self, shape: &'static Shape, tuple: &'static Tuple, value: &Json, at: Location<'_>) {
        let items = match value {
            Json::Array(items) if tuple.accepts_length(items.len()) => items,
            _ => {
                self.add_failure_of(shape, value, at);
                return;
            }
        };
        for (index, item) in items.iter().enumerate() {
            if self.is_full() {
                return;
            }
            let path = &Path::Item(at.path, index);
            self.visit(tuple.element(index, items.len()), item, Location { path, ..at });
        }
    }

    /// Reports the failures of a value that fits no member of a union. If the client probably meant one
    /// certain member, reports the failures of this member. Otherwise reports one failure that lists the
    /// members.
    fn union(&mut self, shape: &'static Shape, union: &'static Union, value: &Json, at: Location<'_>) {
        if !value.is_container() && union.members.len() > 1 {
            if !fits_scalar(shape, value, at.depth) {
                self.add_failure_of(shape, value, at);
            }
            return;
        }
        let Candidates {
            members,
            possible,
            unknown,
        } = narrow(union, value);
        let candidates: Vec<&'static Shape> = members.iter().map(|member| &union.members[*member]).collect();
        // If one candidate is left, the client meant it, unless a discriminant has a value that no member declares.
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
                self.add_failure_of_all(&shapes, tag, Location { path, ..at });
                return;
            }
        }
        let named: Vec<_> = possible.iter().map(|member| &union.members[*member]).collect();
        if named.is_empty() {
            self.add_failure_of(shape, value, at);
        } else {
            self.add_failure_of_all(&named, Some(value), at);
        }
    }

    /// Adds one failure for a value that fits none of these shapes. `value` is `None` if the property is
    /// missing.
    fn add_failure_of_all(&mut self, shapes: &[&'static Shape], value: Option<&Json>, at: Location<'_>) {
        let expected: Cow<'_, str> = alternatives(shapes.iter().map(|shape| describe(shape))).into();
        let Some(value) = value else {
            self.push(Failure {
                path: at.path.text(),
                expected,
                received: "nothing".to_owned(),
                value: Some(Value::Null),
                rule: Rule::Required,
                limit: None,
                suggestion: None,
            });
            return;
        };
        let is_sensitive = value.is_container() && shapes.iter().any(|shape| shape.holds_sensitive());
        let advice = || suggest_one_of(shapes, value);
        let broken = broken_rule_of_union(shapes, value);
        self.add_failure(expected, broken, advice, (value, "string"), at, is_sensitive);
    }

    fn add_failure_of(&mut self, shape: &'static Shape, value: &Json, at: Location<'_>) {
        let is_sensitive = value.is_container() && shape.holds_sensitive();
        let noun = match shape {
            Shape::Text(rules) if rules.is_key => "key",
            _ => "string",
        };
        let advice = || suggest(shape, value);
        let broken = broken_rule(shape, value);
        self.add_failure(describe(shape), broken, advice, (value, noun), at, is_sensitive);
    }

    /// Adds a failure. For a hidden value, the failure contains only its kind and the broken rule. `noun` is
    /// the word for a string in the description of the received value: `string` or `key`.
    fn add_failure(
        &mut self,
        expected: Cow<'static, str>,
        broken: BrokenRule,
        advice: impl FnOnce() -> Option<String>,
        (value, noun): (&Json, &str),
        at: Location<'_>,
        is_sensitive: bool,
    ) {
        let hidden = at.hidden || is_sensitive;
        let is_reported = !self.is_brief || self.failures.is_empty();
        self.push(Failure {
            path: at.path.text(),
            expected,
            received: if is_reported {
                received(value, noun, hidden)
            } else {
                String::new()
            },
            value: Some(if hidden {
                Value::from(REDACTED)
            } else {
                shortened_value(value)
            }),
            rule: broken.rule,
            limit: broken.limit,
            suggestion: (!hidden && !self.is_brief).then(advice).flatten(),
        });
    }

    pub(super) fn push(&mut self, failure: Failure) {
        if !self.is_full() {
            self.path_units += utf16_length(&failure.path);
            self.failures.push(failure);
        }
    }

    /// Returns true if the list is full: it contains one failure more than its maximum length, which shows
    /// that there are further failures.
    pub(super) fn is_full(&self) -> bool {
        self.failures.len() > LIMIT || self.path_units > MAX_PATHS
    }
}

/// Returns true if a value that is neither an array nor an object fits its shape.
pub(super) fn fits_scalar(shape: &'static Shape, value: &Json, depth: usize) -> bool {
    match shape {
        Shape::Reference(to) => fits_scalar(to(), value, depth),
        Shape::Recursive(to) => depth < MAX_DEPTH && fits_scalar(to(), value, depth + 1),
        Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_) => false,
        Shape::Union(union) => union
            .members
            .iter()
            .any(|member| fits_scalar(member, value, depth)),
        _ => fits_scalar_shape(shape, value),
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::json::parse;
    use crate::shape::{Index, Keys, Property, Shape};

    #[test]
    fn accepts_values_of_type_unknown_up_to_256_levels_of_nesting() {
        let nested = |levels: usize| parse(&format!("{}{}", "[".repeat(levels), "]".repeat(levels))).unwrap();
        assert_eq!(explain(&Shape::Unknown, &nested(256)), []);
        for levels in [257, 1024, 1025, 100_000] {
            let failures = explain(&Shape::Unknown, &nested(levels));
            assert_eq!(failures[0].expected, "at most 256 levels of nesting", "{levels}");
        }
    }

    #[test]
    fn limits_the_total_length_of_all_failure_paths() {
        static OBJECT: Shape =
            Shape::anonymous(&[]).index(&[Index::new(Keys::Any, Shape::array(&Shape::Null))]);
        let text = format!("{{\"{}\":[{}]}}", "k".repeat(100_000), ["1"; 200].join(","));
        let failures = explain(&OBJECT, &parse(&text).unwrap());
        let paths: usize = failures.iter().map(|failure| failure.path.chars().count()).sum();
        assert!(paths < 17_000, "{paths}");
        let listed = failures.len() - 1;
        assert_eq!(
            failures[listed].expected,
            format!("no more than {listed} failures")
        );
        assert_eq!(listed, 78);
    }

    #[test]
    fn suggests_the_closest_discriminant_for_an_unknown_discriminant() {
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
