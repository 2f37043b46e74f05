//! Checks the rules of scalar values and of arrays.

use std::cmp::Ordering;
use std::collections::HashSet;

use crate::bigint::BigInt;
use crate::bytes::is_base64;
use crate::format::{is_calendar_date, is_email, is_ipv4, is_ipv6, is_uri, is_uuid};
use crate::json::{Json, number_text, quoted};
use crate::shape::{Array, Format, Literal, MAX_DEPTH, Number, Shape, Text};
use crate::timestamp::{is_date_time, is_timestamp};

/// Returns true if a string fits a scalar shape.
pub(super) fn fits_text_shape(shape: &Shape, text: &str) -> bool {
    match shape {
        Shape::Text(rules) => satisfies_text_rules(rules, text),
        Shape::Date => is_timestamp(text),
        Shape::Literal(Literal::Text(literal)) => *literal == text,
        Shape::Null | Shape::Boolean | Shape::Number(_) => false,
        _ => fits_scalar_shape(shape, &Json::String(text.to_owned())),
    }
}

/// Returns true if a value fits a scalar shape.
pub(super) fn fits_scalar_shape(shape: &Shape, value: &Json) -> bool {
    match (shape, value) {
        (_, Json::TooDeep) => false,
        (Shape::Unknown, value) => is_within(value, MAX_DEPTH),
        (Shape::Null, Json::Null) | (Shape::Boolean, Json::Bool(_)) => true,
        (Shape::Date, Json::String(text)) => is_timestamp(text),
        (Shape::Bytes, Json::String(text)) => is_base64(text),
        (Shape::Text(rules), Json::String(text)) => satisfies_text_rules(rules, text),
        (Shape::Number(rules), Json::Number(number)) => {
            number.is_finite() && satisfies_number_rules(rules, *number)
        }
        (Shape::BigInt(rules), value) => {
            bigint(value).is_some_and(|number| satisfies_bigint_rules(rules, &number))
        }
        (Shape::Literal(literal), value) => is_literal(*literal, value),
        _ => false,
    }
}

/// Returns true if a value contains at most `levels` nested levels of arrays and objects.
fn is_within(value: &Json, levels: usize) -> bool {
    match value {
        Json::Array(items) => levels > 0 && items.iter().all(|item| is_within(item, levels - 1)),
        Json::Object(members) => levels > 0 && members.values().all(|item| is_within(item, levels - 1)),
        Json::TooDeep => false,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

/// Returns true if a value equals the literal.
#[allow(clippy::float_cmp)] // Reason: a literal equals exactly one number.
pub(super) fn is_literal(literal: Literal, value: &Json) -> bool {
    match (literal, value) {
        (Literal::Text(literal), Json::String(text)) => literal == text,
        (Literal::Number(literal), Json::Number(number)) => literal == *number,
        (Literal::Boolean(literal), Json::Bool(value)) => literal == *value,
        (Literal::BigInt(digits), value) => bigint(value).is_some_and(|number| number.to_string() == digits),
        _ => false,
    }
}

/// Reads a bigint from JSON: from a string of digits, or from a number that a double represents exactly.
pub(super) fn bigint(value: &Json) -> Option<BigInt> {
    match value {
        Json::String(text) => BigInt::read(text),
        Json::Number(number) => BigInt::exact(*number),
        _ => None,
    }
}

fn satisfies_bigint_rules(rules: &Number, number: &BigInt) -> bool {
    let is = |bound: Option<f64>, orders: &[Ordering]| {
        bound.is_none_or(|bound| orders.contains(&number.compare(bound)))
    };
    is(rules.minimum, &[Ordering::Greater, Ordering::Equal])
        && is(rules.maximum, &[Ordering::Less, Ordering::Equal])
        && is(rules.exclusive_minimum, &[Ordering::Greater])
        && is(rules.exclusive_maximum, &[Ordering::Less])
        && rules
            .multiple_of
            .is_none_or(|step| is_bigint_multiple_of(number, step))
}

/// Returns true if an integer is a multiple of a step, calculated in decimal.
pub(super) fn is_bigint_multiple_of(number: &BigInt, step: f64) -> bool {
    let (digits, exponent) = decimal(step);
    number.is_multiple_of(digits, exponent)
}

fn satisfies_text_rules(rules: &Text, text: &str) -> bool {
    has_length(
        text,
        rules.min_length.unwrap_or(0),
        rules.max_length.unwrap_or(usize::MAX),
    ) && rules.template.is_none_or(|template| template.is_match(text))
        && rules.format.is_none_or(|format| has_format(format, text))
        && rules.pattern.is_none_or(|pattern| pattern.is_match(text))
}

/// Returns true if a string has between `min` and `max` characters. Counts the characters only if the number
/// of bytes does not decide already: n bytes of UTF-8 are at least n / 4 and at most n characters.
fn has_length(text: &str, min: usize, max: usize) -> bool {
    let bytes = text.len();
    if bytes < min || bytes.div_ceil(4) > max {
        return false;
    }
    if bytes.div_ceil(4) >= min && bytes <= max {
        return true;
    }
    (min..=max).contains(&text.chars().count())
}

/// Returns true if a string has the format.
pub fn has_format(format: Format, text: &str) -> bool {
    match format {
        Format::Email => is_email(text),
        Format::Uri => is_uri(text),
        Format::Uuid => is_uuid(text),
        Format::Date => is_calendar_date(text),
        Format::DateTime => is_date_time(text),
        Format::Ipv4 => is_ipv4(text),
        Format::Ipv6 => is_ipv6(text),
    }
}

fn satisfies_number_rules(rules: &Number, number: f64) -> bool {
    (!rules.integer || is_safe_integer(number))
        && rules.minimum.is_none_or(|minimum| number >= minimum)
        && rules.maximum.is_none_or(|maximum| number <= maximum)
        && rules.exclusive_minimum.is_none_or(|bound| number > bound)
        && rules.exclusive_maximum.is_none_or(|bound| number < bound)
        && rules.multiple_of.is_none_or(|step| is_multiple_of(number, step))
}

/// Largest integer up to which a double represents every integer: 2^53 - 1.
pub(super) const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

fn is_safe_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= MAX_SAFE
}

/// Returns true if a number is an integer multiple of `step` in decimal. For example, `0.3` is a multiple of `0.1`,
/// although the quotient of the two doubles is not an integer.
pub(super) fn is_multiple_of(value: f64, step: f64) -> bool {
    if is_safe_integer(value) && is_safe_integer(step) {
        return value % step == 0.0;
    }
    let (mut digits, mut exponent) = decimal(value);
    let (divisor, lowest) = decimal(step);
    // Calculates the remainder of digits * 10^n one digit at a time, because the powers themselves have hundreds of
    // digits.
    if divisor == 0 {
        return false;
    }
    let mut scaled = divisor;
    while lowest > exponent {
        // If the divisor exceeds the range of `u128`, only zero is a multiple.
        let Some(next) = scaled.checked_mul(10) else {
            return digits == 0;
        };
        scaled = next;
        exponent += 1;
    }
    digits %= scaled;
    for _ in lowest..exponent {
        let Some(next) = digits.checked_mul(10) else {
            return false;
        };
        digits = next % scaled;
    }
    digits == 0
}

/// Returns the shortest decimal form of a number as `(digits, exponent)`: 0.25 gives `(25, -2)`.
fn decimal(number: f64) -> (u128, i32) {
    let text = format!("{:e}", number.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}").parse().unwrap_or(0);
    let places = i32::try_from(fraction.len()).unwrap_or(0);
    (digits, exponent.parse::<i32>().unwrap_or(0) - places)
}

/// Returns true if an array satisfies `@minItems`, `@maxItems` and `@uniqueItems`. Does not check its items.
pub(super) fn satisfies_item_rules(rules: &Array, items: &[Json]) -> bool {
    items.len() >= rules.min_items.unwrap_or(0)
        && items.len() <= rules.max_items.unwrap_or(usize::MAX)
        && (!rules.unique_items || has_unique_items(items))
}

/// Returns true if no two items are equal as JSON values; the order of properties does not matter. An item nested
/// deeper than [`MAX_DEPTH`] is not compared, and its array counts as not unique.
pub(super) fn has_unique_items(items: &[Json]) -> bool {
    let mut seen = HashSet::new();
    items.len() < 2
        || items
            .iter()
            .all(|item| canonical(item, 0).is_some_and(|text| seen.insert(text)))
}

/// Returns a string that is the same for all equal values, whatever the order of their properties. Returns `None` if
/// the value is nested too deeply.
fn canonical(value: &Json, depth: usize) -> Option<String> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match value {
        Json::Null => "null".to_owned(),
        Json::Bool(value) => value.to_string(),
        Json::Number(number) => number_text(*number),
        Json::String(text) => quoted(text),
        Json::Array(items) => {
            let items: Option<Vec<_>> = items.iter().map(|item| canonical(item, depth + 1)).collect();
            format!("[{}]", items?.join(","))
        }
        Json::Object(members) => {
            let mut parts: Vec<_> = members.iter().collect();
            parts.sort_by_key(|(key, _)| *key);
            let parts: Option<Vec<_>> = parts
                .into_iter()
                .map(|(key, item)| Some(format!("{}:{}", quoted(key), canonical(item, depth + 1)?)))
                .collect();
            format!("{{{}}}", parts?.join(","))
        }
        Json::TooDeep => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{has_length, is_multiple_of};

    #[test]
    fn finds_multiples_of_decimal_steps_without_rounding() {
        for (value, step, expected) in [
            (0.3, 0.1, true),
            (19.99, 0.01, true),
            (0.015, 0.01, false),
            (1e21, 0.01, true),
            (1e-7, 1e-8, true),
            (5.0, 2.5, true),
            (-0.3, 0.1, true),
            (1e308, 1e-300, true),
            (3e-10, 2e300, false),
        ] {
            assert_eq!(is_multiple_of(value, step), expected, "{value} of {step}");
        }
    }

    #[test]
    fn limits_the_length_of_strings_in_characters_and_not_in_bytes() {
        assert!(has_length("😀😀😀", 3, 3) && !has_length("😀😀😀", 4, 9) && !has_length("😀😀😀", 0, 2));
        assert!(has_length("", 0, 0) && !has_length("", 1, 2) && has_length("abc", 3, 3));
    }
}
