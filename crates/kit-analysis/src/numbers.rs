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
