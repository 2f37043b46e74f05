//! Definitions that TypeScript does not know: of routes, and of entities in doc tags.

use kit_build::MentionKind;
use kit_ir::{Program, Span};
use lsp_types::Location;

use crate::view::View;

/// Returns the definition of the text at an offset. A contract leads to its handler. Every other text that names a route leads
/// to the contract. An entity or property in a tag such as `@references` leads to its declaration.
pub(crate) fn definition(view: &View<'_>, offset: usize) -> Option<Location> {
    if let Some((mention, route)) = view.route_at(offset) {
        let span = match (mention.kind, &route.handler) {
            (MentionKind::Contract, Some(handler)) => handler.span,
            _ => route.span,
        };
        return view.location(span);
    }
    view.location(tag_target(view.program(), &view.text, offset)?)
}

/// Returns the declaration of the entity or property that a doc tag names at an offset.
fn tag_target(program: &Program, text: &str, offset: usize) -> Option<Span> {
    let start = text[..offset].rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let before = &text[start..offset];
    let tag = before.rfind('@')?;
    let argument = before[tag..].strip_prefix("@references")?;
    if !is_in_comment(&text[..start + tag]) || !argument.starts_with(char::is_whitespace) {
        return None;
    }
    let word = word_at(text, offset)?;
    let (entity, property) = match word.split_once('.') {
        Some((entity, property)) => (entity, Some(property)),
        None => (word, None),
    };
    let found = program.entities.iter().find_map(|candidate| {
        let declaration = &program.declarations[candidate.declaration];
        (declaration.name == entity).then_some(declaration)
    })?;
    let property = property.and_then(|name| {
        let properties = program.properties(found.r#type);
        properties.iter().find(|property| property.name == name)
    });
    Some(property.map_or(found.span, |property| property.span))
}

/// Returns true if a text ends inside a block comment.
pub(crate) fn is_in_comment(text: &str) -> bool {
    match (text.rfind("/*"), text.rfind("*/")) {
        (Some(start), Some(end)) => start > end,
        (Some(_), None) => true,
        (None, _) => false,
    }
}

/// Returns the word around an offset: a name, or names with dots between them.
pub(crate) fn word_at(text: &str, offset: usize) -> Option<&str> {
    let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$' | '.');
    let before = text[..offset].trim_end_matches(is_part).len();
    let after = offset
        + text[offset..]
            .find(|letter| !is_part(letter))
            .unwrap_or(text.len() - offset);
    let word = text[before..after].trim_matches('.');
    (!word.is_empty()).then_some(word)
}
