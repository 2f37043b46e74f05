//! Rules of numbers: the rules that a number breaks, and numbers that probably satisfy all rules.

use kit_ir::{Constraints, Decimal};
use serde_json::{Number, Value};

/// Greatest safe integer of JavaScript, 2^53 - 1: an `f64` represents it and all smaller positive integers
/// exactly.
pub const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Returns a number as JSON: `10`, not `10.0`.
#[allow(clippy::cast_possible_truncation)] // the number is an integer and exact
pub fn json(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE + 1.0 {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Returns the names of the rules that a number breaks.
///
/// ```
/// use kit_analysis::numbers::broken_rules;
/// use kit_ir::{Constraints, Decimal};
///
/// let rules = Constraints { minimum: Decimal::new(1.0), integer: true, ..Constraints::default() };
/// assert_eq!(broken_rules(&rules, 0.5), ["minimum", "integer"]);
/// ```
pub fn broken_rules(rules: &Constraints, number: f64) -> Vec<&'static str> {
    let breaks = |bound: Option<Decimal>, keeps: fn(&f64, &f64) -> bool| {
        bound.is_some_and(|bound| !keeps(&number, &bound.get()))
    };
    [
        ("minimum", breaks(rules.minimum, f64::ge)),
        ("maximum", breaks(rules.maximum, f64::le)),
        ("exclusiveMinimum", breaks(rules.exclusive_minimum, f64::gt)),
        ("exclusiveMaximum", breaks(rules.exclusive_maximum, f64::lt)),
        ("integer", rules.integer && !is_safe_integer(number)),
        ("multipleOf", breaks(rules.multiple_of, is_multiple)),
    ]
    .into_iter()
    .filter_map(|(rule, is_broken)| is_broken.then_some(rule))
    .collect()
}

/// Returns true if JavaScript converts a text to a finite number, which TypeScript requires for `${number}`: `1`, ` 1.5e3 `,
/// `.5`, `+1`, `0x1f`.
///
/// ```
/// use kit_analysis::numbers::is_number_text;
///
/// assert!(is_number_text(" 0x1f"));
/// assert!(!is_number_text("1e999"));
/// ```
pub fn is_number_text(text: &str) -> bool {
    let trimmed = text.trim_matches(is_space);
    if trimmed.is_empty() {
        // JavaScript converts a text of spaces to 0. TypeScript makes an exception of the empty text.
        return !text.is_empty();
    }
    let of_radix = match trimmed.get(..2) {
        Some("0x" | "0X") => Some(16),
        Some("0o" | "0O") => Some(8),
        Some("0b" | "0B") => Some(2),
        _ => None,
    };
    if let Some(radix) = of_radix {
        return is_finite_in_radix(&trimmed[2..], radix);
    }
    // `parse` also takes names, such as `inf` and `NaN`.
    let has_no_names = trimmed
        .bytes()
        .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    has_no_names && trimmed.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Returns true if a text consists of digits of a radix, and the number is within the range of doubles.
fn is_finite_in_radix(digits: &str, radix: u32) -> bool {
    let number = digits.chars().try_fold(0.0, |number: f64, digit| {
        Some(number.mul_add(f64::from(radix), f64::from(digit.to_digit(radix)?)))
    });
    !digits.is_empty() && number.is_some_and(f64::is_finite)
}

/// Returns true for the characters that JavaScript ignores before and after a number.
pub(crate) fn is_space(character: char) -> bool {
    // Only Rust counts U+0085 as white space, and only JavaScript U+FEFF.
    (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}'
}

/// Returns numbers that probably satisfy all rules, the simplest number first.
pub fn candidates(rules: &Constraints) -> Vec<f64> {
    let step = step(rules);
    let get = |bound: Option<Decimal>| bound.map(Decimal::get);
    let (minimum, maximum) = (get(rules.minimum), get(rules.maximum));
    let (over, under) = (get(rules.exclusive_minimum), get(rules.exclusive_maximum));
    let least = minimum
        .map(|bound| first_multiple(bound, step))
        .or(over.map(|bound| multiple_above(bound, step)));
    let below = under.map(|bound| multiple_below(bound, step));
    let between = minimum.or(over).zip(maximum.or(under));
    let middle = between.map(|(low, high)| low / 2.0 + high / 2.0);
    let found = [Some(step), least, Some(0.0), maximum, below, minimum, middle];
    found
        .into_iter()
        .flatten()
        .filter(|number| number.is_finite())
        .collect()
}

/// Returns the distance between two neighbouring valid numbers.
pub fn step(rules: &Constraints) -> f64 {
    rules.multiple_of.map_or(1.0, Decimal::get)
}

/// Returns the first multiple of `step` that is at least `bound`.
pub fn first_multiple(bound: f64, step: f64) -> f64 {
    times(count(bound, step).ceil(), step)
}

/// Returns the last multiple of `step` that is at most `bound`.
pub fn last_multiple(bound: f64, step: f64) -> f64 {
    times(count(bound, step).floor(), step)
}

/// Returns the first multiple of `step` that is greater than `bound`.
pub fn multiple_above(bound: f64, step: f64) -> f64 {
    times(count(bound, step).floor() + 1.0, step)
}

/// Returns the last multiple of `step` that is less than `bound`.
pub fn multiple_below(bound: f64, step: f64) -> f64 {
    times(count(bound, step).ceil() - 1.0, step)
}

/// Returns `number / step`, without the error of the division if the number is a multiple.
fn count(number: f64, step: f64) -> f64 {
    let count = number / step;
    if is_multiple(&number, &step) {
        count.round()
    } else {
        count
    }
}

/// Returns `count * step` with the decimal places of the step: 3 times 0.1 is 0.3.
fn times(count: f64, step: f64) -> f64 {
    let text = step.to_string();
    let places = text.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    let product = count * step;
    // Adding 0 turns -0 into 0.
    format!("{product:.places$}").parse().unwrap_or(product) + 0.0
}

fn is_safe_integer(number: f64) -> bool {
    number.fract() == 0.0 && number.abs() <= MAX_SAFE
}

/// Returns true if a number is a multiple of a step in decimal: 0.3 is a multiple of 0.1. If the quotient is too large
/// for an exact result, the function returns true.
#[allow(clippy::trivially_copy_pass_by_ref)] // the type of a comparison
fn is_multiple(number: &f64, step: &f64) -> bool {
    if is_safe_integer(*number) && is_safe_integer(*step) {
        return number % step == 0.0;
    }
    let count = (number / step).round();
    count.abs() > MAX_SAFE || times(count, *step) - number == 0.0
}
