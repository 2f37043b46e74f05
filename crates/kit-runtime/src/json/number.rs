//! Numbers as JavaScript writes them.

/// The text of a finite number: the shortest that is read as the same one, in JavaScript's form. `-0` is `0`.
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
    // Rust's scientific form has the same, shortest digits: `-1.25e-7`.
    let text = format!("{number:e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return text;
    };
    let Ok(exponent) = exponent.parse::<i32>() else {
        return text;
    };
    if !(-7..21).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{}", exponent.abs());
    }
    if (-6..21).contains(&exponent) {
        return format!("{number}");
    }
    format!("{mantissa}e-{}", exponent.abs())
}

#[cfg(test)]
mod tests {
    use super::number_text;

    #[test]
    fn numbers_are_written_as_javascript_does() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (5e-324, "5e-324"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (1.5e20, "150000000000000000000"),
            (1e21, "1e+21"),
            (-1234.5, "-1234.5"),
            (1.797_693_134_862_315_7e308, "1.7976931348623157e+308"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }
}
