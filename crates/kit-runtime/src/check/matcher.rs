//! Which member of a union a value is.

use std::collections::HashMap;

use super::rules::{holds, holds_text, is_literal, keeps_item_rules};
use crate::json::Json;
use crate::shape::{MAX_DEPTH, Object, Property, Shape, Text, Union};

/// How well a value fits: what is kept of it counts first, then how specific its scalars are. A value is read as the member of a
/// union with the best fit, of equal ones as the first that is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fit {
    /// Keys that are kept, at any depth.
    kept: usize,
    /// The sum of what its scalars and declared names weigh.
    specific: usize,
}

/// Finds the members that values are. Each part of a value is held against each shape once: without that, a recursive union would try
/// every part as often as there are ways to it. Parts are known by their address, so a matcher must not outlive the value.
#[derive(Default)]
pub(super) struct Matcher {
    known: HashMap<(*const Shape, *const Json), Option<Fit>>,
}

/// The position of the member of a union that a value is; nothing where it fits none.
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
    /// How well a value fits. `depth` counts the recursive types that were entered on the way.
    pub(super) fn fit(&mut self, shape: &'static Shape, value: &Json, depth: usize) -> Option<Fit> {
        match shape {
            Shape::Reference(to) => self.fit(to(), value, depth),
            Shape::Recursive(to) if depth < MAX_DEPTH => self.fit(to(), value, depth + 1),
            Shape::Recursive(_) => None,
            Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_) | Shape::Union(_)
                if value.is_container() =>
            {
                let key = (std::ptr::from_ref(shape), std::ptr::from_ref(value));
                if let Some(known) = self.known.get(&key) {
                    return *known;
                }
                let found = self.part(shape, value, depth);
                self.known.insert(key, found);
                found
            }
            _ => self.part(shape, value, depth),
        }
    }

    fn part(&mut self, shape: &'static Shape, value: &Json, depth: usize) -> Option<Fit> {
        match (shape, value) {
            (Shape::Object(object), Json::Object(_)) => self.object(object, value, depth),
            (Shape::Array(array), Json::Array(items)) => {
                if !keeps_item_rules(array, items) {
                    return None;
                }
                let mut sum = Fit { kept: 0, specific: 0 };
                for item in items {
                    sum.add(self.fit(array.element, item, depth)?);
                }
                Some(sum)
            }
            (Shape::Tuple(tuple), Json::Array(items)) => {
                if !tuple.takes(items.len()) {
                    return None;
                }
                let mut sum = Fit { kept: 0, specific: 0 };
                for (index, item) in items.iter().enumerate() {
                    sum.add(self.fit(tuple.element(index, items.len()), item, depth)?);
                }
                Some(sum)
            }
            (Shape::Union(union), _) => self.member(union, value, depth).map(|(_, fit)| fit),
            (Shape::Object(_) | Shape::Array(_) | Shape::Tuple(_), _) => None,
            _ => holds(shape, value).then(|| Fit {
                kept: if matches!(shape, Shape::Unknown) {
                    keys(value)
                } else {
                    0
                },
                specific: specific(shape),
            }),
        }
    }

    fn object(&mut self, object: &'static Object, value: &Json, depth: usize) -> Option<Fit> {
        let mut sum = Fit { kept: 0, specific: 0 };
        for property in object.properties {
            match value.get(property.key) {
                None if property.optional => {}
                None => return None,
                Some(item) => {
                    sum.add(self.fit(&property.shape, item, depth)?);
                    sum.add(Fit { kept: 1, specific: 1 });
                }
            }
        }
        for (key, item) in other_entries(object, value) {
            let mut first = true;
            for index in object.index.iter().filter(|index| index.keys.take(key)) {
                if index.key.is_some_and(|rules| !holds_text(&rules, key)) {
                    return None;
                }
                let fit = self.fit(&index.shape, item, depth)?;
                if first {
                    sum.add(fit);
                    sum.kept += 1;
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
        self.kept += other.kept;
        self.specific += other.specific;
    }
}

/// How specific each scalar is: a date is preferred to any text.
fn specific(shape: &Shape) -> usize {
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
            is_key: _,
        }) => 1,
        Shape::Text(_) => 3,
        _ => 0,
    }
}

/// How many keys a value has at any depth.
fn keys(value: &Json) -> usize {
    match value {
        Json::Array(items) => items.iter().map(keys).sum(),
        Json::Object(members) => members.len() + members.values().map(keys).sum::<usize>(),
        _ => 0,
    }
}

/// The keys of an object that are no declared properties, and what they hold; none where no index signature takes them.
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

/// The members that a value can be, as far as its kind and its discriminants say.
pub(super) struct Narrowed {
    /// Positions of the members.
    pub(super) members: Vec<usize>,
    /// Positions of the members of the value's kind.
    pub(super) possible: Vec<usize>,
    /// A property that holds what no member lists for it, and the shapes of what they list.
    pub(super) unknown: Option<(&'static str, Vec<&'static Shape>)>,
}

/// The members of a union that a value can be, without a look at more than its discriminants.
pub(super) fn narrow(union: &'static Union, value: &Json) -> Narrowed {
    let all: Vec<usize> = (0..union.members.len()).collect();
    if !value.is_container() {
        return Narrowed {
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
            return Narrowed {
                members,
                possible,
                unknown: Some((key, shapes)),
            };
        }
    }
    Narrowed {
        members,
        possible,
        unknown: None,
    }
}

/// The property that lists what it can hold.
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

/// Whether a member of a union can be meant by an array or object: one of its kind.
fn may_hold(shape: &Shape, value: &Json) -> bool {
    match shape {
        Shape::Unknown | Shape::Union(_) => true,
        Shape::Array(_) | Shape::Tuple(_) => matches!(value, Json::Array(_)),
        Shape::Object(_) => matches!(value, Json::Object(_)),
        _ => false,
    }
}
