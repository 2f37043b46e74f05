//! Generates template literal types, in the form of the runtime and in TypeScript syntax.

use kit_analysis::resolve;
use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use proc_macro2::TokenStream;
use quote::quote;

use crate::models::Module;
use crate::source::string_literal;
use crate::types::Types;

/// Returns the constant of a template literal type.
pub(super) fn constant(types: &Types<'_>, parts: &[TemplatePart], module: &mut Module) -> TokenStream {
    let source = source(types.program, parts);
    let base = module.runtime(types, "shape::Template");
    let path = module.runtime(types, "shape::TemplatePart");
    let (text, list) = (string_literal(&source), list(types.program, parts, &path));
    module.template(source, quote!(#base::new(#text, #list)))
}

fn list(program: &Program, parts: &[TemplatePart], path: &TokenStream) -> TokenStream {
    let parts = parts.iter().map(|part| match part {
        TemplatePart::Text(text) => fixed(text, path),
        TemplatePart::Placeholder(id) => placeholder(program, *id, path),
    });
    quote!(&[#(#parts),*])
}

fn fixed(text: &str, path: &TokenStream) -> TokenStream {
    let text = string_literal(text);
    quote!(#path::Fixed(#text))
}

/// Returns the form of a placeholder.
fn placeholder(program: &Program, id: TypeId, path: &TokenStream) -> TokenStream {
    let either = |sequences: Vec<TokenStream>| quote!(#path::OneOf(&[#(#sequences),*]));
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => quote!(#path::Text),
        TypeKind::Number => quote!(#path::Number),
        TypeKind::BigInt => quote!(#path::Integer),
        TypeKind::Boolean => {
            let texts = ["true", "false"].map(|text| fixed(text, path));
            either(texts.map(|text| quote!(&[#text])).into())
        }
        TypeKind::Null => fixed("null", path),
        TypeKind::Literal { value } => fixed(&literal(value), path),
        TypeKind::Template { parts } => either(vec![list(program, parts, path)]),
        TypeKind::Union { members } => either(
            members
                .iter()
                .map(|member| {
                    let placeholder = placeholder(program, *member, path);
                    quote!(&[#placeholder])
                })
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
