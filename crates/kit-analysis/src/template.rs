//! Template literal types in the form that generated code needs: references are replaced by their types, and
//! literals by text.

use kit_ir::{Program, TemplatePart, TypeId, TypeKind};

use crate::describe::describe;
use crate::literal::{literal_source, literal_text, template_text};
use crate::walk::resolve;

/// A part of a template literal type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Fixed text. Two fixed texts that follow each other are joined.
    Text(String),
    /// Any text: `${string}`.
    String,
    /// A text that JavaScript converts to a finite number: `${number}`.
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

#[cfg(test)]
mod tests {
    use kit_ir::{LiteralValue, Program, TemplatePart, TypeKind};

    use super::{Segment, segments, template_source};

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
