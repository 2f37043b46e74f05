//! Values of requests as values of columns.

use crate::types::Field;

/// The expression of a property as a value behind so many `Option`s; nothing where its type is another one. What is left out is `None`
/// at the outermost, null is `None` at the innermost.
pub(super) fn converted(from: &str, field: &Field, plain: &str, options: usize) -> Option<String> {
    let inner = field
        .r#type
        .strip_prefix("Option<")
        .and_then(|rest| rest.strip_suffix('>'));
    if inner.unwrap_or(&field.r#type) != plain {
        return None;
    }
    let value = format!("{from}.{}", field.name);
    Some(match (field.optional, inner.is_some(), options) {
        (false, false, 0) | (true, false, 1) | (false, true, 1) | (true, true, 2) => value,
        (false, false, 1) | (false, true, 2) => format!("Some({value})"),
        (false, false, 2) => format!("Some(Some({value}))"),
        (true, false, 2) => format!("{value}.map(Some)"),
        (true, true, 1) => format!("{value}.flatten()"),
        _ => return None,
    })
}
