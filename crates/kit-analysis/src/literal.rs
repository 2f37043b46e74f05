//! Literals of TypeScript: strings, numbers and the texts of templates.

use std::fmt::Write as _;

use kit_ir::LiteralValue;

/// Returns a literal as it is printed in a template: `1` in `` `${1}` ``.
pub(crate) fn literal_text(value: &LiteralValue) -> String {
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
    use super::number_text;

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
}
