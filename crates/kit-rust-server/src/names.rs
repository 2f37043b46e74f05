//! Names of Rust.

use heck::{ToPascalCase, ToSnakeCase};

/// Words that are no names, in edition 2024.
const KEYWORDS: [&str; 48] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn", "else",
    "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct", "trait",
    "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Words that not even `r#` makes names.
const NEVER: [&str; 4] = ["self", "super", "crate", "Self"];

/// A field, function or module of that name.
pub(crate) fn field(name: &str) -> String {
    let plain = plain_field(name);
    if KEYWORDS.contains(&plain.as_str()) {
        format!("r#{plain}")
    } else {
        plain
    }
}

/// The same without the mark of a raw name.
pub(crate) fn plain_field(name: &str) -> String {
    let ascii: String = name
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                '_'
            }
        })
        .collect();
    // heck would split `a1`.
    let snake = ascii.to_snake_case();
    if snake.is_empty() || NEVER.contains(&snake.as_str()) {
        format!("{snake}_value").trim_start_matches('_').to_owned()
    } else if snake.starts_with(|first: char| first.is_ascii_digit()) {
        format!("_{snake}")
    } else {
        snake
    }
}

/// A type or variant of that name.
pub(crate) fn variant(name: &str) -> String {
    let ascii: String = name
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() {
                character
            } else {
                ' '
            }
        })
        .collect();
    let pascal = ascii.to_pascal_case();
    if pascal.is_empty() {
        "Empty".to_owned()
    } else if pascal.starts_with(|first: char| first.is_ascii_digit()) || pascal == "Self" {
        format!("Value{pascal}")
    } else {
        pascal
    }
}

/// The name, with a number behind it where it is taken.
pub(crate) fn unique(wanted: String, is_taken: impl Fn(&str) -> bool) -> String {
    if !is_taken(&wanted) {
        return wanted;
    }
    let mut number = 2_usize;
    loop {
        let name = format!("{wanted}{number}");
        if !is_taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// What `#[serde(rename_all = "camelCase")]` makes of a field.
pub(crate) fn serde_camel(field: &str) -> String {
    let mut camel = String::new();
    let mut upper = false;
    for character in field.chars() {
        if character == '_' {
            upper = true;
        } else if upper && !camel.is_empty() {
            camel.push(character.to_ascii_uppercase());
            upper = false;
        } else {
            camel.push(character);
            upper = false;
        }
    }
    camel
}

/// A string literal of Rust.
pub(crate) fn text(value: &str) -> String {
    format!("\"{}\"", value.escape_default())
}
