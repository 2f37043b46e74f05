//! Template literal types as regular expressions for JSON Schema.

use kit_analysis::{Segment, segments};
use kit_ir::{Program, TemplatePart};

/// Pattern of a number in JSON.
const NUMBER: &str = "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?";
/// Pattern of an integer.
const INTEGER: &str = "-?[0-9]+";

/// Returns a pattern that matches exactly the strings of a template literal type, for JSON Schema.
///
/// `${number}` accepts numbers in JSON form. TypeScript would also accept ` 1` and `0x1`, which servers do not expect.
pub(crate) fn template_pattern(program: &Program, parts: &[TemplatePart]) -> String {
    format!("^{}$", sequence(&segments(program, parts)))
}

/// Returns the pattern of all segments of a template. As in TypeScript and in all servers of kit, a
/// placeholder ends at the first occurrence of the text after it, and a placeholder directly before another
/// placeholder is one character. If only `${string}` placeholders follow, it does not matter where a
/// placeholder ends.
fn sequence(segments: &[Segment]) -> String {
    let divided = !segments
        .iter()
        .any(|segment| matches!(segment, Segment::OneOf(_)));
    let mut pattern = String::new();
    for (at, segment) in segments.iter().enumerate() {
        let rest = &segments[at + 1..];
        let mut later = rest
            .iter()
            .filter(|segment| !matches!(segment, Segment::Text(_)))
            .peekable();
        let has_later = later.peek().is_some();
        let only_strings = later.all(|segment| *segment == Segment::String);
        let is_string = *segment == Segment::String;
        match (segment, rest.first()) {
            (Segment::Text(_), _) | (_, None) => pattern.push_str(&segment_pattern(segment)),
            (_, Some(Segment::Text(text))) if divided && has_later && !(only_strings && is_string) => {
                pattern.push_str(&placeholder_before(segment, text));
            }
            (_, Some(Segment::Text(_))) => pattern.push_str(&segment_pattern(segment)),
            (_, Some(_)) if divided => pattern.push_str(if is_string { "[^]" } else { "[0-9]" }),
            (_, Some(_)) => pattern.push_str(&segment_pattern(segment)),
        }
    }
    pattern
}

/// Returns the pattern of a placeholder that ends at the first occurrence of `after`.
fn placeholder_before(segment: &Segment, after: &str) -> String {
    let stop = format!("(?!{})", escape(after));
    match segment {
        Segment::Number if !after.starts_with(is_of_number) => NUMBER.to_owned(),
        Segment::Integer if !after.starts_with(is_of_number) => INTEGER.to_owned(),
        Segment::Number => format!(
            "(?:{stop}-)?(?:{stop}[0-9])+(?:{stop}\\.(?:{stop}[0-9])+)?(?:{stop}[eE](?:{stop}[+\\-])?(?:{stop}[0-9])+)?"
        ),
        Segment::Integer => format!("(?:{stop}-)?(?:{stop}[0-9])+"),
        Segment::Text(_) | Segment::String | Segment::OneOf(_) => format!("(?:{stop}[^])*"),
    }
}

/// Returns true if a number on the wire may contain the character: digits, `+`, `-`, `.`, `e` and `E`.
fn is_of_number(character: char) -> bool {
    character.is_ascii_digit() || "+-.eE".contains(character)
}

/// Returns the pattern of a single segment, without regard to the segments after it.
fn segment_pattern(segment: &Segment) -> String {
    match segment {
        Segment::Text(text) => escape(text),
        Segment::String => "[^]*".to_owned(),
        Segment::Number => NUMBER.to_owned(),
        Segment::Integer => INTEGER.to_owned(),
        Segment::OneOf(sequences) => match sequences.as_slice() {
            [] => "(?!)".to_owned(),
            [only] => sequence(only),
            several => {
                let several: Vec<_> = several.iter().map(|each| sequence(each)).collect();
                format!("(?:{})", several.join("|"))
            }
        },
    }
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if "^$\\.*+?()[]{}|/".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
