//! Parser of TypeScript and JSON files.

use std::path::Path;

use kit_diagnostics::{Diagnostic, Diagnostics, Label, codes};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Expression, Program};
use oxc_parser::Parser;
use oxc_span::{SourceType, Span};

use super::mistakes;
use crate::source::LineIndex;
use crate::stack::StackSize;

/// Maximum depth of nested brackets. A deeper file is refused before the parser, which recurses, reads it, so
/// that the result is an error and not a stack overflow. Hand-written code has a depth below 30.
const MAX_DEPTH: usize = 200;

/// Parses a file and reports its syntax errors. The tree contains the statements that could be parsed.
pub(super) fn parse<'a>(
    allocator: &'a Allocator,
    path: &Path,
    display: &str,
    text: &'a str,
    stack_size: StackSize,
    lines: &LineIndex,
    diagnostics: &mut Diagnostics,
) -> &'a Program<'a> {
    let source_type = SourceType::from_path(path).unwrap_or_else(|_| SourceType::ts());
    let label = |start: usize, end: usize| {
        let (line, column) = lines.position(text, u32::try_from(start).unwrap_or(u32::MAX));
        Label::primary(display, start..end.max(start)).at(line, column)
    };
    if let Some(offset) = too_deep(text) {
        diagnostics.push(
            Diagnostic::new(
                codes::SYNTAX,
                format!("brackets are nested more than {MAX_DEPTH} deep"),
            )
            .label(label(offset, offset + 1))
            .help("move the inner types to named types"),
        );
        return allocator.alloc(Parser::new(allocator, "", source_type).parse().program);
    }
    let parsed = stack_size.run(|| Parser::new(allocator, text, source_type).parse());
    for error in &parsed.diagnostics {
        let mut diagnostic = Diagnostic::new(codes::SYNTAX, error.message.to_string());
        for found in &error.labels {
            let start = found.offset() as usize;
            let mut location = label(start, start + found.len() as usize);
            location.primary = diagnostic.labels.is_empty();
            diagnostic = diagnostic.label(location.message(found.label().unwrap_or_default()));
        }
        if diagnostic.labels.is_empty() {
            diagnostic = diagnostic.label(label(0, 0));
        }
        diagnostic = diagnostic.help(match &error.help {
            Some(help) => help.to_string(),
            None => suggestion(&error.message),
        });
        diagnostics.push(diagnostic);
    }
    // Mistakes in packages are not reported, because the user cannot correct them. In a file with syntax
    // errors, code that was not parsed may look like a mistake.
    if parsed.diagnostics.is_empty() && !path.components().any(|part| part.as_os_str() == "node_modules") {
        for mistake in stack_size.run(|| mistakes::find(&parsed.program, text)) {
            let location = |span: Span| label(span.start as usize, span.end as usize);
            let mut diagnostic = Diagnostic::new(mistake.code, mistake.message)
                .label(location(mistake.location))
                .help(mistake.help);
            if let Some(earlier) = mistake.earlier {
                let mut earlier = location(earlier).message("the first one");
                earlier.primary = false;
                diagnostic = diagnostic.label(earlier);
            }
            diagnostics.push(diagnostic);
        }
    }
    allocator.alloc(parsed.program)
}

/// Returns the help for a syntax error for which the parser has no help. If the parser expected a `;`, the
/// help says to write a `;`.
fn suggestion(message: &str) -> String {
    let wanted = message
        .strip_prefix("Expected `")
        .and_then(|rest| rest.split_once('`'))
        .map(|(wanted, _)| wanted);
    match wanted {
        Some(wanted) => format!("write `{wanted}` here, or remove the text at this position"),
        None => "if the text at this position is correct, a bracket, a quote or a `;` is missing before it"
            .to_owned(),
    }
}

/// Parses a JSON file as an expression of TypeScript.
pub(super) fn parse_json<'a>(
    allocator: &'a Allocator,
    display: &str,
    text: &'a str,
    lines: &LineIndex,
    diagnostics: &mut Diagnostics,
) -> Option<&'a Expression<'a>> {
    let label = |start: usize| {
        let (line, column) = lines.position(text, u32::try_from(start).unwrap_or(u32::MAX));
        Label::primary(display, start..start).at(line, column)
    };
    if let Some(offset) = too_deep(text) {
        let message = format!("brackets are nested more than {MAX_DEPTH} deep");
        diagnostics.push(Diagnostic::new(codes::SYNTAX, message).label(label(offset)));
        return None;
    }
    match StackSize::for_text(text).run(|| Parser::new(allocator, text, SourceType::ts()).parse_expression())
    {
        Ok(expression) => Some(allocator.alloc(expression)),
        Err(errors) => {
            let first = errors.first();
            let message = first.map_or_else(
                || "the file is not valid JSON".to_owned(),
                |error| error.message.to_string(),
            );
            let start = first
                .and_then(|error| error.labels.first())
                .map_or(0, |label| label.offset() as usize);
            diagnostics.push(Diagnostic::new(codes::SYNTAX, message).label(label(start)));
            None
        }
    }
}

/// Returns the offset of the first bracket beyond the maximum depth; `None` if there is no such bracket.
/// Brackets in strings and comments count too; in practice they are balanced.
fn too_deep(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => {
                depth += 1;
                if depth > MAX_DEPTH {
                    return Some(offset);
                }
            }
            b')' | b']' | b'}' | b'>' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
