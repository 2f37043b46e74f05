//! Decimal numbers as text, which are compared without rounding. `packages/core/src/codec/decimal.ts` implements the same in
//! TypeScript.

use std::cmp::Ordering;

/// Maximum number of digits on each side of the point. Decimal numbers with bounds have fewer.
const MAX_DIGITS: usize = 40;

/// A decimal number: true if it is negative, and its digits before and after the point, without needless zeros.
type Parts<'t> = (bool, &'t str, &'t str);

/// Compares two decimal numbers. Returns `None` if a text is not a number with at most 40 digits on each side of the point.
pub(crate) fn compare_decimals(one: &str, other: &str) -> Option<Ordering> {
    let (one, other) = (parts(one)?, parts(other)?);
    let magnitudes = (one.1.len(), one.1, one.2).cmp(&(other.1.len(), other.1, other.2));
    Some(match (one.0, other.0) {
        (false, false) => magnitudes,
        (true, true) => magnitudes.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    })
}

fn parts(text: &str) -> Option<Parts<'_>> {
    let are_digits = |digits: &str| {
        (1..=MAX_DIGITS).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let number = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = match number.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (number, None),
    };
    if !are_digits(whole) || !fraction.is_none_or(are_digits) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.unwrap_or_default().trim_end_matches('0');
    let is_zero = whole.is_empty() && fraction.is_empty();
    Some((number.len() < text.len() && !is_zero, whole, fraction))
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering::{Equal, Greater, Less};

    use super::compare_decimals;

    #[test]
    fn compares_decimal_numbers_without_rounding() {
        for (one, other, expected) in [
            ("0.50", "0.5", Equal),
            ("-0", "0.00", Equal),
            ("9.5", "10", Less),
            ("0.49", "0.5", Less),
            ("-2", "-1.5", Less),
            ("-1", "0", Less),
            ("007", "7.0", Equal),
            ("9007199254740993.1", "9007199254740993", Greater),
        ] {
            assert_eq!(compare_decimals(one, other), Some(expected), "{one} {other}");
            assert_eq!(
                compare_decimals(other, one),
                Some(expected.reverse()),
                "{other} {one}"
            );
        }
    }

    #[test]
    fn refuses_texts_that_are_no_decimal_numbers() {
        let long = "1".repeat(41);
        for text in ["", "-", "1.", ".5", "1e3", "+1", "1.2.3", " 1", "1,5", &long] {
            assert_eq!(compare_decimals(text, "1"), None, "{text}");
        }
    }
}
