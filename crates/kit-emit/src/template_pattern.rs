//! Template literal types as regular expressions for JSON Schema.

use kit_analysis::{Segment, segments};
use kit_ir::{Program, TemplatePart};

/// Returns a pattern that matches exactly the strings of a template literal type, for JSON Schema.
///
/// The pattern of `${number}` does not exclude numbers beyond the range of doubles, such as `1e999`, which validators refuse.
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
            (_, Some(_)) if divided => pattern.push_str(match segment {
                Segment::Number => "[0-9\\s]",
                Segment::Integer => "[0-9]",
                _ => "[^]",
            }),
            (_, Some(_)) => pattern.push_str(&segment_pattern(segment)),
        }
    }
    pattern
}

/// Returns the pattern of a placeholder that ends at the first occurrence of `after`.
fn placeholder_before(segment: &Segment, after: &str) -> String {
    let stop = format!("(?!{})", escape(after));
    match segment {
        Segment::Number | Segment::Integer if !after.starts_with(is_of_number) => segment_pattern(segment),
        Segment::Number => number(&stop),
        Segment::Integer => integer(&stop),
        Segment::Text(_) | Segment::String | Segment::OneOf(_) => format!("(?:{stop}[^])*"),
    }
}

/// Returns true if a text that JavaScript converts to a number may contain the character.
fn is_of_number(character: char) -> bool {
    character.is_ascii_hexdigit() || "+-.xXoO\u{feff}".contains(character) || character.is_whitespace()
}

/// Returns the pattern of a text that JavaScript converts to a number. `stop` is a condition before each character, or empty.
fn number(stop: &str) -> String {
    let one = |class: &str| format!("{stop}{class}");
    let any = |class: &str| repeated(stop, class, '*');
    let some = |class: &str| repeated(stop, class, '+');
    let optional = |pattern: String| format!("(?:{pattern})?");
    let (digits, fraction, spaces) = (some("[0-9]"), any("[0-9]"), any("\\s"));
    let sign = repeated(stop, "[+\\-]", '?');
    let point = one("\\.");
    let exponent = optional(format!("{}{sign}{digits}", one("[eE]")));
    let decimal = format!(
        "{sign}(?:{digits}{}|{point}{digits}){exponent}",
        optional(format!("{point}{fraction}"))
    );
    let zero = one("0");
    let of_radixes = [("[xX]", "[0-9a-fA-F]"), ("[oO]", "[0-7]"), ("[bB]", "[01]")]
        .map(|(letter, class)| format!("|{zero}{}{}", one(letter), some(class)));
    format!(
        "(?:{spaces}(?:{decimal}{}){spaces}|{})",
        of_radixes.concat(),
        some("\\s")
    )
}

/// Returns the pattern of an integer. `stop` is a condition before each character, or empty.
fn integer(stop: &str) -> String {
    format!("(?:{stop}-)?{}", repeated(stop, "[0-9]", '+'))
}

/// Returns the pattern of repeated characters of a class.
fn repeated(stop: &str, class: &str, quantifier: char) -> String {
    if stop.is_empty() {
        format!("{class}{quantifier}")
    } else {
        format!("(?:{stop}{class}){quantifier}")
    }
}

/// Returns the pattern of a single segment, without regard to the segments after it.
fn segment_pattern(segment: &Segment) -> String {
    match segment {
        Segment::Text(text) => escape(text),
        Segment::String => "[^]*".to_owned(),
        Segment::Number => number(""),
        Segment::Integer => integer(""),
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
