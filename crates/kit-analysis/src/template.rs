//! Template literal types in the form that generated code needs: references are replaced by their types, and
//! literals by text.

use std::fmt::Write as _;

use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use crate::describe::describe;
use crate::walk::resolve;

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Fixed text. Two fixed texts that follow each other are joined.
    Text(String),
    /// Any text: `${string}`.
    String,
    /// A number with the syntax of JSON: `${number}`.
    Number,
    /// An integer: `${bigint}`.
    Integer,
    /// A choice between several sequences of parts, for a placeholder with a union. No text fits an empty
    /// choice, which comes from a type that TypeScript does not allow in a template.
    OneOf(Vec<Vec<Segment>>),
}

/// Returns the parts of a template literal type, in order.
pub fn segments(program: &Program, parts: &[TemplatePart]) -> Vec<Segment> {
    let mut found: Vec<Segment> = Vec::new();
    for part in parts {
        let segment = match part {
            TemplatePart::Text(text) => Segment::Text(text.clone()),
            TemplatePart::Placeholder(id) => placeholder(program, *id),
        };
        match (found.last_mut(), segment) {
            (Some(Segment::Text(before)), Segment::Text(text)) => before.push_str(&text),
            (_, segment) => found.push(segment),
        }
    }
    found
}

fn placeholder(program: &Program, id: TypeId) -> Segment {
    let text = |text: &str| Segment::Text(text.to_owned());
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => Segment::String,
        TypeKind::Number => Segment::Number,
        TypeKind::BigInt => Segment::Integer,
        TypeKind::Boolean => Segment::OneOf(vec![vec![text("true")], vec![text("false")]]),
        TypeKind::Null => text("null"),
        TypeKind::Literal { value } => Segment::Text(literal_text(value)),
        TypeKind::Template { parts } => Segment::OneOf(vec![segments(program, parts)]),
        TypeKind::Union { members } => Segment::OneOf(
            members
                .iter()
                .map(|member| vec![placeholder(program, *member)])
                .collect(),
        ),
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => Segment::OneOf(Vec::new()),
    }
}

/// Returns a literal as it is printed in a template: `1` in `` `${1}` ``.
fn literal_text(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => text.clone(),
        LiteralValue::Number(number) => number_text(*number),
        LiteralValue::Boolean(value) => value.to_string(),
    }
}

/// Returns a literal type in the syntax of TypeScript, such as `"a"` or `5n`.
///
/// ```
/// assert_eq!(kit_analysis::literal_source(&kit_ir::LiteralValue::BigInt("5".to_owned())), "5n");
/// ```
pub fn literal_source(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) => string_literal(text),
        LiteralValue::BigInt(digits) => format!("{digits}n"),
        LiteralValue::Number(_) | LiteralValue::Boolean(_) => literal_text(value),
    }
}

/// Returns a number as JavaScript prints it.
///
/// ```
/// assert_eq!(kit_analysis::number_text(1e21), "1e+21");
/// assert_eq!(kit_analysis::number_text(-0.0), "0");
/// ```
pub fn number_text(value: f64) -> String {
    let size = value.abs();
    if size.is_infinite() {
        return if value > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
    }
    if value == 0.0 || (1e-6..1e21).contains(&size) {
        // JavaScript prints -0 as `0`.
        return if value == 0.0 { 0.0 } else { value }.to_string();
    }
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !exponent.starts_with('-') => format!("{digits}e+{exponent}"),
        _ => text,
    }
}

/// Returns a template literal type in the syntax of TypeScript, without the backticks. The messages of all
/// validators contain this text.
pub fn template_source(program: &Program, parts: &[TemplatePart]) -> String {
    source(program, parts, str::to_owned)
}

fn source(program: &Program, parts: &[TemplatePart], text: fn(&str) -> String) -> String {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(fixed) => text(fixed),
            TemplatePart::Placeholder(id) => format!("${{{}}}", placeholder_source(program, *id)),
        })
        .collect()
}

fn placeholder_source(program: &Program, id: TypeId) -> String {
    match &program.types[id].kind {
        TypeKind::Literal { value } => literal_source(value),
        TypeKind::Template { parts } => format!("`{}`", source(program, parts, template_text)),
        TypeKind::Union { members } => {
            let members: Vec<_> = members
                .iter()
                .map(|member| placeholder_source(program, *member))
                .collect();
            members.join(" | ")
        }
        _ => describe(program, id),
    }
}

/// Returns a TypeScript string literal, with quotes, for a text.
///
/// ```
/// assert_eq!(kit_analysis::string_literal("a\"b"), r#""a\"b""#);
/// ```
pub fn string_literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        push_escaped(&mut literal, character, '"');
    }
    literal.push('"');
    literal
}

/// Returns a text as it is written in a TypeScript template literal, without the backticks.
///
/// ```
/// assert_eq!(kit_analysis::template_text("${a}`"), r"\${a}\`");
/// ```
pub fn template_text(text: &str) -> String {
    let mut literal = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character == '$' && characters.peek() == Some(&'{') {
            literal.push('\\');
        }
        push_escaped(&mut literal, character, '`');
    }
    literal
}

fn push_escaped(literal: &mut String, character: char, quote: char) {
    match character {
        '\\' => literal.push_str("\\\\"),
        '\n' => literal.push_str("\\n"),
        '\r' => literal.push_str("\\r"),
        '\t' => literal.push_str("\\t"),
        '\u{2028}' | '\u{2029}' | '\u{feff}' | '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' => {
            // Writing into a string cannot fail.
            let _ = write!(literal, "\\u{:04x}", u32::from(character));
        }
        _ if character == quote => {
            literal.push('\\');
            literal.push(character);
        }
        _ => literal.push(character),
    }
}

#[cfg(test)]
mod tests {
    use kit_ir::{LiteralValue, Program, TemplatePart, TypeKind};

    use super::{Segment, number_text, segments, template_source};

    #[test]
    fn prints_numbers_as_javascript_does() {
        for (number, text) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.5, "1.5"),
            (-7.0, "-7"),
            (1e20, "100000000000000000000"),
            (1e21, "1e+21"),
            (-1.5e300, "-1.5e+300"),
            (0.000_001, "0.000001"),
            (0.000_000_1, "1e-7"),
            (f64::INFINITY, "Infinity"),
        ] {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn joins_a_literal_in_a_template_with_the_text_around_it() {
        let mut program = Program::default();
        let literal = |value| TypeKind::Literal { value };
        let number = program.add_type(literal(LiteralValue::Number(1e21)));
        let quoted = program.add_type(literal(LiteralValue::String("a\"".to_owned())));
        let any = program.add_type(TypeKind::String);
        let either = program.add_type(TypeKind::Union {
            members: vec![quoted, any],
        });
        let parts = [
            TemplatePart::Text("v".to_owned()),
            TemplatePart::Placeholder(number),
            TemplatePart::Text("`".to_owned()),
            TemplatePart::Placeholder(either),
        ];
        let text = |text: &str| Segment::Text(text.to_owned());
        assert_eq!(
            segments(&program, &parts),
            [
                text("v1e+21`"),
                Segment::OneOf(vec![vec![text("a\"")], vec![Segment::String]]),
            ]
        );
        assert_eq!(
            template_source(&program, &parts),
            r#"v${1e+21}`${"a\"" | string}"#
        );
        let nested = program.add_type(TypeKind::Template {
            parts: parts.to_vec(),
        });
        assert_eq!(
            template_source(&program, &[TemplatePart::Placeholder(nested)]),
            r#"${`v${1e+21}\`${"a\"" | string}`}"#
        );
    }
}
