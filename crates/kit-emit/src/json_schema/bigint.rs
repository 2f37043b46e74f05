//! JSON Schema of `bigint`, which is a string of digits on the wire.

use kit_ir::Constraints;

/// Returns a pattern for the digits. If the bigint is a database column, the pattern only matches numbers that fit into 64
/// bits.
pub(super) fn pattern(constraints: &Constraints) -> String {
    if !constraints.is_bigint_column() {
        return "^-?[0-9]+$".to_owned();
    }
    let greatest = i64::MAX.to_string();
    // A number up to the greatest one has either fewer digits, or as many digits with a smaller one at the first difference.
    let mut below = vec![format!("[0-9]{{1,{}}}", greatest.len() - 1)];
    for (at, digit) in greatest.bytes().enumerate() {
        let same = &greatest[..at];
        let rest = match greatest.len() - at - 1 {
            0 => String::new(),
            1 => "[0-9]".to_owned(),
            more => format!("[0-9]{{{more}}}"),
        };
        match digit {
            b'0' => {}
            b'1' => below.push(format!("{same}0{rest}")),
            digit => below.push(format!("{same}[0-{}]{rest}", char::from(digit - 1))),
        }
    }
    let least = i64::MIN.unsigned_abs();
    format!("^(?:-?0*(?:{}|{greatest})|-0*{least})$", below.join("|"))
}

/// Returns the bounds of a bigint as text for a description, because JSON Schema has no keyword for the
/// bounds of a string of digits.
pub(super) fn rules(constraints: &Constraints) -> Option<String> {
    if constraints.is_bigint_column() {
        return Some(format!("Integer from {} to {}.", i64::MIN, i64::MAX));
    }
    let rules: Vec<_> = [
        ("at least", constraints.minimum),
        ("at most", constraints.maximum),
        ("greater than", constraints.exclusive_minimum),
        ("less than", constraints.exclusive_maximum),
        ("a multiple of", constraints.multiple_of),
    ]
    .into_iter()
    .filter_map(|(words, bound)| Some(format!("{words} {}", bound?)))
    .collect();
    (!rules.is_empty()).then(|| format!("Integer, {}.", rules.join(", ")))
}
