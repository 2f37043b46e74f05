//! Template literal types as regular expressions.

use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use crate::Context;
use crate::text::literal;
use kit_analysis::resolve;

/// A pattern that matches exactly the texts of a template literal type, for `new RegExp(…, "u")`.
///
/// `${number}` takes what JSON takes as a number: TypeScript would also take ` 1` and `0x1`, which no server means.
pub(crate) fn pattern(program: &Program, parts: &[TemplatePart]) -> String {
    format!("^{}$", sequence(program, parts))
}

/// The template as TypeScript writes it, without the backticks.
pub(crate) fn source(context: Context<'_>, parts: &[TemplatePart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Hole(id) => format!("${{{}}}", crate::types::type_text(context, *id)),
        })
        .collect()
}

fn sequence(program: &Program, parts: &[TemplatePart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => escape(text),
            TemplatePart::Hole(id) => hole(program, *id),
        })
        .collect()
}

fn hole(program: &Program, id: TypeId) -> String {
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => "[^]*".to_owned(),
        TypeKind::Number => "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?".to_owned(),
        TypeKind::BigInt => "-?[0-9]+".to_owned(),
        TypeKind::Boolean => "(?:true|false)".to_owned(),
        TypeKind::Null => "null".to_owned(),
        TypeKind::Literal { value } => escape(&match value {
            LiteralValue::String(text) => text.clone(),
            LiteralValue::Number(number) => literal::number(*number),
            LiteralValue::Boolean(value) => value.to_string(),
            LiteralValue::BigInt(digits) => digits.clone(),
        }),
        TypeKind::Template { parts } => sequence(program, parts),
        TypeKind::Union { members } => {
            let members: Vec<_> = members.iter().map(|member| hole(program, *member)).collect();
            format!("(?:{})", members.join("|"))
        }
        // TypeScript allows nothing else in a hole, so there is no text that it could match.
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => "(?!)".to_owned(),
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
