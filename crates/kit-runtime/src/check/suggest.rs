//! Suggestions for fixing a value that does not fit.

use super::has_format;
use crate::coerce::coerce_number;
use crate::format::too_long_part;
use crate::json::{Json, number_text, quoted};
use crate::shape::{Format, Literal, Number, Shape, Text, count};

/// Returns a suggestion for an invalid value. Returns `None` if `expected` of the failure already says
/// everything.
pub(super) fn suggest(shape: &'static Shape, value: &Json) -> Option<String> {
    match shape.resolve() {
        // A template literal type gets no suggestion, because following the rule alone would not make the string fit.
        Shape::Text(rules) if rules.template.is_none() => suggest_text(rules, value),
        Shape::Number(rules) => suggest_number(rules, value),
        Shape::Boolean => {
            let is_quoted = matches!(value, Json::String(text) if text == "true" || text == "false");
            is_quoted.then(|| "write it without quotes".to_owned())
        }
        Shape::Date => Some(format!("write it like \"{}\"", Format::DateTime.example())),
        Shape::Union(union) => suggest_member(union.members.iter(), value),
        _ => None,
    }
}

fn suggest_text(rules: &Text, value: &Json) -> Option<String> {
    let text = match value {
        Json::Number(_) | Json::Bool(_) => return Some("write it in quotes".to_owned()),
        Json::String(text) => text,
        _ => return None,
    };
    let length = text.chars().count();
    if let Some(min) = rules.min_length.filter(|min| length < *min) {
        return Some(format!(
            "make it at least {} longer",
            count(min - length, "character")
        ));
    }
    if let Some(max) = rules.max_length.filter(|max| length > *max) {
        return Some(format!(
            "make it at least {} shorter",
            count(length - max, "character")
        ));
    }
    let format = rules.format.filter(|format| !has_format(*format, text))?;
    let too_long = (format == Format::Email).then(|| too_long_part(text)).flatten();
    Some(too_long.unwrap_or_else(|| format!("write it like \"{}\"", format.example())))
}

fn suggest_number(rules: &Number, value: &Json) -> Option<String> {
    let number = match value {
        Json::String(text) => {
            return coerce_number(text).map(|_| "write it without quotes".to_owned());
        }
        Json::Number(number) => *number,
        _ => return None,
    };
    if rules.integer && number.fract() != 0.0 {
        return Some("use an integer".to_owned());
    }
    if let Some(minimum) = rules.minimum.filter(|minimum| number < *minimum) {
        return Some(format!("use {} or more", number_text(minimum)));
    }
    let maximum = rules.maximum.filter(|maximum| number > *maximum)?;
    Some(format!("use {} or less", number_text(maximum)))
}

/// Returns the suggestion for a value that fits none of these shapes.
pub(super) fn suggest_one_of(shapes: &[&'static Shape], value: &Json) -> Option<String> {
    suggest_member(shapes.iter().copied(), value)
}

/// Returns the literal that the client probably meant. Otherwise, if exactly one member has a suggestion,
/// returns this suggestion.
fn suggest_member(members: impl Iterator<Item = &'static Shape> + Clone, value: &Json) -> Option<String> {
    if let Json::String(text) = value {
        let texts = members.clone().filter_map(|member| match member.resolve() {
            Shape::Literal(Literal::Text(text)) => Some(*text),
            _ => None,
        });
        if let Some(near) = closest(text, texts) {
            return Some(format!("did you mean {}?", quoted(near)));
        }
    }
    let mut advice = members.filter_map(|member| suggest(member, value));
    let only = advice.next()?;
    advice.next().is_none().then_some(only)
}

/// Returns the suggestion for a missing property. If the value has a similar key, which is probably
/// misspelled, the suggestion names this key.
pub(super) fn suggest_missing<'a>(key: &str, others: impl Iterator<Item = &'a str>) -> String {
    let add = format!("add {}", quoted(key));
    match closest(key, others) {
        Some(near) => format!("{add}; the object has a similar key {}", quoted(near)),
        None => add,
    }
}

/// Maximum length of strings that are compared, in UTF-16 code units, because the time grows with the product of both
/// lengths.
const LONGEST: usize = 64;

/// Returns the candidate with the smallest edit distance, ignoring case. The distance must be at most a third of the
/// candidate's length.
pub(crate) fn closest<'a>(text: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let units = |text: &str| text.encode_utf16().collect::<Vec<u16>>();
    let length = units(text).len();
    if length > LONGEST {
        return None;
    }
    let lowered = units(&text.to_lowercase());
    let mut best: Option<(&str, usize)> = None;
    for candidate in candidates {
        let letters = units(candidate).len();
        let most = match best {
            Some((_, 0)) => break,
            Some((_, distance)) => (letters / 3).min(distance - 1),
            None => letters / 3,
        };
        if letters > LONGEST || letters.abs_diff(length) > most {
            continue;
        }
        let distance = edit_distance(&lowered, &units(&candidate.to_lowercase()));
        if distance <= most {
            best = Some((candidate, distance));
        }
    }
    best.map(|(candidate, _)| candidate)
}

/// Returns the Levenshtein distance of two strings: the number of code units to change.
fn edit_distance(from: &[u16], to: &[u16]) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (above, letter) in from.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = above + 1;
        for (column, other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(row[column + 1] + 1).min(row[column] + 1);
        }
    }
    row[to.len()]
}
