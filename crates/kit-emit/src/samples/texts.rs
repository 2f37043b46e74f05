//! Texts of every length and format.

use heck::ToSnakeCase;
use kit_ir::{Constraints, Format, LONGEST_FORMATTED_EMAIL};

/// Longer texts are not sent: a body has its own bound.
const LONGEST: usize = 200_000;

/// What long texts are made of.
const LETTER: &str = "a";

/// A valid text, another one for each `nth`.
pub(crate) fn sample(rules: &Constraints, hint: &str, nth: usize) -> Option<String> {
    let least = usize::try_from(rules.min_length.unwrap_or(0)).ok()?;
    let most = rules
        .longest()
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
        // Longer ones differ.
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
    while text.chars().count() < least {
        text.push_str(LETTER);
    }
    if most.is_some_and(|most| text.chars().count() > most) {
        let most = most?;
        // The end differs.
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

/// A text of exactly that length that keeps format and pattern; nothing where there is none.
pub(crate) fn exact(rules: &Constraints, length: u64) -> Option<String> {
    let length = usize::try_from(length).ok().filter(|length| *length <= LONGEST)?;
    match (rules.format, &rules.pattern) {
        (Some(format), None) => exact_format(format, length),
        (None, Some(pattern)) => kit_pattern::example(pattern, length, Some(length)),
        (None, None) => Some(LETTER.repeat(length)),
        (Some(_), Some(_)) => None,
    }
}

/// As many characters that each need two units of UTF-16: lengths count characters.
pub(crate) fn wide(rules: &Constraints, length: u64) -> Option<String> {
    let plain = rules.format.is_none() && rules.pattern.is_none();
    let length = usize::try_from(length)
        .ok()
        .filter(|length| (1..=1000).contains(length))?;
    plain.then(|| "🙂".repeat(length))
}

fn of_format(format: Format, nth: usize) -> String {
    match format {
        Format::Email => match nth {
            0 => "ada@example.com".to_owned(),
            _ => format!("ada.{nth}@example.com"),
        },
        Format::Uri => match nth {
            0 => "https://example.com/".to_owned(),
            _ => format!("https://example.com/{nth}"),
        },
        Format::Uuid => format!("123e4567-e89b-42d3-a456-{nth:012x}"),
        Format::Date => format!("{}-01-31", 2026 + nth % 1000),
        Format::DateTime => format!("{}-01-31T12:00:00Z", 2026 + nth % 1000),
        Format::Ipv4 => format!("192.0.{}.{}", 2 + nth / 256 % 200, 1 + nth % 250),
        Format::Ipv6 => format!("2001:db8::{:x}", 1 + nth % 65_000),
    }
}

/// Mailboxes and URIs can have many lengths, the others have one or hardly more.
fn exact_format(format: Format, length: usize) -> Option<String> {
    match format {
        Format::Email => {
            // A mailbox's name has at most 64 characters, a label of its domain 63, the domain 253.
            let rest = length.checked_sub("a@a.com".len())?;
            if length as u64 > LONGEST_FORMATTED_EMAIL {
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

/// Texts that a format refuses, the nearest to it first.
pub(crate) fn breaking(format: Format) -> [&'static str; 2] {
    match format {
        Format::Email => ["ada.example.com", "ada@"],
        Format::Uri => ["example.com/notes", "https://exa mple.com/"],
        Format::Uuid => [
            "123e4567-e89b-42d3-a456-42661417400",
            "123e4567e89b42d3a456426614174000",
        ],
        Format::Date => ["2026-02-30", "31.01.2026"],
        Format::DateTime => ["2026-01-31", "2026-01-31 25:00:00Z"],
        Format::Ipv4 => ["192.0.2.256", "192.0.2"],
        Format::Ipv6 => ["2001:db8:::1", "2001:db8"],
    }
}
