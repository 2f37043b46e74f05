//! Draws numbers within their bounds.

use serde_json::Value;

use super::Random;
use crate::shape::Number;

/// Bounds of numbers that have none.
const USUAL: f64 = 1000.0;

/// Largest integer that each number in JSON represents exactly: 2^53 - 1.
const LARGEST: f64 = 9_007_199_254_740_991.0;

/// Draws a number. Bounds are drawn more often than other numbers.
pub(super) fn number(rules: &Number, random: &mut Random) -> Option<Value> {
    json_number(drawn(rules, rules.integer, random))
}

/// Draws an integer as the text of its digits.
pub(super) fn bigint(rules: &Number, random: &mut Random) -> Option<Value> {
    let drawn = drawn(rules, true, random);
    Some(json_number(drawn)?.to_string().into())
}

fn drawn(rules: &Number, is_integer: bool, random: &mut Random) -> f64 {
    let step = rules.multiple_of.or(is_integer.then_some(1.0));
    // The nearest number within an exclusive bound.
    let inside = step.unwrap_or(0.01);
    let least = rules
        .minimum
        .or(rules.exclusive_minimum.map(|bound| bound + inside));
    let most = rules
        .maximum
        .or(rules.exclusive_maximum.map(|bound| bound - inside));
    let (least, most) = match (least, most) {
        (Some(least), Some(most)) => (least, most),
        (Some(least), None) => (least, least + USUAL),
        (None, Some(most)) => (most - USUAL, most),
        (None, None) => (-USUAL, USUAL),
    };
    let (least, most) = (least.max(-LARGEST), most.min(LARGEST));
    let fraction = match random.below(6) {
        0 => 0.0,
        1 => 1.0,
        _ => fraction(random),
    };
    let between = least + (most - least) * fraction;
    match step {
        None => between,
        Some(step) => {
            let rounded = (between / step).round() * step;
            // A bound need not be a multiple.
            if rounded < least {
                rounded + step
            } else if rounded > most {
                rounded - step
            } else {
                rounded
            }
        }
    }
}

/// Returns a number from 0 to 1.
fn fraction(random: &mut Random) -> f64 {
    let bits = u32::try_from(random.next() >> 32).unwrap_or_default();
    f64::from(bits) / f64::from(u32::MAX)
}

/// Returns a number as JSON. An integer has no decimal point.
#[allow(clippy::cast_possible_truncation)] // Reason: the number is an integer within 64 bits.
pub(super) fn json_number(number: f64) -> Option<Value> {
    if number.fract() == 0.0 && number.abs() <= LARGEST {
        return Some(Value::from(number as i64));
    }
    serde_json::Number::from_f64(number).map(Value::Number)
}

#[cfg(test)]
mod tests {
    use super::{Random, bigint, number};
    use crate::check::explain;
    use crate::json::parse;
    use crate::shape::{Number, Shape};

    #[test]
    fn draws_numbers_within_their_bounds_and_the_bounds_themselves() {
        const INTEGER: Number = Number {
            minimum: Some(1.0),
            maximum: Some(9.0),
            ..Number::INTEGER
        };
        const STEPS: Number = Number {
            exclusive_minimum: Some(0.0),
            maximum: Some(2.5),
            multiple_of: Some(0.5),
            ..Number::ANY
        };
        const SHAPES: &[Shape] = &[Shape::Number(INTEGER), Shape::Number(STEPS)];
        let mut random = Random::new(1, "numbers");
        for (shape, rules, bounds) in [
            (&SHAPES[0], INTEGER, ["1", "9"]),
            (&SHAPES[1], STEPS, ["0.5", "2.5"]),
        ] {
            let mut drawn = Vec::new();
            for _ in 0..100 {
                let text = number(&rules, &mut random).expect("a number").to_string();
                assert_eq!(explain(shape, &parse(&text).expect("JSON")), [], "{text}");
                drawn.push(text);
            }
            for bound in bounds {
                assert!(drawn.iter().any(|text| text == bound), "{bound} of {drawn:?}");
            }
        }
    }

    #[test]
    fn a_bigint_is_a_text_of_digits() {
        let drawn = bigint(&Number::ANY, &mut Random::new(1, "bigint")).expect("a number");
        assert!(
            drawn.as_str().is_some_and(|text| text.parse::<i64>().is_ok()),
            "{drawn}"
        );
    }
}
