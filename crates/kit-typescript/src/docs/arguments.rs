//! Arguments of doc tags: the text after the name.

use kit_diagnostics::{Diagnostic, codes};
use kit_ir::Decimal;

use super::{Tag, problem};
use crate::modules::Graph;

/// Returns the words in a tag's argument.
pub(crate) fn words(tag: &Tag) -> Vec<&str> {
    tag.argument.split_whitespace().collect()
}

/// Returns true if the text can be the name of a property or an entity in the argument of a tag.
pub(crate) fn is_property_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|letter| letter.is_alphanumeric() || letter == '_' || letter == '$')
}

/// Parses a finite decimal number such as `1.5` or `1e3`.
pub(super) fn number(text: &str) -> Option<Decimal> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    plain.then(|| text.parse().ok()).flatten().and_then(Decimal::new)
}

/// Returns the error for an invalid argument of a tag. `form` is a valid tag, which the help shows.
pub(crate) fn invalid(graph: &Graph<'_>, tag: &Tag, form: &str) -> Diagnostic {
    let name = tag.name.name();
    let message = if tag.argument.is_empty() {
        format!("`@{name}` needs an argument")
    } else {
        format!("`@{name} {}` is not valid", tag.argument)
    };
    problem(graph, codes::INVALID_TAG_ARGUMENT, tag.location, message).help(format!("write `{form}`"))
}

/// Returns true if a tag has no argument. Otherwise reports the argument, because the tag takes none, and
/// returns false.
pub(super) fn expect_no_argument(graph: &Graph<'_>, tag: &Tag, diagnostics: &mut Vec<Diagnostic>) -> bool {
    if tag.argument.is_empty() {
        return true;
    }
    let name = tag.name.name();
    let message = format!("`@{name}` takes no argument");
    diagnostics.push(
        problem(graph, codes::INVALID_TAG_ARGUMENT, tag.location, message).help(format!(
            "write `@{name}` without an argument, and put text before the tag"
        )),
    );
    false
}
