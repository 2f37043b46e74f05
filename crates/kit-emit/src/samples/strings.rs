//! Samples of strings: valid strings, also with a given length.

use heck::ToSnakeCase;
use kit_analysis::samples;
use kit_ir::{Constraints, Format, MAX_EXPLICIT_EMAIL_LENGTH};

/// Maximum length of a sample in characters. A longer one could exceed the maximum size of a body.
const LONGEST: usize = 200_000;

/// Character that fills samples up to their length.
const LETTER: &str = "a";

/// Returns a string that satisfies the rules. Calls with different `nth` return different strings. `hint` is
/// the name of the property.
pub(crate) fn sample(rules: &Constraints, hint: &str, nth: usize) -> Option<String> {
    if rules.digits.is_some() {
        return rules.decimal_example(nth);
    }
    let least = usize::try_from(rules.min_length.unwrap_or(0)).ok()?;
    let most = rules
        .effective_max_length()
        .map(|most| usize::try_from(most).unwrap_or(usize::MAX));
    if let Some(format) = rules.format {
        let text = of_format(format, nth);
        return match text.chars().count() {
            length if length < least => exact_format(format, least),
            length if most.is_some_and(|most| length > most) => exact_format(format, most?),
            _ => Some(text),
        };
    }
    if let Some(pattern) = &rules.pattern {
        // A different length for each `nth` gives different strings.
        return kit_pattern::example(pattern, least + nth, most);
    }
    if least > LONGEST {
        return None;
    }
    let words = hint.to_snake_case().replace('_', " ");
    let mut text = match (words.is_empty(), nth) {
        (true, _) => format!("text {}", nth + 1),
        (false, 0) => words,
        (false, _) => format!("{words} {}", nth + 1),
    };
    text.push_str(&LETTER.repeat(least.saturating_sub(text.chars().count())));
    if most.is_some_and(|most| text.chars().count() > most) {
        let most = most?;
        // Shorten the text at its start: its end contains the number that makes samples differ.
        text = text
            .chars()
            .rev()
            .take(most)
            .collect::<Vec<_>>()
            .into_iter()
            .rev()
            .collect();
    }
    Some(text)
}

/// Returns a string with exactly `length` characters that satisfies the format and the pattern;
/// `None` if none was found.
pub(crate) fn with_length(rules: &Constraints, length: u64) -> Option<String> {
    let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST)?;
    match (rules.format, &rules.pattern) {
        (Some(format), None) => exact_format(format, length),
        (None, Some(pattern)) => kit_pattern::example(pattern, length, Some(length)),
        (None, None) => Some(LETTER.repeat(length)),
        (Some(_), Some(_)) => None,
    }
}

/// Returns a string of `length` characters such as emoji, which are two UTF-16 code units each. A test with
/// the string shows that length rules count characters.
pub(crate) fn astral_characters(rules: &Constraints, length: u64) -> Option<String> {
    let plain = rules.format.is_none() && rules.pattern.is_none();
    let length = usize::try_from(length)
        .ok()
        .filter(|length| (1..=1000).contains(length))?;
    plain.then(|| "🙂".repeat(length))
}

/// Returns a valid string of a format. Calls with different `nth` return different strings.
pub(crate) fn of_format(format: Format, nth: usize) -> String {
    let valid = samples().of_format(format).valid.as_str();
    if nth == 0 {
        return valid.to_owned();
    }
    match format {
        Format::Email => valid.replacen('@', &format!(".{nth}@"), 1),
        Format::Uri => format!("{valid}{nth}"),
        Format::Uuid => format!("{}{nth:012x}", &valid[..valid.len() - 12]),
        Format::Date | Format::DateTime => format!("{}{}", 2026 + nth % 1000, &valid[4..]),
        Format::Ipv4 => format!("192.0.{}.{}", 2 + nth / 256 % 200, 1 + nth % 250),
        Format::Ipv6 => format!("2001:db8::{:x}", 1 + nth % 65_000),
    }
}

/// Returns a string with a format and an exact length. Only emails and URIs can have different
/// lengths.
fn exact_format(format: Format, length: usize) -> Option<String> {
    match format {
        Format::Email => {
            // The local part has at most 64 characters, a label of the domain 63, and the domain 253.
            let rest = length.checked_sub("a@a.com".len())?;
            if length as u64 > MAX_EXPLICIT_EMAIL_LENGTH {
                return None;
            }
            let local = rest.min(63);
            let mut left = rest - local;
            let mut domain = String::new();
            while left > 0 {
                let label = (left - 1).min(63);
                if label == 0 {
                    return None;
                }
                domain.push_str(&LETTER.repeat(label));
                domain.push('.');
                left -= label + 1;
            }
            Some(format!("{}@{domain}a.com", LETTER.repeat(local + 1)))
        }
        Format::Uri => {
            let start = "https://example.com/";
            let rest = length.checked_sub(start.len())?;
            Some(format!("{start}{}", LETTER.repeat(rest)))
        }
        other => Some(of_format(other, 0)).filter(|text| text.chars().count() == length),
    }
}
