//! Numbers in the format of JavaScript.

/// Formats a finite number like JavaScript: the shortest text that parses to the same number. `-0` is `0`.
///
/// ```
/// use kit_runtime::json::number_text;
///
/// assert_eq!(number_text(1.0), "1");
/// assert_eq!(number_text(1e21), "1e+21");
/// assert_eq!(number_text(1.5e-7), "1.5e-7");
/// ```
pub fn number_text(number: f64) -> String {
    if number == 0.0 {
        return "0".to_owned();
    }
    let sign = if number < 0.0 { "-" } else { "" };
    let (digits, exponent) = shortest(number.abs());
    let length = i32::try_from(digits.len()).unwrap_or(0);
    let at = |place: i32| usize::try_from(place).unwrap_or(0);
    match exponent {
        // `123`, `1230`
        0..21 if length <= exponent + 1 => format!("{sign}{digits}{}", "0".repeat(at(exponent + 1 - length))),
        // `1.23`
        0..21 => format!(
            "{sign}{}.{}",
            &digits[..at(exponent + 1)],
            &digits[at(exponent + 1)..]
        ),
        // `0.00123`
        -6..0 => format!("{sign}0.{}{digits}", "0".repeat(at(-exponent - 1))),
        // `1.23e-7`
        _ => {
            let point = if length > 1 { "." } else { "" };
            let plus = if exponent > 0 { "+" } else { "" };
            format!("{sign}{}{point}{}e{plus}{exponent}", &digits[..1], &digits[1..])
        }
    }
}

/// Returns the digits of the shortest text that parses to a positive number, and the exponent of the first digit: 250
/// gives `("25", 2)`.
fn shortest(number: f64) -> (String, i32) {
    let (digits, exponent) = scientific(&format!("{number:e}"));
    // If two shortest texts are equally near to the number, JavaScript uses the one with the even last digit. Both
    // have at least 15 digits, because texts with fewer digits parse to different numbers.
    let is_odd = digits.bytes().last().is_some_and(|digit| digit % 2 == 1);
    if digits.len() >= 15 && is_odd {
        if let Some(even) = even_neighbour(number, &digits, exponent) {
            return (even, exponent);
        }
    }
    (digits, exponent)
}

/// Returns the decimal next to `digits` whose last digit is even, if it is as near to the number as `digits`.
/// Returns `None` if `digits` are nearer.
fn even_neighbour(number: f64, digits: &str, exponent: i32) -> Option<String> {
    // If the number is halfway between both, its exact digits continue with a 5 and then only zeros.
    let (exact, _) = scientific(&format!("{number:.precision$e}", precision = digits.len() + 24));
    let (below, rest) = exact.split_at(digits.len());
    if !rest.starts_with('5') || rest[1..].bytes().any(|digit| digit != b'0') {
        return None;
    }
    let below: u64 = below.parse().ok()?;
    let even = (below + below % 2).to_string();
    let is_same = format!("0.{even}e{}", exponent + 1).parse() == Ok(number);
    (is_same && even.len() == digits.len() && !even.ends_with('0')).then_some(even)
}

/// Splits a number in Rust's scientific form into its digits and its exponent: `1.25e-7` gives `("125", -7)`.
fn scientific(text: &str) -> (String, i32) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    (mantissa.replace('.', ""), exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::number_text;

    #[test]
    fn formats_numbers_like_javascript() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5e-324, "5e-324"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (1.5e20, "150000000000000000000"),
            (1e21, "1e+21"),
            (-1.5e-7, "-1.5e-7"),
            (-120.0, "-120"),
            // The texts that end in .62 and .63 are equally near.
            (71_884_464_502_738.62, "71884464502738.62"),
            (-0.000_012_5, "-0.0000125"),
            (-1234.5, "-1234.5"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
