//! Check of strings against template literal types, and examples.

use std::collections::BTreeSet;

use kit_ir::{Program, TemplatePart};

use crate::numbers::{is_number_text, is_space};
use crate::template::{Segment, segments};

/// Returns true if a string fits a template literal type. As in TypeScript, a placeholder ends at the first
/// occurrence of the text after it, and a placeholder directly before another placeholder matches one
/// character. If a placeholder is a union or another template, for which TypeScript has no rule, all
/// divisions of the string are tried.
pub(crate) fn matches(program: &Program, parts: &[TemplatePart], text: &str) -> bool {
    let segments = segments(program, parts);
    match divide(&segments) {
        Some((placeholders, between)) => divided(&placeholders, &between, text),
        None => ends(&segments, text, BTreeSet::from([0])).contains(&text.len()),
    }
}

/// Check of the text of one placeholder.
type Fits = fn(&str) -> bool;

/// Returns a check for each placeholder of a template, and the constant texts before, between and after the
/// placeholders. Returns `None` if the template has no placeholder, or if a placeholder is not a string, a
/// number or a bigint.
fn divide(segments: &[Segment]) -> Option<(Vec<Fits>, Vec<String>)> {
    let (mut placeholders, mut between): (Vec<Fits>, _) = (Vec::new(), vec![String::new()]);
    for segment in segments {
        placeholders.push(match segment {
            Segment::Text(fixed) => {
                between.last_mut()?.push_str(fixed);
                continue;
            }
            Segment::String => |_| true,
            Segment::Number => is_number_text,
            Segment::Integer => is_integer,
            Segment::OneOf(_) => return None,
        });
        between.push(String::new());
    }
    (!placeholders.is_empty()).then_some((placeholders, between))
}

fn divided(placeholders: &[Fits], between: &[String], text: &str) -> bool {
    let (first, last) = (between[0].as_str(), between[placeholders.len()].as_str());
    let Some(mut rest) = text.strip_prefix(first).and_then(|text| text.strip_suffix(last)) else {
        return false;
    };
    for (at, fits) in placeholders.iter().enumerate() {
        let after = between[at + 1].as_str();
        let end = if at + 1 == placeholders.len() {
            return fits(rest);
        } else if after.is_empty() {
            rest.chars().next().map(char::len_utf8)
        } else {
            rest.find(after)
        };
        let Some(end) = end else { return false };
        if !fits(&rest[..end]) {
            return false;
        }
        rest = &rest[end + after.len()..];
    }
    true
}

/// Returns the offsets at which a match of the segments can end if it starts at one of the offsets in
/// `starts`.
fn ends(segments: &[Segment], text: &str, starts: BTreeSet<usize>) -> BTreeSet<usize> {
    segments.iter().fold(starts, |starts, segment| match segment {
        Segment::Text(fixed) => fixed_ends(fixed, text, &starts),
        Segment::String => match starts.first() {
            None => BTreeSet::new(),
            Some(first) => (*first..=text.len())
                .filter(|offset| text.is_char_boundary(*offset))
                .collect(),
        },
        Segment::Number => number_ends(text, &starts, is_number_text),
        Segment::Integer => number_ends(text, &starts, is_integer),
        Segment::OneOf(sequences) => sequences
            .iter()
            .flat_map(|sequence| ends(sequence, text, starts.clone()))
            .collect(),
    })
}

fn fixed_ends(fixed: &str, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
    let follows = |start: &&usize| text[**start..].starts_with(fixed);
    starts
        .iter()
        .filter(follows)
        .map(|start| start + fixed.len())
        .collect()
}

fn number_ends(text: &str, starts: &BTreeSet<usize>, is: fn(&str) -> bool) -> BTreeSet<usize> {
    let part = |character: char| {
        character.is_ascii_hexdigit() || "+-.xXoO".contains(character) || is_space(character)
    };
    let mut found = BTreeSet::new();
    for start in starts {
        let rest = &text[*start..];
        let length = rest.find(|character| !part(character)).unwrap_or(rest.len());
        found.extend(
            (*start..=start + length).filter(|end| text.is_char_boundary(*end) && is(&text[*start..*end])),
        );
    }
    found
}

fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a string that fits a template; `None` if one of its placeholders has no example.
pub(super) fn example(program: &Program, parts: &[TemplatePart]) -> Option<String> {
    example_of(&segments(program, parts))
}

fn example_of(segments: &[Segment]) -> Option<String> {
    segments
        .iter()
        .map(|segment| match segment {
            Segment::Text(fixed) => Some(fixed.clone()),
            Segment::String => Some("a".to_owned()),
            Segment::Number | Segment::Integer => Some("1".to_owned()),
            Segment::OneOf(sequences) => sequences.iter().find_map(|sequence| example_of(sequence)),
        })
        .collect()
}

/// Returns true if `[key: number]` accepts a key: a number as JavaScript prints it. Also returns false for a
/// key with an exponent such as `1e+21`, which is rare. Only validators accept these keys.
pub(crate) fn is_numeric_key(key: &str) -> bool {
    matches!(key, "NaN" | "Infinity" | "-Infinity")
        || (is_number_text(key)
            && !key.contains(['e', 'E'])
            && key
                .parse::<f64>()
                .is_ok_and(|number| format!("{number}") == key && key != "-0"))
}
