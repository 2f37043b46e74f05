//! Finds the member of a union that a value belongs to.

use std::collections::HashMap;

use super::rules::{fits_scalar_shape, fits_text_shape, is_literal, satisfies_item_rules};
use crate::json::Json;
use crate::shape::{MAX_DEPTH, Object, Property, Shape, Text, Union};

/// Measure of how well a union member fits a value. The number of keys that remain after decoding counts first, then
/// how specific the types are. A value is decoded as the member with the best fit; if several members fit equally
/// well, the member that is declared first is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Number of keys of the value that decoding retains, at any depth.
    retained_keys: usize,
    /// Sum of [`specificity`] over all scalar values, plus the number of declared properties.
    specificity: usize,
}

/// Finds the union member that fits a value best. It compares each value with each shape once and caches the result;
/// without the cache, a recursive union would compare inner values again and again. The cache identifies values by
/// their address, so a matcher must not outlive the checked value.
#[derive(Default)]
pub(super) struct Matcher {
    cache: HashMap<(*const Shape, *const Json), Option<Fit>>,
}

/// Returns the index of the union member that a value belongs to; `None` if the value fits no member or the shape is
/// not a union.
///
/// # Panics
/// Never.
pub fn pick(shape: &'static Shape, value: &Json) -> Option<usize> {
    let Shape::Union(union) = shape.resolve() else {
        return None;
    };
    Matcher::default()
        .member(union, value, 0)
        .map(|(member, _)| member)
}

impl Matcher {
    /// Returns how well a value fits a shape, or `None` if it does not fit. `depth` is the number of recursive types
    /// on the path to the value.
    pub(super) fn fit(&mut self, shape: &'static Shape, value: &Json, depth: usize) -> Option<Fit> {
        match shape {
            Shape::Reference(to) => self.fit(to(), value, depth),
            Shape::Recursive(to) if depth < MAX_DEPTH => self.fit(to(), value, depth + 1),
            Shape::Recursive(_) => None,
            Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_) | Shape::Union(_)
                if value.is_container() =>
            {
                let key = (std::ptr::from_ref(shape), std::ptr::from_ref(value));
                if let Some(known) = self.cache.get(&key) {
                    return *known;
                }
                let found = self.fit_container(shape, value, depth);
                self.cache.insert(key, found);
                found
            }
            _ => self.fit_container(shape, value, depth),
        }
    }

    fn fit_container(&mut self, shape: &'static Shape, value: &Json, depth: usize) -> Option<Fit> {
        match (shape, value) {
            (Shape::Object(object), Json::Object(_)) => self.object(object, value, depth),
            (Shape::Array(array), Json::Array(items)) => {
                if !satisfies_item_rules(array, items) {
                    return None;
                }
                let mut sum = Fit {
                    retained_keys: 0,
                    specificity: 0,
                };
                for item in items {
                    sum.add(self.fit(array.element, item, depth)?);
                }
                Some(sum)
            }
            (Shape::Tuple(tuple), Json::Array(items)) => {
                if !tuple.accepts_length(items.len()) {
                    return None;
                }
                let mut sum = Fit {
                    retained_keys: 0,
                    specificity: 0,
                };
                for (index, item) in items.iter().enumerate() {
                    sum.add(self.fit(tuple.element(index, items.len()), item, depth)?);
                }
                Some(sum)
            }
            (Shape::Union(union), _) => self.member(union, value, depth).map(|(_, fit)| fit),
            (Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_), _) => None,
            _ => fits_scalar_shape(shape, value).then(|| Fit {
                retained_keys: if matches!(shape, Shape::Unknown) {
                    keys(value)
                } else {
                    0
                },
                specificity: specificity(shape),
            }),
        }
    }

    fn object(&mut self, object: &'static Object, value: &Json, depth: usize) -> Option<Fit> {
        let mut sum = Fit {
            retained_keys: 0,
            specificity: 0,
        };
        for property in object.properties {
            match value.get(property.key) {
                None if property.optional => {}
                None => return None,
                Some(item) => {
                    sum.add(self.fit(&property.shape, item, depth)?);
                    sum.add(Fit {
                        retained_keys: 1,
                        specificity: 1,
                    });
                }
            }
        }
        for (key, item) in other_entries(object, value) {
            let mut first = true;
            for index in object.index.iter().filter(|index| index.keys.matches(key)) {
                if index.key.is_some_and(|rules| !fits_text_shape(&rules, key)) {
                    return None;
                }
                let fit = self.fit(&index.shape, item, depth)?;
                if first {
                    sum.add(fit);
                    sum.retained_keys += 1;
                }
                first = false;
            }
        }
        Some(sum)
    }

    fn member(&mut self, union: &'static Union, value: &Json, depth: usize) -> Option<(usize, Fit)> {
        let mut best: Option<(usize, Fit)> = None;
        for member in narrow(union, value).members {
            if let Some(fit) = self.fit(&union.members[member], value, depth) {
                if best.is_none_or(|(_, known)| fit > known) {
                    best = Some((member, fit));
                }
            }
        }
        best
    }
}

impl Fit {
    fn add(&mut self, other: Self) {
        self.retained_keys += other.retained_keys;
        self.specificity += other.specificity;
    }
}

/// Returns how specific a scalar shape is. For example, `Date` is more specific than `string`, so a date string is
/// decoded as a `Date` in `Date | string`.
fn specificity(shape: &Shape) -> usize {
    match shape {
        Shape::Null | Shape::Boolean | Shape::Number(_) | Shape::Literal(_) => 7,
        Shape::Text(Text {
            template: Some(_), ..
        }) => 6,
        Shape::Date => 5,
        Shape::BigInt(_) => 4,
        Shape::Bytes => 2,
        Shape::Text(Text {
            template: None,
            min_length: None,
            max_length: None,
            format: None,
            pattern: None,
            words: _,
            bounds: _,
            is_key: _,
        }) => 1,
        Shape::Text(_) => 3,
        _ => 0,
    }
}

/// Counts the keys of a value at any depth.
fn keys(value: &Json) -> usize {
    match value {
        Json::Array(items) => items.iter().map(keys).sum(),
        Json::Object(members) => members.len() + members.values().map(keys).sum::<usize>(),
        _ => 0,
    }
}

/// Iterates over the entries of an object whose keys are not declared properties. If the shape has no index
/// signature, iterates over nothing, because decoding drops such entries.
pub(super) fn other_entries<'a>(
    object: &'static Object,
    value: &'a Json,
) -> impl Iterator<Item = (&'a str, &'a Json)> {
    let members = match value {
        Json::Object(members) if !object.index.is_empty() => Some(members),
        _ => None,
    };
    members.into_iter().flatten().filter_map(|(key, item)| {
        let is_other = key != "__proto__" && object.properties.iter().all(|property| property.key != key);
        is_other.then_some((key.as_str(), item))
    })
}

/// Union members that the client may have meant with a value, and the reason if a discriminant excludes all
/// members.
pub(super) struct Candidates {
    /// Indexes of the members whose discriminants match the value.
    pub(super) members: Vec<usize>,
    /// Indexes of the members that have the same kind (array or object) as the value.
    pub(super) possible: Vec<usize>,
    /// The discriminant whose value no member declares, and the shapes that the members declare for it.
    pub(super) unknown: Option<(&'static str, Vec<&'static Shape>)>,
}

/// Selects the union members that the client may have meant with a value, by the kind of the value and by its
/// discriminants.
pub(super) fn narrow(union: &'static Union, value: &Json) -> Candidates {
    let all: Vec<usize> = (0..union.members.len()).collect();
    if !value.is_container() {
        return Candidates {
            members: all.clone(),
            possible: all,
            unknown: None,
        };
    }
    let possible: Vec<usize> = all
        .into_iter()
        .filter(|member| may_hold(union.members[*member].resolve(), value))
        .collect();
    let mut members = possible.clone();
    for key in union.discriminants.iter().copied() {
        if members.len() < 2 || !matches!(value, Json::Object(_)) {
            break;
        }
        let tag = value.get(key);
        let tags: Vec<_> = members
            .iter()
            .map(|member| tag_of(union.members[*member].resolve(), key))
            .collect();
        let listed: Vec<_> = tags.iter().flatten().collect();
        if listed.len() < 2 {
            continue;
        }
        let left: Vec<usize> = members
            .iter()
            .zip(&tags)
            .filter(|(_, property)| property.is_none_or(|property| admits(property, tag)))
            .map(|(member, _)| *member)
            .collect();
        let untagged = members.len() - listed.len();
        let admitted = left.len() - untagged;
        members = left;
        if admitted == 0 {
            let shapes = listed.iter().map(|property| &property.shape);
            let shapes = shapes.filter(|shape| !matches!(shape, Shape::Never)).collect();
            return Candidates {
                members,
                possible,
                unknown: Some((key, shapes)),
            };
        }
    }
    Candidates {
        members,
        possible,
        unknown: None,
    }
}

/// Returns the property with this key if it can be a discriminant: its type has a finite list of values.
fn tag_of(shape: &'static Shape, key: &str) -> Option<&'static Property> {
    let Shape::Object(object) = shape else {
        return None;
    };
    let property = object.properties.iter().find(|property| property.key == key)?;
    property.shape.is_listable().then_some(property)
}

fn admits(property: &'static Property, tag: Option<&Json>) -> bool {
    match tag {
        None => property.optional,
        Some(tag) => holds_listed(&property.shape, tag),
    }
}

fn holds_listed(shape: &'static Shape, tag: &Json) -> bool {
    match shape.resolve() {
        Shape::Null => *tag == Json::Null,
        Shape::Boolean => matches!(tag, Json::Bool(_)),
        Shape::Literal(literal) => is_literal(*literal, tag),
        Shape::Union(union) => union.members.iter().any(|member| holds_listed(member, tag)),
        _ => false,
    }
}

/// Returns true if the value and the union member have the same kind: they are arrays, or they are objects.
fn may_hold(shape: &Shape, value: &Json) -> bool {
    match shape {
        Shape::Unknown | Shape::Union(_) => true,
        Shape::Array(_) | Shape::Tuple(_) => matches!(value, Json::Array(_)),
        Shape::Object(_) => matches!(value, Json::Object(_)),
        _ => false,
    }
}
