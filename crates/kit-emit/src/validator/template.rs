//! Template literal types: as a list of parts for the codec, and as a regular expression for JSON Schema.

use kit_ir::{LiteralValue, Program, TemplatePart, TypeId, TypeKind};

use crate::Context;
use crate::text::{Module, Path, Writer, literal};
use kit_analysis::resolve;

/// Pattern of a number in JSON.
const NUMBER: &str = "-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?";
/// Pattern of an integer.
const INTEGER: &str = "-?[0-9]+";

/// Returns the name of a constant that tests if a string matches a template literal type. The test uses no regular
/// expression, because an invalid string could make a backtracking engine slow.
pub(crate) fn test(
    program: &Program,
    parts: &[TemplatePart],
    path: &Path<'_>,
    module: &mut Module,
) -> String {
    let parts = list(program, parts);
    module.once("texts", parts.clone(), path, |module, name| {
        let (texts, template) = (module.codec_type("TextTest"), module.helper("template"));
        let mut writer = Writer::default();
        writer.line(format_args!("const {name}: {texts} = {template}({parts});"));
        module.push(writer);
    })
}

/// Returns the parts in the form of the codec.
fn list(program: &Program, parts: &[TemplatePart]) -> String {
    literal::list(
        "[",
        parts.iter().map(|part| match part {
            TemplatePart::Text(text) => literal::string(text),
            TemplatePart::Placeholder(id) => filling(program, *id),
        }),
        "]",
    )
}

fn filling(program: &Program, id: TypeId) -> String {
    let hole = |name: &str| literal::object([("hole".to_owned(), literal::string(name))]);
    let either =
        |sequences: Vec<String>| literal::object([("either".to_owned(), literal::list("[", sequences, "]"))]);
    let text = |text: &str| literal::string(text);
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => hole("string"),
        TypeKind::Number => hole("number"),
        TypeKind::BigInt => hole("bigint"),
        TypeKind::Boolean => either(vec![
            literal::list("[", [text("true")], "]"),
            literal::list("[", [text("false")], "]"),
        ]),
        TypeKind::Null => text("null"),
        TypeKind::Literal { value } => text(&literal_text(value)),
        TypeKind::Template { parts } => either(vec![list(program, parts)]),
        TypeKind::Union { members } => either(
            members
                .iter()
                .map(|member| literal::list("[", [filling(program, *member)], "]"))
                .collect(),
        ),
        // TypeScript allows no other types in a placeholder, so no string matches.
        TypeKind::Never
        | TypeKind::Date
        | TypeKind::Bytes
        | TypeKind::Array { .. }
        | TypeKind::Tuple { .. }
        | TypeKind::Object(_)
        | TypeKind::Reference { .. } => either(Vec::new()),
    }
}

fn literal_text(value: &LiteralValue) -> String {
    match value {
        LiteralValue::String(text) => text.clone(),
        LiteralValue::Number(number) => literal::number(*number),
        LiteralValue::Boolean(value) => value.to_string(),
        LiteralValue::BigInt(digits) => digits.clone(),
    }
}

/// Returns a pattern that matches exactly the strings of a template literal type, for JSON Schema.
///
/// `${number}` accepts numbers in JSON form. TypeScript would also accept ` 1` and `0x1`, which no server intends.
pub(crate) fn pattern(program: &Program, parts: &[TemplatePart]) -> String {
    format!("^{}$", sequence(program, parts))
}

/// Returns the template as in TypeScript, without the backticks.
pub(crate) fn source(context: Context<'_>, parts: &[TemplatePart]) -> String {
    parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(text) => text.clone(),
            TemplatePart::Placeholder(id) => format!("${{{}}}", crate::types::type_text(context, *id)),
        })
        .collect()
}

/// Returns the pattern of all parts. Each placeholder ends at the first occurrence of the text behind it, and a placeholder
/// right before another one is one character, as in TypeScript and in the runtimes. If only strings follow, every division
/// of the text is equivalent.
fn sequence(program: &Program, parts: &[TemplatePart]) -> String {
    let kinds: Vec<Option<&TypeKind>> = parts
        .iter()
        .map(|part| match part {
            TemplatePart::Text(_) => None,
            TemplatePart::Placeholder(id) => Some(&program.types[resolve(program, *id)].kind),
        })
        .collect();
    let divided = kinds.iter().flatten().all(|kind| {
        matches!(
            kind,
            TypeKind::String | TypeKind::Unknown | TypeKind::Number | TypeKind::BigInt
        )
    });
    let mut pattern = String::new();
    for (at, part) in parts.iter().enumerate() {
        let id = match part {
            TemplatePart::Text(text) => {
                pattern.push_str(&escape(text));
                continue;
            }
            TemplatePart::Placeholder(id) => *id,
        };
        let later = kinds[at + 1..].iter().flatten();
        let strings = later
            .clone()
            .all(|kind| matches!(kind, TypeKind::String | TypeKind::Unknown));
        let is_text = matches!(kinds[at], Some(TypeKind::String | TypeKind::Unknown));
        match parts.get(at + 1) {
            Some(TemplatePart::Placeholder(_)) if divided => {
                pattern.push_str(if is_text { "[^]" } else { "[0-9]" });
            }
            Some(TemplatePart::Text(text)) if divided && later.count() > 0 && !(strings && is_text) => {
                pattern.push_str(&up_to(kinds[at], text));
            }
            _ => pattern.push_str(&hole(program, id)),
        }
    }
    pattern
}

/// Returns the pattern of a placeholder that does not contain the text behind it.
fn up_to(kind: Option<&TypeKind>, behind: &str) -> String {
    let stop = format!("(?!{})", escape(behind));
    match kind {
        Some(TypeKind::Number | TypeKind::BigInt) if !behind.starts_with(is_of_number) => match kind {
            Some(TypeKind::Number) => NUMBER.to_owned(),
            _ => INTEGER.to_owned(),
        },
        Some(TypeKind::Number) => format!(
            "(?:{stop}-)?(?:{stop}[0-9])+(?:{stop}\\.(?:{stop}[0-9])+)?(?:{stop}[eE](?:{stop}[+\\-])?(?:{stop}[0-9])+)?"
        ),
        Some(TypeKind::BigInt) => format!("(?:{stop}-)?(?:{stop}[0-9])+"),
        _ => format!("(?:{stop}[^])*"),
    }
}

/// Returns true if a number on the wire may contain the character.
fn is_of_number(character: char) -> bool {
    character.is_ascii_digit() || "+-.eE".contains(character)
}

fn hole(program: &Program, id: TypeId) -> String {
    match &program.types[resolve(program, id)].kind {
        TypeKind::String | TypeKind::Unknown => "[^]*".to_owned(),
        TypeKind::Number => NUMBER.to_owned(),
        TypeKind::BigInt => INTEGER.to_owned(),
        TypeKind::Boolean => "(?:true|false)".to_owned(),
        TypeKind::Null => "null".to_owned(),
        TypeKind::Literal { value } => escape(&literal_text(value)),
        TypeKind::Template { parts } => sequence(program, parts),
        TypeKind::Union { members } => {
            let members: Vec<_> = members.iter().map(|member| hole(program, *member)).collect();
            format!("(?:{})", members.join("|"))
        }
        // TypeScript allows no other types in a placeholder, so no string matches.
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
