//! Samples of numbers: valid ones, and numbers around the bounds of a type.

use kit_ir::{Constraints, Decimal};
use serde_json::{Number, Value};

/// Greatest integer up to which JavaScript's numbers are exact.
const MAX_SAFE: f64 = 9_007_199_254_740_991.0;

/// Converts a number to JSON without a superfluous fraction: `10`, not `10.0`.
#[allow(clippy::cast_possible_truncation)] // the condition guarantees a whole, exact number
pub(crate) fn json(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE + 1.0 {
        return Value::from(number as i64);
    }
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

/// Returns a valid number. Different values of `nth` give different numbers.
pub(crate) fn sample(rules: &Constraints, nth: usize) -> Option<Value> {
    let step = step(rules);
    #[allow(clippy::cast_precision_loss)] // `nth` is a number of items
    let shift = step * nth as f64;
    let get = |bound: Option<Decimal>| bound.map(Decimal::get);
    let above = get(rules.exclusive_minimum).map(|bound| next(bound, step, 1.0));
    let below = get(rules.exclusive_maximum).map(|bound| next(bound, step, -1.0));
    let least = get(rules.minimum)
        .or(above)
        .map(|bound| (bound / step).ceil() * step);
    [
        Some(step),
        least,
        Some(0.0),
        get(rules.maximum),
        below,
        get(rules.minimum),
    ]
    .into_iter()
    .flatten()
    .flat_map(|start| [start + shift, start - shift])
    .find(|number| satisfies(rules, *number))
    .map(json)
}

/// Returns the distance between two neighbouring valid numbers.
fn step(rules: &Constraints) -> f64 {
    rules.multiple_of.map_or(1.0, Decimal::get)
}

/// Returns the first multiple of `step` beyond `bound`; `direction` is 1 for upwards and -1 for downwards.
fn next(bound: f64, step: f64, direction: f64) -> f64 {
    let candidate = if direction > 0.0 {
        (bound / step).floor() * step + step
    } else {
        (bound / step).ceil() * step - step
    };
    if candidate.is_finite() { candidate } else { bound }
}

/// Returns true if the number satisfies all rules.
pub(crate) fn satisfies(rules: &Constraints, number: f64) -> bool {
    let get = |bound: Option<Decimal>| bound.map(Decimal::get);
    number.is_finite()
        && get(rules.minimum).is_none_or(|bound| number >= bound)
        && get(rules.maximum).is_none_or(|bound| number <= bound)
        && get(rules.exclusive_minimum).is_none_or(|bound| number > bound)
        && get(rules.exclusive_maximum).is_none_or(|bound| number < bound)
        && (!rules.integer || (number.fract() == 0.0 && number.abs() <= MAX_SAFE))
        && get(rules.multiple_of).is_none_or(|divisor| is_multiple(number, divisor))
}

/// Returns true if the number is a multiple of `divisor`. Accepts the small errors of decimal fractions such as 0.1, as
/// the runtimes do.
fn is_multiple(number: f64, divisor: f64) -> bool {
    let quotient = number / divisor;
    (quotient - quotient.round()).abs() < 1e-9
}

/// Returns numbers around the bounds, each with a description. [`satisfies`] decides which of them are valid.
pub(crate) fn boundary_numbers(rules: &Constraints) -> Vec<(String, f64)> {
    let step = step(rules);
    let is_stepped = rules.integer || rules.multiple_of.is_some();
    let mut found: Vec<(String, f64)> = Vec::new();
    let mut add = |what: String, number: f64| {
        let is_new = !found.iter().any(|(_, other)| (other - number).abs() == 0.0);
        if is_new && number.is_finite() {
            found.push((what, number));
        }
    };
    if let Some(bound) = rules.minimum {
        let at = bound.get();
        add(format!("{bound} (minimum)"), at);
        // If the bound is not a multiple of the step, the next multiple satisfies the rule, and the previous one breaks
        // it.
        let (least, below) = if !is_stepped || is_multiple(at, step) {
            (at, at - step)
        } else {
            ((at / step).ceil() * step, next(at, step, -1.0))
        };
        add(format!("{least} (smallest value, minimum {bound})"), least);
        add(format!("{below} (minimum {bound})"), below);
    }
    if let Some(bound) = rules.maximum {
        let at = bound.get();
        add(format!("{bound} (maximum)"), at);
        let (greatest, above) = if !is_stepped || is_multiple(at, step) {
            (at, at + step)
        } else {
            ((at / step).floor() * step, next(at, step, 1.0))
        };
        add(format!("{greatest} (greatest value, maximum {bound})"), greatest);
        add(format!("{above} (maximum {bound})"), above);
    }
    if let Some(bound) = rules.exclusive_minimum {
        add(format!("{bound} (exclusive minimum)"), bound.get());
        let above = next(bound.get(), step, 1.0);
        add(format!("{above} (exclusive minimum {bound})"), above);
    }
    if let Some(bound) = rules.exclusive_maximum {
        add(format!("{bound} (exclusive maximum)"), bound.get());
        let below = next(bound.get(), step, -1.0);
        add(format!("{below} (exclusive maximum {bound})"), below);
    }
    let middle = sample(rules, 0).and_then(|value| value.as_f64()).unwrap_or(0.0);
    if rules.integer {
        add(format!("{} (not an integer)", middle + 0.5), middle + 0.5);
        // Add an integer beyond the exact range, if the bounds allow it.
        add("2^53 (not a safe integer)".to_owned(), MAX_SAFE + 1.0);
        add("-2^53 (not a safe integer)".to_owned(), -MAX_SAFE - 1.0);
    }
    if let Some(divisor) = rules.multiple_of {
        let between = middle + if rules.integer { 1.0 } else { divisor.get() / 2.0 };
        add(format!("{between} (not a multiple of {divisor})"), between);
    }
    found
}
