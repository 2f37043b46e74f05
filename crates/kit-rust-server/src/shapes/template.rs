//! Generates template literal types, in the form of the runtime and in TypeScript syntax.

use kit_analysis::resolve;
use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use crate::models::Module;
use crate::names;
use crate::print::Expression;
use crate::types::Types;

/// Returns the constant of a template literal type.
pub(super) fn constant(types: &Types<'_>, parts: &[TemplatePart], module: &mut Module) -> String {
    let source = source(types.program, parts);
    let base = module.runtime(types, "shape::Template");
    let path = module.runtime(types, "shape::TemplatePart");
    let arguments = vec![
        Expression::plain(names::text(&source)),
        list(types.program, parts, &path),
    ];
    module.template(source, Expression::call(format!("{base}::new"), arguments))
}

fn list(program: &Program, parts: &[TemplatePart], path: &str) -> Expression {
    let parts = parts.iter().map(|part| match part {
        TemplatePart::Text(text) => fixed(text, path),
        TemplatePart::Placeholder(id) => filling(program, *id, path),
    });
    Expression::List(parts.collect())
}

fn fixed(text: &str, path: &str) -> Expression {
    Expression::call(
        format!("{path}::Fixed"),
        vec![Expression::plain(names::text(text))],
    )
}

/// Returns the form of a placeholder.
fn filling(program: &Program, id: TypeId, path: &str) -> Expression {
    let hole = |name: &str| Expression::plain(format!("{path}::{name}"));
    let either = |sequences: Vec<Expression>| {
        Expression::call(format!("{path}::OneOf"), vec![Expression::List(sequences)])
    };
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => hole("Text"),
        TypeKind::Number => hole("Number"),
        TypeKind::BigInt => hole("Integer"),
        TypeKind::Boolean => {
            let texts = ["true", "false"];
            either(texts.map(|text| Expression::List(vec![fixed(text, path)])).into())
        }
        TypeKind::Null => fixed("null", path),
        TypeKind::Literal { value } => fixed(&literal(value), path),
        TypeKind::Template { parts } => either(vec![list(program, parts, path)]),
        TypeKind::Union { members } => either(
            members
                .iter()
                .map(|member| Expression::List(vec![filling(program, *member, path)]))
                .collect(),
        ),
        // TypeScript allows no other types in a placeholder, so no text matches.
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => either(Vec::new()),
    }
}

/// Returns the text of a literal in a template.
fn literal(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) | LiteralValue::BigInt(text) => text.clone(),
        LiteralValue::Number(number) => number_text(*number),
        LiteralValue::Boolean(value) => value.to_string(),
    }
}

/// Returns the template in TypeScript syntax, without the backticks. Messages of every runtime show this text.
pub(crate) fn source(program: &Program, parts: &[TemplatePart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Placeholder(id) => format!("${{{}}}", hole_text(program, *id)),
        })
        .collect()
}

fn hole_text(program: &Program, id: TypeId) -> String {
    match &program.types[id].kind {
        TypeKind::Null => "null".to_owned(),
        TypeKind::Boolean => "boolean".to_owned(),
        TypeKind::Number => "number".to_owned(),
        TypeKind::String => "string".to_owned(),
        TypeKind::BigInt => "bigint".to_owned(),
        TypeKind::Literal { value } => match value {
            LiteralValue::String(text) => quoted(text, '"'),
            LiteralValue::BigInt(digits) => format!("{digits}n"),
            other => literal(other),
        },
        TypeKind::Template { parts } => {
            let parts: String = parts
                .iter()
                .map(|part| match part {
                    TemplatePart::Text(text) => quoted(&text.replace("${", "\\${"), '`')
                        .trim_matches('`')
                        .to_owned(),
                    TemplatePart::Placeholder(id) => format!("${{{}}}", hole_text(program, *id)),
                })
                .collect();
            format!("`{parts}`")
        }
        TypeKind::Union { members } => {
            let members: Vec<_> = members.iter().map(|member| hole_text(program, *member)).collect();
            members.join(" | ")
        }
        TypeKind::Reference { declaration } => program.declarations[*declaration].name.clone(),
        _ => kit_analysis::describe(program, id),
    }
}

/// Returns a string literal in TypeScript syntax.
fn quoted(text: &str, quote: char) -> String {
    let mut literal = String::from(quote);
    for character in text.chars() {
        match character {
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            _ if character == quote || (character == '\\' && quote == '"') => {
                literal.push('\\');
                literal.push(character);
            }
            _ if character.is_control() => {
                literal.push_str(&format!("\\u{:04x}", u32::from(character)));
            }
            _ => literal.push(character),
        }
    }
    literal.push(quote);
    literal
}

/// Formats a number like JavaScript.
fn number_text(number: f64) -> String {
    let text = format!("{number:e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    match exponent.parse::<i32>() {
        Ok(exponent) if !(-7..21).contains(&exponent) => {
            let sign = if exponent < 0 { '-' } else { '+' };
            format!("{mantissa}e{sign}{}", exponent.abs())
        }
        Ok(-7) => format!("{mantissa}e-7"),
        _ if number == 0.0 => "0".to_owned(),
        _ => number.to_string(),
    }
}
