//! Converts strings of path parameters, queries, headers and cookies to values: `5` becomes the number 5 if the contract
//! declares a number. A string that cannot be converted stays a string, and the check against the shape then reports it.

mod cookies;
mod headers;

use std::borrow::Cow;

use indexmap::IndexMap;

use crate::json::Json;
use crate::shape::{Literal, Shape};

pub use cookies::{coerce_cookies, cookies};
pub use headers::{coerce_headers, list_items};

/// Parses a finite decimal number in the syntax of JSON, but with leading zeros allowed. Returns `None` for other
/// forms, such as `0x10`, `+1` or ` 1`.
///
/// ```
/// use kit_runtime::coerce::coerce_number;
///
/// assert_eq!(coerce_number("007"), Some(7.0));
/// assert_eq!(coerce_number("0x10"), None);
/// ```
pub fn coerce_number(text: &str) -> Option<f64> {
    let body = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match body.find(['e', 'E']) {
        Some(at) => (&body[..at], Some(&body[at + 1..])),
        None => (body, None),
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_mantissa = match mantissa.split_once('.') {
        Some((whole, fraction)) => digits(whole) && digits(fraction),
        None => digits(mantissa),
    };
    let is_exponent = exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
    let number: f64 = text.parse().ok().filter(|_| is_mantissa && is_exponent)?;
    number.is_finite().then_some(number)
}

/// The values of one key in a query: one for `a=1`, many for `a=1&a=2`.
pub(crate) enum QueryValue {
    One(String),
    Many(Vec<String>),
}

/// Converts a query (without its `?`) to a JSON object. Its keys have the order in which the shape declares them.
pub fn coerce_query(shape: &'static Shape, query: &str) -> Json {
    let Shape::Object(object) = shape.resolve() else {
        return Json::Null;
    };
    let mut texts: IndexMap<String, QueryValue> = IndexMap::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        let key = decode_query_component(key).into_owned();
        let wanted = object.properties.iter().any(|property| property.key == key)
            || (key != "__proto__" && object.index.iter().any(|index| index.keys.matches(&key)));
        if !wanted {
            continue;
        }
        let value = decode_query_component(value).into_owned();
        match texts.get_mut(&key) {
            None => {
                texts.insert(key, QueryValue::One(value));
            }
            Some(QueryValue::Many(values)) => values.push(value),
            Some(found @ QueryValue::One(_)) => {
                let QueryValue::One(first) = std::mem::replace(found, QueryValue::Many(Vec::new())) else {
                    continue;
                };
                *found = QueryValue::Many(vec![first, value]);
            }
        }
    }
    let mut members = IndexMap::new();
    for property in object.properties {
        if let Some(texts) = texts.shift_remove(property.key) {
            members.insert(property.key.to_owned(), coerce(&property.shape, texts));
        }
    }
    for (key, texts) in texts {
        let index = object.index.iter().find(|index| index.keys.matches(&key));
        if let Some(index) = index {
            members.insert(key, coerce(&index.shape, texts));
        }
    }
    Json::Object(members)
}

/// Converts percent-decoded path parameters to a JSON object. `names` and `values` have the order of the path.
pub fn coerce_params(shape: &'static Shape, names: &[&str], values: &[String]) -> Json {
    let Shape::Object(object) = shape.resolve() else {
        return Json::Null;
    };
    let mut members = IndexMap::new();
    for property in object.properties {
        let place = names.iter().position(|name| *name == property.key);
        if let Some(text) = place.and_then(|place| values.get(place)) {
            members.insert(
                property.key.to_owned(),
                coerce(&property.shape, QueryValue::One(text.clone())),
            );
        }
    }
    Json::Object(members)
}

pub(crate) fn coerce(shape: &'static Shape, texts: QueryValue) -> Json {
    let targets = CoercionTargets::of(shape);
    match texts {
        QueryValue::One(text) if targets.array => Json::Array(vec![targets.apply(text)]),
        QueryValue::Many(texts) if targets.array => {
            Json::Array(texts.into_iter().map(|text| targets.apply(text)).collect())
        }
        QueryValue::One(text) if targets.text => Json::String(text),
        QueryValue::One(text) => targets.apply(text),
        QueryValue::Many(texts) => Json::Array(texts.into_iter().map(Json::String).collect()),
    }
}

/// The kinds of values that a type accepts. They determine how a string is converted.
#[derive(Default)]
struct CoercionTargets {
    array: bool,
    /// True if the type accepts every string. If so, strings are not converted.
    text: bool,
    number: bool,
    boolean: bool,
    literals: Vec<Literal>,
}

impl CoercionTargets {
    fn of(shape: &'static Shape) -> Self {
        let mut targets = Self::default();
        targets.collect(shape);
        targets
    }

    fn collect(&mut self, shape: &'static Shape) {
        match shape.resolve() {
            Shape::Number(_) => self.number = true,
            Shape::Boolean => self.boolean = true,
            Shape::Text(rules) => self.text |= rules.template.is_none(),
            Shape::Literal(literal) => self.literals.push(*literal),
            Shape::Union(union) => union.members.iter().for_each(|member| self.collect(member)),
            Shape::Array(array) => {
                self.array = true;
                self.collect(array.element);
            }
            Shape::Tuple(tuple) => {
                self.array = true;
                tuple
                    .elements
                    .iter()
                    .for_each(|element| self.collect(&element.shape));
            }
            _ => {}
        }
    }

    fn apply(&self, text: String) -> Json {
        // A string that equals a string literal of the type stays a string, even if it looks like a number, such as
        // "1".
        if self
            .literals
            .iter()
            .any(|literal| matches!(literal, Literal::Text(known) if *known == text))
        {
            return Json::String(text);
        }
        if let Some(number) = coerce_number(&text).filter(|_| self.number) {
            return Json::Number(number);
        }
        if let Some(literal) = self
            .literals
            .iter()
            .find_map(|literal| coerce_literal(*literal, &text))
        {
            return literal;
        }
        match coerce_boolean(&text).filter(|_| self.boolean) {
            Some(value) => Json::Bool(value),
            None => Json::String(text),
        }
    }
}

fn coerce_boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

#[allow(clippy::float_cmp)] // Reason: a literal equals exactly one number.
fn coerce_literal(literal: Literal, text: &str) -> Option<Json> {
    match literal {
        // These literals are strings in JSON, too.
        Literal::Text(_) | Literal::BigInt(_) => None,
        Literal::Number(number) => (coerce_number(text)? == number).then_some(Json::Number(number)),
        Literal::Boolean(value) => (coerce_boolean(text)? == value).then_some(Json::Bool(value)),
    }
}

/// Decodes a key or value of a query. Returns the input unchanged if it has an invalid percent-escape.
pub(crate) fn decode_query_component(piece: &str) -> Cow<'_, str> {
    if !piece.bytes().any(|byte| matches!(byte, b'%' | b'+')) {
        return Cow::Borrowed(piece);
    }
    let spaced = piece.replace('+', " ");
    decode_percent(&spaced).map_or(Cow::Borrowed(piece), |decoded| Cow::Owned(decoded.into_owned()))
}

/// Decodes percent-escapes. Returns `None` if an escape is invalid or the bytes are not UTF-8.
pub(crate) fn decode_percent(text: &str) -> Option<Cow<'_, str>> {
    if !text.contains('%') {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, others)) = rest.split_first() {
        rest = others;
        if *first == b'%' {
            let high = char::from(*rest.first()?).to_digit(16)?;
            let low = char::from(*rest.get(1)?).to_digit(16)?;
            bytes.push(u8::try_from(high * 16 + low).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(*first);
        }
    }
    String::from_utf8(bytes).ok().map(Cow::Owned)
}
